import type { PageAnswer, PageRequest } from 'tenon/auth';
import { json, OAuthError } from './responses.ts';
import type { Clients } from './clients.ts';
import type { ProxyUser } from './options.ts';
import { isExpiring, type Provider, type ProviderTokens } from './provider.ts';
import { randomId, sha256, type Vault } from './vault.ts';

const CODE_MS = 60_000;
const ACCESS_MS = 600_000;
/** A login that is not used for this long expires. */
const GRANT_MS = 30 * 86_400_000;
/** How long a used refresh token is accepted again: its response may have been lost. */
const REUSE_MS = 60_000;
const MAX_FORM = 16_000;

/** A login: the user, the program, its scopes, and the tokens of the provider. */
export interface Login {
  readonly user: ProxyUser;
  readonly tokens: ProviderTokens;
  readonly clientId: string;
  readonly scopes: readonly string[];
}

interface CodeRecord {
  readonly grant: string;
  readonly clientId: string;
  readonly redirectUri: string;
  readonly challenge: string;
}

interface RefreshRecord {
  readonly grant: string;
  readonly clientId: string;
  /** When it was used first, in milliseconds since 1970. */
  readonly usedAt?: number;
}

/** The content of an access token of this server. */
export interface AccessClaims {
  readonly grant: string;
  readonly clientId: string;
  readonly subject: string;
  readonly claims: Readonly<Record<string, unknown>>;
  readonly scopes: readonly string[];
}

/** Issues tokens for logins. They are valid only for this server, not at the provider. */
export interface Grants {
  /** Stores a login, and resolves with an authorization code for its tokens. */
  begin(login: Login, asked: Omit<CodeRecord, 'grant'>): Promise<string>;
  /** Handles a token request. */
  token(request: PageRequest): Promise<PageAnswer>;
  /** Handles a revocation request (RFC 7009). */
  revoke(request: PageRequest): Promise<PageAnswer>;
  /** The content of an access token; undefined if it is not valid. */
  read(token: string): Promise<AccessClaims | undefined>;
  /** A valid access token of the provider; undefined if the login has ended. */
  upstream(grant: string): Promise<string | undefined>;
}

