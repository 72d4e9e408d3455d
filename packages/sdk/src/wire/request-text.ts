import type { JsonObject, RequestId } from '../protocol/jsonrpc.ts';
import { encodeJson } from './json.ts';

/** The text of a request. Throws a `JsonError` for params that JSON cannot represent. */
export function requestText(id: RequestId, method: string, params?: JsonObject): string {
  return encodeJson({ jsonrpc: '2.0', id, method, params });
}
