// The browser tab that tests use one after the other. Each test gets a new document from its own inspector, without any state of
// earlier tests. Only the renderer process stays, with its compiled scripts: without it, opening the page takes twice the CPU
// time. A browser keeps the process only for pages of one origin, so the inspectors listen on the same port.
import { createServer } from 'node:net';
import { type BrowserContext, type CDPSession, chromium, type Page } from 'playwright-core';
import { afterAllFiles } from '../../../../scripts/lib/test-file.ts';
import { PATIENCE_MS } from '../../../../scripts/lib/until.ts';

interface Chromium {
  browserForTests(): { readonly path: string } | { readonly missing: string };
}
const place = new URL('../../../../scripts/lib/chromium.ts', import.meta.url).href;
const found = ((await import(place)) as Chromium).browserForTests();

/** Why there is no browser, if it is missing. */
export const missing = 'missing' in found && found.missing;

/** Hosts that Chromium contacts on its own, whatever page is shown. */
const ITS_MAKER = /^[A-Z]+ (?:https?:\/\/)?(?:[\w-]+\.)*(?:google|googleapis|gstatic)\.com[:/]/;

/** Accepts every connection that would leave this machine. */
async function outside() {
  const calls: string[] = [];
  const server = createServer((socket) => {
    socket.once('data', (bytes) => {
      const call = String(bytes).split('\r\n', 1)[0]!;
      if (!ITS_MAKER.test(call)) calls.push(call);
      socket.destroy();
    });
    socket.on('error', () => {});
  });
  await new Promise<void>((resolve) => void server.unref().listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as { port: number };
  return { calls, address: `http://127.0.0.1:${port}`, close: () => server.close() };
}

async function launch(path: string) {
  const beyond = await outside();
  const browser = await chromium.launch({
    executablePath: path,
    proxy: { server: beyond.address, bypass: '127.0.0.1' },
    args: ['--no-sandbox'],
  });
  return { beyond, browser };
}

/** One browser for all tests of this process. */
let launched: ReturnType<typeof launch> | undefined;
afterAllFiles(async () => {
  const { beyond, browser } = (await launched) ?? {};
  await browser?.close();
  beyond?.close();
});

/** The size and the colour scheme of pages in a test. */
export interface Look {
  readonly screen?: { readonly width: number; readonly height: number };
  readonly dark?: boolean;
}

export interface Tab {
  readonly context: BrowserContext;
  readonly page: Page;
  /** Opens another page in the same context, for this test. */
  another(): Promise<Page>;
  /** The port that an inspector must use for its origin. 0: any; then `origin` says which one it is. */
  readonly port: number;
  readonly devtools: CDPSession;
  /** Connections that would have left this machine. */
  readonly left: string[];
}

/** The tab without a page, until the next test takes it. */
let parked: Omit<Tab, 'another' | 'left'> | undefined;

const REPORT = `document.addEventListener('securitypolicyviolation', ({ effectiveDirective, blockedURI, sourceFile, lineNumber }) =>
  console.error('forbidden by the policy: ' + effectiveDirective + ' ' + blockedURI + ' at ' + sourceFile + ':' + lineNumber));`;

async function adjust(page: Page, { screen = { width: 1440, height: 900 }, dark = false }: Look): Promise<Page> {
  await page.setViewportSize(screen);
  await page.emulateMedia({ colorScheme: dark ? 'dark' : 'light' });
  return page;
}

/** The tab, in the state of a new one. */
export async function takeTab(look: Look): Promise<Tab> {
  launched ??= launch((found as { readonly path: string }).path);
  // In a separate promise, because the test runner attributes the continuation of a promise to the test that created it.
  const { browser, beyond } = await new Promise<Awaited<typeof launched>>((resolve, reject) => {
    launched!.then(resolve, reject);
  });
  beyond.calls.splice(0);
  const taken = parked;
  parked = undefined;
  if (taken !== undefined) {
    await adjust(taken.page, look);
    return { ...taken, another: async () => adjust(await taken.context.newPage(), look), left: beyond.calls };
  }
  const context = await browser.newContext({ reducedMotion: 'reduce' });
  context.setDefaultTimeout(PATIENCE_MS);
  await context.addInitScript(REPORT);
  await context.grantPermissions(['clipboard-read', 'clipboard-write']);
  const page = await adjust(await context.newPage(), look);
  const devtools = await context.newCDPSession(page);
  return {
    context,
    page,
    another: async () => adjust(await context.newPage(), look),
    port: 0,
    devtools,
    left: beyond.calls,
  };
}

/** The document of the tab between two tests. The process stays only if these headers are those of the inspector. */
const NOTHING = {
  responseCode: 200,
  responseHeaders: [
    { name: 'content-type', value: 'text/html' },
    { name: 'cross-origin-opener-policy', value: 'same-origin' },
    { name: 'origin-agent-cluster', value: '?1' },
  ],
  body: '',
};

/** The events with which a test observes its pages. */
const WATCHED = ['console', 'weberror', 'request', 'page'] as const;

/** Removes everything that a test left in the tab, and keeps it for the next test. `port`: the port of its inspector. */
export async function park({ context, page, devtools }: Tab, port: number): Promise<void> {
  for (const event of WATCHED) context.removeAllListeners(event);
  for (const other of context.pages()) if (other !== page) await other.close();
  await page.unrouteAll({ behavior: 'ignoreErrors' });
  const url = `http://127.0.0.1:${port}/nothing`;
  await devtools.send('Fetch.enable', { patterns: [{ urlPattern: url }] });
  const asked = new Promise<{ readonly requestId: string }>((resolve) => devtools.once('Fetch.requestPaused', resolve));
  const gone = page.goto(url);
  const { requestId } = await asked;
  await devtools.send('Fetch.fulfillRequest', { requestId, ...NOTHING });
  await gone;
  await devtools.send('Fetch.disable');
  await page.evaluate(() => {
    localStorage.clear();
    sessionStorage.clear();
  });
  await context.clearCookies();
  await devtools.send('Page.resetNavigationHistory');
  // Outside the page, as in a new tab.
  await page.mouse.move(-1, -1);
  parked = { context, page, devtools, port };
}

/** Closes the tab, unless it is kept for the next test. */
export async function closeTab({ context }: Tab): Promise<void> {
  if (parked?.context !== context) await context.close();
}
