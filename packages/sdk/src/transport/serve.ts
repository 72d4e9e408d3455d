import { type Channel, takeEach } from '../protocol/channel.ts';
import type { Principal } from '../protocol/exchange.ts';
import type { TraceEntry } from '../protocol/trace.ts';
import { createEngine } from '../server/create-engine.ts';
import type { Server } from '../server/define.ts';
import type { EngineOptions } from '../server/engine.ts';
import { Connection } from './connection/connection.ts';
import { within } from './within.ts';

/** What belongs to serving one peer, never to the server. */
export interface ServeOptions extends EngineOptions {
  /** Who the peer is, as far as it is known. */
  readonly principal?: Principal;
  /** How long calls may go on after the peer said its last, in milliseconds. Default 1,000. */
  readonly drainMs?: number | undefined;
  /** Gets everything that passes, in both directions. It may contain secrets. */
  readonly onTrace?: (entry: TraceEntry) => void;
}

/** A peer that is being served. */
export interface Served {
  /** Settles when it is over, however it ended. */
  readonly done: Promise<void>;
  /** Ends it: subscriptions get their last answer, running calls are aborted. */
  close(): Promise<void>;
}

/** How long a peer may take to read the last answers, in milliseconds. */
const FLUSH_MS = 1_000;

/**
 * Serves a server to the peer of a channel, in every era.
 *
 * @example
 * ```ts
 * listener.on('connection', (socket) => serve(app, streamChannel(socket, socket)));
 * ```
 */
export const serve = (app: Server, channel: Channel, options: ServeOptions = {}): Served => {
  const engine = createEngine(app, options);
  const { onTrace } = options;
  let connection: Connection | undefined;
  let closing: Promise<void> | undefined;
  const close = (): Promise<void> =>
    (closing ??= (async () => {
      connection?.close();
      // The last answers may leave, but a peer that does not read holds nobody up.
      if (connection?.blocked !== undefined) await within(FLUSH_MS, connection.blocked);
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
        // A peer that does not read gets no more work done.
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
  const done = run().catch((error: unknown) => {
    engine.log({
      level: 'error',
      event: 'close-failed',
      message: 'The connection could not be closed cleanly',
      details: error,
    });
  });
  return { done, close };
};
