import type { ClientAuth, Refusal } from '../protocol/client-auth.ts';
import { AuthError } from '../protocol/auth-error.ts';
import { type Challenge, parseChallenges, tokenChallenge } from './challenge.ts';
import { createProofs, nonceIn, type Proofs } from './dpop.ts';
import { scopesIn } from './grammar.ts';
import { createUrlGuard } from './guard.ts';
import { Kept } from './kept.ts';
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

/** What a token endpoint says of a refresh token, or a client, that is of no use any more: then the user has to log in again. */
const OVER: ReadonlySet<string | undefined> = new Set([
  'invalid_grant',
  'invalid_client',
  'unauthorized_client',
  'unsupported_grant_type',
  'invalid_scope',
  'invalid_target',
]);
/** The authorization server does not know the client any more: it has to register again. */
const UNKNOWN: ReadonlySet<string | undefined> = new Set(['invalid_client', 'unauthorized_client']);

const authorizationOf = ({ tokenType = 'Bearer', accessToken }: Grant): string => `${tokenType} ${accessToken}`;
const isStale = ({ expiresAt }: Grant): boolean => expiresAt !== undefined && expiresAt - SKEW_MS < Date.now();

/** Somebody is getting credentials. */
interface Flight {
  readonly result: Promise<boolean>;
  /** May it ask the user? */
  readonly asks: boolean;
}

/** The credentials for one server: gets them, keeps them, and gets others when they are refused. One flight at a time. */
class Keeper {
  readonly #options: KeeperOptions;
  readonly #server: URL;
  readonly #kept: Kept;
  readonly #web: Web;
  #grant: Grant | undefined;
  #loaded: Promise<void> | undefined;
  #isLoaded = false;
  #protection: Protection | undefined;
  #proofs: Proofs | undefined;
  #flight: Flight | undefined;
  /** What was asked for last. */
  #asked: readonly string[] = [];
  /** Scopes that a user agreed to, and that were not enough all the same. */
  readonly #useless = new Set<string>();
  /** Counts logouts: what was on its way before counts for nothing. */
  #epoch = 0;

  constructor(server: string, options: KeeperOptions) {
    this.#options = options;
    this.#server = new URL(server);
    this.#server.hash = '';
    this.#kept = new Kept(options.store, this.#server.href, options.source.who);
    this.#web = createWeb(createUrlGuard(this.#server), options.fetch);
  }

