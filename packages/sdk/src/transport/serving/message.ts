import { isObject, type JsonObject, type RequestId, type Response, classifyMessage } from '../../protocol/jsonrpc.ts';
import { type Meta, metaOf } from '../../protocol/meta.ts';

/** A received request. It is read once; everything that serves it uses this object. */
export interface IncomingRequest {
  readonly kind: 'request';
  readonly id: RequestId;
  readonly method: string;
  /** An empty object where the message has none. */
  readonly params: JsonObject;
  /** The `_meta` of the params; an empty object where there is none. */
  readonly meta: Meta;
}

/** A received notification. */
export interface IncomingNotification {
  readonly kind: 'notification';
  readonly method: string;
  readonly params: JsonObject;
  readonly meta: Meta;
}

/** The response to a request of this side. */
export interface IncomingResponse {
  readonly kind: 'response';
  readonly response: Response;
}

/** A value that is not a JSON-RPC message. */
export interface InvalidMessage {
  readonly kind: 'invalid';
  readonly reason: string;
  /** The id of the value, if it has a valid one. */
  readonly id: RequestId | undefined;
  /** The kind of message that the sender probably meant: determines whether an error is sent back, and whether it may repeat the id. */
  readonly meant: 'request' | 'notification' | 'response';
}

/** A message of a peer, sorted by kind, with its id checked. */
export type IncomingMessage = IncomingRequest | IncomingNotification | IncomingResponse | InvalidMessage;

const NO_PARAMS: JsonObject = Object.freeze({});

/** Reads a parsed value as one JSON-RPC message. */
export function readMessage(value: unknown): IncomingMessage {
  const classified = classifyMessage(value);
  switch (classified.kind) {
    case 'request': {
      const { id, method, params } = classified.message;
      return { kind: 'request', id, method, params: params ?? NO_PARAMS, meta: metaOf(params) };
    }
    case 'notification': {
      const { method, params } = classified.message;
      return { kind: 'notification', method, params: params ?? NO_PARAMS, meta: metaOf(params) };
    }
    case 'response':
      return { kind: 'response', response: classified.message };
    default:
      return { kind: 'invalid', reason: classified.reason, id: classified.id, meant: intentOf(value) };
  }
}

/** The id that the error for a message repeats: the id of a request, or of a malformed request. */
export function idToRepeat(message: IncomingRequest | InvalidMessage): RequestId | undefined {
  // The id of a response belongs to a request of ours. An error with that id would look like a response to a request of the peer.
  return message.kind === 'invalid' && message.meant === 'response' ? undefined : message.id;
}

function intentOf(value: unknown): InvalidMessage['meant'] {
  if (!isObject(value)) return 'request';
  if (typeof value['method'] === 'string' && !Object.hasOwn(value, 'id')) return 'notification';
  return value['method'] === undefined && (Object.hasOwn(value, 'result') || Object.hasOwn(value, 'error'))
    ? 'response'
    : 'request';
}
