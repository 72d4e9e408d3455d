import type { ToolEntry } from '../protocol/entities.ts';
import { type Channel, waitOf } from '../protocol/channel.ts';
import type { Notification, Request, RequestId, Response } from '../protocol/jsonrpc.ts';
import { isObject } from '../protocol/jsonrpc.ts';
import type { Limits } from '../protocol/limits.ts';
import { encodeJson } from '../wire/json.ts';
import { parseText } from '../wire/parse-text.ts';

/** What a link delivers, in the order of arrival. */
export interface Receiver {
  /** A parsed message, of any shape. `deep`: it is nested deeper than the limit, so only what can drop a part of itself may be used. */
  value(value: unknown, deep: boolean): void;
  /** Input that was no message. */
  problem(text: string): void;
  /** A request will not be answered. */
  failed(id: RequestId, error: Error): void;
  /** While a person is asked something, time without news does not count. Returns the release. */
  hold(): () => void;
  /** Nothing comes any more. Called once; without an error the peer closed in an orderly way. */
  end(error: unknown): void;
}

/** How messages travel to one peer and back. A channel is one way; HTTP exchanges are another. */
export interface Link {
  /** Begins to deliver. Called once, before anything is sent. */
  start(receiver: Receiver): void;
  /** Sends a message. A rejection concerns this message only; when the link breaks, `end` tells. */
  send(message: Request | Notification | Response): void | Promise<void>;
  /** Tells the peer that the answer to a request is no longer wanted. */
  cancel(id: RequestId, reason: string): void | Promise<void>;
  close(): void | Promise<void>;
  /** Requests travel one by one, and may get lost one by one. */
  readonly oneByOne?: OneByOne;
}

/** What a link needs to know where each request travels by itself. */
export interface OneByOne {
  /** Learns which arguments of a tool are repeated in headers; gives why the tool cannot be used. */
  learn(tool: ToolEntry): string | undefined;
}

/** Each message is one text. Cancelling is `notifications/cancelled`. */
export const channelLink = (channel: Channel, limits: Limits): Link => {
  const parse = (text: string, receiver: Receiver): void => {
    const parsed = parseText(text, limits);
    if ('problem' in parsed) receiver.problem(parsed.problem);
    else receiver.value(parsed.value, parsed.deep);
  };

  const lost = (item: unknown): string =>
    isObject(item) ? String(item['problem']) : 'The channel delivered something that is no text';

  const read = async (receiver: Receiver): Promise<void> => {
    try {
      for await (const item of channel.incoming) {
        const text = typeof item === 'string' ? item : isObject(item) ? item['unfinished'] : undefined;
        if (typeof text === 'string') parse(text, receiver);
        else receiver.problem(lost(item));
      }
    } catch (error) {
      return receiver.end(error);
    }
    receiver.end(undefined);
  };

  const send: Link['send'] = (message) => waitOf(channel.send(encodeJson(message)));

  return {
    start: (receiver) => void read(receiver),
    send,
    cancel: (requestId, reason) =>
      send({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId, reason } }),
    close: () => channel.close(),
  };
};
