import assert from 'node:assert/strict';
import type { Locator, Page } from 'playwright-core';
import { command } from '../fixtures/launch.ts';
import { inspected } from './harness.ts';
import { at, everything, official, travel } from './servers.ts';

// The screen Connect: servers of every kind, with what the doctor saw of them.

const cardOf = (page: Page, name: string): Locator => page.getByRole('region', { name, exact: true });

/** The steps of the doctor, by title: how each ended, and what it said. */
const stepsOf = async (card: Locator): Promise<Record<string, string>> =>
  Object.fromEntries(
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

/** The entries of each list, as the table says. */
const listsOf = async (card: Locator): Promise<Record<string, number>> =>
  Object.fromEntries(
    await card
      .locator('tbody tr')
      .evaluateAll((rows) =>
        rows.map((row) => [row.querySelector('th')!.textContent, Number(row.querySelector('td')!.textContent)]),
      ),
  );

inspected(
  'several servers of both eras are connected at once, each with its figures and steps',
  async () => ({ servers: { everything, official, ...(await travel()) } }),
  async ({ page }) => {
    const modern = cardOf(page, 'everything');
    await modern.getByText('2026-07-28', { exact: false }).first().waitFor();
    assert.deepEqual(Object.keys(await stepsOf(modern)), [
      'The process starts',
      'stdout is for messages only',
      'It speaks 2026-07-28',
      'It speaks a revision with initialize',
      'Its lists can be read',
    ]);
    const legacy = await stepsOf(cardOf(page, 'official'));
    assert.match(legacy['It speaks 2026-07-28']!, /^skip: no: Method not found/);
    assert.match(legacy['It speaks a revision with initialize']!, /^pass: 2025-11-25/);
    const { Tools, Resources, Prompts } = await listsOf(cardOf(page, 'official'));
    assert.ok(Tools! >= 10 && Resources! >= 5 && Prompts! >= 3, `${Tools} ${Resources} ${Prompts}`);
    await cardOf(page, 'official').getByText('tools: listChanged').waitFor();
    for (const name of ['travel', 'weather', 'calendar']) {
      const steps = await stepsOf(cardOf(page, name));
      assert.match(steps['Its lists can be read']!, /^pass: \d+ tools/, name);
    }
    assert.equal(await page.getByText('connected in').count(), 5);
  },
);

inspected(
  'servers of the official SDKs are connected over both transports, and over SSE',
  async () => ({
    servers: {
      'v1 stdio': command('official-v1'),
      'v2 stdio': command('official-v2'),
      'v1 http': await at('official-v1'),
      'v2 http': await at('official-v2'),
      sse: await at('sse'),
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
    const step = cardOf(page, 'everything').locator('li', { hasText: 'It speaks 2026-07-28' });
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
  'a server is disconnected, and connected again with one revision',
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

inspected(
  'a server that is typed in is started only after the terminal said yes',
  async () => ({
    servers: { everything },
    readTargets: async (text) => [{ id: 'typed', name: text, launch: command('dies') }],
    confirm: () => new Promise((resolve) => setTimeout(resolve, 300, true)),
  }),
  async ({ page }) => {
    await page.getByRole('button', { name: 'Add a server' }).click();
    await page.getByLabel('A command, an address, or JSON with mcpServers').fill('my own');
    await page.keyboard.press('Control+Enter');
    await page.getByText('Confirm in the terminal.').waitFor();
    assert.equal(await cardOf(page, 'my own').count(), 0);
    await cardOf(page, 'my own').getByText('connected in').waitFor();
  },
);

inspected(
  'an answer that came late put the page back to how things had been',
  { servers: { slow: command('slow', '1500') }, settled: false },
  async ({ page }) => {
    let late = 0;
    const { promise: connected, resolve: release } = Promise.withResolvers<void>();
    await page.route('**/api/state', async (route) => {
      const response = await route.fetch();
      if (late++ > 0) await connected;
      await route.fulfill({ response });
    });
    await page.reload();
    await cardOf(page, 'slow').getByText('connected in').waitFor();
    release();
    await page.waitForTimeout(300);
    assert.equal(await cardOf(page, 'slow').getByText('connected in').count(), 1);
  },
);
