import type { Maybe } from '../protocol/maybe.ts';

/** Credentials for one server, from one authorization server. They are secret. */
export interface Grant {
  /** The authorization server they are from, and the only one they are ever sent to. */
  readonly issuer: string;
  readonly clientId?: string;
  readonly clientSecret?: string;
  /** How the client shows who it is at the token endpoint. */
  readonly clientAuth?: string;
  /** The address the client was registered with. */
  readonly redirectUri?: string;
  readonly accessToken?: string;
  readonly tokenType?: 'Bearer' | 'DPoP';
  /** In milliseconds since 1970. */
  readonly expiresAt?: number;
  readonly refreshToken?: string;
  readonly scope?: string;
  /** The key that DPoP tokens are bound to, as a private JWK. */
  readonly dpopKey?: Readonly<Record<string, unknown>>;
}

/** Keeps credentials. A key names a server; whoever can read the store can act as the user. */
export interface TokenStore {
  get(key: string): Maybe<Grant | undefined>;
  set(key: string, grant: Grant): Maybe<void>;
  delete(key: string): Maybe<void>;
  /** Runs something while nobody else who shares the store does: another process, too, if others can share it. */
  lock?<T>(key: string, run: () => Promise<T>): Promise<T>;
}

/** Keeps credentials as long as the process lives. */
export const memoryTokens = (): TokenStore => {
  const grants = new Map<string, Grant>();
  return {
    get: (key) => grants.get(key),
    set: (key, grant) => void grants.set(key, grant),
    delete: (key) => void grants.delete(key),
  };
};
