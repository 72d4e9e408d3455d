import assert from 'node:assert/strict';
import type { Page } from 'playwright-core';
import { command } from '../fixtures/launch.ts';
import { becomes, inspected, type TraceEntry } from './harness.ts';

// Calls that take their time.

const send = (page: Page): Promise<void> => page.keyboard.press('Control+Enter');
const answerOf = (page: Page) => page.getByRole('region', { name: 'What came back' });
const calls = (trace: readonly TraceEntry[]): number =>
  trace.filter(({ from, text }) => from === 'client' && text.includes('"tools/call"')).length;

inspected(
  'calls that waited for an answer took all connections, so that nobody could give it',
  { servers: { asks: command('asks') }, revision: '2025-11-25' },
  async ({ page, go }) => {
    const tools = ['form', 'confirm', 'page', 'sample', 'chain', 'both', 'sample-tools'];
    for (const tool of tools) {
      await go(`explore/asks/tools/${tool}`);
      await page.getByRole('heading', { name: tool, exact: true }).waitFor();
      await send(page);
      await answerOf(page).getByText('Waiting for').waitFor();
    }
    await page.getByLabel('8 waiting').waitFor();
    await page.reload();
    await go('inbox');
    await page.getByRole('region', { name: 'Questions' }).getByText('Delete everything?').click();
    await page.getByRole('region', { name: 'The question' }).getByRole('button', { name: 'Decline' }).click();
    await page.getByText('Answered: decline').waitFor();
    await page.getByLabel('7 waiting').waitFor();
  },
);

inspected(
  'a call that ran was given up after a reload, and could not be ended',
  { servers: { slow: command('slow', '1500') } },
  async ({ page, go, trace }) => {
    await go('explore/slow/tools/wait');
    await page.getByRole('heading', { name: 'wait', exact: true }).waitFor();
    await send(page);
    await answerOf(page).getByText('Waiting for').waitFor();
    await page.reload();
    await answerOf(page).getByText('Waiting for').waitFor();
    assert.equal(await page.getByRole('button', { name: /^Send/ }).count(), 0);
    await answerOf(page).getByText('Done', { exact: true }).first().waitFor();
    // And the next one, from another screen.
    await send(page);
    await answerOf(page).getByText('Waiting for').waitFor();
    await go('trace');
    await page.getByRole('heading', { name: 'Trace' }).waitFor();
    await go('explore/slow/tools/wait');
    await page.getByRole('button', { name: 'Cancel' }).click();
    await answerOf(page).getByText('cancelled').first().waitFor();
    await becomes(async () => (await trace()).filter(({ text }) => text.includes('notifications/cancelled')).length, 1);
    assert.equal(calls(await trace()), 2);
  },
);

inspected(
  'pressed twice, a call was sent twice',
  { servers: { slow: command('slow', '700') } },
  async ({ page, go, trace }) => {
    await go('explore/slow/tools/wait');
    await page.getByRole('heading', { name: 'wait', exact: true }).waitFor();
    for (let count = 0; count < 3; count++) await send(page);
    await answerOf(page).getByText('Done', { exact: true }).first().waitFor();
    assert.equal(calls(await trace()), 1);
  },
);

inspected(
  'a request that was sent again took a connection for as long as it ran',
  { servers: { slow: command('slow', '1200') } },
  async ({ page, go, trace }) => {
    await go('explore/slow/tools/wait');
    await page.getByRole('heading', { name: 'wait', exact: true }).waitFor();
    await send(page);
    await answerOf(page).getByText('Done', { exact: true }).first().waitFor();
    const request = (await trace()).find(({ from, text }) => from === 'client' && text.includes('"tools/call"'))!;
    await go(`trace?line=${request.n}`);
    const acts = page.getByRole('region', { name: `Request #${request.n}` });
    await acts.getByRole('button', { name: 'Replay', exact: true }).click();
    await acts.getByText('Sent. No answer yet').waitFor();
    await acts.getByText('ok', { exact: true }).waitFor();
    assert.equal(calls(await trace()), 2);
  },
);
