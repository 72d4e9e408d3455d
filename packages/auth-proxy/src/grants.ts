import type { PageAnswer, PageRequest } from 'tenon/auth';
import {
  CODE_VERIFIER,
  PeerRate,
  type Read,
  required,
  resourceSpellings,
  SCOPES,
  TEXT,
  TOKEN_TYPE,
  VISIBLE,
} from 'tenon/internal/auth';
import { readForm } from './forms.ts';
import { json, OAuthError } from './responses.ts';
import type { Clients } from './clients.ts';
import type { ProxyUser } from './options.ts';
import { isExpiring, type Provider, type ProviderTokens } from './provider.ts';
import { randomId, sha256, type Vault } from './vault.ts';

const CODE_MS = 60_000;
const ACCESS_MS = 600_000;
/** A login that is not used for this long expires. */
const GRANT_MS = 30 * 86_400_000;
/** How long the end of a login is remembered: longer than its last access token is valid. */
const ENDED_MS = 3_600_000;
/** How long a used refresh token is accepted again: its response may have been lost. */
const REUSE_MS = 60_000;
const MAX_FORM = 16_000;
/** The maximum number of logins of a user; beyond it, the oldest ends. */
const MAX_LOGINS = 50;
/** The maximum number of token requests of one peer per minute: each may cause a request to the provider. */
const MAX_PER_MINUTE = 600;

/** A login: the user, the program, its scopes, and the tokens of the provider. */
export interface Login {
  readonly user: ProxyUser;
  readonly tokens: ProviderTokens;
  readonly clientId: string;
  readonly scopes: readonly string[];
}

/** A login as it is stored. */
interface LoginRecord extends Login {
  /** Counts the refresh tokens that were issued. Only the newest is valid. */
  readonly generation: number;
  /** When the newest was issued, in milliseconds since 1970. */
  readonly rotatedAt: number;
}

interface CodeRecord {
  readonly grant: string;
  readonly clientId: string;
  readonly redirectUri: string;
  readonly challenge: string;
}

/** The content of a refresh token. Nothing is stored for it. */
interface RefreshClaims {
  readonly grant: string;
  readonly clientId: string;
  readonly generation: number;
}

/** The content of an access token of this server. */
export interface AccessClaims {
  readonly grant: string;
  readonly clientId: string;
  readonly subject: string;
  readonly claims: Readonly<Record<string, unknown>>;
  readonly scopes: readonly string[];
}

/** The parameters of a token request (RFC 6749, section 4.1.3 and 6; RFC 7636, section 4.5; RFC 8707, section 2.2). */
const TOKEN_REQUEST = {
  grant_type: required(TEXT),
  client_id: VISIBLE,
  code: VISIBLE,
  redirect_uri: TEXT,
  code_verifier: CODE_VERIFIER,
  refresh_token: VISIBLE,
  resource: TEXT,
  scope: SCOPES,
};
type TokenRequest = Read<typeof TOKEN_REQUEST>;

/** RFC 7009, section 2.1. */
const REVOCATION_REQUEST = { token: required(VISIBLE), token_type_hint: TOKEN_TYPE, client_id: VISIBLE };

/** Issues tokens for logins. They are valid only for this server, not at the provider. */
export class Grants {
  readonly #resource: string;
  readonly #vault: Vault;
  readonly #clients: Clients;
  readonly #provider: Provider;
  readonly #requests = new PeerRate(MAX_PER_MINUTE, 60_000);
  readonly #refreshes = new Map<string, Promise<LoginRecord | undefined>>();
  readonly #grantTypes: ReadonlyMap<string, (request: TokenRequest) => Promise<PageAnswer>>;

  constructor(resource: string, vault: Vault, clients: Clients, provider: Provider) {
    this.#resource = resource;
    this.#vault = vault;
    this.#clients = clients;
    this.#provider = provider;
    this.#grantTypes = new Map([
      ['authorization_code', (request) => this.#exchangeCode(request)],
      ['refresh_token', (request) => this.#exchangeRefreshToken(request)],
    ]);
  }

