import type { Revision } from '../protocol/revision.ts';
import type { JsonObject, Notification, Request, Response } from '../protocol/jsonrpc.ts';
import { encodeJson } from './json.ts';

/** `_meta` that many requests have, and its JSON, which is written once. */
export interface EncodedMeta {
  /** The revision that it claims. */
  readonly revision: Revision;
  readonly value: JsonObject;
  readonly text: string;
}

/**
 * The text of a message of a client. `meta` is added to the params of a request, which must be its last member. Throws a `JsonError` for params
 * that JSON cannot represent.
 */
export function messageText(message: Request | Notification | Response, meta: EncodedMeta | undefined): string {
  const text = encodeJson(message);
  // Params with a method `toJSON` can become something else than an object.
  if (meta === undefined || !text.endsWith('}}')) return text;
  return `${text.slice(0, -2)}${text.endsWith('{}}') ? '' : ','}"_meta":${meta.text}}}`;
}
