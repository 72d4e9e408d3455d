// The inspector in a real browser, in few words. A test fails also for what nobody looked at: an error in the console, something the policy of
// the page forbade, a request to anywhere else.
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import { type Browser, type BrowserContext, chromium, type Page, type Request } from 'playwright-core';
import { type Inspector, type InspectOptions, openInspector } from '../../src/inspect.ts';
import { afterAllFiles } from '../../../../scripts/lib/test-file.ts';
import { PATIENCE_MS } from '../../../../scripts/lib/until.ts';
import type { Target } from '../../src/session/contract.ts';

interface Chromium {
  browserForTests(): { readonly path: string } | { readonly missing: string };
}
const place = new URL('../../../../scripts/lib/chromium.ts', import.meta.url).href;
const found = ((await import(place)) as Chromium).browserForTests();

/** Whom Chromium calls by itself, whatever is shown in it. */
const ITS_MAKER = /^[A-Z]+ (?:https?:\/\/)?(?:[\w-]+\.)*(?:google|googleapis|gstatic)\.com[:/]/;

/** Takes every connection that would leave this machine. */
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

/** One for all tests of this process. Each test has a context of its own in it. */
let launched: ReturnType<typeof launch> | undefined;
afterAllFiles(async () => {
  const { beyond, browser } = (await launched) ?? {};
  await browser?.close();
  beyond?.close();
});

export interface Inspecting extends Partial<Omit<InspectOptions, 'targets' | 'by'>> {
  readonly servers: Readonly<Record<string, Target['launch']>>;
  /** Errors in the console that this test makes on purpose. */
  readonly expected?: readonly RegExp[];
  /** The revision that all servers are to speak. */
  readonly revision?: string;
  /** This test follows links to other pages, with its own hand. */
  readonly visits?: boolean;
  readonly screen?: { readonly width: number; readonly height: number };
  readonly dark?: boolean;
  /** Wait until all servers are connected, or have failed. Default true. */
  readonly settled?: boolean;
}

export interface Looking {
  readonly page: Page;
  readonly context: BrowserContext;
  readonly inspector: Inspector;
  /** Everything in the trace, one parsed line each. */
  trace(): Promise<readonly TraceEntry[]>;
  /** Goes to a place of the page: `trace?filter=x`. */
  go(place: string): Promise<void>;
  /** Another page at the same inspector. */
  another(): Promise<Page>;
  /** The addresses that were asked for. */
  readonly requests: readonly string[];
  /** What pages did that they must not: the test fails for what is in here at its end. */
  readonly complaints: string[];
  /** What would have left this machine. The same holds. */
  readonly left: string[];
}

/** Calls a tool through the page, without looking at it. `answer`: what came of it, as text. */
export function callTool(
  page: Page,
  server: string,
  name: string,
  args: object = {},
): { readonly key: string; readonly answer: Promise<string> } {
  const key = randomUUID();
  const answer = page.evaluate(
    async ([id, body, key]) => {
      const headers = { 'content-type': 'application/json' };
      let answer = await (await fetch(`/api/servers/${id}/requests`, { method: 'POST', headers, body })).text();
      for (
        let ms = 25;
        (JSON.parse(answer) as { outcome?: string }).outcome === 'running';
        ms = Math.min(2 * ms, 400)
      ) {
        await new Promise((resolve) => setTimeout(resolve, ms));
        answer = await (await fetch(`/api/servers/${id}/requests/${key}`)).text();
      }
      return answer;
    },
    [
      server,
      JSON.stringify({ method: 'tools/call', params: JSON.stringify({ name, arguments: args }), key }),
      key,
    ] as const,
  );
  // A page that is closed answers no more.
  answer.catch(() => {});
  return { key, answer };
}

/** Ends a call that was begun with `callTool`. */
export function cancelCall(page: Page, server: string, key: string): Promise<void> {
  return page.evaluate(
    async ([id, body]) => {
      const headers = { 'content-type': 'application/json' };
      await fetch(`/api/servers/${id}/cancel`, { method: 'POST', headers, body });
    },
    [server, JSON.stringify({ key })] as const,
  );
}

