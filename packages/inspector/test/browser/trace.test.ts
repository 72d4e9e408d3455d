import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import { promisify } from 'node:util';
import type { Locator, Page } from 'playwright-core';
import { rounds } from '../../../../scripts/lib/soak.ts';
import { command } from '../fixtures/launch.ts';
import { agree, becomes, callTool, cancelCall, inspected, type Looking } from './harness.ts';
import { at, everything } from './servers.ts';

// The screen Trace: all traffic, to inspect, search, and send again.

const run = promisify(execFile);

function rowsOf(page: Page): Locator {
  return page.getByRole('listbox', { name: 'Lines of the trace' }).getByRole('option');
}

function call(...args: Parameters<typeof callTool>): Promise<string> {
  return callTool(...args).answer;
}

/** Waits until the page has the whole trace. */
function knowsAll({ page, trace }: Looking): Promise<void> {
  return agree(
    () => rowsOf(page).first().getAttribute('aria-setsize'),
    async () => String((await trace()).length),
  );
}

/** Opens the newest request of a method. */
async function toRequest({ page, go, trace }: Looking, method: string): Promise<number> {
  const { n } = (await trace()).findLast(({ from, text }) => from === 'client' && text.includes(`"${method}"`))!;
  await go(`trace?filter=${encodeURIComponent(`method:${method} message:request`)}`);
  await page.getByText(/^\d+ of \d+/).waitFor();
  const number = page.locator('[class*="-n"]').getByText(String(n), { exact: true });
  await rowsOf(page).filter({ has: number }).click();
  await page.getByRole('region', { name: `Request #${n}` }).waitFor();
  return n;
}

inspected(
  'a typed filter shows the matching lines, or its problem',
  { servers: { everything, exits: command('exits') } },
  async ({ page, go, trace }) => {
    await go('trace');
    await rowsOf(page).first().waitFor();
    await page.keyboard.press('/');
    await page.keyboard.type('method:tools/list message:request');
    const said = page.getByRole('main').locator('header').getByRole('status');
    await agree(
      async () => [await said.textContent(), await rowsOf(page).count()],
      async () => {
        const lines = await trace();
        const { length } = lines.filter(({ from, text }) => from === 'client' && text.includes('"tools/list"'));
        return [`${length} of ${lines.length}`, length];
      },
    );
    await page.keyboard.press('Escape');
    await page.keyboard.type('kind:stderr');
    await rowsOf(page).filter({ hasText: 'DATABASE_URL missing' }).first().waitFor();
    await page.keyboard.press('Escape');
    await page.keyboard.type('ms:fast');
    await page
      .getByRole('alert')
      .getByText(/ms: needs a number/)
      .waitFor();
    await page.keyboard.press('Escape');
    await page.keyboard.type('kind:exit');
    await rowsOf(page).filter({ hasText: 'exited with code 3' }).first().waitFor();
  },
);

inspected(
  'rows are reached with the keyboard, even distant ones, and open at the side',
  { servers: { flood: command('flood') } },
  async (looking) => {
    const { page, go, trace } = looking;
    await call(page, 'flood', 'flood', { count: 3_000 });
    await go('trace');
    await knowsAll(looking);
    await page.keyboard.press('/');
    await page.keyboard.press('ArrowDown');
    const drawer = page.getByRole('complementary');
    const shows = async (n: number): Promise<void> => {
      await drawer.getByRole('heading', { name: `Line #${n}`, exact: true }).waitFor();
      const chosen = rowsOf(page).and(page.locator('[aria-selected=true]'));
      await chosen.getByText(String(n), { exact: true }).waitFor();
    };
    await page.keyboard.press('Home');
    await shows(1);
    await page.keyboard.press('PageDown');
    await shows(21);
    await page.keyboard.press('End');
    const last = (await trace()).length;
    await shows(last);
    await page.keyboard.press('ArrowUp');
    await shows(last - 1);
    // Nothing has been loaded in the middle yet.
    await page.keyboard.press('Home');
    for (let count = 0; count < 60; count++) await page.keyboard.press('PageDown');
    await shows(1_201);
    await becomes(() => rowsOf(page).filter({ hasText: '…' }).filter({ hasNotText: '{' }).count(), 0);
  },
);

