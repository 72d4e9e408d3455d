// The inspector in a real browser, in few words. A test fails also for what nobody looked at: an error in the console, something the policy of
// the page forbade, a request to anywhere else.
import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { after, before, test, type TestContext } from 'node:test';
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core';
import { type Inspector, type InspectOptions, openInspector } from '../../src/inspect.ts';
import type { Target } from '../../src/session/contract.ts';

interface Chromium {
  findChromium(): string;
}
const place = new URL('../../../../scripts/lib/chromium.ts', import.meta.url).href;
const { findChromium } = (await import(place)) as Chromium;

/** Where Chromium is; else why there is none. Where tests decide about a change, that is a failure. */
const findBrowser = (): { readonly path: string } | { readonly missing: string } => {
  try {
    return { path: findChromium() };
  } catch (error) {
    if (process.env['CI'] !== undefined) throw error;
    return { missing: (error as Error).message };
  }
};
const found = findBrowser();

/** Whom Chromium calls by itself, whatever is shown in it. */
const ITS_MAKER = /^[A-Z]+ (?:https?:\/\/)?(?:[\w-]+\.)*(?:google|googleapis|gstatic)\.com[:/]/;

/** Takes every connection that would leave this machine. */
const outside = async () => {
  const calls: string[] = [];
  const server = createServer((socket) => {
    socket.once('data', (bytes) => {
      const call = String(bytes).split('\r\n', 1)[0]!;
      if (!ITS_MAKER.test(call)) calls.push(call);
      socket.destroy();
    });
    socket.on('error', () => {});
  });
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as { port: number };
  return { calls, address: `http://127.0.0.1:${port}`, close: () => server.close() };
};
type Outside = Awaited<ReturnType<typeof outside>>;

let browser: Browser | undefined;
let beyond: Outside | undefined;
before(async () => {
  if (!('path' in found)) return;
  beyond = await outside();
  browser = await chromium.launch({
    executablePath: found.path,
    proxy: { server: beyond.address, bypass: '127.0.0.1' },
    args: ['--no-sandbox'],
  });
});
after(async () => {
  await browser?.close();
  beyond?.close();
});

export interface Inspecting extends Partial<Omit<InspectOptions, 'targets' | 'by'>> {
  readonly servers: Readonly<Record<string, Target['launch']>>;
  /** Errors in the console that this test makes on purpose. */
  readonly expected?: readonly RegExp[];
  /** Origins that this test sends the browser to. */
  readonly visits?: () => readonly string[];
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
  trace(): readonly TraceEntry[];
  /** Goes to a place of the page: `trace?filter=x`. */
  go(place: string): Promise<void>;
  /** Another page at the same inspector. */
  another(): Promise<Page>;
  /** The addresses that were asked for. */
  readonly requests: readonly string[];
}

export interface TraceEntry {
  readonly n: number;
  readonly session: string;
  readonly kind: string;
  readonly from?: string;
  readonly text: string;
}

/** Longer than anything here takes, on a machine that does other things too. */
const WAIT_MS = 15_000;

const isOf = (origins: readonly string[], url: string): boolean =>
  /^(?:blob|data|about):/.test(url) || origins.includes(new URL(url).origin);

/** Notes what a page must not do. */
const guard = (context: BrowserContext, origins: () => readonly string[], { expected = [] }: Inspecting) => {
  const complaints: string[] = [];
  const requests: string[] = [];
  const complain = (what: string): void => {
    if (!expected.some((pattern) => pattern.test(what))) complaints.push(what.slice(0, 1_000));
  };
  context.on('console', (message) => {
    if (message.type() === 'error' || message.type() === 'warning')
      complain(`${message.type()}: ${message.text()} (${message.location().url})`);
  });
  context.on('weberror', (error) => complain(`uncaught: ${error.error().stack ?? error.error().message}`));
  context.on('request', (request) => {
    requests.push(request.url());
    if (!isOf(origins(), request.url())) complain(`request to elsewhere: ${request.method()} ${request.url()}`);
  });
  return { complaints, requests, complain };
};

const REPORT = `document.addEventListener('securitypolicyviolation', ({ effectiveDirective, blockedURI, sourceFile, lineNumber }) =>
  console.error('forbidden by the policy: ' + effectiveDirective + ' ' + blockedURI + ' at ' + sourceFile + ':' + lineNumber));`;

const open = async (t: TestContext, options: Inspecting): Promise<Looking & { readonly complaints: string[] }> => {
  const { servers, expected: _expected, visits, screen, dark = false, settled = true, ...more } = options;
  const folder = mkdtempSync(join(tmpdir(), 'tenon-browser-'));
  const ends: (() => unknown)[] = [() => rmSync(folder, { recursive: true, force: true })];
  t.after(async () => {
    for (const end of ends.toReversed()) await end();
  });
  const context = await browser!.newContext({
    viewport: screen ?? { width: 1440, height: 900 },
    colorScheme: dark ? 'dark' : 'light',
    reducedMotion: 'reduce',
  });
  ends.push(() => context.close());
  context.setDefaultTimeout(WAIT_MS);
  await context.addInitScript(REPORT);
  await context.grantPermissions(['clipboard-read', 'clipboard-write']);
  const file = join(folder, 'session.mcptrace');
  const inspector = await openInspector({
    port: 0,
    file,
    testFile: join(folder, 'mcp.test.json'),
    log: (message) => complain(`the inspector itself: ${message}`),
    ...more,
    targets: Object.entries(servers).map(([id, launch]) => ({ id, name: id, launch })),
    by: 'browser test',
  });
  ends.push(() => inspector.close());
  const own = `http://127.0.0.1:${inspector.port}`;
  const origins = (): readonly string[] => [own, ...(visits?.() ?? [])];
  const { complaints, requests, complain } = guard(context, origins, options);
  const enter = async (): Promise<Page> => {
    const page = await context.newPage();
    await page.goto(inspector.newUrl());
    await page.getByRole('navigation', { name: 'Screens' }).waitFor();
    return page;
  };
  const page = await enter();
  if (settled)
    await page.waitForFunction(async () => {
      const { servers: all } = (await (await fetch('/api/state')).json()) as { servers: { status: string }[] };
      return all.every(({ status }) => !['idle', 'connecting'].includes(status));
    });
  return {
    page,
    context,
    inspector,
    complaints,
    requests,
    another: enter,
    trace: () =>
      readFileSync(file, 'utf8')
        .split('\n')
        .slice(1, -1)
        .map((line) => JSON.parse(line) as TraceEntry),
    async go(to) {
      await page.evaluate((hash) => void (location.hash = hash), `#/${to}`);
    },
  };
};

/** A test with the inspector open in the browser, and these servers in it. */
export const inspected = (
  name: string,
  options: Inspecting | (() => Inspecting | Promise<Inspecting>),
  look: (looking: Looking, t: TestContext) => Promise<void>,
): void => {
  test(name, { skip: 'missing' in found && found.missing, timeout: 60_000 }, async (t) => {
    const before = beyond!.calls.length;
    const looking = await open(t, typeof options === 'function' ? await options() : options);
    await look(looking, t);
    assert.deepEqual(looking.complaints, []);
    assert.deepEqual(beyond!.calls.slice(before), [], 'nothing left this machine');
  });
};
