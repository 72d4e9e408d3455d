import type { ClientAuth, Refusal } from '../protocol/client-auth.ts';
import { AuthError } from '../protocol/auth-error.ts';
import { type Challenge, tokenChallenge } from './challenge.ts';
import { createProofs, type Proofs } from './dpop.ts';
import { createUrlGuard } from './guard.ts';
import { discoverProtection, findServer, type Protection } from './metadata.ts';
import type { Source } from './source.ts';
import { SKEW_MS } from './token-endpoint.ts';
import type { Grant, TokenStore } from './tokens.ts';
import { createWeb, type Web } from './web.ts';

export interface KeeperOptions {
  readonly source: Source;
  readonly store: TokenStore;
  /** Scopes to ask for besides those that the server names. */
  readonly scopes: readonly string[];
  /** Bind tokens to a key where the authorization server can. */
  readonly dpop: boolean;
  readonly fetch: typeof globalThis.fetch | undefined;
}

/** A refusal for want of scopes is answered with so many logins. */
const MOST_STEPS = 2;

const authorizationOf = ({ tokenType = 'Bearer', accessToken }: Grant): string => `${tokenType} ${accessToken}`;

/** The credentials for one server: gets them, keeps them, and gets others when they are refused. One flight at a time. */
class Keeper {
  readonly #options: KeeperOptions;
  readonly #server: URL;
  readonly #key: string;
  readonly #web: Web;
  #grant: Grant | undefined;
  #loaded: Promise<void> | undefined;
  #isLoaded = false;
  #protection: Protection | undefined;
  #proofs: Proofs | undefined;
  #flight: Promise<boolean> | undefined;
  /** What was asked for last. */
  #asked: readonly string[] = [];

  constructor(server: string, options: KeeperOptions) {
    this.#options = options;
    this.#server = new URL(server);
    this.#server.hash = '';
    this.#key = this.#server.href;
    this.#web = createWeb(createUrlGuard(this.#server), options.fetch);
  }

