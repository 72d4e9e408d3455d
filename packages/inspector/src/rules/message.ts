import type { Side } from '../trace/line.ts';
import type { Revision } from './revisions.ts';
import { isObject } from '@tenon/values/is-object';
import { type Json, objectOf } from './words.ts';

interface MessageBase {
  /** The line of the message. */
  readonly n: number;
  readonly at: number;
  readonly from: Side;
  /** The length of its text, in characters; in a batch, its share. */
  readonly size: number;
  /** A secret was redacted: values may differ from the original. */
  readonly redacted: boolean;
  /** The revision whose rules apply. Undefined: not known yet. */
  readonly revision: Revision | undefined;
}

export interface Request extends MessageBase {
  readonly kind: 'request';
  readonly value: Json;
  readonly id: unknown;
  /** Identifies the id; differs for 1 and "1". Undefined: it is not a valid id. */
  readonly key: string | undefined;
  readonly method: string;
  readonly params: Json;
  readonly meta: Json;
  /** The process or handshake to which it belongs. */
  readonly generation: number;
  /** When its sender cancelled it. */
  cancelledAt: number | undefined;
}

export interface Notification extends MessageBase {
  readonly kind: 'notification';
  readonly value: Json;
  readonly method: string;
  readonly params: Json;
  readonly meta: Json;
}

export interface Response extends MessageBase {
  readonly kind: 'response';
  readonly value: Json;
  readonly id: unknown;
  readonly key: string | undefined;
  /** The request that it answers. Undefined: no request is pending under this id, or several are. */
  readonly request: Request | undefined;
  /**
   * The requester used the id for several pending requests, so it is unknown which one this answers, and `request` is undefined.
   */
  readonly isShared: boolean;
  /** No request is pending under this id: the line of the earlier answer. */
  readonly earlier: number | undefined;
  /** No request is pending under this id, but one whose id has the other type. */
  readonly retyped: Request | undefined;
}

/** JSON that is not a request, a response or a notification. */
export interface Malformed extends MessageBase {
  readonly kind: 'malformed';
  readonly value: unknown;
}

export type Message = Request | Notification | Response | Malformed;

/** A key that distinguishes ids: numbers and strings never have the same. */
export function keyOf(id: unknown): string | undefined {
  if (typeof id === 'number') return isExact(id) ? `n${id}` : undefined;
  return typeof id === 'string' ? `s${id}` : undefined;
}

/** Larger integers are rounded by parsing, so two of them may be indistinguishable, and are not judged. */
function isExact(id: number): boolean {
  return Number.isSafeInteger(id) || !Number.isInteger(id);
}

/** The key of the same id with the other type. */
export function retypedKey(id: unknown): string | undefined {
  return typeof id === 'number' ? `s${id}` : typeof id === 'string' && id !== '' ? `n${Number(id)}` : undefined;
}

/** The kind of a message, from its members. */
export function kindOf(value: unknown): Message['kind'] {
  if (!isObject(value)) return 'malformed';
  if (typeof value['method'] === 'string') return Object.hasOwn(value, 'id') ? 'request' : 'notification';
  return Object.hasOwn(value, 'result') || Object.hasOwn(value, 'error') ? 'response' : 'malformed';
}

const META = 'io.modelcontextprotocol/';

/** A value of the protocol in `_meta`, by its name without the prefix. */
export function ofMeta(meta: Json, name: string): unknown {
  return meta[`${META}${name}`];
}

/** The revision that a request declares (2026-07-28). */
export function claimOf(meta: Json): unknown {
  return ofMeta(meta, 'protocolVersion');
}

export function metaOf(holder: unknown): Json {
  return objectOf(objectOf(holder)['_meta']);
}

/** The result of a response, if it is an object. */
export function resultOf(response: Response): Json | undefined {
  return isObject(response.value['result']) ? response.value['result'] : undefined;
}

export function errorOf(response: Response): Json | undefined {
  return isObject(response.value['error']) ? response.value['error'] : undefined;
}

/** The result of a successful request. Undefined for errors, for questions, and for a task that was only created. */
export function resultFor(response: Response, method: string): Json | undefined {
  if (response.request?.method !== method) return undefined;
  const result = resultOf(response);
  const type = result?.['resultType'];
  if (result === undefined || (type !== undefined && type !== 'complete')) return undefined;
  return isObject(result['task']) && response.request.params['task'] !== undefined ? undefined : result;
}
