import type { MessageText } from './message-text.ts';

/**
 * A bidirectional connection to one peer that carries whole JSON-RPC messages as text. A custom transport only implements these three
 * members; Tenon does the rest (parsing with limits, negotiation, correlation). See "Custom Transports" of the specification.
 *
 * @example
 * ```ts
 * import type { Channel } from 'tenon';
 *
 * function channelOf(socket: WebSocket, incoming: AsyncIterable<string>): Channel {
 *   return {
 *     send: (text) => socket.send(text),
 *     incoming,
 *     close: () => socket.close(),
 *   };
 * }
 * ```
 */
export interface Channel {
  /**
   * Sends one message. The text contains no raw newline. A returned promise resolves when the channel can take more, and rejects when the
   * channel is broken.
   */
  send(text: string): void | Promise<void>;
  /**
   * The messages of the peer, in order. Ends when the peer has closed; throws when the channel is broken. Read only once. A
   * `ChannelProblem` reports input that was lost; the channel continues.
   */
  readonly incoming: AsyncIterable<string | ChannelProblem>;
  /** Closes both directions. Idempotent. */
  close(): void | Promise<void>;
}

/** Input that could not be delivered as a message, such as an oversize line. */
export interface ChannelProblem {
  /** What was lost and why, in a sentence for a log. */
  readonly problem: string;
  /**
   * The text of a last message without its end, which may be incomplete. A client uses it if it is a valid message; a server must not act
   * on it.
   */
  readonly unfinished?: string;
}

/** Receives one item at a time. Returns a promise if the next item has to wait. */
export type Take<T> = (item: T) => Promise<void> | undefined;

/**
 * With this member, the channels of this package deliver items without a turn of the event loop for each. Custom channels do not need it.
 */
export const DIRECT: unique symbol = Symbol.for('tenon.direct');

/** A source whose items can be received directly. The promise settles as a loop over the source would end. */
export interface Direct<T> {
  readonly [DIRECT]: (take: Take<T>) => Promise<void>;
}

/** Passes every item to `take`, in order and one at a time. Rejects with errors of `take` and of reading. */
export async function takeEach<T>(items: AsyncIterable<T> & Partial<Direct<T>>, take: Take<T>): Promise<void> {
  if (items[DIRECT] !== undefined) return items[DIRECT](take);
  for await (const item of items) {
    const wait = take(item);
    if (wait !== undefined) await wait;
  }
}

/** Marks channels on which messages that are sent in quick succession may reach the peer as one chunk. */
export const COALESCES: unique symbol = Symbol.for('tenon.coalesces');

/**
 * A member of the `send` of channels that write to a stream of bytes: a function that takes a long message in pieces. It does not look for raw
 * line breaks. A program that wraps such a channel replaces its `send`, and with it this function.
 */
export const SEND_PIECES: unique symbol = Symbol.for('tenon.pieces');

/** A channel that may write to a stream of bytes. */
export interface StreamChannel extends Channel {
  readonly send: Channel['send'] & { readonly [SEND_PIECES]?: (text: MessageText) => void | Promise<void> };
  readonly [COALESCES]?: boolean | undefined;
}

/** The result of `send` if it is a promise, else undefined: `(text) => port.postMessage(text)` may return anything. */
export function waitOf(sent: unknown): Promise<void> | undefined {
  return typeof (sent as PromiseLike<void> | null | undefined)?.then === 'function'
    ? Promise.resolve(sent as PromiseLike<void>)
    : undefined;
}
