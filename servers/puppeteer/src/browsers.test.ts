// The life of browsers: how they start and end, and what limits them.
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { after, test } from 'node:test';
import { type Client, connect } from 'tenon/client';
import { findChromium } from '../../../scripts/lib/chromium.ts';
import { until } from '../../../scripts/lib/until.ts';
import { callTool } from '../../shared/test/call-tool.ts';
import { findBrowser } from './find-browser.ts';
import { startSite } from './fixtures/site.ts';
import { DEFAULT_LAUNCH } from './launch-options.ts';
import { createPuppeteer, type PuppeteerOptions } from './puppeteer.ts';

const launch = { ...DEFAULT_LAUNCH, executablePath: findChromium() };
const site = await startSite();
after(() => site.close());

function open(options: PuppeteerOptions = {}): Promise<Client> {
  return connect(createPuppeteer({ launch, origins: [site.origin], ...options }));
}

function call(client: Client, name: string, args: object, signal?: AbortSignal) {
  return callTool(client, `puppeteer_${name}`, args, { signal });
}

/** The profiles of the browsers that this process has started. */
function profiles(): readonly string[] {
  return readdirSync(tmpdir()).filter((name) => new RegExp(`^tenon-puppeteer-\\w+-${process.pid}-`).test(name));
}

/** The first process of the browser with this profile. */
function processOf(profile: string): number {
  const isBrowser = (pid: string): boolean => {
    try {
      const args = readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0');
      return (
        args.some((arg) => arg.endsWith(profile)) &&
        args.includes('--remote-debugging-pipe') &&
        !args.some((arg) => arg.startsWith('--type='))
      );
    } catch {
      return false;
    }
  };
  return Number(readdirSync('/proc').find((name) => /^\d+$/.test(name) && isBrowser(name)));
}

