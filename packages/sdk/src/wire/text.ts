import type { ErrorObject, JsonObject, RequestId } from '../protocol/jsonrpc.ts';

/** The text of a response whose result is JSON text already. */
export const responseText = (id: RequestId, resultText: string): string =>
  `{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":${resultText}}`;

/** The text of an error response; `id` is left out when the request's could not be read. */
export const errorText = (id: RequestId | undefined, error: ErrorObject): string =>
  JSON.stringify({ jsonrpc: '2.0', ...(id === undefined ? {} : { id }), error });

/** The text of a request. */
export const requestText = (id: RequestId, method: string, params?: JsonObject): string =>
  JSON.stringify({ jsonrpc: '2.0', id, method, ...(params === undefined ? {} : { params }) });

/** The text of a notification. */
export const notificationText = (method: string, params?: JsonObject): string =>
  JSON.stringify({ jsonrpc: '2.0', method, ...(params === undefined ? {} : { params }) });