inspected('keys pressed while rows are loading count', { servers: { flood: command('flood') } }, async (looking) => {
  const { page, go } = looking;
  await call(page, 'flood', 'flood', { count: 3_000 });
  await go('trace');
  await knowsAll(looking);
  await page.keyboard.press('/');
  await page.keyboard.press('ArrowDown');
  for (let round = rounds(2, 40); round > 0; round--) {
    await page.keyboard.press('Home');
    // Between any two frames.
    await page.evaluate(async () => {
      for (let count = 0; count < 60; count++) {
        const key = new KeyboardEvent('keydown', { key: 'PageDown', bubbles: true, cancelable: true });
        document.activeElement!.dispatchEvent(key);
        await new Promise((resolve) => setTimeout(resolve, count % 7));
      }
    });
    await page.getByRole('complementary').getByRole('heading', { name: 'Line #1201', exact: true }).waitFor();
    await page.keyboard.press('End');
  }
});

inspected(
  'the newest line is followed until the user scrolls back, and a reload keeps the filter and the line',
  { servers: { everything } },
  async (looking) => {
    const { page, go, trace } = looking;
    await go('trace');
    const follow = page.getByRole('button', { name: 'Follow' });
    assert.equal(await follow.getAttribute('aria-pressed'), 'true');
    await call(page, 'everything', 'echo', { message: 'newest' });
    await rowsOf(page).filter({ hasText: 'Echo: newest' }).waitFor();
    await agree(
      () => rowsOf(page).last().getAttribute('aria-posinset'),
      async () => String((await trace()).length),
    );
    await rowsOf(page).last().hover();
    await page.mouse.wheel(0, -600);
    await page.locator('button[aria-pressed=false]', { hasText: 'Follow' }).waitFor();
    const n = await toRequest(looking, 'tools/call');
    await page.reload();
    await page.getByRole('region', { name: `Request #${n}` }).waitFor();
    assert.equal(
      await page.getByRole('searchbox', { name: 'Filter' }).inputValue(),
      'method:tools/call message:request',
    );
    await page
      .getByRole('complementary')
      .getByRole('heading', { name: `Line #${n}` })
      .waitFor();
    assert.equal(await follow.getAttribute('aria-pressed'), 'false');
  },
);

inspected(
  'the line of a chip is selected, or reported as hidden by the filter',
  { servers: { everything } },
  async ({ page, go }) => {
    await go('trace?line=12');
    const chosen = rowsOf(page).and(page.locator('[aria-selected=true]'));
    await chosen.getByText('12', { exact: true }).waitFor();
    await go('trace?line=1&filter=message%3Arequest');
    await page.getByText('The filter hides line #1.').waitFor();
    await page.getByRole('button', { name: 'Show all lines' }).click();
    await chosen.getByText('1', { exact: true }).waitFor();
  },
);

