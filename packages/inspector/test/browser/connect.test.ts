import assert from 'node:assert/strict';
import type { Locator, Page } from 'playwright-core';
import { command } from '../fixtures/launch.ts';
import { becomes, callTool, inspected } from './harness.ts';
import { at, everything, official, travel } from './servers.ts';

// The screen Connect: servers of every kind, with the steps of the doctor.

function cardOf(page: Page, name: string): Locator {
  return page.getByRole('region', { name, exact: true });
}

/** The steps of the doctor by title, with their outcomes and details. */
async function stepsOf(card: Locator): Promise<Record<string, string>> {
  return Object.fromEntries(
    await card
      .locator('ol > li')
      .evaluateAll((items) =>
        items.map((item) => [
          item.querySelector('[class*=title]')!.textContent,
          [item.querySelector('[class*=said]'), item.querySelector('[class*=detail]')]
            .flatMap((part) => part?.textContent ?? [])
            .join(': '),
        ]),
      ),
  );
}

/** The number of entries of each list, from the table. */
async function listsOf(card: Locator): Promise<Record<string, number>> {
  return Object.fromEntries(
    await card
      .locator('tbody tr')
      .evaluateAll((rows) =>
        rows.map((row) => [row.querySelector('th')!.textContent, Number(row.querySelector('td')!.textContent)]),
      ),
  );
}

inspected(
  'several servers of both eras are connected at once, each with its figures and steps',
  async (t) => ({ servers: { everything, official, ...(await travel(t)) } }),
  async ({ page }) => {
    const modern = cardOf(page, 'everything');
    await modern.getByText('2026-07-28', { exact: false }).first().waitFor();
    assert.deepEqual(Object.keys(await stepsOf(modern)), [
      'The process starts',
      'stdout is for messages only',
      'It supports 2026-07-28',
      'It supports a revision with initialize',
      'Its lists can be read',
    ]);
    const legacy = await stepsOf(cardOf(page, 'official'));
    assert.match(legacy['It supports 2026-07-28']!, /^skip: no: Method not found/);
    assert.match(legacy['It supports a revision with initialize']!, /^pass: 2025-11-25/);
    const { Tools, Resources, Prompts } = await listsOf(cardOf(page, 'official'));
    assert.ok(Tools! >= 10 && Resources! >= 5 && Prompts! >= 3, `${Tools} ${Resources} ${Prompts}`);
    await cardOf(page, 'official').getByText('tools: listChanged').waitFor();
    for (const name of ['travel', 'weather', 'calendar']) {
      const steps = await stepsOf(cardOf(page, name));
      assert.match(steps['Its lists can be read']!, /^pass: \d+ tools?\b/, name);
    }
    assert.equal(await page.getByText('connected in').count(), 5);
  },
);

inspected(
  'servers of the official SDKs are connected over both transports, and over SSE',
  async (t) => ({
    servers: {
      'v1 stdio': command('official-v1'),
      'v2 stdio': command('official-v2'),
      'v1 http': await at(t, 'official-v1'),
      'v2 http': await at(t, 'official-v2'),
      sse: await at(t, 'sse'),
    },
  }),
  async ({ page }) => {
    const spoken = {
      'v1 stdio': '2025-11-25',
      'v2 stdio': '2026-07-28',
      'v1 http': '2025-11-25',
      'v2 http': '2026-07-28',
      sse: '2025-11-25',
    };
    for (const [name, revision] of Object.entries(spoken)) {
      const card = cardOf(page, name);
      await card.getByText(`revision ${revision}`).waitFor();
      const lists = await listsOf(card);
      assert.equal(lists['Tools'], name === 'sse' ? 2 : 4, name);
      const steps = await stepsOf(card);
      const failed = Object.entries(steps).filter(([, said]) => said.startsWith('fail'));
      assert.deepEqual(failed, [], name);
      if (name.endsWith('http')) assert.match(steps['The address answers']!, /^pass: HTTP \d+$/, name);
    }
  },
);

inspected(
  'a step shows the lines that it was read from, at the side',
  { servers: { everything } },
  async ({ page, trace }) => {
    const step = cardOf(page, 'everything').locator('li', { hasText: 'It supports 2026-07-28' });
    await step
      .getByRole('button', { name: /^Line \d+ of the trace$/ })
      .first()
      .click();
    const drawer = page.getByRole('complementary');
    await drawer.getByText('server/discover').waitFor();
    const n = Number(/\d+/.exec((await drawer.getByRole('heading').textContent())!)![0]);
    assert.match((await trace())[n - 1]!.text, /"method":"server\/discover"/);
    await page.keyboard.press('Escape');
    await drawer.waitFor({ state: 'detached' });
  },
);

inspected(
  'a server is disconnected, and reconnected with one revision',
  { servers: { everything } },
  async ({ page }) => {
    const card = cardOf(page, 'everything');
    await card.getByRole('button', { name: 'Disconnect' }).click();
    await card.getByText('closed', { exact: true }).waitFor();
    await card.getByRole('button', { name: 'Any revision' }).click();
    await page.getByRole('menuitemradio', { name: '2025-06-18' }).click();
    await card.getByText('revision 2025-06-18').waitFor();
    await card.getByText('legacy era').waitFor();
  },
);