  /** A store that could not be read is asked again. */
  #load(): Promise<void> {
    return (this.#loaded ??= this.#read().catch((error: unknown) => {
      this.#loaded = undefined;
      throw error;
    }));
  }

  async #read(): Promise<void> {
    const kept = await this.#kept.get();
    if (kept !== undefined) await this.#adopt(kept);
    this.#isLoaded = true;
  }

  async #adopt(grant: Grant): Promise<void> {
    // A token is worth nothing without the key it is bound to.
    if (grant.dpopKey !== undefined && JSON.stringify(grant.dpopKey) !== JSON.stringify(this.#proofs?.jwk))
      this.#proofs = await createProofs(grant.dpopKey);
    this.#grant = grant;
  }

  credentials(
    method: string,
    url: string,
  ): Readonly<Record<string, string>> | Promise<Readonly<Record<string, string>>> {
    const grant = this.#grant;
    if (this.#isLoaded && (grant === undefined || (!isStale(grant) && grant.tokenType !== 'DPoP')))
      return this.#headers();
    return this.#prepared(method, url);
  }

  #headers(): Readonly<Record<string, string>> {
    return this.#grant?.accessToken === undefined ? {} : { authorization: authorizationOf(this.#grant) };
  }

  async #prepared(method: string, url: string): Promise<Readonly<Record<string, string>>> {
    await this.#load();
    // A token that could not be refreshed is sent as it is: the server has the last word.
    if (this.#grant?.refreshToken !== undefined && isStale(this.#grant))
      await this.#once(false, () => this.#renew(undefined, undefined)).catch(() => false);
    const headers = this.#headers();
    const { tokenType, accessToken } = this.#grant ?? {};
    if (tokenType !== 'DPoP' || this.#proofs === undefined) return headers;
    return { ...headers, dpop: await this.#proofs.proof(method, url, accessToken) };
  }

  async refused(refusal: Refusal): Promise<boolean> {
    const challenges = parseChallenges(refusal.challenge);
    const challenge = tokenChallenge(refusal.challenge);
    const nonce = refusal.header('dpop-nonce');
    this.#proofs?.learn(refusal.url, nonce);
    // The nonce that is known now is another one than the proof had.
    const wantsNonce = challenges.some(({ params }) => params.get('error') === 'use_dpop_nonce');
    if (wantsNonce && this.#proofs !== undefined && nonce !== undefined && nonceIn(refusal.sent['dpop']) !== nonce)
      return true;
    // Somebody else got a new one meanwhile.
    if (refusal.sent['authorization'] !== this.#headers()['authorization']) return true;
    if (refusal.status === 403) {
      if (challenge?.params.get('error') !== 'insufficient_scope' || refusal.attempt >= MOST_STEPS) return false;
    } else if (refusal.attempt >= 2) {
      // What was just got does not help: a third time would not either.
      return false;
    }
    const flight = this.#flight;
    // Who only refreshes does not ask the user, which may be what is needed.
    if (flight?.asks === false && (await flight.result.catch(() => false))) return true;
    return this.#once(true, () => this.#renew(refusal, challenge));
  }

  /** Whoever needs credentials while somebody gets them waits for the same. */
  #once(asks: boolean, get: () => Promise<boolean>): Promise<boolean> {
    if (this.#flight !== undefined) return this.#flight.result;
    const result = this.#kept.alone(get).finally(() => {
      this.#flight = undefined;
    });
    this.#flight = { result, asks };
    return result;
  }

  async #renew(refusal: Refusal | undefined, challenge: Challenge | undefined): Promise<boolean> {
    const epoch = this.#epoch;
    const before = this.#grant;
    const kept = await this.#kept.get();
    if (kept?.accessToken !== undefined && kept.accessToken !== before?.accessToken) {
      // Another process that shares the store was faster.
      await this.#adopt(kept);
      return true;
    }
    // It was there, and another process has logged out.
    if (before !== undefined && kept === undefined) this.#forget();
    // What the server says may have changed since: another authorization server, perhaps.
    if (refusal !== undefined || this.#protection === undefined)
      this.#protection = await discoverProtection(this.#server, challenge, this.#web);
    const { as, resource, scopes } = this.#protection;
    let grant = this.#grant?.issuer === as.issuer ? this.#grant : await this.#kept.from(as.issuer);
    if (
      this.#proofs === undefined &&
      this.#options.dpop &&
      as.dpop_signing_alg_values_supported?.includes('ES256') === true
    )
      this.#proofs = await createProofs(grant?.dpopKey);
    const ask = { as, web: this.#web, resource, proofs: this.#proofs };
    const { source } = this.#options;
    // What was just refreshed, and is refused all the same, is not refreshed again.
    const isFresh = refusal !== undefined && refusal.status === 401 && refusal.attempt > 0;
    if (refusal?.status !== 403 && !isFresh && source.refreshes && grant?.refreshToken !== undefined) {
      try {
        return await this.#keep(await source.refresh({ ...ask, grant }, grant), epoch);
      } catch (error) {
        if (!(error instanceof AuthError) || !OVER.has(error.code)) throw error;
        if (UNKNOWN.has(error.code)) grant = undefined;
      }
    }
    // Nobody is asked to log in before the server has said that it is needed.
    if (refusal === undefined) return false;
    const wanted = this.#scopesFor(refusal, challenge, scopes, grant);
    const key = [...wanted].sort().join(' ');
    if (refusal.status === 403 && this.#useless.has(key)) return false;
    if (refusal.status === 403 && [...this.#asked].sort().join(' ') === key) this.#useless.add(key);
    this.#asked = wanted;
    return this.#keep(await source.obtain({ ...ask, grant }, wanted), epoch);
  }

  /** "Scope Selection Strategy": what the challenge names, else what the metadata name; in a step up, with what there was before. */
  #scopesFor(
    { status }: Refusal,
    challenge: Challenge | undefined,
    named: readonly string[] | undefined,
    grant: Grant | undefined,
  ): string[] {
    const challenged = challenge?.params.get('scope');
    const base = challenged === undefined ? (named ?? []) : scopesIn(challenged);
    const before = status === 403 ? [...this.#asked, ...scopesIn(grant?.scope)] : [];
    return [...new Set([...before, ...base, ...this.#options.scopes])].filter((scope) => scope !== 'offline_access');
  }

  #forget(): void {
    this.#grant = this.#proofs = this.#protection = undefined;
    this.#asked = [];
    this.#useless.clear();
  }

  /** Forgets the login, and tells the authorization server; tells whether that was possible. */
  async logout(): Promise<boolean> {
    await this.#load();
    const grant = this.#grant;
    this.#epoch++;
    this.#forget();
    // First it is forgotten, whatever the authorization server does. Whoever is about to keep something is waited for.
    await this.#kept.alone(() => this.#kept.delete());
    if (grant === undefined) return false;
    const told = async (): Promise<boolean> => {
      const as = await findServer(grant.issuer, this.#web);
      if (as === undefined) return false;
      const ask = { as, web: this.#web, resource: undefined, proofs: undefined, grant };
      return this.#options.source.revoke(ask, grant);
    };
    return told().catch(() => false);
  }

  async #keep(grant: Grant, epoch: number): Promise<boolean> {
    // The user has logged out meanwhile.
    if (epoch !== this.#epoch) return false;
    // First kept, then used: a refresh token that is spent and not kept is lost.
    await this.#kept.set(grant);
    if (epoch !== this.#epoch) {
      await this.#kept.delete();
      return false;
    }
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