inspected('a request is sent again, unchanged and changed', { servers: { everything } }, async (looking) => {
  const { page, trace } = looking;
  await call(page, 'everything', 'echo', { message: 'once' });
  const n = await toRequest(looking, 'tools/call');
  const request = page.getByRole('region', { name: `Request #${n}` });
  await request.getByRole('button', { name: 'Replay', exact: true }).click();
  await request.getByText('ok', { exact: true }).waitFor();
  const calls = async () =>
    (await trace()).filter(({ from, text }) => from === 'client' && text.includes('"tools/call"'));
  assert.equal((await calls()).length, 2);
  assert.match((await calls())[1]!.text, /"message":"once"/);
  await request.getByRole('button', { name: 'Edit and replay' }).click();
  const editor = request.locator('.cm-editor').getByRole('textbox');
  await editor.and(page.locator(':focus')).waitFor();
  await page.keyboard.press('Control+A');
  await page.keyboard.insertText('{"name":"echo","arguments":{"message":"twice"}}');
  await page.keyboard.press('Control+Enter');
  const answers = async () =>
    (await trace()).filter(({ from, text }) => from === 'server' && text.includes('Echo: twice'));
  await becomes(async () => (await answers()).length, 1);
  assert.match((await calls())[2]!.text, /"message":"twice"/);
  // Its lines can be opened with a click.
  const line = request.getByRole('button', { name: `Line ${(await answers())[0]!.n} of the trace`, exact: true });
  await line.waitFor();
  await request.getByText('ok', { exact: true }).waitFor();
  await line.click();
  await page
    .getByRole('complementary')
    .getByText(/Echo: twice/)
    .first()
    .waitFor();
});

inspected(
  'a call is copied as an equivalent command',
  async (t) => ({ servers: { it: await at(t, 'official-v2') } }),
  async (looking) => {
    const { page } = looking;
    await call(page, 'it', 'add', { a: 19, b: 23 });
    const n = await toRequest(looking, 'tools/call');
    const request = page.getByRole('region', { name: `Request #${n}` });
    const copied = async (button: string): Promise<string> => {
      await request.getByRole('button', { name: button }).click();
      await request.getByText(/^Copied/).waitFor();
      return page.evaluate(() => navigator.clipboard.readText());
    };
    const tenon = await copied('Copy as tenon');
    assert.match(tenon, /^tenon call add --args '\{"a":19,"b":23\}' http/);
    const cli = join(import.meta.dirname, '../../../cli/bin/tenon.js');
    const own = await run('sh', ['-c', tenon.replace(/^tenon/, `"${process.execPath}" "${cli}"`)]);
    assert.match(own.stdout, /"sum":\s*42/);
    const curl = await copied('Copy as curl');
    const answer = await run('sh', ['-c', `${curl} --silent --show-error`]);
    assert.match(answer.stdout, /"sum":42/);
  },
);

inspected('a call is saved as a test, in the test file', { servers: { everything } }, async (looking) => {
  const { page } = looking;
  await call(page, 'everything', 'get-sum', { a: 9, b: 8 });
  const n = await toRequest(looking, 'tools/call');
  const request = page.getByRole('region', { name: `Request #${n}` });
  await request.getByRole('button', { name: 'Save as test' }).click();
  const said = (await request.getByText(/^Saved as the test get-sum in /).textContent())!;
  const file = /in (.*)\.$/.exec(said)![1]!;
  const { tests } = JSON.parse(readFileSync(file, 'utf8')) as { tests: readonly Record<string, unknown>[] };
  const [{ name, tool, arguments: args, expect } = {}] = tests;
  assert.deepEqual([tests.length, name, tool, args], [1, 'get-sum', 'get-sum', { a: 9, b: 8 }]);
  assert.match(JSON.stringify(expect), /The sum of 9 and 8 is 17/);
});

const UNITS = new Map([
  ['ms', 1],
  ['s', 1_000],
  ['min', 60_000],
]);

/** The range in milliseconds from the labels at the ends of the lanes: `35 ms`, `2.45 s`. */
function msOf(ends: readonly string[]): readonly [from: number, to: number] {
  const [from = NaN, to = NaN] = ends.map((end) => {
    const [number, unit = ''] = end.split(' ');
    return Number(number) * UNITS.get(unit)!;
  });
  return [from, to];
}