  /** Stores a login, and resolves with an authorization code for its tokens. */
  async begin(login: Login, { clientId, redirectUri, challenge }: Omit<CodeRecord, 'grant'>): Promise<string> {
    const grant = randomId();
    const code = randomId();
    await this.#vault.keep(
      'grant',
      grant,
      { ...login, generation: 0, rotatedAt: Date.now() } satisfies LoginRecord,
      GRANT_MS,
    );
    await this.#countLogin(grant, login.user);
    await this.#vault.put('code', code, { grant, clientId, redirectUri, challenge } satisfies CodeRecord, CODE_MS);
    return code;
  }

  /** Handles a token request. */
  async token(page: PageRequest): Promise<PageAnswer> {
    if (!this.#requests.take(page.peer))
      throw new OAuthError('temporarily_unavailable', 'Too many token requests: try again in a minute', 429);
    const request = await readForm(page, TOKEN_REQUEST, MAX_FORM);
    const exchange = this.#grantTypes.get(request.grant_type);
    if (exchange === undefined)
      throw new OAuthError('unsupported_grant_type', '`grant_type` must be `authorization_code` or `refresh_token`');
    if (request.resource !== undefined && !resourceSpellings(this.#resource).includes(request.resource))
      throw new OAuthError('invalid_target', `Tokens are issued only for ${this.#resource}`);
    if ((await this.#clients.find(request.client_id ?? '', page.peer)) === undefined)
      throw new OAuthError('invalid_client', 'This client is not registered, or no longer', 401);
    return exchange(request);
  }

  /** Handles a revocation request (RFC 7009). */
  async revoke(page: PageRequest): Promise<PageAnswer> {
    const { token, client_id: clientId } = await readForm(page, REVOCATION_REQUEST, MAX_FORM);
    const found =
      ((await this.#vault.open('refresh', token)) as RefreshClaims | undefined) ??
      ((await this.#vault.open('access', token)) as AccessClaims | undefined);
    if (found !== undefined && found.clientId === clientId) await this.#endLogin(found.grant);
    // Unknown tokens get the same response (RFC 7009, section 2.2).
    return json(200, {});
  }

  /** The content of an access token; undefined if it is not valid. */
  async read(token: string): Promise<AccessClaims | undefined> {
    const access = (await this.#vault.open('access', token)) as AccessClaims | undefined;
    return access === undefined || (await this.#hasEnded(access.grant)) ? undefined : access;
  }

  /** A valid access token of the provider; undefined if the login has ended. */
  async upstream(grant: string): Promise<string | undefined> {
    const login = await this.#loginOf(grant);
    if (login === undefined) return undefined;
    if (!isExpiring(login.tokens)) return login.tokens.accessToken;
    return (await this.#refreshLogin(grant, login))?.tokens.accessToken;
  }

  async #loginOf(grant: string): Promise<LoginRecord | undefined> {
    return (await this.#vault.get('grant', grant)) as LoginRecord | undefined;
  }

  /** Ends a login, and so invalidates all its tokens. */
  async #endLogin(grant: string): Promise<void> {
    await this.#vault.mark('ended', grant, ENDED_MS);
    await this.#vault.drop('grant', grant);
  }

  #hasEnded(grant: string): Promise<boolean> {
    return this.#vault.isMarked('ended', grant);
  }

  /** Adds a login to those of its user, and ends the oldest if there are too many: a user can log in any number of times. */
  #countLogin(grant: string, { subject }: ProxyUser): Promise<void> {
    return this.#vault.withLock('user', subject, async () => {
      const before = ((await this.#vault.get('user', subject)) as readonly string[] | undefined) ?? [];
      const all = [grant, ...before];
      for (const old of all.slice(MAX_LOGINS)) await this.#endLogin(old);
      await this.#vault.keep('user', subject, all.slice(0, MAX_LOGINS), GRANT_MS);
    });
  }

  /** Refreshes the tokens of the provider: once for concurrent callers, and on one node at a time. */
  #refreshLogin(grant: string, login: LoginRecord): Promise<LoginRecord | undefined> {
    const refresh =
      this.#refreshes.get(grant) ??
      this.#vault
        .withLock('grant', grant, async () => {
          const now = await this.#loginOf(grant);
          // Another node has refreshed or ended it.
          if (now === undefined || now.tokens.accessToken !== login.tokens.accessToken) return now;
          const tokens = await this.#provider.refresh(now.tokens, now.user);
          if (tokens === undefined) {
            await this.#endLogin(grant);
            return undefined;
          }
          if (await this.#hasEnded(grant)) return undefined;
          const fresh = { ...now, tokens };
          await this.#vault.keep('grant', grant, fresh, GRANT_MS);
          return fresh;
        })
        .finally(() => this.#refreshes.delete(grant));
    this.#refreshes.set(grant, refresh);
    return refresh;
  }

  /** Makes the next generation of refresh tokens the valid one, unless another request with the same token was faster. */
  #rotate(grant: string, generation: number): Promise<LoginRecord | undefined> {
    return this.#vault.withLock('grant', grant, async () => {
      const now = await this.#loginOf(grant);
      if (now === undefined || now.generation !== generation || (await this.#hasEnded(grant))) return now;
      const next = { ...now, generation: generation + 1, rotatedAt: Date.now() };
      await this.#vault.keep('grant', grant, next, GRANT_MS);
      return next;
    });
  }

  async #tokenResponse(grant: string, login: LoginRecord): Promise<PageAnswer> {
    const { user, clientId, scopes, generation } = login;
    const access: AccessClaims = { grant, clientId, subject: user.subject, claims: user.claims ?? {}, scopes };
    const refresh: RefreshClaims = { grant, clientId, generation };
    return json(200, {
      access_token: await this.#vault.seal('access', access, ACCESS_MS),
      token_type: 'Bearer',
      expires_in: ACCESS_MS / 1_000,
      refresh_token: await this.#vault.seal('refresh', refresh, GRANT_MS),
      scope: scopes.join(' '),
    });
  }

  async #exchangeCode(request: TokenRequest): Promise<PageAnswer> {
    const { code: id = '', client_id: clientId, redirect_uri: redirectUri, code_verifier: verifier = '' } = request;
    const code = (await this.#vault.get('code', id)) as CodeRecord | undefined;
    if (code === undefined) throw new OAuthError('invalid_grant', 'The code is not valid, or has expired');
    const isFirst = await this.#vault.mark('code', id, CODE_MS * 2);
    if (!isFirst) {
      // The code was stolen: the tokens issued for it are revoked (OAuth 2.1, section 4.1.3).
      await this.#endLogin(code.grant);
      throw new OAuthError('invalid_grant', 'The code was already used');
    }
    const matches =
      code.clientId === clientId && code.redirectUri === redirectUri && code.challenge === (await sha256(verifier));
    const login = matches ? await this.#loginOf(code.grant) : undefined;
    if (login === undefined) {
      await this.#endLogin(code.grant);
      throw new OAuthError('invalid_grant', 'The code was issued for a different client, redirect URI or verifier');
    }
    return this.#tokenResponse(code.grant, login);
  }

  async #exchangeRefreshToken(request: TokenRequest): Promise<PageAnswer> {
    const refresh = (await this.#vault.open('refresh', request.refresh_token)) as RefreshClaims | undefined;
    const login = refresh === undefined ? undefined : await this.#loginOf(refresh.grant);
    if (refresh === undefined || login === undefined || refresh.clientId !== request.client_id)
      throw new OAuthError('invalid_grant', 'The refresh token is no longer valid');
    const { grant, generation } = refresh;
    if (generation !== login.generation) {
      // A clock that was set back must not extend this period.
      const isLost = generation === login.generation - 1 && Math.abs(Date.now() - login.rotatedAt) <= REUSE_MS;
      if (isLost) return this.#tokenResponse(grant, login);
      await this.#endLogin(grant);
      throw new OAuthError('invalid_grant', 'The refresh token was already used: it may have been stolen');
    }
    // A user who is no longer accepted by the provider gets no tokens here.
    const fresh = await this.#refreshLogin(grant, login);
    // Marked as used only after a successful refresh, so that a failed request can be repeated.
    const rotated = fresh === undefined ? undefined : await this.#rotate(grant, generation);
    if (rotated === undefined) throw new OAuthError('invalid_grant', 'The login at the provider has ended');
    return this.#tokenResponse(grant, rotated);
  }
}
