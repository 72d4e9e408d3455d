import assert from 'node:assert/strict';
import type { Page } from 'playwright-core';
import { command } from '../fixtures/launch.ts';
import { becomes, callTool, inspected, type TraceEntry } from './harness.ts';

// Calls that run until they are released.

function send(page: Page): Promise<void> {
  return page.keyboard.press('Control+Enter');
}
function answerOf(page: Page) {
  return page.getByRole('region', { name: 'Result' });
}
function isCall({ from, text }: TraceEntry): boolean {
  return from === 'client' && text.includes('"tools/call"') && text.includes('"wait"');
}
function calls(trace: readonly TraceEntry[]): number {
  return trace.filter(isCall).length;
}

async function release(page: Page): Promise<unknown> {
  return callTool(page, 'held', 'release').answer;
}

inspected(
  'calls waiting for an answer leave connections for sending it',
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
  'a running call continues after a reload, and can be cancelled',
  { servers: { held: command('held') } },
  async ({ page, go, trace }) => {
    await go('explore/held/tools/wait');
    await page.getByRole('heading', { name: 'wait', exact: true }).waitFor();
    await send(page);
    await answerOf(page).getByText('Waiting for').waitFor();
    await page.reload();
    await answerOf(page).getByText('Waiting for').waitFor();
    assert.equal(await page.getByRole('button', { name: /^Send/ }).count(), 0);
    await release(page);
    await answerOf(page).getByText('Done', { exact: true }).first().waitFor();
    // The next one is found from another screen.
    await send(page);
    await answerOf(page).getByText('Waiting for').waitFor();
    await go('trace');
    await page.getByRole('heading', { name: 'Trace' }).waitFor();
    await go('explore/held/tools/wait');
    await page.getByRole('button', { name: 'Cancel' }).click();
    await answerOf(page).getByText('cancelled').first().waitFor();
    await becomes(async () => (await trace()).filter(({ text }) => text.includes('notifications/cancelled')).length, 1);
    assert.equal(calls(await trace()), 2);
  },
);

inspected('pressed twice, a call is sent once', { servers: { held: command('held') } }, async ({ page, go, trace }) => {
  await go('explore/held/tools/wait');
  await page.getByRole('heading', { name: 'wait', exact: true }).waitFor();
  for (let count = 0; count < 3; count++) await send(page);
  await answerOf(page).getByText('Waiting for').waitFor();
  await release(page);
  await answerOf(page).getByText('Done', { exact: true }).first().waitFor();
  assert.equal(calls(await trace()), 1);
});

inspected(
  'a request that is sent again does not occupy a connection while it runs',
  { servers: { held: command('held') } },
  async ({ page, go, trace }) => {
    await go('explore/held/tools/wait');
    await page.getByRole('heading', { name: 'wait', exact: true }).waitFor();
    await send(page);
    await release(page);
    await answerOf(page).getByText('Done', { exact: true }).first().waitFor();
    const request = (await trace()).find(isCall)!;
    await go(`trace?line=${request.n}`);
    const acts = page.getByRole('region', { name: `Request #${request.n}` });
    await acts.getByRole('button', { name: 'Replay', exact: true }).click();
    await acts.getByText('Sent. No answer yet').waitFor();
    await release(page);
    await acts.getByText('ok', { exact: true }).waitFor();
    assert.equal(calls(await trace()), 2);
  },
);

inspected(
  'with reduced motion, nothing on the page moves while a call runs',
  { servers: { held: command('held') } },
  async ({ page, go }) => {
    await go('explore/held/tools/wait?as=json');
    await page.locator('.cm-editor').getByRole('textbox', { name: 'Arguments, JSON' }).click();
    await page.locator('.cm-cursor').first().waitFor();
    await send(page);
    await answerOf(page).getByText('Waiting for').waitFor();
    const moving = await page.evaluate(() => document.getAnimations().map(({ effect }) => effect?.getTiming()));
    assert.deepEqual(moving, []);
    await release(page);
  },
);