test('a page or an element that never comes is an error after the time, and a page that is busy is given up', async () => {
  await using client = await open({ timeoutMs: 500 });
  const url = `${site.origin}/form`;
  // On a slow machine, nothing else is ready in this time, either.
  const load = () => until(async () => !(await call(client, 'navigate', { url })).isError);
  const titled = async () =>
    (await call(client, 'evaluate', { script: 'document.title' })).structured?.result === 'Form';
  await load();
  const options = await call(client, 'select', { selector: '#colour', value: 'b' });
  assert.equal(options.text, 'Failed to select #colour: it has no option with the value "b", but ["r","g"]');
  await until(async () => {
    const { text } = await call(client, 'click', { selector: '#hidden' });
    assert.match(text, /^Failed to click #hidden: Timeout 500ms exceeded/);
    return text.includes('element is not visible');
  });
  const missing = await call(client, 'click', { selector: '#none' });
  assert.equal(missing.text, 'Failed to click #none: no element matches the selector');
  const slow = await call(client, 'navigate', { url: `${site.origin}/slow` });
  assert.equal(
    slow.text,
    `${site.origin}/slow was not loaded: it took more than 0.5 seconds. A screenshot shows how far it came`,
  );
  await until(() => site.waiting === 0);
  // A script is stopped, and the page stays.
  await load();
  for (const script of ['while (true) {}', 'new Promise(() => {})']) {
    const endless = await call(client, 'evaluate', { script });
    assert.match(endless.text, /^Script execution failed: it did not end within 0\.5 seconds$/);
    await until(titled);
  }
  const busy = await call(client, 'navigate', { url: `${site.origin}/busy` });
  assert.equal(busy.text, 'The page is gone: it was busy and did not answer any more. Navigate again.');
  assert.match((await call(client, 'evaluate', { script: '1' })).text, /^The page is gone: it was busy/);
});

test('a screenshot of a page that is busy is given up, and the next page can be opened', async () => {
  await using client = await open({ timeoutMs: 1_000 });
  const url = `${site.origin}/form`;
  for (const selector of ['#box', undefined]) {
    await until(async () => !(await call(client, 'navigate', { url })).isError);
    await call(client, 'evaluate', {
      script: 'new Promise((done) => { setTimeout(() => { while (true) {} }); done(1); })',
    });
    const { isError, text } = await call(client, 'screenshot', { name: 'busy', selector, width: 500 });
    assert.equal(isError, true);
    assert.equal(text, 'The page is gone: it was busy and did not answer any more. Navigate again.');
  }
});

test('a page that floods its console does not keep calls waiting', async () => {
  await using client = await open({ timeoutMs: 1_000 });
  const url = `${site.origin}/form`;
  await until(async () => !(await call(client, 'navigate', { url })).isError);
  const flood = `(async () => {
    const texts = Array.from({ length: 100 }, () => ({ text: 'x'.repeat(5_000) }));
    for (;; await new Promise((next) => setTimeout(next))) for (let line = 0; line < 50; line++) console.log(...texts);
  })();`;
  await call(client, 'evaluate', { script: `${flood} 1` });
  await until(async () => !(await call(client, 'navigate', { url })).isError);
});

test('a profile blocks the addresses that browsers open in other programs without asking', async () => {
  await using client = await open();
  await call(client, 'navigate', { url: `${site.origin}/form` });
  const [profile] = profiles();
  const preferences = JSON.parse(readFileSync(join(tmpdir(), profile!, 'Default', 'Preferences'), 'utf8'));
  assert.deepEqual(preferences.policy, { url_blocklist: ['mailto:*', 'news:*', 'snews:*'] });
});

test('a cancelled call stops what it does', async () => {
  // Nothing ends because it took too long.
  await using client = await open({ timeoutMs: 600_000 });
  const stopping = new AbortController();
  const navigation = call(client, 'navigate', { url: `${site.origin}/slow` }, stopping.signal);
  await until(() => site.waiting > 0);
  stopping.abort();
  await assert.rejects(navigation, { name: 'AbortError' });
  await until(() => site.waiting === 0);
  await call(client, 'navigate', { url: `${site.origin}/form` });
  const log = async () => (await client.read('console://logs')).contents[0]!.text as string;
  for (const [name, args] of [
    ['evaluate', { script: 'console.log("endless"); while (true) {}' }],
    ['click', { selector: '#none' }],
  ] as const) {
    const ending = new AbortController();
    const endless = call(client, name, args, ending.signal);
    if (name === 'evaluate') await until(async () => (await log()).includes('endless'));
    ending.abort();
    await assert.rejects(endless, { name: 'AbortError' });
    assert.equal((await call(client, 'evaluate', { script: 'document.title' })).structured.result, 'Form');
  }
});

test('each client has a browser of its own, which disappears with it, also if it has crashed', async () => {
  const warnings: string[] = [];
  const app = createPuppeteer({ launch, origins: [site.origin], warn: (message) => warnings.push(message) });
  const [ann, bob] = await Promise.all([connect(app), connect(app)]);
  const url = `${site.origin}/form`;
  await Promise.all([call(ann, 'navigate', { url }), call(bob, 'navigate', { url })]);
  assert.equal(
    warnings.some((text) => text.includes('WITHOUT ITS SANDBOX')),
    process.getuid?.() === 0,
  );
  await call(ann, 'evaluate', {
    script: 'document.cookie = "name=ann"; localStorage.name = "ann"; console.log("ann")',
  });
  await call(ann, 'screenshot', { name: 'ann' });
  const seen = await call(bob, 'evaluate', { script: '[document.cookie, localStorage.name ?? null]' });
  assert.deepEqual(seen.structured.result, ['', null]);
  assert.doesNotMatch((await bob.read('console://logs')).contents[0]!.text as string, /ann/);
  await assert.rejects(bob.read('screenshot://ann'));
  assert.equal(profiles().length, 2);

  await bob.close();
  await until(() => profiles().length === 1);
  const [profile] = profiles();
  if (process.platform === 'linux') {
    process.kill(processOf(profile!), 'SIGKILL');
    await until(() => profiles().length === 0);
    const lost = await call(ann, 'click', { selector: '#button' });
    assert.equal(lost.text, 'The page is gone: the browser ended unexpectedly. Navigate again.');
    await call(ann, 'navigate', { url });
    assert.equal((await call(ann, 'evaluate', { script: 'document.cookie' })).structured.result, '');
    assert.match((await ann.read('console://logs')).contents[0]!.text as string, /\[log\] ann/);
    assert.deepEqual(
      profiles().filter((name) => name === profile),
      [],
    );
  }
  await ann.close();
  await until(() => profiles().length === 0);
});

test('launch options change the browser, and dangerous ones only if the user allows them', async () => {
  await until(() => profiles().length === 0);
  await using client = await open();
  const url = `${site.origin}/`;
  const launchOptions = { headless: true, defaultViewport: { width: 640, height: 480 }, args: ['--lang=de'] };
  await call(client, 'navigate', { url, launchOptions });
  const [before] = profiles();
  const size = await call(client, 'evaluate', { script: '[innerWidth, innerHeight]' });
  assert.deepEqual(size.structured.result, [640, 480]);
  await call(client, 'navigate', { url, launchOptions });
  await call(client, 'navigate', { url, launchOptions: null });
  assert.deepEqual(profiles(), [before]);
  for (const [options, message] of [
    [
      { args: ['--no-sandbox'] },
      /^launchOptions: --no-sandbox would make the browser less safe\. Only the user can allow that/,
    ],
    [{ args: ['--load-extension=/tmp'] }, /--load-extension=\/tmp would make the browser less safe/],
    [{ executablePath: '/bin/sh' }, /executablePath would make/],
    [{ acceptInsecureCerts: true }, /acceptInsecureCerts would make/],
    [{ userDataDir: '/tmp' }, /userDataDir is not supported, only headless/],
    [{ args: ['--Proxy-Server=direct://'] }, /is a list of|is not available: the server itself sets this/],
    [{ args: ['--user-data-dir=/tmp'] }, /is not available: the server itself sets this/],
    [{ args: ['https://example.com'] }, /args is a list of at most 50 switches/],
    [{ defaultViewport: { width: 1e9, height: 1 } }, /from 1 to 4096/],
  ] as const) {
    const refused = await call(client, 'navigate', { url, launchOptions: options, allowDangerous: true });
    assert.equal(refused.isError, true);
    assert.match(refused.text, message);
  }
  assert.deepEqual(profiles(), [before]);
});

test('without a browser, the first call says what to install', async () => {
  assert.throws(
    () => findBrowser(['/no/such/browser']),
    /No browser was found\. The user has to install Google Chrome or Chromium/,
  );
  await using client = await open({ launch: { ...launch, executablePath: process.execPath } });
  const { isError, text } = await call(client, 'navigate', { url: site.origin });
  assert.equal(isError, true);
  assert.match(text, /^The browser \S+ did not start: it ended with code 9/);
  await until(() => profiles().length === 0);
});
