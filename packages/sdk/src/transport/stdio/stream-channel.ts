import type { Readable, Writable } from 'node:stream';
import { type Channel, COALESCES, type StreamChannel } from '../../protocol/channel.ts';
import { ConnectionError } from '../../protocol/errors.ts';
import { withLimits } from '../../protocol/limits.ts';
import type { Limits } from '../../protocol/limits.ts';
import { LineReader } from './line-reader.ts';
import { LineWriter, sendTo } from './line-writer.ts';
import { within } from '../promises.ts';

/** How long `close` waits for the last messages to be written, in milliseconds. */
export const FLUSH_MS = 1_000;

/** How long messages of a peer that no longer reads are still received, in milliseconds. */
const LAST_INPUT_MS = 100;

/** The limit for unread output, as a multiple of the maximum line length. */
const UNSENT_LINES = 16;

export function maxUnsent(limits: Limits): number {
  return UNSENT_LINES * limits.lineBytes;
}

export function brokenBy(error: Error): ConnectionError {
  return new ConnectionError('disconnected', `The connection broke: ${error.message}`, { cause: error });
}

/**
 * A channel over a pair of Node streams: one message per line. For Unix sockets, TCP, pipes; give a duplex stream twice.
 *
 * `send` returns a promise when the peer is behind, and reading pauses while the consumer of `incoming` is. `incoming` throws a
 * `ConnectionError` when either stream breaks. A line longer than `limits.lineBytes` is skipped and reported. If a peer leaves sixteen
 * times `limits.lineBytes` unread, the channel is closed. `close` waits at most a second for the last messages to be written, then destroys
 * both streams.
 *
 * @example
 * ```ts
 * import { connect as dial } from 'node:net';
 * import { connect } from 'tenon/client';
 * import { streamChannel } from 'tenon/node';
 *
 * const socket = dial('/run/notes.sock');
 * await using client = await connect(streamChannel(socket, socket));
 * ```
 */
export function streamChannel(
  readable: Readable,
  writable: Writable,
  options?: { readonly limits?: Partial<Limits> },
): Channel {
  const limits = withLimits(options?.limits);
  const reader = new LineReader(readable, {
    maxBytes: limits.lineBytes,
    onEnd: (error) => reader.inbox.end(error === undefined ? undefined : brokenBy(error)),
    before: () => writer.hold(),
    after: () => writer.release(),
  });
  const writer = new LineWriter(writable, {
    maxUnsent: maxUnsent(limits),
    onBroken(error) {
      const end = (): void => reader.inbox.end(brokenBy(error));
      // With two separate streams, data that the peer wrote before it disconnected may still arrive.
      if (Object.is(readable, writable)) end();
      else setTimeout(end, LAST_INPUT_MS).unref();
    },
  });
  let closed: Promise<void> | undefined;

  const close = async (): Promise<void> => {
    reader.inbox.discard();
    reader.stop();
    await within(
      FLUSH_MS,
      writer.end((last, done) => writable.end(last, 'utf8', done)),
    );
    readable.destroy();
    writable.destroy();
  };

  const channel: StreamChannel = {
    send: sendTo(writer),
    incoming: reader.inbox.items,
    [COALESCES]: true,
    close: () => (closed ??= close()),
  };
  return channel;
}