  async #load(): Promise<void> {
    const kept = await this.#options.store.get(this.#key);
    if (kept !== undefined) await this.#adopt(kept);
    this.#isLoaded = true;
  }

  async #adopt(grant: Grant): Promise<void> {
    if (grant.dpopKey !== undefined && this.#proofs === undefined) this.#proofs = await createProofs(grant.dpopKey);
    this.#grant = grant;
  }

  credentials(
    method: string,
    url: string,
  ): Readonly<Record<string, string>> | Promise<Readonly<Record<string, string>>> {
    const grant = this.#grant;
    const stale = grant?.expiresAt !== undefined && grant.expiresAt - SKEW_MS < Date.now();
    if (this.#isLoaded && !stale && grant?.tokenType !== 'DPoP') return this.#headers();
    return this.#prepared(method, url);
  }

  #headers(): Readonly<Record<string, string>> {
    return this.#grant?.accessToken === undefined ? {} : { authorization: authorizationOf(this.#grant) };
  }

  async #prepared(method: string, url: string): Promise<Readonly<Record<string, string>>> {
    await (this.#loaded ??= this.#load());
    const { expiresAt, refreshToken } = this.#grant ?? {};
    const stale = expiresAt !== undefined && expiresAt - SKEW_MS < Date.now();
    // A token that cannot be refreshed is sent as it is: the server has the last word.
    if (stale && refreshToken !== undefined) await this.#once(() => this.#renew(undefined, undefined));
    const headers = this.#headers();
    const { tokenType, accessToken } = this.#grant ?? {};
    if (tokenType !== 'DPoP' || this.#proofs === undefined) return headers;
    return { ...headers, dpop: await this.#proofs.proof(method, url, accessToken) };
  }

  refused(refusal: Refusal): Promise<boolean> | boolean {
    const challenge = tokenChallenge(refusal.challenge);
    if (
      this.#proofs?.learn(refusal.url, refusal.header('dpop-nonce')) === true &&
      challenge?.params.get('error') === 'use_dpop_nonce'
    )
      return true;
    // Somebody else got a new one meanwhile.
    if (refusal.sent['authorization'] !== this.#headers()['authorization']) return true;
    if (refusal.status === 403) {
      if (challenge?.params.get('error') !== 'insufficient_scope' || refusal.attempt >= MOST_STEPS) return false;
    } else if (refusal.attempt > 0 && refusal.sent['authorization'] !== undefined && this.#flight === undefined) {
      // What was just got does not help: a third time would not either.
      if (refusal.attempt >= 2) return false;
    }
    return this.#once(() => this.#renew(refusal, challenge));
  }

  /** Whoever needs credentials while somebody gets them waits for the same. */
  #once(get: () => Promise<boolean>): Promise<boolean> {
    if (this.#flight !== undefined) return this.#flight;
    const locked = this.#options.store.lock === undefined ? get() : this.#options.store.lock(this.#key, get);
    this.#flight = locked.finally(() => {
      this.#flight = undefined;
    });
    return this.#flight;
  }

  async #renew(refusal: Refusal | undefined, challenge: Challenge | undefined): Promise<boolean> {
    const before = this.#grant;
    const kept = await this.#options.store.get(this.#key);
    if (kept?.accessToken !== undefined && kept.accessToken !== before?.accessToken) {
      // Another process that shares the store was faster.
      await this.#adopt(kept);
      return true;
    }
    // What the server says may have changed since: another authorization server, perhaps.
    if (refusal !== undefined || this.#protection === undefined)
      this.#protection = await discoverProtection(this.#server, challenge, this.#web);
    const { as, resource, scopes } = this.#protection;
    const grant = before?.issuer === as.issuer ? before : undefined;
    if (
      this.#proofs === undefined &&
      this.#options.dpop &&
      as.dpop_signing_alg_values_supported?.includes('ES256') === true
    )
      this.#proofs = await createProofs(undefined);
    const ask = { as, web: this.#web, resource, proofs: this.#proofs, grant };
    const { source } = this.#options;
    if (refusal?.status !== 403 && source.refreshes && grant?.refreshToken !== undefined) {
      const fresh = await source.refresh(ask, grant).catch((error: unknown) => {
        // The refresh token is spent or revoked: the user has to log in again.
        if (error instanceof AuthError && error.code === 'invalid_grant') return undefined;
        throw error;
      });
      if (fresh !== undefined) return this.#keep(fresh);
    }
    // Nobody is asked to log in before the server has said that it is needed.
    if (refusal === undefined) return false;
    const wanted = this.#scopesFor(refusal, challenge, scopes, grant);
    this.#asked = wanted;
    return this.#keep(await source.obtain(ask, wanted));
  }

  /** "Scope Selection Strategy": what the challenge names, else what the metadata name; in a step up, with what there was before. */
  #scopesFor(
    { status }: Refusal,
    challenge: Challenge | undefined,
    named: readonly string[] | undefined,
    grant: Grant | undefined,
  ): string[] {
    const split = (text: string | undefined): string[] => text?.split(' ').filter((scope) => scope !== '') ?? [];
    const challenged = challenge?.params.get('scope');
    const base = challenged === undefined ? (named ?? []) : split(challenged);
    const before = status === 403 ? [...this.#asked, ...split(grant?.scope)] : [];
    return [...new Set([...before, ...base, ...this.#options.scopes])].filter((scope) => scope !== 'offline_access');
  }

  /** Forgets the login, and tells the authorization server; tells whether that was possible. */
  async logout(): Promise<boolean> {
    await (this.#loaded ??= this.#load());
    const grant = this.#grant;
    this.#grant = this.#proofs = this.#protection = undefined;
    this.#asked = [];
    // First it is forgotten, whatever the authorization server does.
    await this.#options.store.delete(this.#key);
    if (grant === undefined) return false;
    const told = async (): Promise<boolean> => {
      const as = await findServer(grant.issuer, this.#web);
      if (as === undefined) return false;
      const ask = { as, web: this.#web, resource: undefined, proofs: undefined, grant };
      return this.#options.source.revoke(ask, grant);
    };
    return told().catch(() => false);
  }

  async #keep(grant: Grant): Promise<boolean> {
    // First kept, then used: a refresh token that is spent and not kept is lost.
    await this.#options.store.set(this.#key, grant);
    await this.#adopt(grant);
    return true;
  }
}

/** Credentials that come from authorization servers. */
export interface OAuth extends ClientAuth {
  /**
   * Ends the login at a server: it is forgotten, and the authorization server is told (RFC 7009). Tells whether that one could be told.
   */
  logout(server: string): Promise<boolean>;
}

/** Makes the credentials of a client, for whatever servers it connects to. */
export const createKeeper = (options: KeeperOptions): OAuth => {
  const keepers = new Map<string, Keeper>();
  const keeperOf = (server: string): Keeper => {
    const keeper = keepers.get(server) ?? new Keeper(server, options);
    keepers.set(server, keeper);
    return keeper;
  };
  return {
    credentials: ({ server, method, url }) => keeperOf(server).credentials(method, url),
    refused: async (refusal) => keeperOf(refusal.server).refused(refusal),
    logout: async (server) => keeperOf(server).logout(),
  };
};
