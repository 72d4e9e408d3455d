import type { ToolEntry } from '../protocol/entities.ts';
import { type Channel, takeEach, waitOf } from '../protocol/channel.ts';
import type { Notification, Request, RequestId, Response } from '../protocol/jsonrpc.ts';
import { isObject } from '../protocol/jsonrpc.ts';
import type { Limits } from '../protocol/limits.ts';
import { parseText } from '../wire/parse-text.ts';
import { type EncodedMeta, messageText } from '../wire/encoded-meta.ts';

/** Receives what arrives on a transport, in order. */
export interface Receiver {
  /** A parsed message of any shape. `deep`: it is nested deeper than the limit, so it is only usable where the deep parts can be dropped. */
  value(value: unknown, deep: boolean): void;
  /** Input that is not a message, and its text, if it is one. */
  problem(problem: string, text?: string): void;
  /** A request will not be answered. */
  failed(id: RequestId, error: Error): void;
  /** Pauses request timeouts while a user is being asked something. Returns the function that ends the pause. */
  pauseTimeouts(): () => void;
  /** Nothing more will arrive. Called once, without an error if the peer closed the connection normally. */
  end(error: unknown): void;
}

/** Sends messages to one peer and receives its messages: over a channel, or by HTTP requests. */
export interface ClientTransport {
  /** Starts delivery. Called once, before anything is sent. */
  start(receiver: Receiver): void;
  /**
   * Sends a message. `meta`: the `_meta` of a request whose params do not contain it. A rejection concerns only this message; a broken transport is
   * reported by `end`.
   */
  send(message: Request | Notification | Response, meta?: EncodedMeta): void | Promise<void>;
  /** Cancels a request: the peer need not answer it any more. */
  cancel(id: RequestId, reason: string): void | Promise<void>;
  close(): void | Promise<void>;
  /** Set if each request is sent separately, as over HTTP, so that one can be lost while the others are not. */
  readonly perRequest?: PerRequest;
}

/** The parts of a transport that sends each request separately. */
export interface PerRequest {
  /** Remembers which arguments of a tool are mirrored in headers. Returns the reason if the tool cannot be used. */
  learn(tool: ToolEntry): string | undefined;
}

/** A transport over a channel, where each message is one text. */
export function channelTransport(channel: Channel, limits: Limits): ClientTransport {
  const parse = (text: string, receiver: Receiver, isWhole: boolean): void => {
    const parsed = parseText(text, limits);
    // A request whose answer was cut off rejects with the reason why the stream ended.
    if ('problem' in parsed) receiver.problem(parsed.problem, isWhole ? text : undefined);
    else receiver.value(parsed.value, parsed.deep);
  };

  const problemOf = (item: unknown): string =>
    isObject(item) ? String(item['problem']) : 'The channel delivered something that is not text';

  const take = (item: unknown, receiver: Receiver): undefined => {
    const text = typeof item === 'string' ? item : isObject(item) ? item['unfinished'] : undefined;
    if (typeof text === 'string') parse(text, receiver, text === item);
    else receiver.problem(problemOf(item));
  };

  const read = (receiver: Receiver): Promise<void> =>
    takeEach(channel.incoming, (item) => take(item, receiver)).then(
      () => receiver.end(undefined),
      (error: unknown) => receiver.end(error),
    );

  const send: ClientTransport['send'] = (message, meta) => waitOf(channel.send(messageText(message, meta)));

  return {
    start: (receiver) => void read(receiver),
    send,
    cancel: (requestId, reason) =>
      send({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId, reason } }),
    close: () => channel.close(),
  };
}
