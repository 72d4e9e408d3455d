// The hostile texts are live ammunition: taken for markup they run, and the app that wants out gets out of a frame that does not hold it.
// A test that shows them harmless somewhere is worth something only because of that.
import assert from 'node:assert/strict';
import process from 'node:process';
import { after, before, test } from 'node:test';
import { type Browser, chromium, type Page } from 'playwright-core';
import { connect } from 'tenon/client';
import { ADDRESSES, CANARY, MARKUP, SVG } from './hostile-strings.ts';
import { command } from './launch.ts';

const place = new URL('../../../../scripts/lib/chromium.ts', import.meta.url).href;
const { findChromium } = (await import(place)) as { findChromium(): string };

/** Where Chromium is. Where tests decide about a change, it has to be there. */
const find = (): string | undefined => {
  try {
    return findChromium();
  } catch (error) {
    if (process.env['CI'] !== undefined) throw error;
    return undefined;
  }
};
const executablePath = find();
const skip = executablePath === undefined && 'there is no Chromium here';

let browser: Browser;
let app = '';
before(async () => {
  if (executablePath === undefined) return;
  browser = await chromium.launch({ executablePath, args: ['--no-sandbox'] });
  await using client = await connect(command('app'));
  app = (await client.read('ui://app/escaping')).contents.map((item) => ('text' in item ? item.text : '')).join('');
});
after(() => browser?.close());

/** A page with this markup at an address of its own, and what it asks the canary for. */
const shown = async (html: string, beside: Readonly<Record<string, string>> = {}) => {
  const page = await browser.newPage();
  const calls: string[] = [];
  await page.route(`**/${CANARY}/**`, (route) => {
    calls.push(new URL(route.request().url()).pathname);
    // Whoever is sent there stays where they are.
    return route.fulfill({ status: 204 });
  });
  for (const [path, body] of Object.entries({ '': html, ...beside }))
    await page.route(`http://page.test/${path}`, (route) => route.fulfill({ contentType: 'text/html', body }));
  await page.goto('http://page.test/', { waitUntil: 'commit' });
  return { page, calls };
};

const sprungIn = (page: Page): Promise<unknown> =>
  page.waitForFunction(() => (globalThis as { sprung?: number[] }).sprung).then((handle) => handle.jsonValue());

for (const [name, html, number] of [
  ['an image that fails', MARKUP[0]!, 0],
  ['a script', `<p title="${MARKUP[1]!}">`, 1],
  ['a picture that is loaded', `<title>${MARKUP[2]!}`, 2],
  ['a frame', MARKUP[5]!, 5],
  ['a link that gets the focus', MARKUP[6]!, 6],
  ['a picture that is a program', SVG, 30],
] as const)
  test(`taken for markup, ${name} runs, and calls out`, { skip }, async () => {
    const { page, calls } = await shown(`<!DOCTYPE html><body>${html}`);
    assert.deepEqual([...new Set((await sprungIn(page)) as number[])], [number]);
    await page.waitForFunction(() => document.readyState === 'complete');
    assert.ok(
      calls.some((path) => path.startsWith(`/${number}`)),
      String(calls),
    );
    await page.close();
  });

for (const n of [4, 7])
  test(`taken for markup, text ${n} calls out`, { skip }, async () => {
    const { page, calls } = await shown(`<!DOCTYPE html><body><p>x</p>${MARKUP[n]!}`);
    await page.waitForLoadState();
    assert.ok(
      calls.some((path) => path.startsWith(`/${n}`)),
      String(calls),
    );
    await page.close();
  });

test('addresses that are followed run', { skip }, async () => {
  for (const [n, number] of [
    [0, 20],
    [1, 21],
  ] as const) {
    const { page } = await shown('<!DOCTYPE html><a>Pay</a>');
    await page.evaluate((href) => document.querySelector('a')!.setAttribute('href', href), ADDRESSES[n]!);
    await page.click('a');
    assert.deepEqual(await sprungIn(page), [number]);
    await page.close();
  }
});

/** So much the app tries. */
const ATTEMPTS = 20;

const outcomes = async (page: Page): Promise<Map<string, string>> => {
  const items = page.locator('iframe').contentFrame().locator('li');
  await items.nth(ATTEMPTS - 1).waitFor();
  const lines = await items.allInnerTexts();
  return new Map(lines.map((line) => line.split(': ') as [string, string]));
};

test('the app that wants out gets out of a frame without a sandbox', { skip }, async () => {
  const { page, calls } = await shown('<!DOCTYPE html><iframe src="/app"></iframe>', { app });
  const found = await outcomes(page);
  for (const name of ['parent-document', 'top-document', 'parent-storage', 'frame-element', 'fetch'])
    assert.deepEqual([name, found.get(name)], [name, 'escaped']);
  for (const path of ['/top', '/fetch', '/image.png', '/script.js', '/style.css'])
    assert.ok(calls.includes(path), path);
  await page.close();
});

test('a sandbox and a policy hold it, but not its messages', { skip }, async () => {
  const policy = `<meta http-equiv="Content-Security-Policy" content="default-src 'none'; script-src 'unsafe-inline'">`;
  const held = app.replace('<head>', `<head>${policy}`).replaceAll('&', '&amp;').replaceAll('"', '&quot;');
  const listen =
    '<script>heard = []; addEventListener("message", ({ data }) => heard.push(data.method + (data.id ?? "")))</script>';
  const { page, calls } = await shown(
    `<!DOCTYPE html>${listen}<iframe sandbox="allow-scripts" srcdoc="${held}"></iframe>`,
  );
  const found = await outcomes(page);
  assert.equal(found.size, ATTEMPTS);
  for (const [name, outcome] of found) assert.match(`${name}: ${outcome}`, /: (?:held \(.*\)|sent)$/);
  assert.deepEqual(calls, []);
  const heard = await page.evaluate(() => (globalThis as unknown as { heard: string[] }).heard);
  for (const message of [
    'ui/notifications/sandbox-proxy-ready',
    'ui/notifications/sandbox-resource-ready',
    'ui/open-linklink',
    'tools/callhidden',
    'ui/initializeinit',
  ])
    assert.ok(heard.includes(message), message);
  await page.close();
});
