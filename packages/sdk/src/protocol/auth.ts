import type { Principal } from './exchange.ts';
import type { Maybe } from './maybe.ts';

/** What tells who sends an HTTP request. */
export interface AuthRequest {
  readonly method: string;
  /** The path of the URL, without the query. */
  readonly path: string;
  /** The value of a header, by its name in lower case. */
  header(name: string): string | null | undefined;
}

/** A refusal: 401 with a challenge, 403, or another error. */
export interface Denial {
  /** 400 to 599. Anything else is answered with 401. */
  readonly status: number;
  /** For the peer. */
  readonly message: string;
  /** `www-authenticate`, for example; names in lower case. */
  readonly headers?: Readonly<Record<string, string>>;
}

/**
 * Lets a caller in without a principal. An `auth` function has to return exactly this value to do so: what a lookup gives for an unknown
 * token never lets anybody in. The same value in every copy of the package.
 */
export const anonymous: unique symbol = Symbol.for('tenon.anonymous') as never;

/**
 * Tells who is calling, usually from a verified token. A principal is an object with a non-empty text `id`; `anonymous` lets the caller in
 * without one. A `Denial` is answered as it says, and anything else with status 401: `undefined`, `null`, `false`, an object without an `id`, an
 * object whose `status` is not that of an error. A function that throws or rejects is answered with status 500, and logged.
 */
export type Authenticate = (
  request: AuthRequest,
) => Maybe<Principal | Denial | typeof anonymous | undefined | null | false>;

/** A request for one of the pages of who looks after a door. */
export interface PageRequest extends AuthRequest {
  /** The value of a parameter of the query. */
  query(name: string): string | undefined;
  /** The body as text; undefined when it has more than `most` bytes, or is not UTF-8. */
  body(most: number): Promise<string | undefined>;
}

export interface PageAnswer {
  readonly status: number;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** Tells who is calling, and tells everybody how one gets to be known. */
export interface Gatekeeper {
  readonly authenticate: Authenticate;
  /** A JSON document that anybody may read, by the path it is at. */
  document(path: string): string | undefined;
  /** Answers requests for pages of its own; undefined for any other. */
  page?(request: PageRequest): Promise<PageAnswer> | undefined;
  /** Why somebody with a token may not do what needs these scopes, besides those that every request needs. */
  insufficient(scopes: readonly string[]): Denial;
}
