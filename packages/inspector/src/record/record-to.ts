import process from 'node:process';
import { createRequire } from 'node:module';
import type { SessionHead, Side } from '../trace/line.ts';
import { createTraceWriter } from '../trace/node/trace-writer.ts';
import { type AuthExchanges, createAuthExchanges, recordedFetch } from './auth-exchanges.ts';
import { createRecorder, type Passed, type Recorder } from './recorder.ts';
import { createRedactor } from './redact.ts';
import { createNames } from './names.ts';

/** Facts about a recording that the traffic does not show. */
export interface RecordOptions {
  /** The name of the server. A host names each of its servers in `onTrace`. */
  readonly name?: string;
  /** The side that records: a client (the default), or a server. */
  readonly side?: Side;
  /** The transport. Default: as the first entry suggests. */
  readonly transport?: SessionHead['transport'];
  /** The command or the URL. Default: the command, if one is started. */
  readonly target?: string;
  /** Values that must never be written, whatever the name of their member. */
  readonly secrets?: readonly string[];
  /** Called when the file can no longer be written. The program continues. */
  readonly onFailure?: (error: Error) => void;
}

/** A trace being written. */
export interface Recording {
  /** The path of the file. */
  readonly file: string;
  /**
   * For the option `onTrace` of `connect`, `serveStdio`, `serveHttp` and `createHost`. Each server has a session of its own, and
   * so has each session of a server over HTTP. Several clients that record into one trace each need a name.
   */
  onTrace(entry: Passed, server?: string): void;
  /**
   * For the option `wrapFetch` of the credentials of a client: records the requests of its logins. A host has credentials for each server, and
   * names the server: `wrapFetch: (send) => recording.wrapFetch(send, 'notes')`.
   */
  wrapFetch(send: typeof globalThis.fetch, server?: string): typeof globalThis.fetch;
  /** Writes the buffered lines, and closes the file. Later traffic is not recorded. */
  close(): void;
}

const DEFAULT_NAME = 'server';
/** The most sessions. Traffic of further servers is recorded in the last session. */
const MAX_SESSIONS = 10_000;
/** How long the lines of a request wait for its session, which is known only after its body was read, in milliseconds. */
const BODY_MS = 250;
const MAX_WAITING = 1_000;

/** The transport, from the first entry. */
function seenTransport({ kind, exchange, http }: Passed): SessionHead['transport'] {
  if (kind === 'auth' || exchange !== undefined || http !== undefined) return 'http';
  return kind === 'open' || kind === 'stderr' ? 'stdio' : 'channel';
}

/** Holds requests to a server until their session is known. */
function createSessionWait(take: (entry: Passed, server: string) => void) {
  const waiting = new Map<number, (session: number | undefined) => void>();

  const hold = (number: number, entry: Passed, server: string): void => {
    const go = (session: number | undefined): void => {
      clearTimeout(timer);
      waiting.delete(number);
      take({ ...entry, session }, server);
    };
    const timer = setTimeout(go, BODY_MS, undefined).unref();
    waiting.set(number, go);
    if (waiting.size > MAX_WAITING) [...waiting.values()][0]!(undefined);
  };

  return {
    pass(entry: Passed, server: string): void {
      const number = entry.http?.exchange ?? entry.exchange;
      if (number === undefined) return take(entry, server);
      if (entry.http?.part === 'request' && entry.session === undefined) return hold(number, entry, server);
      waiting.get(number)?.(entry.session);
      return take(entry, server);
    },
    flush() {
      for (const go of [...waiting.values()]) go(undefined);
    },
  };
}

/**
 * Records a client, a server or a host of Tenon to a new file that only its owner can read. Secrets are removed before writing.
 * Throws if the file exists or cannot be created.
 *
 * @example
 * ```ts
 * import { recordTo } from '@tenon/inspector/trace';
 * import { connect } from 'tenon/client';
 *
 * const recording = recordTo('weather.mcptrace', { name: 'weather' });
 * await using client = await connect('https://weather.example/mcp', { onTrace: recording.onTrace });
 * await client.call('forecast', { city: 'Oslo' });
 * recording.close();
 * ```
 */
export function recordTo(file: string, options: RecordOptions = {}): Recording {
  const { name = DEFAULT_NAME, side = 'client', secrets = [], onFailure } = options;
  const redactor = createRedactor();
  for (const secret of secrets) redactor.hide(secret);
  const writer = createTraceWriter(file, recordedBy(), { onFailure });
  const sessions = new Map<string, Recorder>();
  const nameFor = createNames();
  let last: Recorder | undefined;
  let closed = false;

  const begin = (key: string, server: string, entry: Passed): Recorder => {
    const head: SessionHead = {
      name: server,
      transport: options.transport ?? seenTransport(entry),
      target: options.target ?? (entry.kind === 'open' ? entry.text : ''),
      recorder: side,
    };
    last = createRecorder(writer, nameFor(server), head, redactor);
    sessions.set(key, last);
    return last;
  };

  const recorderFor = (entry: Passed, server: string): Recorder => {
    const key = entry.session === undefined ? server : `${server}\n${entry.session}`;
    const known = sessions.get(key) ?? (sessions.size < MAX_SESSIONS ? undefined : last);
    return known ?? begin(key, server, entry);
  };
  const take = (entry: Passed, server: string): void => recorderFor(entry, server).onTrace(entry);
  const logins = new Map<string, AuthExchanges>();
  const loginsOf = (server: string): AuthExchanges => {
    const known = logins.get(server);
    if (known !== undefined) return known;
    const recorder = (): Recorder | undefined => (closed ? undefined : recorderFor({ kind: 'auth', text: '' }, server));
    const made = createAuthExchanges(recorder, redactor);
    logins.set(server, made);
    return made;
  };
  const sessionWait = createSessionWait(take);

  const close = (): void => {
    if (closed) return;
    sessionWait.flush();
    closed = true;
    for (const recorder of sessions.values()) recorder.flush();
    writer.close();
    process.off('exit', close);
  };
  // A program that exits without closing the recording still gets its trace.
  process.on('exit', close);

  return {
    file,
    close,
    wrapFetch: (send, server = name) => recordedFetch(send, loginsOf(server)),
    onTrace(entry, server = name) {
      if (closed) return;
      if (side === 'server') sessionWait.pass(entry, server);
      else take(entry, server);
    },
  };
}

/** Name and version of this package. */
function recordedBy(): string {
  const { name, version } = createRequire(import.meta.url)('@tenon/inspector/package.json') as {
    name: string;
    version: string;
  };
  return `${name} ${version}`;
}
