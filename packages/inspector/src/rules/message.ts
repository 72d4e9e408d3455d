import type { Side } from '../trace/line.ts';
import type { Revision } from './revisions.ts';
import { isObject } from '@tenon/values/is-object';
import { type Json, objectOf } from './words.ts';

interface Said {
  /** The line it stands on. */
  readonly n: number;
  readonly at: number;
  readonly from: Side;
  /** Of its text, in characters; of one in a batch a part of that. */
  readonly size: number;
  /** Something secret was taken out: values may not be what they were. */
  readonly redacted: boolean;
  /** The revision by whose rules it is judged; undefined while none is known. */
  readonly revision: Revision | undefined;
}

export interface Request extends Said {
  readonly kind: 'request';
  readonly value: Json;
  readonly id: unknown;
  /** Distinguishes ids, including 1 and "1". Undefined: it is not an id. */
  readonly key: string | undefined;
  readonly method: string;
  readonly params: Json;
  readonly meta: Json;
  /** Which process, or which handshake, it belongs to. */
  readonly generation: number;
  /** When its sender took it back. */
  cancelledAt: number | undefined;
}

export interface Notification extends Said {
  readonly kind: 'notification';
  readonly value: Json;
  readonly method: string;
  readonly params: Json;
  readonly meta: Json;
}

export interface Response extends Said {
  readonly kind: 'response';
  readonly value: Json;
  readonly id: unknown;
  readonly key: string | undefined;
  /** What it answers; undefined if no request waits for it, or several do. */
  readonly request: Request | undefined;
  /** Whoever asked used the id for several requests that wait: which of them it answers cannot be told, and `request` is undefined. */
  readonly isShared: boolean;
  /** No request waits for it: the line that answered it before. */
  readonly earlier: number | undefined;
  /** No request waits for it, but one whose id is written as the other type. */
  readonly retyped: Request | undefined;
}

/** JSON that is neither request nor response nor notification. */
export interface Malformed extends Said {
  readonly kind: 'malformed';
  readonly value: unknown;
}

export type Message = Request | Notification | Response | Malformed;

/** What tells ids apart: numbers and strings are never the same. */
export function keyOf(id: unknown): string | undefined {
  if (typeof id === 'number') return isExact(id) ? `n${id}` : undefined;
  return typeof id === 'string' ? `s${id}` : undefined;
}

/** Integers beyond are rounded when they are parsed: nobody can tell two of them apart, so there is no verdict about them. */
function isExact(id: number): boolean {
  return Number.isSafeInteger(id) || !Number.isInteger(id);
}

/** The key of the id that reads the same and is of the other type. */
export function retypedKey(id: unknown): string | undefined {
  return typeof id === 'number' ? `s${id}` : typeof id === 'string' && id !== '' ? `n${Number(id)}` : undefined;
}

/** Which message a value is, by the members it has. */
export function kindOf(value: unknown): Message['kind'] {
  if (!isObject(value)) return 'malformed';
  if (typeof value['method'] === 'string') return Object.hasOwn(value, 'id') ? 'request' : 'notification';
  return Object.hasOwn(value, 'result') || Object.hasOwn(value, 'error') ? 'response' : 'malformed';
}

const META = 'io.modelcontextprotocol/';

/** A value the protocol keeps in `_meta`, by the name after its prefix. */
export function ofMeta(meta: Json, name: string): unknown {
  return meta[`${META}${name}`];
}

/** The revision a request says it is written in (2026-07-28). */
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

/** The result of a request that went well; undefined for errors, for questions, and for a task that only began. */
export function resultFor(response: Response, method: string): Json | undefined {
  if (response.request?.method !== method) return undefined;
  const result = resultOf(response);
  const type = result?.['resultType'];
  if (result === undefined || (type !== undefined && type !== 'complete')) return undefined;
  return isObject(result['task']) && response.request.params['task'] !== undefined ? undefined : result;
}
