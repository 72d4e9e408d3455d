/**
 * A pipe to one peer that carries whole JSON-RPC messages as text. Everything above it (parsing with bounds,
 * negotiation, correlation) is Tenon's; a transport of one's own is these three members.
 * See "Custom Transports" of the specification.
 *
 * @example
 * ```ts
 * const channel: Channel = {
 *   send: (text) => socket.send(text),
 *   incoming: messagesOf(socket),
 *   close: () => socket.close(),
 * };
 * ```
 */
export interface Channel {
  /** Sends one message. The text has no raw newline. A returned promise settles when the channel can take more; it rejects when the channel is broken. */
  send(text: string): void | Promise<void>;
  /** Messages of the peer in order. Ends when the peer closed; throws when the channel broke. Read once. A `ChannelProblem` reports input that was lost; the channel goes on. */
  readonly incoming: AsyncIterable<string | ChannelProblem>;
  /** Closes both directions. Idempotent. */
  close(): void | Promise<void>;
}

/** Input that could not be delivered as a message: an oversize line, for example. */
export interface ChannelProblem {
  readonly problem: string;
  /** The text of a last message whose end is missing, which may be a part of it. A client takes it if it can; a server must not act on it. */
  readonly unfinished?: string;
}

/** Takes one item at a time. Gives something to wait for where the next one has to. */
export type Take<T> = (item: T) => Promise<void> | undefined;

/** How channels of this package hand items over without a turn of the event loop for each. A channel of one's own needs none of it. */
export const DIRECT: unique symbol = Symbol.for('tenon.direct');

/** Something whose items can be taken directly. The promise settles as a loop over it would end. */
export interface Direct<T> {
  readonly [DIRECT]: (take: Take<T>) => Promise<void>;
}

/** Hands every item to `take`, in order and one after the other. Rejects with what `take` throws, or what reading throws. */
export const takeEach = async <T>(items: AsyncIterable<T> & Partial<Direct<T>>, take: Take<T>): Promise<void> => {
  if (items[DIRECT] !== undefined) return items[DIRECT](take);
  for await (const item of items) {
    const wait = take(item);
    if (wait !== undefined) await wait;
  }
};

/** Marks channels on which messages that are sent shortly after each other may reach the peer as one chunk. */
export const COALESCES: unique symbol = Symbol.for('tenon.coalesces');

/** A channel that may be marked. */
export interface Coalescing {
  readonly [COALESCES]?: boolean | undefined;
}

/** What `send` gave, if it is something to wait for: `(text) => port.postMessage(text)` gives whatever it is given. */
export const waitOf = (sent: unknown): Promise<void> | undefined =>
  typeof (sent as PromiseLike<void> | null | undefined)?.then === 'function'
    ? Promise.resolve(sent as PromiseLike<void>)
    : undefined;
