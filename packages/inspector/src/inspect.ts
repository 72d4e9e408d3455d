import { createRequire } from 'node:module';
import { rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { runChecks } from './check/run-checks.ts';
import { saveTest } from './saved/save-test.ts';
import { serverEntry } from './saved/server-entry.ts';
import type { Target, Workbench } from './session/contract.ts';
import { createReader } from './session/read-only.ts';
import { readScript } from './session/script.ts';
import { makeSessionFolder } from './session/session-folder.ts';
import type { WorkbenchOptions } from './session/workbench-options.ts';
import { createWorkbench } from './session/workbench.ts';
import { openTrace } from './trace/node/open-trace.ts';
import { createTraceStore } from './trace/node/trace-store.ts';
import { serveWeb } from './web/serve-web.ts';

/** The inspector in the browser. */
export interface Inspector {
  /** The URL to open. It works once: `newUrl` returns another. */
  readonly url: string;
  /** The port on 127.0.0.1 that it listens on. */
  readonly port: number;
  /** The file of the trace. */
  readonly file: string;
  /** Returns a URL that works once. The previous one stops working. */
  newUrl(): string;
  /** Ends every session, including its processes. */
  close(): Promise<void>;
}

/** The servers to inspect, and how. */
export interface InspectOptions extends Pick<
  WorkbenchOptions,
  'confirm' | 'readTargets' | 'tokens' | 'idleMs' | 'roots'
> {
  /** The servers to connect to immediately. May be empty. */
  readonly targets: readonly Target[];
  /** Name and version of the program that opens it. */
  readonly by: string;
  /** Where the trace is kept. Default: in a folder of this program, until it ends. */
  readonly file?: string;
  /** Default 6280; if it is taken, the next free one. */
  readonly port?: number;
  /** Answers that are used before anyone sees the question: a JSON object as text, see `readScript`. */
  readonly script?: string;
  /** Where calls are saved as tests. Without it they cannot be saved. */
  readonly testFile?: string;
  /** Called with internal errors. */
  readonly log?: (message: string) => void;
  /** Called when the trace can no longer be written. The lines already shown stay. */
  readonly onTraceFailure?: (error: Error) => void;
}

/** The pages are built into the package; resolving its name finds them wherever this file is bundled. */
const ASSETS = join(dirname(createRequire(import.meta.url).resolve('@tenon/inspector/package.json')), 'dist/page');

async function pageOf(
  workbench: Workbench,
  options: { readonly port?: number; readonly log?: (message: string) => void },
  end: () => Promise<void>,
): Promise<Inspector> {
  const web = await serveWeb(workbench, {
    assets: ASSETS,
    port: options.port,
    log: options.log,
  });
  return {
    url: web.url,
    port: web.port,
    file: workbench.trace.file,
    newUrl: () => web.newCode(),
    async close() {
      await web.close();
      await end();
    },
  };
}

/**
 * Connects to servers and shows their traffic in the browser. Sessions live here, so a reloaded page finds them unchanged.
 *
 * Rejects with a `WorkbenchError` for an invalid script, and if the trace cannot be written or no port is free. A server that
 * cannot be connected to is shown in the page.
 *
 * @example
 * ```ts
 * import { openInspector } from '@tenon/inspector';
 *
 * const launch = { url: 'https://weather.example/mcp' };
 * const inspector = await openInspector({ targets: [{ id: 'weather', name: 'weather', launch }], by: 'my tool 1.0' });
 * console.error(inspector.url);
 * ```
 */
export async function openInspector(options: InspectOptions): Promise<Inspector> {
  const { targets, by, file, testFile } = options;
  const script = options.script === undefined ? undefined : readScript(options.script);
  const folder = file === undefined ? makeSessionFolder() : undefined;
  const store = createTraceStore(file ?? join(folder!, 'session.mcptrace'), by, {
    onFailure(error) {
      options.log?.(`The trace cannot be written any more, so further traffic is not shown: ${error.message}`);
      options.onTraceFailure?.(error);
    },
  });
  const workbench = createWorkbench({
    store,
    targets,
    by,
    check: async (target, { groups, baseline }, signal) =>
      (await runChecks(target, { groups, by, baseline }, signal)).rows,
    testFile,
    saveTest:
      testFile === undefined
        ? undefined
        : async (target, body) => ({
            file: testFile,
            name: saveTest(testFile, store, body, serverEntry(target)),
          }),
    script,
    roots: options.roots,
    tokens: options.tokens,
    idleMs: options.idleMs,
    confirm: options.confirm,
    readTargets: options.readTargets,
  });
  const end = async (): Promise<void> => {
    await workbench.close();
    if (folder !== undefined) rmSync(folder, { recursive: true, force: true });
  };
  try {
    const inspector = await pageOf(workbench, options, end);
    for (const { id } of targets) void workbench.connect(id).catch(() => {});
    return inspector;
  } catch (error) {
    await end();
    throw error;
  }
}

/**
 * Shows a recorded trace. Rejects with a `TraceError` for a file that is not a trace, and if it cannot be read or no port is
 * free.
 *
 * @example
 * ```ts
 * import { openTraceInspector } from '@tenon/inspector';
 *
 * const inspector = await openTraceInspector('weather.mcptrace', { by: 'my tool 1.0' });
 * console.error(inspector.url);
 * ```
 */
export async function openTraceInspector(
  file: string,
  options: Pick<InspectOptions, 'by' | 'port' | 'log'>,
): Promise<Inspector> {
  const trace = await openTrace(file);
  const workbench = createReader(trace, options.by, trace.indexed);
  return pageOf(workbench, options, async () => {
    await workbench.close();
    await trace.close();
  });
}
