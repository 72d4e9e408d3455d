import { isObject } from '../protocol/jsonrpc.ts';
import type { Maybe } from '../protocol/maybe.ts';
import { withoutUndefined } from '../protocol/without-undefined.ts';
import { isAccessToken, isVisibleText, scopesIn } from './grammar.ts';

/** Credentials for one server, from one authorization server. They are secret. */
export interface Grant {
  /** The authorization server that issued them, and the only one they are ever sent to. */
  readonly issuer: string;
  /** The id of the client, registered in advance or by the client itself. */
  readonly clientId?: string;
  /** The secret that the authorization server gave the client when it registered. */
  readonly clientSecret?: string;
  /** The method of client authentication at the token endpoint: `none`, `client_secret_basic` or `client_secret_post`. */
  readonly clientAuth?: string;
  /** The redirect URI that the client was registered with. */
  readonly redirectUri?: string;
  /** The access token. */
  readonly accessToken?: string;
  /** How the access token is sent. Default `Bearer`. */
  readonly tokenType?: 'Bearer' | 'DPoP';
  /** When the access token expires, in milliseconds since 1970. Default: unknown. */
  readonly expiresAt?: number;
  /** The refresh token, if the authorization server issued one. */
  readonly refreshToken?: string;
  /** The granted scopes, separated by spaces. */
  readonly scope?: string;
  /** The user, by their id at the authorization server: `sub` of the ID token. Default: unknown, because there was no ID token. */
  readonly subject?: string;
  /** The key that DPoP tokens are bound to, as a private JWK. */
  readonly dpopKey?: Readonly<Record<string, unknown>>;
}

/** Stores credentials, by keys that name servers. Everyone who can read the store can act as the user. */
export interface TokenStore {
  /** The stored credentials; undefined if there are none. */
  get(key: string): Maybe<Grant | undefined>;
  /** Stores credentials in place of the previous ones. */
  set(key: string, grant: Grant): Maybe<void>;
  /** Removes credentials. Does nothing if there are none. */
  delete(key: string): Maybe<void>;
  /** Runs a function while no other user of the store does, in other processes too if they can share it. */
  lock?<T>(key: string, run: () => Promise<T>): Promise<T>;
}

/**
 * Reads a value from a store, which may be damaged or from another program. Invalid members are ignored, so that they are requested
 * again. Undefined without an issuer, because credentials are only used with the authorization server that issued them.
 */
export function readGrant(value: unknown): Grant | undefined {
  if (!isObject(value) || typeof value['issuer'] !== 'string') return undefined;
  const { issuer, clientId, clientSecret, clientAuth, redirectUri, accessToken, tokenType } = value;
  const { expiresAt, refreshToken, scope, subject, dpopKey } = value;
  return withoutUndefined({
    issuer,
    clientId: isVisibleText(clientId) ? clientId : undefined,
    clientSecret: isVisibleText(clientSecret) ? clientSecret : undefined,
    clientAuth: typeof clientAuth === 'string' ? clientAuth : undefined,
    redirectUri: typeof redirectUri === 'string' ? redirectUri : undefined,
    accessToken: isAccessToken(accessToken) ? accessToken : undefined,
    tokenType: tokenType === 'Bearer' || tokenType === 'DPoP' ? tokenType : undefined,
    expiresAt: Number.isFinite(expiresAt) ? (expiresAt as number) : undefined,
    refreshToken: isVisibleText(refreshToken) ? refreshToken : undefined,
    scope: typeof scope === 'string' ? scopesIn(scope).join(' ') : undefined,
    subject: typeof subject === 'string' ? subject : undefined,
    dpopKey: isObject(dpopKey) ? dpopKey : undefined,
  });
}

/**
 * Keeps credentials in memory, for as long as the process runs. This is the default `store` of all credentials; give the same one to several of
 * them to share logins.
 *
 * @example
 * ```ts
 * import { loopback, memoryTokens, oauth } from 'tenon/auth';
 *
 * const store = memoryTokens();
 * const reading = oauth({ browser: loopback(), store, scopes: ['notes:read'] });
 * ```
 */
export function memoryTokens(): TokenStore {
  const grants = new Map<string, Grant>();
  return {
    get: (key) => grants.get(key),
    set: (key, grant) => void grants.set(key, grant),
    delete: (key) => void grants.delete(key),
  };
}
