/** A request id: a string or an integer, never null. */
export type RequestId = string | number;

/** An object of a JSON-RPC message: any members. */
export interface JsonObject {
  [key: string]: unknown;
}

/** A message that expects a response. */
export interface Request {
  readonly jsonrpc: '2.0';
  readonly id: RequestId;
  readonly method: string;
  readonly params?: JsonObject;
}

/** A message that expects no response. */
export interface Notification {
  readonly jsonrpc: '2.0';
  readonly method: string;
  readonly params?: JsonObject;
}

/** The error object of a response. */
export interface ErrorObject {
  /** The JSON-RPC code. */
  readonly code: number;
  /** What happened, in one sentence. */
  readonly message: string;
  /** More about the error, as a JSON value. */
  readonly data?: unknown;
}

/** The response to a request. An error without `id` answers a message whose id could not be read. */
export interface Response {
  readonly jsonrpc: '2.0';
  readonly id?: RequestId | null;
  readonly result?: JsonObject;
  readonly error?: ErrorObject;
}

/** Is this a plain JSON object (not an array, not null)? */
export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/**
 * Is this a valid request id? A string or an integer (JSON-RPC messages, "Requests"). Integers beyond ±(2^53 − 1) are rounded when they are
 * parsed, so the sender would not recognise the response.
 */
export function isRequestId(value: unknown): value is RequestId {
  return typeof value === 'string' || Number.isSafeInteger(value);
}

/** A message sorted by kind, or the reason why it is invalid. */
export type ClassifiedMessage =
  | { readonly kind: 'request'; readonly message: Request }
  | { readonly kind: 'notification'; readonly message: Notification }
  | { readonly kind: 'response'; readonly message: Response }
  | { readonly kind: 'invalid'; readonly reason: string; readonly id: RequestId | undefined };

/** Determines which kind of JSON-RPC 2.0 message a parsed value is. Member names are case-sensitive. */
export function classifyMessage(value: unknown): ClassifiedMessage {
  if (!isObject(value)) return invalid('a message is a JSON object');
  const { jsonrpc, id, method } = value;
  const readable = isRequestId(id) ? id : undefined;
  if (jsonrpc !== '2.0') return invalid('"jsonrpc" must be "2.0"', readable);
  if (method !== undefined) return classifyCall(value, method, readable);
  const hasResult = Object.hasOwn(value, 'result');
  const hasError = Object.hasOwn(value, 'error');
  if (hasResult === hasError) return invalid('a response has either "result" or "error"', readable);
  if (hasResult && !isObject(value['result'])) return invalid('"result" must be an object', readable);
  if (hasError && !isErrorObject(value['error']))
    return invalid('"error" must have an integer "code" and a "message"', readable);
  if (readable === undefined && (hasResult || (id !== undefined && id !== null)))
    return invalid('a response echoes the id of its request');
  return { kind: 'response', message: value as unknown as Response };
}

function classifyCall(value: JsonObject, method: unknown, readable: RequestId | undefined): ClassifiedMessage {
  if (typeof method !== 'string') return invalid('"method" must be a string', readable);
  // Parsed JSON contains no `undefined`, so a member that exists has a value.
  if (value['result'] !== undefined || value['error'] !== undefined)
    return invalid('a message with "method" has no "result" or "error"', readable);
  if (value['params'] !== undefined && !isObject(value['params']))
    return invalid('"params" must be an object', readable);
  if (value['id'] === undefined) return { kind: 'notification', message: value as unknown as Notification };
  if (readable === undefined) return invalid('"id" must be a string, or an integer within ±(2^53 − 1)');
  return { kind: 'request', message: value as unknown as Request };
}

function invalid(reason: string, id?: RequestId): ClassifiedMessage {
  return { kind: 'invalid', reason, id };
}

function isErrorObject(value: unknown): value is ErrorObject {
  return isObject(value) && Number.isInteger(value['code']) && typeof value['message'] === 'string';
}
