// The inspector in a real browser, in few words. A test fails also for what nobody looked at: an error in the console, something the policy of
// the page forbade, a request to anywhere else.
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
  /** Errors in the console that this test makes on purpose. */
  readonly expected?: readonly RegExp[];
  /** The revision that all servers are to speak. */
  readonly revision?: string;
  /** This test follows links to other pages, with its own hand. */
  readonly visits?: boolean;
  /** The tab is not for other tests afterwards: something that this test began may still come. */
  readonly lastInTab?: boolean;
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

/** What a test has begun, to be ended in the opposite order. */
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
  test(name, { skip: missing, timeout: 4 * PATIENCE_MS }, async (t) => {
    const ends: Ends = [];
    // Before the servers are started: they are to end after what is connected to them.
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
    // Before the inspector ends: a page that has lost it complains.
    if (!settings.lastInTab && !tab.page.isClosed()) ends.push(() => park(tab, looking.inspector.port));
  });
}