export function createGrants(resource: string, vault: Vault, clients: Clients, provider: Provider): Grants {
  const context = `access ${resource}`;
  const readForm = async (request: PageRequest): Promise<(name: string) => string> => {
    const text = await request.body(MAX_FORM);
    if (text === undefined) throw new OAuthError('invalid_request', `The form must have at most ${MAX_FORM} bytes`);
    const fields = new URLSearchParams(text);
    return (name) => {
      const values = fields.getAll(name);
      if (values.length > 1) throw new OAuthError('invalid_request', `\`${name}\` must not be repeated`);
      return values[0] ?? '';
    };
  };
  const loginOf = async (grant: string): Promise<Login | undefined> =>
    (await vault.get('grant', grant)) as Login | undefined;

  /** Ends a login, and so invalidates all its tokens. */
  const endLogin = async (grant: string): Promise<void> => {
    await vault.mark('ended', grant, GRANT_MS);
    await vault.drop('grant', grant);
  };
  const hasEnded = (grant: string): Promise<boolean> => vault.isMarked('ended', grant);

  const refreshes = new Map<string, Promise<Login | undefined>>();
  /** Refreshes the tokens of the provider: once for concurrent callers, and on one node at a time. */
  const refreshLogin = (grant: string, login: Login): Promise<Login | undefined> => {
    const refresh =
      refreshes.get(grant) ??
      vault
        .withLock('grant', grant, async () => {
          const now = await loginOf(grant);
          // Another node has refreshed or ended it.
          if (now === undefined || now.tokens.accessToken !== login.tokens.accessToken) return now;
          const tokens = await provider.refresh(now.tokens, now.user);
          if (tokens === undefined) {
            await endLogin(grant);
            return undefined;
          }
          if (await hasEnded(grant)) return undefined;
          const fresh = { ...now, tokens };
          await vault.put('grant', grant, fresh, GRANT_MS);
          return fresh;
        })
        .finally(() => refreshes.delete(grant));
    refreshes.set(grant, refresh);
    return refresh;
  };

  const tokenResponse = async (grant: string, { user, clientId, scopes }: Login): Promise<PageAnswer> => {
    const access: AccessClaims = { grant, clientId, subject: user.subject, claims: user.claims ?? {}, scopes };
    const refreshToken = randomId();
    await vault.put('refresh', refreshToken, { grant, clientId } satisfies RefreshRecord, GRANT_MS);
    return json(200, {
      access_token: await vault.sealer.seal(access, context, ACCESS_MS),
      token_type: 'Bearer',
      expires_in: ACCESS_MS / 1_000,
      refresh_token: refreshToken,
      scope: scopes.join(' '),
    });
  };

  const exchangeCode = async (field: (name: string) => string): Promise<PageAnswer> => {
    const id = field('code');
    const code = (await vault.get('code', id)) as CodeRecord | undefined;
    if (code === undefined) throw new OAuthError('invalid_grant', 'The code is not valid, or has expired');
    const isFirst = await vault.mark('code', id, CODE_MS * 2);
    if (!isFirst) {
      // The code was stolen: the tokens issued for it are revoked (OAuth 2.1, section 4.1.3).
      await endLogin(code.grant);
      throw new OAuthError('invalid_grant', 'The code was already used');
    }
    const matches =
      code.clientId === field('client_id') &&
      code.redirectUri === field('redirect_uri') &&
      code.challenge === (await sha256(field('code_verifier')));
    const login = matches ? await loginOf(code.grant) : undefined;
    if (login === undefined) {
      await endLogin(code.grant);
      throw new OAuthError('invalid_grant', 'The code was issued for a different client, redirect URI or verifier');
    }
    return tokenResponse(code.grant, login);
  };

  const exchangeRefreshToken = async (field: (name: string) => string): Promise<PageAnswer> => {
    const id = field('refresh_token');
    const refresh = (await vault.get('refresh', id)) as RefreshRecord | undefined;
    const login = refresh === undefined ? undefined : await loginOf(refresh.grant);
    if (refresh === undefined || login === undefined || refresh.clientId !== field('client_id'))
      throw new OAuthError('invalid_grant', 'The refresh token is no longer valid');
    if (refresh.usedAt !== undefined && refresh.usedAt + REUSE_MS < Date.now()) {
      await endLogin(refresh.grant);
      throw new OAuthError('invalid_grant', 'The refresh token was already used: it may have been stolen');
    }
    // A user who is no longer accepted by the provider gets no tokens here.
    const fresh = await refreshLogin(refresh.grant, login);
    if (fresh === undefined) throw new OAuthError('invalid_grant', 'The login at the provider has ended');
    // Marked as used only after a successful refresh, so that a failed request can be repeated.
    if (refresh.usedAt === undefined) await vault.put('refresh', id, { ...refresh, usedAt: Date.now() }, GRANT_MS);
    return tokenResponse(refresh.grant, fresh);
  };

  const grantTypes: ReadonlyMap<string, (field: (name: string) => string) => Promise<PageAnswer>> = new Map([
    ['authorization_code', exchangeCode],
    ['refresh_token', exchangeRefreshToken],
  ]);

  return {
    async begin(login, { clientId, redirectUri, challenge }) {
      const grant = randomId();
      const code = randomId();
      await vault.put('grant', grant, login, GRANT_MS);
      await vault.put('code', code, { grant, clientId, redirectUri, challenge } satisfies CodeRecord, CODE_MS);
      return code;
    },
    async token(request) {
      const field = await readForm(request);
      const exchange = grantTypes.get(field('grant_type'));
      if (exchange === undefined)
        throw new OAuthError('unsupported_grant_type', '`grant_type` must be `authorization_code` or `refresh_token`');
      const wanted = field('resource');
      if (wanted !== '' && wanted !== resource)
        throw new OAuthError('invalid_target', `Tokens are issued only for ${resource}`);
      if ((await clients.find(field('client_id'))) === undefined)
        throw new OAuthError('invalid_client', 'This client is not registered, or no longer', 401);
      return exchange(field);
    },
    async revoke(request) {
      const field = await readForm(request);
      const token = field('token');
      const found =
        ((await vault.get('refresh', token)) as RefreshRecord | undefined) ??
        ((await vault.sealer.open(token, context)) as AccessClaims | undefined);
      if (found !== undefined && found.clientId === field('client_id')) await endLogin(found.grant);
      // Unknown tokens get the same response (RFC 7009, section 2.2).
      return json(200, {});
    },
    async read(token) {
      const access = (await vault.sealer.open(token, context)) as AccessClaims | undefined;
      return access === undefined || (await hasEnded(access.grant)) ? undefined : access;
    },
    async upstream(grant) {
      const login = await loginOf(grant);
      if (login === undefined) return undefined;
      if (!isExpiring(login.tokens)) return login.tokens.accessToken;
      return (await refreshLogin(grant, login))?.tokens.accessToken;
    },
  };
}