export interface TraceEntry {
  readonly n: number;
  readonly session: string;
  readonly kind: string;
  readonly from?: string;
  readonly text: string;
}

/** The outcome of a call that was begun with `callTool`, as far as it has come: `running` for example. */
export function outcomeOf(page: Page, server: string, key: string): Promise<string | undefined> {
  return page.evaluate(
    async ([id, key]) => {
      const answer = await fetch(`/api/servers/${id}/requests/${key}`);
      return ((await answer.json()) as { outcome?: string }).outcome;
    },
    [server, key] as const,
  );
}

/** Whose request it is; undefined: of a page that is just being opened. */
function pageOf(request: Request): Page | undefined {
  try {
    return request.frame().page();
  } catch {
    return undefined;
  }
}

/** Notes what pages of the inspector must not do. `own`: its pages; others are visited. */
function guard(
  context: BrowserContext,
  origin: string,
  own: ReadonlySet<Page>,
  { expected = [], visits = false }: Inspecting,
) {
  const complaints: string[] = [];
  const requests: string[] = [];
  const complain = (what: string): void => {
    if (!expected.some((pattern) => pattern.test(what))) complaints.push(what.slice(0, 1_000));
  };
  const isOwn = (page: Page | null | undefined): boolean =>
    !visits || page === null || (page !== undefined && own.has(page));
  context.on('console', (message) => {
    if (!isOwn(message.page())) return;
    if (message.type() === 'error' || message.type() === 'warning')
      complain(`${message.type()}: ${message.text()} (${message.location().url})`);
  });
  context.on('weberror', (error) => {
    if (isOwn(error.page())) complain(`uncaught: ${error.error().stack ?? error.error().message}`);
  });
  context.on('request', (request) => {
    const url = request.url();
    requests.push(url);
    if (/^(?:blob|data|about):/.test(url) || new URL(url).origin === origin) return;
    if (!visits || isOwn(pageOf(request))) complain(`request to elsewhere: ${request.method()} ${url}`);
  });
  context.on('page', (page) => {
    if (!visits && page.url() !== 'about:blank') complain(`a page was opened: ${page.url()}`);
  });
  return { complaints, requests, complain };
}

const REPORT = `document.addEventListener('securitypolicyviolation', ({ effectiveDirective, blockedURI, sourceFile, lineNumber }) =>
  console.error('forbidden by the policy: ' + effectiveDirective + ' ' + blockedURI + ' at ' + sourceFile + ':' + lineNumber));`;

/** Goes on as soon as `look` gives something other than undefined. What is looked at is in another process, so it is looked at less and less often. */
async function lookUntil<T>(look: (late: boolean) => Promise<T | undefined>): Promise<T> {
  const end = performance.now() + PATIENCE_MS;
  for (let ms = 10; ; ms = Math.min(2 * ms, 160)) {
    const found = await look(performance.now() > end);
    if (found !== undefined) return found;
    await sleep(ms);
  }
}

/** Waits until two things that both may change are equal; fails with how they are. */
export async function agree<T>(read: () => T | Promise<T>, wanted: () => T | Promise<T>): Promise<void> {
  return void (await lookUntil(async (late) => {
    const [value, other] = [await read(), await wanted()];
    if (late) assert.deepEqual(value, other);
    return isDeepStrictEqual(value, other) ? true : undefined;
  }));
}

/** Waits until something is as it should be; fails with how it is. */
export function becomes<T>(read: () => T | Promise<T>, wanted: T): Promise<void> {
  return agree(read, () => wanted);
}

/** CPU time that a page uses for what is done meanwhile, in milliseconds. */
export async function pageCpuMs(page: Page, act: () => Promise<void>): Promise<number> {
  const devtools = await page.context().newCDPSession(page);
  await devtools.send('Performance.enable', { timeDomain: 'threadTicks' });
  const used = async (): Promise<number> => {
    const { metrics } = await devtools.send('Performance.getMetrics');
    return 1_000 * metrics.find(({ name }) => name === 'TaskDuration')!.value;
  };
  const before = await used();
  await act();
  const after = await used();
  await devtools.detach();
  return after - before;
}

