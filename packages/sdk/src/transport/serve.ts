import { type Channel, takeEach } from '../protocol/channel.ts';
import { checkPrincipal } from '../protocol/identity.ts';
import type { Principal } from '../protocol/request-context.ts';
import type { TraceEntry } from '../protocol/trace.ts';
import { createEngine } from '../server/create-engine.ts';
import type { Server } from '../server/define.ts';
import type { EngineOptions } from '../server/engine.ts';
import { Connection } from './connection/connection.ts';
import { within } from './promises.ts';

/** Options for serving one peer, which are not part of the server. */
export interface ServeOptions extends EngineOptions {
  /** The identity of the peer, if it is known. */
  readonly principal?: Principal;
  /** How long calls may continue after the peer has closed, in milliseconds. Default 1,000. */
  readonly drainMs?: number | undefined;
  /** Called for all traffic, in both directions. Entries may contain secrets. */
  readonly onTrace?: (entry: TraceEntry) => void;
}

/** A peer that is being served. */
export interface Served {
  /** Resolves when serving has ended, for whatever reason. */
  readonly closed: Promise<void>;
  /** Stops serving: subscriptions get their result, running calls are aborted, and have 250 ms to clean up. */
  close(): Promise<void>;
}

/** How long aborted handlers may take to clean up, in milliseconds. */
const CLEAN_UP_MS = 250;
/** How long a peer may take to read the last responses, in milliseconds. */
const FLUSH_MS = 1_000;

/**
 * Serves a server to the peer of a channel, in every era. A channel that breaks is reported to `log`; `closed` never rejects. Throws a
 * `TypeError` for options that cannot be used, such as a `principal` without an id.
 *
 * @example
 * ```ts
 * import { createServer } from 'node:net';
 * import { serve, server } from 'tenon';
 * import { streamChannel } from 'tenon/node';
 *
 * const app = server({ name: 'notes', version: '1.0.0' });
 * createServer((socket) => void serve(app, streamChannel(socket, socket))).listen('/run/notes.sock');
 * ```
 */
export function serve(app: Server, channel: Channel, options: ServeOptions = {}): Served {
  checkPrincipal(options.principal);
  const engine = createEngine(app, options);
  const { onTrace } = options;
  let connection: Connection | undefined;
  let closing: Promise<void> | undefined;
  const close = (): Promise<void> =>
    (closing ??= (async () => {
      connection?.close();
      // The last responses may be sent, but a peer that does not read must not delay the end.
      const sent = connection?.blocked && within(FLUSH_MS, connection.blocked);
      await Promise.all([sent, connection && within(CLEAN_UP_MS, connection.whenIdle())]);
      await channel.close();
    })());
  const run = async (): Promise<void> => {
    try {
      const seen =
        onTrace === undefined
          ? channel
          : (await import('./trace/tracer.ts')).createTracer(onTrace, engine.limits).channel(channel);
      if (closing !== undefined) return closing;
      const here = (connection = new Connection(engine, seen, { principal: options.principal, quotaKey: undefined }));
      await takeEach(seen.incoming, (item) => {
        here.receive(item);
        // While a peer does not read, no more of its requests are served.
        return here.blocked;
      });
      if (closing === undefined) await here.drain(options.drainMs ?? 1_000);
    } catch (error) {
      engine.log({
        level: 'warn',
        event: 'channel-broken',
        message: 'The connection to the peer broke',
        details: error,
      });
    }
    await close();
  };
  const closed = run().catch((error: unknown) => {
    engine.log({
      level: 'error',
      event: 'close-failed',
      message: 'The connection could not be closed cleanly',
      details: error,
    });
  });
  return { closed, close };
}
