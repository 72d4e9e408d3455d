import type { Principal } from './request-context.ts';
import type { Maybe } from './maybe.ts';

/** The parts of an HTTP request from which an `auth` function identifies the caller. */
export interface AuthRequest {
  /** The HTTP method, in upper case. */
  readonly method: string;
  /** The path of the URL, without the query. */
  readonly path: string;
  /** The value of a header, by its name in lower case; null or undefined if there is none. */
  header(name: string): string | null | undefined;
  /**
   * Identifies the caller, for limits: the network of the address that the request comes from, or that a proxy names
   * (`addressHeader`). Undefined if the address is unknown.
   */
  readonly peer?: string | undefined;
  /**
   * Marks a key as used for `lifeMs` milliseconds, for all nodes that share the store of the server. Returns whether it was not used before.
   * Rejects while the store is unavailable. Undefined if the server has no store.
   */
  useOnce?(key: string, lifeMs: number): Maybe<boolean>;
}

/** A refusal: 401 with a challenge, 403, or another error status. */
export interface Denial {
  /** 400 to 599. Any other value is sent as 401. */
  readonly status: number;
  /** The text that is sent to the client as the message of a JSON-RPC error. */
  readonly message: string;
  /** `www-authenticate`, for example; names in lower case. */
  readonly headers?: Readonly<Record<string, string>>;
  /** The error behind the refusal. It is only logged. Default: none. */
  readonly cause?: unknown;
}

/**
 * Lets a caller in without a principal. An `auth` function has to return exactly this value to do so: the result of a lookup for an unknown
 * token never lets a caller in. The same value in every copy of the package.
 */
export const anonymous: unique symbol = /* @__PURE__ */ Symbol.for('tenon.anonymous') as never;

/**
 * Identifies the caller, usually by a verified token. A principal is an object with an `id` that is a string and not blank; `anonymous` lets the
 * caller in without one. A `Denial` is sent as it is. Any other result is answered with status 401: `undefined`, `null`, `false`, an object
 * without an `id`, or an object whose `status` is not an error status. A function that throws or rejects is answered with status 500, and logged.
 */
export type Authenticate = (
  request: AuthRequest,
) => Maybe<Principal | Denial | typeof anonymous | undefined | null | false>;

/** A request for one of the pages of a gatekeeper. */
export interface PageRequest extends AuthRequest {
  /** The query of the URL as it was sent, without the question mark; empty if there is none. */
  readonly search: string;
  /** The body as text; undefined if it has more than `most` bytes, or is not UTF-8. */
  body(most: number): Promise<string | undefined>;
}

/** The response to a request for a page. */
export interface PageAnswer {
  /** The HTTP status. */
  readonly status: number;
  /** The headers, by name in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  /** The body as text. Default: empty. */
  readonly body?: string;
  /** The error behind the response. It is only logged. Default: none. */
  readonly cause?: unknown;
}

/** Authenticates callers, and publishes how to obtain credentials. */
export interface Gatekeeper {
  /** Identifies the caller of each request to the server. */
  readonly authenticate: Authenticate;
  /** A public JSON document, by its path; undefined for any other path. */
  document(path: string): string | undefined;
  /** Answers requests for the gatekeeper's own pages; undefined for any other. */
  page?(request: PageRequest): Promise<PageAnswer> | undefined;
  /**
   * The refusal for a caller whose token lacks scopes. `scopes` are those that this request needs in addition to the scopes of
   * every request.
   */
  insufficient(scopes: readonly string[]): Denial;
}
