// Short helpers for testing the inspector in a real browser. A test also fails for anything it did not check itself: an error in
// the console, a violation of the page's policy, or a request to another origin.
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import type { BrowserContext, Page, Request } from 'playwright-core';
import { type Inspector, type InspectOptions, openInspector } from '../../src/inspect.ts';
import { PATIENCE_MS } from '../../../../scripts/lib/until.ts';
import type { Target } from '../../src/session/contract.ts';
import { closeTab, type Look, missing, park, type Tab, takeTab } from './tab.ts';

export interface Inspecting extends Look, Partial<Omit<InspectOptions, 'targets' | 'by' | 'port'>> {
  readonly servers: Readonly<Record<string, Target['launch']>>;
  /** Console errors that this test causes on purpose. */
  readonly expected?: readonly RegExp[];
  /** The revision that all servers must use. */
  readonly revision?: string;
  /** This test follows links to other pages. */
  readonly visits?: boolean;
  /** The tab is not reused afterwards, because this test may cause late events. */
  readonly lastInTab?: boolean;
  /** Wait until all servers are connected or have failed. Default true. */
  readonly settled?: boolean;
}

export interface Looking {
  readonly page: Page;
  readonly context: BrowserContext;
  readonly inspector: Inspector;
  /** The whole trace, one parsed line each. */
  trace(): Promise<readonly TraceEntry[]>;
  /** Opens a route of the page: `trace?filter=x`. */
  go(place: string): Promise<void>;
  /** Opens another page of the same inspector. */
  another(): Promise<Page>;
  /** The URLs that were requested. */
  readonly requests: readonly string[];
  /** Forbidden actions of pages: the test fails if there are any at its end. */
  readonly complaints: string[];
  /** Connections that would have left this machine. The test fails for these as well. */
  readonly left: string[];
}

/** Calls a tool through the page. `answer`: its answer, as text. */
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
  // A closed page rejects the promise.
  answer.catch(() => {});
  return { key, answer };
}

/** Cancels a call started with `callTool`. */
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

/** The current outcome of a call started with `callTool`: `running`, for example. */
export function outcomeOf(page: Page, server: string, key: string): Promise<string | undefined> {
  return page.evaluate(
    async ([id, key]) => {
      const answer = await fetch(`/api/servers/${id}/requests/${key}`);
      return ((await answer.json()) as { outcome?: string }).outcome;
    },
    [server, key] as const,
  );
}

/** The page of a request. Undefined: the page is just being opened. */
function pageOf(request: Request): Page | undefined {
  try {
    return request.frame().page();
  } catch {
    return undefined;
  }
}

/** Records forbidden actions of the inspector's pages. `own`: its pages; others are visited. */
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

/** Resolves when `look` returns a value. It looks into another process, so the intervals get longer. */
async function lookUntil<T>(look: (late: boolean) => Promise<T | undefined>): Promise<T> {
  const end = performance.now() + PATIENCE_MS;
  for (let ms = 10; ; ms = Math.min(2 * ms, 160)) {
    const found = await look(performance.now() > end);
    if (found !== undefined) return found;
    await sleep(ms);
  }
}

/** Waits until two values that may both change are equal. Fails with both values. */
export async function agree<T>(read: () => T | Promise<T>, wanted: () => T | Promise<T>): Promise<void> {
  return void (await lookUntil(async (late) => {
    const [value, other] = [await read(), await wanted()];
    if (late) assert.deepEqual(value, other);
    return isDeepStrictEqual(value, other) ? true : undefined;
  }));
}

/** Waits until a value is as expected. Fails with the actual value. */
export function becomes<T>(read: () => T | Promise<T>, wanted: T): Promise<void> {
  return agree(read, () => wanted);
}

/** The CPU time that a page uses during an action, in milliseconds. */
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

/** Waits until no server is being examined any more. */
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

/** The clean-up functions of a test, called in reverse order. */
type Ends = (() => unknown)[];

async function open(tab: Tab, ends: Ends, options: Inspecting): Promise<Looking> {
  const { servers, expected: _, visits: __, lastInTab: ___, screen: ____, dark: _____, ...rest } = options;
  const { revision, settled = true, ...more } = rest;
  const { context, left } = tab;
  const folder = mkdtempSync(join(tmpdir(), 'tenon-browser-'));
  ends.push(() => rmSync(folder, { recursive: true, force: true }));
  const file = join(folder, 'session.mcptrace');
  const inspector = await openInspector({
    port: tab.port,
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
  const enter = async (page: Page): Promise<Page> => {
    own.add(page);
    await page.goto(inspector.newUrl());
    await page.getByRole('navigation', { name: 'Screens' }).waitFor();
    return page;
  };
  const page = await enter(tab.page);
  if (settled) await settle(page);
  return {
    page,
    context,
    inspector,
    complaints,
    requests,
    left,
    another: async () => enter(await tab.another()),
    async trace() {
      // Reading a line makes the inspector write the file at once.
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

/** A test with the inspector open in the browser, with these servers. */
export function inspected(
  name: string,
  options: Inspecting | ((t: TestContext) => Inspecting | Promise<Inspecting>),
  look: (looking: Looking, t: TestContext) => Promise<void>,
): void {
  test(name, { skip: missing, timeout: 4 * PATIENCE_MS }, async (t) => {
    const ends: Ends = [];
    // Registered before the servers start, because they must end after their clients.
    t.after(async () => {
      for (const end of ends.toReversed()) await end();
    });
    const settings = typeof options === 'function' ? await options(t) : options;
    const tab = await takeTab(settings);
    ends.push(() => closeTab(tab));
    const looking = await open(tab, ends, settings);
    await look(looking, t);
    assert.deepEqual(looking.complaints, []);
    assert.deepEqual(looking.left, [], 'nothing left this machine');
    // Before the inspector ends, because a page that loses it reports errors.
    if (!settings.lastInTab && !tab.page.isClosed()) ends.push(() => park(tab, looking.inspector.port));
  });
}