const saidYes = Promise.withResolvers<boolean>();

inspected(
  'a typed server is started only after confirmation in the terminal',
  {
    servers: { everything },
    readTargets: async (text) => [{ id: 'typed', name: text, launch: command('dies') }],
    confirm: () => saidYes.promise,
  },
  async ({ page }) => {
    await page.getByRole('button', { name: 'Add a server' }).click();
    await page.getByLabel('A command, a URL, or JSON with mcpServers').fill('my own');
    await page.keyboard.press('Control+Enter');
    await page.getByText('Confirm in the terminal.').waitFor();
    assert.equal(await cardOf(page, 'my own').count(), 0);
    saidYes.resolve(true);
    await cardOf(page, 'my own').getByText('connected in').waitFor();
  },
);

/** The focused element, in words. */
function focused(page: Page): Promise<string> {
  return page.evaluate(() => {
    const { activeElement } = document;
    return activeElement?.id === 'main' ? 'main' : (activeElement?.textContent ?? '');
  });
}

inspected(
  'the focus stays after a server is connected or disconnected',
  { servers: { everything } },
  async ({ page, trace }) => {
    const card = cardOf(page, 'everything');
    const press = async (name: string): Promise<void> => {
      // While its action is running, a button ignores presses.
      await card.getByRole('button', { name, exact: true, disabled: false }).focus();
      await page.keyboard.press('Enter');
    };
    await press('Disconnect');
    await card.getByText('closed', { exact: true }).waitFor();
    await becomes(() => focused(page), 'Connect');
    await press('Connect');
    await card.getByText('connected in').waitFor();
    await becomes(() => focused(page), 'Reconnect');
    const sessions = new Set((await trace()).map(({ session }) => session));
    await press('Reconnect');
    // Until it cites lines of the new connection.
    await becomes(async () => {
      const first = (await trace()).find(({ session }) => !sessions.has(session));
      const shown = await card
        .getByRole('button', { name: /^Line \d+ of the trace$/ })
        .evaluateAll((chips) => chips.map((chip) => Number(/\d+/.exec(chip.ariaLabel ?? chip.textContent)![0])));
      return first !== undefined && shown.some((n) => n >= first.n);
    }, true);
    await card.getByText('connected in').waitFor();
    await becomes(() => focused(page), 'Reconnect');
  },
);

inspected(
  'the focus is kept after the line at the side is closed, or the palette goes to a screen',
  { servers: { everything } },
  async ({ page }) => {
    const chip = cardOf(page, 'everything')
      .getByRole('button', { name: /^Line \d+ of the trace$/ })
      .first();
    await chip.focus();
    await page.keyboard.press('Enter');
    const drawer = page.getByRole('complementary');
    await drawer.getByRole('button', { name: 'Close the line' }).focus();
    await page.keyboard.press('Enter');
    await drawer.waitFor({ state: 'detached' });
    await chip.and(page.locator(':focus')).waitFor();
    for (const screen of ['trace', 'inbox']) {
      await page.keyboard.press('Control+K');
      await page.getByRole('dialog').waitFor();
      await page.keyboard.type(`${screen} screen`);
      await page.keyboard.press('Enter');
      await page.waitForURL(new RegExp(`#/${screen}`));
      await becomes(() => focused(page), 'main');
    }
  },
);

inspected(
  'typed roots stay when the server reconnects or another screen is opened',
  { servers: { everything } },
  async ({ page, go }) => {
    const card = cardOf(page, 'everything');
    const roots = card.getByRole('textbox', { name: /^Roots/ });
    await card.getByText('Client settings').click();
    await roots.pressSequentially('file:///home/a');
    await page.evaluate(() =>
      fetch('/api/servers/everything/connect', {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: '{}',
      }),
    );
    await card.getByText('connected in').waitFor();
    await page.keyboard.type('nn');
    assert.equal(await roots.inputValue(), 'file:///home/ann');
    await go('trace');
    await page.getByRole('option').first().waitFor();
    await go('connect');
    await becomes(() => roots.inputValue(), 'file:///home/ann');
    await page.reload();
    await becomes(() => roots.inputValue(), 'file:///home/ann');
    await card.getByRole('button', { name: 'Send these roots' }).focus();
    await page.keyboard.press('Enter');
    await becomes(() => card.getByRole('button', { name: 'Send these roots' }).isDisabled(), true);
    await roots.and(page.locator(':focus')).waitFor();
  },
);

inspected('a request that is being edited survives a reload', { servers: { everything } }, async ({ page, go }) => {
  await callTool(page, 'everything', 'echo', { message: 'hello' }).answer;
  await go('trace?filter=method%3Atools%2Fcall+from%3Aclient');
  await page.getByRole('option').last().click();
  const acts = page.getByRole('region', { name: /^Request #/ });
  await acts.getByRole('button', { name: 'Edit and replay' }).click();
  const editor = acts.locator('.cm-editor').getByRole('textbox');
  await editor.and(page.locator(':focus')).waitFor();
  await page.keyboard.press('Control+A');
  await page.keyboard.insertText('{"name":"echo","arguments":{"message":"precious"}}');
  await page.reload();
  await editor.getByText('precious').waitFor();
  assert.equal(await editor.and(page.locator(':focus')).count(), 0);
});
