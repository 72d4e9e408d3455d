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

/** Why nobody may come in like this: 401 with a challenge, or 403. */
export interface Denial {
  readonly status: number;
  /** For the peer. */
  readonly message: string;
  /** `www-authenticate`, for example; names in lower case. */
  readonly headers?: Readonly<Record<string, string>>;
}

/** Tells who is calling: from a verified token. Nobody, where callers need no name. A rejection is answered with status 500, and logged. */
export type Authenticate = (request: AuthRequest) => Maybe<Principal | Denial | undefined>;

/** Is it the refusal, not the caller? */
export const isDenial = (found: Principal | Denial | undefined): found is Denial =>
  found !== undefined && 'status' in found;

/** A request for one of the pages of who looks after a door. */
export interface PageRequest extends AuthRequest {
  /** The value of a parameter of the query. */
  query(name: string): string | undefined;
  /** The body as text; undefined when it has more than `most` bytes. */
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
