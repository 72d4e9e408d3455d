import { isObject } from '@tenon/values/is-object';
import * as oauth from 'oauth4webapi';
import {
  clientAuthOf,
  createUrlGuard,
  createWeb,
  expiryOf,
  isAccessToken,
  isVisibleText,
  methodFor,
  readServer,
  SKEW_MS,
} from 'tenon/internal/auth';
import { OAuthError } from './answers.ts';
import type { OAuthProxyOptions, ProxyUser } from './options.ts';

/** What the provider gave. It never leaves this server, except to the provider itself and to what its tools call. */
export interface ProviderTokens {
  readonly accessToken: string;
  readonly refreshToken?: string;
  /** In milliseconds since 1970. */
  readonly expiresAt?: number;
}

/** The provider, as this server talks to it. */
export interface Provider {
  /** Where it is, for people. */
  readonly host: string;
  readonly scopes: readonly string[];
  /** Where the user logs in. */
  page(login: { readonly state: string; readonly verifier: string; readonly nonce: string }): Promise<URL>;
  /** What came of it. Throws an `OAuthError` when the user was not logged in. */
  finish(
    answer: URLSearchParams,
    login: { readonly state: string; readonly verifier: string; readonly nonce: string },
  ): Promise<{ readonly tokens: ProviderTokens; readonly user: ProxyUser }>;
  /** Fresh tokens of a user, or the same if they are good still; undefined when the provider does not know the user any more. */
  refresh(tokens: ProviderTokens, user: ProxyUser): Promise<ProviderTokens | undefined>;
}

const ID_CLAIMS = ['email', 'email_verified', 'name', 'preferred_username', 'picture', 'locale', 'hd', 'tid', 'groups'];

const tokensOf = (answer: oauth.TokenEndpointResponse, before?: ProviderTokens): ProviderTokens => {
  const refreshToken = answer.refresh_token ?? before?.refreshToken;
  if (!isAccessToken(answer.access_token) || (refreshToken !== undefined && !isVisibleText(refreshToken)))
    throw new OAuthError('server_error', 'The provider gave a token with characters that no token may have');
  return {
    accessToken: answer.access_token,
    ...(refreshToken === undefined ? {} : { refreshToken }),
    ...(answer.expires_in === undefined ? {} : { expiresAt: expiryOf(answer.expires_in) }),
  };
};

/** Refresh tokens that are of no use any more, in the words of RFC 6749 and in those of GitHub. */
const OVER: ReadonlySet<string> = new Set(['invalid_grant', 'bad_refresh_token']);

/** Some providers say with status 200 that something went wrong. */
const plain = async (response: Response): Promise<Response> => {
  if (response.status !== 200) return response;
  const text = await response.text();
  const { status, headers } = response;
  let isError = false;
  try {
    const said: unknown = JSON.parse(text);
    isError = isObject(said) && typeof said['error'] === 'string' && said['access_token'] === undefined;
  } catch {
    // Whoever reads it says what is wrong.
  }
  return new Response(text, { status: isError ? 400 : status, headers });
};

/** Are these tokens about to run out? */
export const isStale = ({ expiresAt }: ProviderTokens): boolean =>
  expiresAt !== undefined && expiresAt - SKEW_MS < Date.now();

