import assert from 'node:assert/strict';
import { tmpdir } from 'node:os';
import process from 'node:process';
import type { Locator, Page } from 'playwright-core';
import type { Target } from '../../src/session/contract.ts';
import { command } from '../fixtures/launch.ts';
import { becomes, inspected } from './harness.ts';

// The arguments and variables of a server, changed on the page and applied after confirmation in the terminal.

const SECRET = 'abcdefgh-ijklmnop';
const NEW_SECRET = 'qrstuvwx-yzabcdef';

const launch = { ...command('banner'), env: { API_TOKEN: SECRET, MODE: 'fast' } };
const asked: (readonly [Target, string])[] = [];
const answers: ((yes: boolean) => void)[] = [];

function confirm([target]: readonly Target[], reason: string): Promise<boolean> {
  asked.push([target!, reason]);
  return new Promise((resolve) => void answers.push(resolve));
}

function envOf(target: Target): Readonly<Record<string, string>> {
  assert.ok('command' in target.launch);
  return target.launch.env ?? {};
}

function cardOf(page: Page): Locator {
  return page.getByRole('region', { name: 'it', exact: true });
}

inspected(
  'arguments and variables are changed on the page, and the server is restarted with them after confirmation in the terminal',
  { servers: { it: launch }, confirm },
  async ({ page, trace }) => {
    const card = cardOf(page);
    await card.getByText('How it is started').click();
    const start = card.getByRole('button', { name: 'Start it like this' });
    assert.equal(await start.isDisabled(), true);
    await card.getByRole('button', { name: 'Add an argument' }).click();
    await card.getByRole('textbox', { name: 'Argument 2' }).fill('--verbose');
    assert.equal(await card.getByRole('textbox', { name: 'Program' }).inputValue(), process.execPath);
    await card.getByRole('textbox', { name: 'Folder' }).fill(tmpdir());
    const secret = card.getByLabel('Value of API_TOKEN');
    assert.deepEqual([await secret.getAttribute('type'), await secret.inputValue()], ['password', '']);
    await card.getByRole('textbox', { name: 'Value of MODE' }).fill('slow');
    await card.getByRole('button', { name: 'Add a variable' }).click();
    await card.getByRole('textbox', { name: 'Name of the new variable' }).fill('OTHER_SECRET');
    await card.getByLabel('Value of OTHER_SECRET').fill(NEW_SECRET);
    const sessions = new Set((await trace()).map(({ session }) => session));
    await start.click();
    await card.getByText('Confirm in the terminal.').waitFor();
    await becomes(() => asked.length, 1);
    const [target, reason] = asked[0]!;
    assert.equal(reason, 'change');
    assert.ok('command' in target.launch);
    assert.deepEqual(target.launch.args, [...launch.args, '--verbose']);
    assert.deepEqual([target.launch.command, target.launch.cwd], [process.execPath, tmpdir()]);
    assert.deepEqual(envOf(target), { API_TOKEN: SECRET, MODE: 'slow', OTHER_SECRET: NEW_SECRET });
    // Nothing is started before the confirmation.
    assert.deepEqual(new Set((await trace()).map(({ session }) => session)), sessions);
    answers[0]!(true);
    await card.getByText('--verbose').first().waitFor();
    await card.getByText('connected in').waitFor();
    await becomes(async () => (await trace()).some(({ session }) => !sessions.has(session)), true);

    // No secret is in a reloaded page, in its storage or in the trace.
    await page.reload();
    await card.getByText('How it is started').click();
    await card.getByRole('textbox', { name: 'Value of MODE' }).waitFor();
    const kept = await page.evaluate(async () => [
      JSON.stringify({ ...sessionStorage }),
      JSON.stringify({ ...localStorage }),
      await (await fetch('/api/state')).text(),
    ]);
    const written = (await trace()).map(({ text }) => text);
    for (const text of [...kept, ...written, await page.content()])
      for (const hidden of [SECRET, NEW_SECRET]) assert.ok(!text.includes(hidden), text.slice(0, 300));
  },
);

inspected(
  'a refusal in the terminal leaves the server unchanged',
  { servers: { it: launch }, confirm },
  async ({ page, trace }) => {
    const card = cardOf(page);
    await card.getByText('How it is started').click();
    await card.getByRole('button', { name: 'Remove MODE' }).click();
    const before = asked.length;
    await card.getByRole('button', { name: 'Start it like this' }).click();
    await becomes(() => asked.length, before + 1);
    const sessions = new Set((await trace()).map(({ session }) => session)).size;
    await card.getByText('Confirm in the terminal.').waitFor();
    answers[before]!(false);
    await card.getByText('Refused in the terminal').waitFor();
    await page.reload();
    await card.getByText('How it is started').click();
    await card.getByRole('textbox', { name: 'Value of MODE' }).waitFor();
    assert.equal(new Set((await trace()).map(({ session }) => session)).size, sessions);
  },
);

inspected(
  'without a terminal, a server at a URL is added, and no program is started',
  {
    servers: {},
    settled: false,
    expected: [/status of 502/],
    readTargets: async (text, leaveOut) => {
      if (text.startsWith('http')) leaveOut('notes is turned off, by mcpServers.notes.disabled');
      return [{ id: 'typed', name: 'typed', launch: text.startsWith('http') ? { url: text } : command('dies') }];
    },
  },
  async ({ page }) => {
    const box = page.getByLabel('A command, a URL, or JSON with mcpServers');
    await box.fill('node server.js');
    await page.keyboard.press('Control+Enter');
    await page.getByText(/There is no terminal here/).waitFor();
    await box.fill('http://127.0.0.1:1/mcp');
    await page.keyboard.press('Control+Enter');
    await page.getByRole('region', { name: 'typed', exact: true }).waitFor();
    await page.getByText('notes is turned off, by mcpServers.notes.disabled').waitFor();
  },
);