inspected(
  'lanes show each session and its requests, can be zoomed, and lead to the lines',
  { servers: { everything, asks: command('asks') } },
  async ({ page, go }) => {
    await call(page, 'everything', 'echo', { message: 'hi' });
    await go('trace');
    await page.getByRole('button', { name: 'Lanes' }).click();
    const lanes = page.getByRole('region', { name: /^Lanes/ });
    await lanes.getByText('everything#1').waitFor();
    await lanes.getByText('asks#1').waitFor();
    const bar = lanes.getByRole('button', { name: /^tools\/call echo: ok/ });
    await bar.click();
    await page.getByRole('complementary').getByText('tools/call').first().waitFor();
    /** The visible range, from the labels at the ends of the lanes. */
    const ends = (): Promise<string[]> => lanes.locator('[class*=head] > span:not([class])').allTextContents();
    const [whole = ''] = await ends();
    const press = async (
      key: string,
      isThere: (now: string[]) => boolean,
    ): Promise<readonly [from: number, to: number]> => {
      await lanes.focus();
      await page.keyboard.press(key);
      await becomes(async () => isThere(await ends()), true);
      return msOf(await ends());
    };
    const pressed = async (key: string): ReturnType<typeof press> => {
      const before = await ends();
      return press(key, (now) => now.join() !== before.join());
    };
    // The whole range extends to now, so it grows meanwhile. A zoomed range only changes with the keys.
    const near = await press('+', ([begin]) => begin !== whole);
    const nearer = await pressed('+');
    const share = (nearer[1] - nearer[0]) / (near[1] - near[0]);
    assert.ok(share > 0.3 && share < 0.7, `${near.join(' to ')}, then ${nearer.join(' to ')}`);
    const earlier = await pressed('ArrowLeft');
    assert.ok(earlier[0] < nearer[0] && earlier[1] < nearer[1], earlier.join(' to '));
    const farther = await pressed('-');
    assert.ok(farther[1] - farther[0] > 1.3 * (earlier[1] - earlier[0]), farther.join(' to '));
    const all = await press('0', ([begin]) => begin === whole);
    assert.ok(all[1] >= near[1], all.join(' to '));
    await page.reload();
    await lanes.waitFor();
  },
);

inspected(
  'the lanes are updated while lines keep coming',
  { servers: { flood: command('flood') } },
  async ({ page, go }) => {
    await go('trace?lanes=1');
    const lanes = page.getByRole('region', { name: /^Lanes/ });
    const end = async (): Promise<string> => (await lanes.locator('[class*=head] > span').last().textContent())!;
    await lanes.waitFor();
    // Until several updates have been seen.
    const sending = callTool(page, 'flood', 'flood', { count: 1_000_000, perSecond: 50 });
    const ends = new Set<string>();
    await becomes(async () => ends.add(await end()).size >= 4, true);
    await cancelCall(page, 'flood', sending.key);
  },
);

inspected(
  'a filter without an answer yet is not shown as matching nothing',
  { servers: { everything } },
  async ({ page, go }) => {
    const { promise: looked, resolve: release } = Promise.withResolvers<void>();
    await page.route(/\/api\/trace\?filter=from/, async (route) => {
      await looked;
      await route.continue();
    });
    await go('trace?filter=from%3Aserver');
    const said = page.getByRole('main').locator('header').getByRole('status');
    await said.getByText('…', { exact: true }).waitFor();
    release();
    await said.getByText(/^[1-9]\d* of \d+$/).waitFor();
  },
);

inspected('the whole trace is saved as a file', { servers: { everything } }, async ({ page, go, inspector, trace }) => {
  await go('trace');
  const written = async (): Promise<string> => {
    await trace();
    return readFileSync(inspector.file, 'utf8');
  };
  const before = await written();
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('link', { name: 'Save', exact: true }).click(),
  ]);
  assert.match(download.suggestedFilename(), /\.mcptrace$/);
  // It may have grown meanwhile.
  const saved = readFileSync(await download.path(), 'utf8');
  assert.ok(before.split('\n').length > 10 && saved.startsWith(before), 'all lines of before are in it');
  assert.ok(
    saved.endsWith('\n') && (await written()).startsWith(saved),
    'it has whole lines of the trace and nothing else',
  );
});