export const createProvider = ({ provider, fetch }: OAuthProxyOptions, redirectUri: string): Provider => {
  const { issuer, authorizationEndpoint, tokenEndpoint, client, params = {} } = provider;
  const place = issuer ?? authorizationEndpoint;
  if (place === undefined || (issuer === undefined && (tokenEndpoint === undefined || provider.user === undefined)))
    throw new TypeError('`provider` has an `issuer`, or `authorizationEndpoint`, `tokenEndpoint` and `user`');
  const base = new URL(place);
  const web = createWeb(createUrlGuard(base, true), fetch, 'token');
  const scopes = provider.scopes ?? (issuer === undefined ? [] : ['openid']);
  const known = { client_id: client.id };
  const how = {
    [oauth.customFetch]: web.fetch as never,
    [oauth.allowInsecureRequests]: web.guard.loopback,
  };

  let found: Promise<oauth.AuthorizationServer> | undefined;
  const discover = async (): Promise<oauth.AuthorizationServer> => {
    const said = await oauth.processDiscoveryResponse(base, await oauth.discoveryRequest(base, how));
    return readServer(said.issuer, said, web.guard);
  };
  const server = (): Promise<oauth.AuthorizationServer> | oauth.AuthorizationServer => {
    if (issuer === undefined)
      return {
        issuer: base.origin,
        authorization_endpoint: authorizationEndpoint!,
        token_endpoint: tokenEndpoint!,
        token_endpoint_auth_methods_supported: ['client_secret_post'],
      };
    found ??= discover();
    // What could not be found out is asked for again with the next login.
    found.catch(() => {
      found = undefined;
    });
    return found;
  };
  const credentials = (as: oauth.AuthorizationServer): oauth.ClientAuth =>
    clientAuthOf(methodFor(as, true), client.secret);

  const userOf = async (answer: oauth.TokenEndpointResponse): Promise<ProxyUser> => {
    if (provider.user !== undefined) return provider.user(answer.access_token);
    const claims = oauth.getValidatedIdTokenClaims(answer);
    if (!isObject(claims)) throw new OAuthError('server_error', 'The provider did not say who logged in');
    return {
      subject: claims.sub,
      claims: Object.fromEntries(ID_CLAIMS.flatMap((name) => (name in claims ? [[name, claims[name]]] : []))),
    };
  };

  return {
    host: base.host,
    scopes,
    async page({ state, verifier, nonce }) {
      const { authorization_endpoint: login } = await server();
      if (login === undefined) throw new OAuthError('server_error', 'The provider names no page to log in at');
      const url = new URL(login);
      const fields = {
        ...params,
        response_type: 'code',
        client_id: client.id,
        redirect_uri: redirectUri,
        state,
        code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
        code_challenge_method: 'S256',
        ...(scopes.length === 0 ? {} : { scope: scopes.join(' ') }),
        ...(issuer === undefined ? {} : { nonce }),
      };
      for (const [name, value] of Object.entries(fields)) url.searchParams.set(name, value);
      return url;
    },
    async finish(answer, { state, verifier, nonce }) {
      const as = await server();
      let checked: URLSearchParams;
      // Of a provider whose name is not given, nobody can tell whether it is the right one.
      if (issuer === undefined) answer.delete('iss');
      try {
        checked = oauth.validateAuthResponse(as, known, answer, state);
      } catch (error) {
        const code = error instanceof oauth.AuthorizationResponseError ? error.error : undefined;
        throw new OAuthError(
          code === 'access_denied' ? 'access_denied' : 'server_error',
          code === 'access_denied' ? 'The login was refused' : 'The login at the provider failed',
        );
      }
      const response = await oauth.authorizationCodeGrantRequest(
        as,
        known,
        credentials(as),
        checked,
        redirectUri,
        verifier,
        how,
      );
      const said = await oauth.processAuthorizationCodeResponse(as, known, await plain(response), {
        ...(issuer === undefined ? {} : { expectedNonce: nonce, requireIdToken: provider.user === undefined }),
      });
      const user = await userOf(said);
      if (typeof user.subject !== 'string' || user.subject === '')
        throw new OAuthError('server_error', 'The provider did not say who logged in');
      return { tokens: tokensOf(said), user };
    },
    async refresh(tokens, { subject }) {
      if (tokens.refreshToken === undefined) {
        if (isStale(tokens)) return undefined;
        // There is nothing to refresh: whether the token is still good shows when it is used.
        if (provider.user === undefined) return tokens;
        const ask = async (): Promise<ProxyUser> => provider.user!(tokens.accessToken);
        const now = await ask().catch(() => undefined);
        return now?.subject === subject ? tokens : undefined;
      }
      const as = await server();
      try {
        const response = await oauth.refreshTokenGrantRequest(as, known, credentials(as), tokens.refreshToken, how);
        return tokensOf(await oauth.processRefreshTokenResponse(as, known, await plain(response)), tokens);
      } catch (error) {
        if (error instanceof oauth.ResponseBodyError && OVER.has(error.error)) return undefined;
        throw error;
      }
    },
  };
};
