import type { ClientAuth, Refusal } from '../protocol/client-auth.ts';
import { AuthError } from '../protocol/auth-error.ts';
import { type Challenge, parseChallenges, tokenChallenge } from './challenge.ts';
import { createProofs, nonceIn, type DpopProofs } from './dpop.ts';
import { scopesIn } from './grammar.ts';
import { createUrlGuard } from './url-guard.ts';
import { GrantStore } from './grant-store.ts';
import { discoverProtection, findAuthorizationServer, type Protection } from './metadata.ts';
import type { TokenSource } from './token-source.ts';
import { SKEW_MS } from './token-endpoint.ts';
import type { Grant, TokenStore } from './tokens.ts';
import { createWeb, type Web, type WrapFetch } from './web.ts';

export interface TokenManagerOptions {
  readonly source: TokenSource;
  readonly store: TokenStore;
  /** Scopes to request in addition to those that the server requires. */
  readonly scopes: readonly string[];
  /** Bind tokens to a key if the authorization server supports it. */
  readonly dpop: boolean;
  readonly fetch: typeof globalThis.fetch | undefined;
  readonly wrapFetch?: WrapFetch | undefined;
}

/** How many logins one request may cause because of missing scopes. */
const MAX_STEP_UPS = 2;

/** Errors of a token endpoint after which the user has to log in again: the refresh token or the client is no longer valid. */
const GRANT_REJECTED: ReadonlySet<string | undefined> = new Set([
  'invalid_grant',
  'invalid_client',
  'unauthorized_client',
  'unsupported_grant_type',
  'invalid_scope',
  'invalid_target',
]);
/** Errors after which the client has to register again: the authorization server no longer knows it. */
const CLIENT_REJECTED: ReadonlySet<string | undefined> = new Set(['invalid_client', 'unauthorized_client']);

function authorizationOf({ tokenType = 'Bearer', accessToken }: Grant): string {
  return `${tokenType} ${accessToken}`;
}
function isStale({ expiresAt }: Grant, skewMs = SKEW_MS): boolean {
  return expiresAt !== undefined && expiresAt - skewMs < Date.now();
}

/** How long a request waits for the refresh of a token that is still valid, in milliseconds. */
const PATIENCE_MS = 2_000;
/** The pauses between attempts to refresh a token before the server has refused it, in milliseconds. Each is twice as long as the previous one. */
const PAUSE_MS = { first: 1_000, most: 60_000 };
/** How many logins of the user a server can cause in how many milliseconds. */
const MAX_LOGINS = 10;
const LOGINS_MS = 600_000;

/** A renewal of the credentials that is in progress. */
interface Renewal {
  readonly result: Promise<boolean>;
  /** May it ask the user to log in? */
  readonly mayAskUser: boolean;
  /** By the monotonic clock. */
  readonly startedAt: number;
}

/** Manages the credentials for one server: obtains them, stores them, and renews them when they are refused. One renewal at a time. */
class TokenManager {
  readonly #options: TokenManagerOptions;
  readonly #server: URL;
  readonly #grants: GrantStore;
  readonly #web: Web;
  #grant: Grant | undefined;
  #loaded: Promise<void> | undefined;
  #isLoaded = false;
  #protection: Protection | undefined;
  #proofs: DpopProofs | undefined;
  #renewal: Renewal | undefined;
  /** The scopes of the last login. */
  #requestedScopes: readonly string[] = [];
  /** Sets of scopes that a user has granted, and that were still not sufficient. */
  readonly #uselessScopes = new Set<string>();
  /** When a token may be refreshed before the server refuses it, by the monotonic clock, and the pause after the next failure. */
  #refreshFrom = 0;
  #pauseMs = PAUSE_MS.first;
  /** When the user was asked to log in, by the monotonic clock. */
  #logins: readonly number[] = [];
  /** Counts logouts: the result of a renewal that began before one is dropped. */
  #logouts = 0;

  constructor(server: string, options: TokenManagerOptions) {
    this.#options = options;
    this.#server = new URL(server);
    this.#server.hash = '';
    this.#grants = new GrantStore(options.store, this.#server.href, options.source.owner);
    this.#web = createWeb(createUrlGuard(this.#server), options.fetch, undefined, options.wrapFetch);
  }

