import type { ErrorObject, JsonObject, RequestId } from '../protocol/jsonrpc.ts';
import { enclose, type MessageText } from '../protocol/message-text.ts';
import { encodeJson } from './json.ts';

/** The text of a response with an encoded result. */
export function responseText(id: RequestId, result: MessageText): MessageText {
  return enclose(`{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":`, result, '}');
}

/**
 * The text of an error response; `id` is left out if that of the request could not be read. Throws a `JsonError` for data that JSON cannot
 * represent.
 */
export function errorText(id: RequestId | undefined, error: ErrorObject): string {
  return encodeJson({ jsonrpc: '2.0', id, error });
}

/** The text of a notification. Throws a `JsonError` for params that JSON cannot represent. */
export function notificationText(method: string, params?: JsonObject): string {
  if (params === undefined) return encodeJson({ jsonrpc: '2.0', method });
  return `{"jsonrpc":"2.0","method":${JSON.stringify(method)},"params":${encodeJson(params)}}`;
}
