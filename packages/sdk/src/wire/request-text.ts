import type { JsonObject, Notification, Request, RequestId, Response } from '../protocol/jsonrpc.ts';
import { withMeta } from '../protocol/meta.ts';
import { encodeJson } from './json.ts';

/** `_meta` that many requests have, and its JSON, which is written once. */
export interface EncodedMeta {
  readonly value: JsonObject;
  readonly text: string;
}

export function encodeMeta(value: JsonObject): EncodedMeta {
  return { value, text: encodeJson(value) };
}

/** The text of a request. `meta`: its `_meta`, if `params` does not contain it. Throws a `JsonError` for params that JSON cannot represent. */
export function requestText(id: RequestId, method: string, params?: JsonObject, meta?: EncodedMeta): string {
  if (meta === undefined) return encodeJson({ jsonrpc: '2.0', id, method, params });
  // They can become anything, or have `_meta`.
  if (typeof params?.['toJSON'] === 'function') return requestText(id, method, withMeta(params, meta.value));
  const text = params === undefined ? '{}' : encodeJson(params);
  const members = text === '{}' ? '{' : `${text.slice(0, -1)},`;
  return `{"jsonrpc":"2.0","id":${JSON.stringify(id)},"method":${JSON.stringify(method)},"params":${members}"_meta":${meta.text}}}`;
}

/** The text of a message of a client. `meta`: the `_meta` of a request, if its params do not contain it. */
export function messageText(message: Request | Notification | Response, meta: EncodedMeta | undefined): string {
  if (meta === undefined) return encodeJson(message);
  const { id, method, params } = message as Request;
  return requestText(id, method, params, meta);
}
