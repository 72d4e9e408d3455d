import type { TokenEndpoint } from './token-endpoint.ts';
import type { Grant } from './tokens.ts';

/** The data that is needed to get a token for one server. */
export interface TokenRequest extends TokenEndpoint {
  /** The stored login, which another authorization server may have issued. */
  readonly grant: Grant | undefined;
  /** Does the authorization server still know the client of the stored login? If it may have forgotten it, its page would end the login. */
  readonly isClientKnown?: boolean;
}

/** A source of tokens: a user who logs in, or credentials of the program. */
export interface TokenSource {
  /** The owner of the credentials; empty for a user of a client that registers itself. */
  readonly owner: string;
  /** Are refresh tokens used? */
  readonly canRefresh: boolean;
  /** Does `obtain` ask the user to log in? */
  readonly asksUser: boolean;
  /** Gets a new token for these scopes. Rejects with an `AuthError`. */
  obtain(request: TokenRequest, scopes: readonly string[]): Promise<Grant>;
  /** Exchanges the refresh token for a new token. Rejects with an `AuthError`. */
  refresh(request: TokenRequest, grant: Grant): Promise<Grant>;
  /** Revokes the token of a login. Returns whether the authorization server revoked it. */
  revoke(request: TokenRequest, grant: Grant): Promise<boolean>;
}
