import { type Channel, takeEach } from '../protocol/channel.ts';
import type { Principal } from '../protocol/exchange.ts';
import { createEngine } from '../server/create-engine.ts';
import type { Server } from '../server/define.ts';
import type { EngineOptions } from '../server/engine.ts';
import { Connection } from './connection/connection.ts';

/** What belongs to serving one peer, never to the server. */
export interface ServeOptions extends EngineOptions {
  /** Who the peer is, as far as it is known. */
  readonly principal?: Principal;
  /** How long calls may go on after the peer said its last, in milliseconds. Default 1,000. */
  readonly drainMs?: number;
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

const atMost = async (ms: number, wait: Promise<void>): Promise<void> => {
  let timer: ReturnType<typeof setTimeout> | undefined;
  await Promise.race([wait, new Promise<void>((resolve) => (timer = setTimeout(resolve, ms)))]);
  clearTimeout(timer);
};

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
  const connection = new Connection(engine, channel, options.principal);
  let closing: Promise<void> | undefined;
  const close = (): Promise<void> =>
    (closing ??= (async () => {
      connection.close();
      // The last answers may leave, but a peer that does not read holds nobody up.
      if (connection.blocked !== undefined) await atMost(FLUSH_MS, connection.blocked);
      await channel.close();
    })());
  const run = async (): Promise<void> => {
    try {
      await takeEach(channel.incoming, (item) => {
        connection.receive(item);
        // A peer that does not read gets no more work done.
        return connection.blocked;
      });
      if (closing === undefined) await connection.drain(options.drainMs ?? 1_000);
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