interface State {
  readonly servers: readonly { readonly status: string; readonly doctor: readonly { readonly status: string }[] }[];
}

/** Waits until nothing is looked into any more. */
export async function settle(page: Page): Promise<void> {
  return void (await lookUntil(async (late) => {
    const { servers } = await page.evaluate(async () => (await (await fetch('/api/state')).json()) as State);
    const busy = servers.some(
      ({ status, doctor }) =>
        status === 'idle' ||
        status === 'connecting' ||
        (status === 'ready' && doctor.some((step) => step.status === 'running')),
    );
    if (busy && late) throw new Error(`The servers are not looked over yet: ${JSON.stringify(servers)}`);
    return busy ? undefined : true;
  }));
}

async function open(browser: Browser, ends: (() => unknown)[], options: Inspecting): Promise<Omit<Looking, 'left'>> {
  const { servers, expected: _, visits: __, revision, screen, dark = false, settled = true, ...more } = options;
  const folder = mkdtempSync(join(tmpdir(), 'tenon-browser-'));
  ends.push(() => rmSync(folder, { recursive: true, force: true }));
  const context = await browser.newContext({
    viewport: screen ?? { width: 1440, height: 900 },
    colorScheme: dark ? 'dark' : 'light',
    reducedMotion: 'reduce',
  });
  ends.push(() => context.close());
  context.setDefaultTimeout(PATIENCE_MS);
  await context.addInitScript(REPORT);
  await context.grantPermissions(['clipboard-read', 'clipboard-write']);
  const file = join(folder, 'session.mcptrace');
  const inspector = await openInspector({
    port: 0,
    file,
    testFile: join(folder, 'mcp.test.json'),
    log: (message) => complain(`the inspector itself: ${message}`),
    ...more,
    targets: Object.entries(servers).map(([id, launch]) => ({
      id,
      name: id,
      launch,
      ...(revision === undefined ? {} : { revision }),
    })),
    by: 'browser test',
  });
  ends.push(() => inspector.close());
  const own = new Set<Page>();
  const { complaints, requests, complain } = guard(context, `http://127.0.0.1:${inspector.port}`, own, options);
  const enter = async (): Promise<Page> => {
    const page = await context.newPage();
    own.add(page);
    await page.goto(inspector.newUrl());
    await page.getByRole('navigation', { name: 'Screens' }).waitFor();
    return page;
  };
  const page = await enter();
  if (settled) await settle(page);
  return {
    page,
    context,
    inspector,
    complaints,
    requests,
    another: enter,
    async trace() {
      // The file is written a moment later, unless somebody wants to read it.
      if (!page.isClosed()) await page.evaluate(() => fetch('/api/trace/lines?n=1').then((answer) => answer.text()));
      return readFileSync(file, 'utf8')
        .split('\n')
        .slice(1, -1)
        .map((line) => JSON.parse(line) as TraceEntry);
    },
    async go(to) {
      await page.evaluate((hash) => void (location.hash = hash), `#/${to}`);
    },
  };
}

/** A test with the inspector open in the browser, and these servers in it. */
export function inspected(
  name: string,
  options: Inspecting | ((t: TestContext) => Inspecting | Promise<Inspecting>),
  look: (looking: Looking, t: TestContext) => Promise<void>,
): void {
  test(name, { skip: 'missing' in found && found.missing, timeout: 4 * PATIENCE_MS }, async (t) => {
    const ends: (() => unknown)[] = [];
    // Before the servers are started: they are to end after what is connected to them.
    t.after(async () => {
      for (const end of ends.toReversed()) await end();
    });
    launched ??= launch((found as { readonly path: string }).path);
    // In a promise of its own, because the test runner takes what follows a promise for a part of the test that made it.
    const { browser, beyond } = await new Promise<Awaited<typeof launched>>((resolve, reject) => {
      launched!.then(resolve, reject);
    });
    const left = beyond.calls;
    left.splice(0);
    const looking = await open(browser, ends, typeof options === 'function' ? await options(t) : options);
    await look({ ...looking, left }, t);
    assert.deepEqual(looking.complaints, []);
    assert.deepEqual(left, [], 'nothing left this machine');
  });
}
