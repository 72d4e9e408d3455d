import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Fields } from './fields.ts';
import { badRequest } from './refusal.ts';

/** A request that was let in. */
export interface Call {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  /** Whose it is; the empty text on routes that are open. */
  readonly session: string;
  /** The named parts of the path. */
  readonly parts: ReadonlyMap<string, string>;
  readonly query: URLSearchParams;
  /** Of a POST. */
  readonly body: Fields;
  /** Aborted when nobody waits for the answer any more. */
  readonly signal: AbortSignal;
}

/** What a route gives when it answers by itself. */
export const ANSWERED = Symbol('answered');

/** An address of the API. */
export interface Route {
  /** A POST changes something; a GET never does. */
  readonly method: 'GET' | 'POST';
  /** Parts that begin with a colon stand for anything. */
  readonly path: string;
  /** Works without the cookie. */
  readonly open?: true;
  /** The browser may save what it answers. */
  readonly download?: true;
  /** The largest body, in bytes, where it is another than usual. */
  readonly mostBody?: number;
  /** Gives what is answered, as JSON. */
  act(call: Call): unknown;
}

/** A part of the path. */
export const partOf = ({ parts }: Call, name: string): string => parts.get(name)!;

/** The named parts of a path that a route stands for; undefined: it does not. */
export const matchPath = (pattern: string, path: string): ReadonlyMap<string, string> | undefined => {
  const wanted = pattern.split('/');
  const given = path.split('/');
  if (wanted.length !== given.length) return undefined;
  const parts = new Map<string, string>();
  for (const [i, part] of wanted.entries()) {
    if (part.startsWith(':')) parts.set(part.slice(1), decoded(given[i]!));
    else if (part !== given[i]) return undefined;
  }
  return parts;
};

const MOST_PART = 2_000;

const decoded = (part: string): string => {
  if (part.length > MOST_PART) throw badRequest('The path is too long');
  try {
    return decodeURIComponent(part);
  } catch {
    throw badRequest('The path is not encoded as paths are');
  }
};
