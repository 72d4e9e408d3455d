import process from 'node:process';
import { createRequire } from 'node:module';
import type { SessionHead, Side } from '../trace/line.ts';
import { createTraceWriter } from '../trace/node/trace-writer.ts';
import { createRecorder, type Passed, type Recorder } from './recorder.ts';
import { createRedactor } from './redact.ts';
import { createNames } from './names.ts';

/** What a recording is about, as far as the traffic does not show it. */
export interface RecordOptions {
  /** The name of the server. A host names each of its servers itself. */
  readonly name?: string;
  /** Who records: a client (the default), or a server. */
  readonly side?: Side;
  /** How the two are connected. By default what the first thing that passes tells. */
  readonly transport?: SessionHead['transport'];
  /** The command or the address. By default the command, if one is started. */
  readonly target?: string;
  /** Values that must not be written, whatever the name of the member they are in. */
  readonly secrets?: readonly string[];
  /** Is told when the file can no longer be written. The program goes on. */
  readonly onFailure?: (error: Error) => void;
}

/** A trace that is being written. */
export interface Recording {
  /** The path of the file. */
  readonly file: string;
  /**
   * For the option `onTrace` of `connect`, `serveStdio`, `serveHttp` and `createHost`. Each server has a session of its own, and so has each
   * session of a server over HTTP. Several clients that record into one trace need a name each.
   */
  onTrace(entry: Passed, server?: string): void;
  /** Writes what waits, and closes the file. What passes afterwards is not recorded. */
  close(): void;
}

const DEFAULT_NAME = 'server';
/** A program that speaks to more servers records the others in the session of the last. */
const MAX_SESSIONS = 10_000;
/** The session of a request is known once its body was read. How long its lines wait for that, in milliseconds. */
const BODY_MS = 250;
const MAX_WAITING = 1_000;

/** How two programs are connected, by the first thing that passes between them. */
function seenTransport({ kind, exchange, http }: Passed): SessionHead['transport'] {
  if (exchange !== undefined || http !== undefined) return 'http';
  return kind === 'open' || kind === 'stderr' ? 'stdio' : 'channel';
}

/** Holds requests to a server back until it is known which session they are of. */
function createAntechamber(take: (entry: Passed, server: string) => void) {
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
 * Records a client, a server or a host of Tenon into a new file that only its owner can read. Secrets are left out as it is written.
 * Throws if the file exists or cannot be made.
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

  const take = (entry: Passed, server: string): void => {
    const key = entry.session === undefined ? server : `${server}\n${entry.session}`;
    const known = sessions.get(key) ?? (sessions.size < MAX_SESSIONS ? undefined : last);
    (known ?? begin(key, server, entry)).onTrace(entry);
  };
  const antechamber = createAntechamber(take);

  const close = (): void => {
    if (closed) return;
    antechamber.flush();
    closed = true;
    for (const recorder of sessions.values()) recorder.flush();
    writer.close();
    process.off('exit', close);
  };
  // A program that ends without closing it has its trace all the same.
  process.on('exit', close);

  return {
    file,
    close,
    onTrace(entry, server = name) {
      if (closed) return;
      if (side === 'server') antechamber.pass(entry, server);
      else take(entry, server);
    },
  };
}

/** Who writes a trace: this package, and which version of it. */
function recordedBy(): string {
  const { name, version } = createRequire(import.meta.url)('@tenon/inspector/package.json') as {
    name: string;
    version: string;
  };
  return `${name} ${version}`;
}
