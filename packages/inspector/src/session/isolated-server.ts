import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ConnectOptions } from 'tenon/client';
import { createAuthExchanges, recordedFetch } from '../record/auth-exchanges.ts';
import { createRedactor } from '../record/redact.ts';
import { createDiagnosis } from '../rules/diagnosis.ts';
import type { Finding } from '../rules/finding.ts';
import { createTraceStore, type TraceStore } from '../trace/node/trace-store.ts';
import { secretsOf } from '../record/secrets.ts';
import type { Target } from './contract.ts';
import { everyRule } from './every-rule.ts';
import { Inbox } from './inbox.ts';
import { LiveServer } from './live.ts';
import type { Shared } from './shared.ts';

/** A server that a program inspects without a page. Only the program can answer its questions. */
export interface IsolatedServer {
  /** Connects, reads lists, sends requests. */
  readonly server: LiveServer;
  /** The trace of its sessions. */
  readonly store: TraceStore;
  /** What the diagnosis found so far. */
  readonly findings: readonly Finding[];
  /** The number of messages that were validated against the official schema of their revision. */
  readonly measured: number;
}

/** How a server is inspected without a page. */
export interface IsolatedServerOptions extends Pick<Shared, 'answering' | 'bothEras' | 'timeoutMs'> {
  /**
   * The credentials for the server at a URL. A function gets the option `wrapFetch` for credentials whose requests are to be in the
   * trace.
   */
  readonly auth?:
    | ConnectOptions['auth']
    | ((wrapFetch: (send: typeof globalThis.fetch) => typeof globalThis.fetch) => ConnectOptions['auth']);
  /** Where the trace is kept. Default: it is discarded. */
  readonly file?: string;
  /** Name and version of the program, for the head of the trace. */
  readonly by: string;
}

/**
 * Calls `use` with a server that is not connected yet. Afterwards the server is stopped and the diagnosis is completed; `after`
 * receives its findings while the trace can still be read. Everything is read from the trace, so if the trace can no longer be
 * written, this rejects with the error of the file. It also rejects if `use` does; a failed connection is in the view of the
 * server.
 *
 * @example
 * ```ts
 * import { withIsolatedServer } from '@tenon/inspector';
 *
 * const target = { id: 'weather', name: 'weather', launch: { command: 'node', args: ['server.js'] } };
 * const status = await withIsolatedServer(target, { by: 'my tool 1.0' }, async ({ server }) => {
 *   await server.connect(undefined);
 *   return server.view().status;
 * });
 * ```
 */
export async function withIsolatedServer<T>(
  target: Target,
  options: IsolatedServerOptions,
  use: (isolated: IsolatedServer) => Promise<T>,
  after: (isolated: IsolatedServer, result: T) => void = () => {},
): Promise<T> {
  const folder = options.file === undefined ? mkdtempSync(join(tmpdir(), 'tenon-trace-')) : undefined;
  let unwritten: Error | undefined;
  const onFailure = (error: Error): void => {
    unwritten = error;
    void server.disconnect();
  };
  const store = createTraceStore(options.file ?? join(folder!, 'x.mcptrace'), options.by, { onFailure });
  // A trace that is not kept is unlinked at once, so it is gone even if this process is killed. Windows does not allow that.
  if (folder !== undefined && process.platform !== 'win32') rmSync(folder, { recursive: true, force: true });
  const redactor = createRedactor();
  for (const secret of secretsOf(target.launch)) redactor.hide(secret);
  let measured = 0;
  const diagnosis = createDiagnosis(undefined, { rules: everyRule(() => measured++) });
  const unwatch = store.watch((line, facts) => diagnosis.see(line, facts, store.index));
  const { auth } = options;
  const logins = createAuthExchanges(
    () => ({ write: (line) => store.append({ ...line, session: server.session ?? '' }) }),
    redactor,
  );
  let sessions = 0;
  const server: LiveServer = new LiveServer(
    target,
    {
      store,
      redactor,
      inbox: new Inbox(() => {}),
      name: (id) => `${id}#${++sessions}`,
      changed() {},
      progress() {},
      findings: () => diagnosis.findings,
      answering: options.answering ?? {},
      auth: typeof auth === 'function' ? auth((send) => recordedFetch(send, logins)) : auth,
      timeoutMs: options.timeoutMs,
      bothEras: options.bothEras,
    },
    undefined,
  );
  let ended = false;
  const end = async (): Promise<void> => {
    if (ended) return;
    ended = true;
    await server.disconnect();
    diagnosis.end();
  };
  const isolated: IsolatedServer = {
    server,
    store,
    get findings() {
      return diagnosis.findings;
    },
    get measured() {
      return measured;
    },
  };
  try {
    const result = await use(isolated);
    await end();
    store.flush();
    if (unwritten !== undefined) throw unwritten;
    after(isolated, result);
    return result;
  } catch (error) {
    throw unwritten ?? error;
  } finally {
    await end();
    unwatch();
    store.close();
    if (folder !== undefined) rmSync(folder, { recursive: true, force: true });
  }
}
