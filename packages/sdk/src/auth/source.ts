import type { TokenEndpoint } from './token-endpoint.ts';
import type { Grant } from './tokens.ts';

/** What it takes to get a token for one server. */
export interface Ask extends TokenEndpoint {
  /** What was kept from before; perhaps from another authorization server. */
  readonly grant: Grant | undefined;
}

/** Where tokens come from: a user who logs in, or something the program has. */
export interface Source {
  /** Whose credentials it gives; empty for those of the user, who registers where it is needed. */
  readonly who: string;
  /** Are refresh tokens worth using? */
  readonly refreshes: boolean;
  /** Gets a token anew, for these scopes. Rejects with an `AuthError`. */
  obtain(ask: Ask, scopes: readonly string[]): Promise<Grant>;
  /** Gets one for a refresh token. */
  refresh(ask: Ask, grant: Grant): Promise<Grant>;
  /** Tells the authorization server that a login is over; tells whether it could. */
  revoke(ask: Ask, grant: Grant): Promise<boolean>;
}
