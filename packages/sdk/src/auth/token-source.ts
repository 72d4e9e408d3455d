import type { TokenEndpoint } from './token-endpoint.ts';
import type { Grant } from './tokens.ts';

/** What is needed to get a token for one server. */
export interface TokenRequest extends TokenEndpoint {
  /** The stored login, which may be from another authorization server. */
  readonly grant: Grant | undefined;
}

/** A source of tokens: a user who logs in, or credentials of the program. */
export interface TokenSource {
  /** Whose credentials they are; empty for those of a user of a client that registers itself. */
  readonly owner: string;
  /** Are refresh tokens used? */
  readonly canRefresh: boolean;
  /** Does `obtain` ask the user to log in? */
  readonly asksUser: boolean;
  /** Gets a new token for these scopes. Rejects with an `AuthError`. */
  obtain(request: TokenRequest, scopes: readonly string[]): Promise<Grant>;
  /** Gets a new token for the refresh token. Rejects with an `AuthError`. */
  refresh(request: TokenRequest, grant: Grant): Promise<Grant>;
  /** Revokes the token of a login. Returns whether the authorization server could be told. */
  revoke(request: TokenRequest, grant: Grant): Promise<boolean>;
}