  /** Reads the store. It is read again if that fails. */
  #load(): Promise<void> {
    return (this.#loaded ??= this.#read().catch((error: unknown) => {
      this.#loaded = undefined;
      throw error;
    }));
  }

  async #read(): Promise<void> {
    const stored = await this.#grants.get();
    if (stored !== undefined) await this.#use(stored);
    this.#isLoaded = true;
  }

  async #use(grant: Grant): Promise<void> {
    // A token is useless without the key that it is bound to.
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
    return this.#prepareHeaders(method, url);
  }

  #headers(): Readonly<Record<string, string>> {
    return this.#grant?.accessToken === undefined ? {} : { authorization: authorizationOf(this.#grant) };
  }

  async #prepareHeaders(method: string, url: string): Promise<Readonly<Record<string, string>>> {
    await this.#load();
    if (this.#grant?.refreshToken !== undefined && isStale(this.#grant)) await this.#refreshAhead(this.#grant);
    const headers = this.#headers();
    const { tokenType, accessToken } = this.#grant ?? {};
    if (tokenType !== 'DPoP' || this.#proofs === undefined) return headers;
    return { ...headers, dpop: await this.#proofs.proof(method, url, accessToken) };
  }

  /**
   * Refreshes a token that expires soon. If that fails, the old token is sent: the server decides whether it is still valid. While it is
   * valid, no request waits for long, and not every request contacts an authorization server that does not answer.
   */
  async #refreshAhead(grant: Grant): Promise<void> {
    if (this.#renewal === undefined && performance.now() < this.#refreshFrom) return;
    const { result, startedAt } = this.#renewal ?? this.#startRefresh();
    const done = result.catch(() => false);
    if (isStale(grant, PATIENCE_MS)) {
      await done;
      return;
    }
    const patience = startedAt + PATIENCE_MS - performance.now();
    if (patience <= 0) return;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const late = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, patience);
    });
    await Promise.race([done, late]).finally(() => clearTimeout(timer));
  }

  #startRefresh(): Renewal {
    const renewal = this.#startRenewal(false, () => this.#renew(undefined, undefined));
    const settle = (isRenewed: boolean): void => {
      this.#refreshFrom = isRenewed ? 0 : performance.now() + this.#pauseMs;
      this.#pauseMs = isRenewed ? PAUSE_MS.first : Math.min(2 * this.#pauseMs, PAUSE_MS.most);
    };
    renewal.result.then(settle, () => settle(false));
    return renewal;
  }

  async challenged(refusal: Refusal): Promise<boolean> {
    const challenges = parseChallenges(refusal.challenge);
    const challenge = tokenChallenge(refusal.challenge);
    const nonce = refusal.header('dpop-nonce');
    this.#proofs?.learn(refusal.url, nonce);
    // Retry if the proof lacked the nonce that is now known.
    const wantsNonce = challenges.some(({ params }) => params.get('error') === 'use_dpop_nonce');
    if (wantsNonce && this.#proofs !== undefined && nonce !== undefined && nonceIn(refusal.sent['dpop']) !== nonce)
      return true;
    // The token has been renewed meanwhile.
    if (refusal.sent['authorization'] !== this.#headers()['authorization']) return true;
    if (refusal.status === 403) {
      if (challenge?.params.get('error') !== 'insufficient_scope' || refusal.attempt >= MAX_STEP_UPS) return false;
    } else if (refusal.attempt >= 2) {
      // The token was just renewed and is refused again: another renewal would not help.
      return false;
    }
    const renewal = this.#renewal;
    // A renewal that only refreshes may fail where a login would help.
    if (renewal?.mayAskUser === false && (await renewal.result.catch(() => false))) return true;
    return this.#renewOnce(true, () => this.#renew(refusal, challenge));
  }

  /** Starts a renewal, or waits for the one in progress. */
  #renewOnce(mayAskUser: boolean, get: () => Promise<boolean>): Promise<boolean> {
    return (this.#renewal ?? this.#startRenewal(mayAskUser, get)).result;
  }

  #startRenewal(mayAskUser: boolean, get: () => Promise<boolean>): Renewal {
    const result = this.#grants.withLock(get).finally(() => {
      this.#renewal = undefined;
    });
    return (this.#renewal = { result, mayAskUser, startedAt: performance.now() });
  }

  /** Counts a login. Throws an `AuthError` if the server has caused too many: each opens a page, and may register the client. */
  #countLogin(): void {
    const now = performance.now();
    const recent = this.#logins.filter((at) => at > now - LOGINS_MS);
    if (recent.length >= MAX_LOGINS) {
      const seconds = Math.ceil((recent[0]! + LOGINS_MS - now) / 1_000);
      throw new AuthError(
        'too-many-logins',
        'authorization',
        `The server has asked for ${MAX_LOGINS} logins in ${LOGINS_MS / 60_000} minutes; the next is possible in ${seconds} seconds`,
      );
    }
    this.#logins = [...recent, now];
  }

  async #renew(refusal: Refusal | undefined, challenge: Challenge | undefined): Promise<boolean> {
    const logouts = this.#logouts;
    const before = this.#grant;
    const stored = await this.#grants.get();
    if (stored?.accessToken !== undefined && stored.accessToken !== before?.accessToken) {
      // Another process that shares the store has renewed the token.
      await this.#use(stored);
      return true;
    }
    // Another process that shares the store has logged out.
    if (before !== undefined && stored === undefined) this.#forget();
    // The server's metadata may have changed, for example to another authorization server.
    if (refusal !== undefined || this.#protection === undefined)
      this.#protection = await discoverProtection(this.#server, challenge, this.#web);
    const { as, resource, scopes } = this.#protection;
    let grant = this.#grant?.issuer === as.issuer ? this.#grant : await this.#grants.forIssuer(as.issuer);
    if (
      this.#proofs === undefined &&
      this.#options.dpop &&
      as.dpop_signing_alg_values_supported?.includes('ES256') === true
    )
      this.#proofs = await createProofs(grant?.dpopKey);
    const request = { as, web: this.#web, resource, proofs: this.#proofs };
    const { source } = this.#options;
    // A token that was just refreshed and is refused is not refreshed again.
    const isFresh = refusal !== undefined && refusal.status === 401 && refusal.attempt > 0;
    // The server accepts the token, so the client of the login exists.
    const isClientKnown = refusal?.status === 403;
    if (refusal?.status !== 403 && !isFresh && source.canRefresh && grant?.refreshToken !== undefined) {
      try {
        return await this.#storeAndUse(await source.refresh({ ...request, grant }, grant), logouts);
      } catch (error) {
        if (!(error instanceof AuthError) || !GRANT_REJECTED.has(error.oauthError)) throw error;
        if (CLIENT_REJECTED.has(error.oauthError)) grant = undefined;
      }
    }
    // The user only has to log in after the server has refused a request.
    if (refusal === undefined) return false;
    const wanted = this.#scopesFor(refusal, challenge, scopes, grant);
    const key = [...wanted].sort().join(' ');
    if (refusal.status === 403 && this.#uselessScopes.has(key)) return false;
    if (refusal.status === 403 && [...this.#requestedScopes].sort().join(' ') === key) this.#uselessScopes.add(key);
    this.#requestedScopes = wanted;
    if (source.asksUser) this.#countLogin();
    return this.#storeAndUse(await source.obtain({ ...request, grant, isClientKnown }, wanted), logouts);
  }

  /** "Scope Selection Strategy": the scopes of the challenge, else those of the metadata; for a step-up together with the previous ones. */
  #scopesFor(
    { status }: Refusal,
    challenge: Challenge | undefined,
    named: readonly string[] | undefined,
    grant: Grant | undefined,
  ): string[] {
    const challenged = challenge?.params.get('scope');
    const base = challenged === undefined ? (named ?? []) : scopesIn(challenged);
    const before = status === 403 ? [...this.#requestedScopes, ...scopesIn(grant?.scope)] : [];
    return [...new Set([...before, ...base, ...this.#options.scopes])].filter((scope) => scope !== 'offline_access');
  }

  #forget(): void {
    this.#grant = this.#proofs = this.#protection = undefined;
    this.#requestedScopes = [];
    this.#uselessScopes.clear();
  }

  /** Deletes the login and revokes its token. Returns whether the authorization server revoked it. */
  async logout(): Promise<boolean> {
    await this.#load();
    const grant = this.#grant;
    this.#logouts++;
    this.#forget();
    // The login is deleted first, even if revoking fails. The lock waits for a renewal that is about to store its result.
    await this.#grants.withLock(() => this.#grants.delete());
    if (grant === undefined) return false;
    const revoke = async (): Promise<boolean> => {
      const as = await findAuthorizationServer(grant.issuer, this.#web);
      if (as === undefined) return false;
      const request = { as, web: this.#web, resource: undefined, proofs: undefined, grant };
      return this.#options.source.revoke(request, grant);
    };
    return revoke().catch(() => false);
  }

  async #storeAndUse(grant: Grant, logouts: number): Promise<boolean> {
    // The user has logged out meanwhile.
    if (logouts !== this.#logouts) return false;
    // Stored before it is used: otherwise a crash could lose the only valid refresh token.
    await this.#grants.set(grant);
    if (logouts !== this.#logouts) {
      await this.#grants.delete();
      return false;
    }
    await this.#use(grant);
    return true;
  }
}

/** Credentials from authorization servers. */
export interface OAuth extends ClientAuth {
  /**
   * Logs out of a server: deletes the credentials, and revokes the token at the authorization server (RFC 7009). Returns whether it was revoked.
   */
  logout(server: string): Promise<boolean>;
}

/** Creates the credentials of a client, for all servers that it connects to. */
export function createTokenManager(options: TokenManagerOptions): OAuth {
  const managers = new Map<string, TokenManager>();
  const managerOf = (server: string): TokenManager => {
    const manager = managers.get(server) ?? new TokenManager(server, options);
    managers.set(server, manager);
    return manager;
  };
  return {
    credentials: ({ server, method, url }) => managerOf(server).credentials(method, url),
    challenged: async (refusal) => managerOf(refusal.server).challenged(refusal),
    logout: async (server) => managerOf(server).logout(),
  };
}
