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
import { OAuthError } from './responses.ts';
import type { OAuthProxyOptions, ProxyUser } from './options.ts';

/** The tokens of the provider. They are sent only to the provider itself, and to APIs that tools call. */
export interface ProviderTokens {
  readonly accessToken: string;
  readonly refreshToken?: string;
  /** When the access token expires, in milliseconds since 1970. */
  readonly expiresAt?: number;
}

/** The client of the provider. */
export interface Provider {
  /** The host of the provider, for display. */
  readonly host: string;
  readonly scopes: readonly string[];
  /** The URL where the user logs in. */
  loginUrl(login: { readonly state: string; readonly verifier: string; readonly nonce: string }): Promise<URL>;
  /** Completes a login with the response of the provider. Throws an `OAuthError` if the user was not logged in. */
  finish(
    answer: URLSearchParams,
    login: { readonly state: string; readonly verifier: string; readonly nonce: string },
  ): Promise<{ readonly tokens: ProviderTokens; readonly user: ProxyUser }>;
  /**
   * Refreshes the tokens of a user; resolves with the same if they cannot be refreshed and are still valid. Undefined if the provider no
   * longer accepts the user.
   */
  refresh(tokens: ProviderTokens, user: ProxyUser): Promise<ProviderTokens | undefined>;
}

const ID_CLAIMS = ['email', 'email_verified', 'name', 'preferred_username', 'picture', 'locale', 'hd', 'tid', 'groups'];

function tokensOf(answer: oauth.TokenEndpointResponse, before?: ProviderTokens): ProviderTokens {
  const refreshToken = answer.refresh_token ?? before?.refreshToken;
  if (!isAccessToken(answer.access_token) || (refreshToken !== undefined && !isVisibleText(refreshToken)))
    throw new OAuthError('server_error', 'The provider returned a token with invalid characters');
  return {
    accessToken: answer.access_token,
    refreshToken,
    expiresAt: answer.expires_in === undefined ? undefined : expiryOf(answer.expires_in),
  };
}

/** Errors for refresh tokens that are no longer valid, of RFC 6749 and of GitHub. */
const FINAL_ERRORS: ReadonlySet<string> = new Set(['invalid_grant', 'bad_refresh_token']);

/** Some providers report errors with status 200. */
async function normalizeErrors(response: Response): Promise<Response> {
  if (response.status !== 200) return response;
  const text = await response.text();
  const { status, headers } = response;
  let isError = false;
  try {
    const data: unknown = JSON.parse(text);
    isError = isObject(data) && typeof data['error'] === 'string' && data['access_token'] === undefined;
  } catch {
    // The parser of the response reports the error.
  }
  return new Response(text, { status: isError ? 400 : status, headers });
}

/** Whether the access token expires soon. */
export function isExpiring({ expiresAt }: ProviderTokens): boolean {
  return expiresAt !== undefined && expiresAt - SKEW_MS < Date.now();
}

export function createProvider({ provider, fetch }: OAuthProxyOptions, redirectUri: string): Provider {
  const { issuer, authorizationEndpoint, tokenEndpoint, client, params = {} } = provider;
  const baseUrl = issuer ?? authorizationEndpoint;
  if (baseUrl === undefined || (issuer === undefined && (tokenEndpoint === undefined || provider.user === undefined)))
    throw new TypeError('`provider` needs an `issuer`, or `authorizationEndpoint`, `tokenEndpoint` and `user`');
  const base = new URL(baseUrl);
  const web = createWeb(createUrlGuard(base, true), fetch, 'token');
  const scopes = provider.scopes ?? (issuer === undefined ? [] : ['openid']);
  const clientMetadata = { client_id: client.id };
  const requestOptions = {
    [oauth.customFetch]: web.fetch as never,
    [oauth.allowInsecureRequests]: web.guard.loopback,
  };

  let metadata: Promise<oauth.AuthorizationServer> | undefined;
  const discover = async (): Promise<oauth.AuthorizationServer> => {
    const said = await oauth.processDiscoveryResponse(base, await oauth.discoveryRequest(base, requestOptions));
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
    metadata ??= discover();
    // A failed discovery is repeated with the next login.
    metadata.catch(() => {
      metadata = undefined;
    });
    return metadata;
  };
  const credentials = (as: oauth.AuthorizationServer): oauth.ClientAuth =>
    clientAuthOf(methodFor(as, true), client.secret);

  const userOf = async (answer: oauth.TokenEndpointResponse): Promise<ProxyUser> => {
    if (provider.user !== undefined) return provider.user(answer.access_token);
    const claims = oauth.getValidatedIdTokenClaims(answer);
    if (!isObject(claims)) throw new OAuthError('server_error', 'The provider did not identify the user');
    return {
      subject: claims.sub,
      claims: Object.fromEntries(ID_CLAIMS.flatMap((name) => (name in claims ? [[name, claims[name]]] : []))),
    };
  };

  return {
    host: base.host,
    scopes,
    async loginUrl({ state, verifier, nonce }) {
      const { authorization_endpoint: login } = await server();
      if (login === undefined)
        throw new OAuthError('server_error', 'The metadata of the provider has no authorization endpoint');
      const url = new URL(login);
      const fields = {
        response_type: 'code',
        client_id: client.id,
        redirect_uri: redirectUri,
        state,
        code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
        code_challenge_method: 'S256',
        scope: scopes.length === 0 ? undefined : scopes.join(' '),
        nonce: issuer === undefined ? undefined : nonce,
      };
      for (const [name, value] of Object.entries(params)) url.searchParams.set(name, value);
      for (const [name, value] of Object.entries(fields)) if (value !== undefined) url.searchParams.set(name, value);
      return url;
    },
    async finish(answer, { state, verifier, nonce }) {
      const as = await server();
      let checked: URLSearchParams;
      // Without a configured issuer, `iss` cannot be verified.
      if (issuer === undefined) answer.delete('iss');
      try {
        checked = oauth.validateAuthResponse(as, clientMetadata, answer, state);
      } catch (error) {
        const code = error instanceof oauth.AuthorizationResponseError ? error.error : undefined;
        throw new OAuthError(
          code === 'access_denied' ? 'access_denied' : 'server_error',
          code === 'access_denied' ? 'The login was denied' : 'The login at the provider failed',
        );
      }
      const response = await oauth.authorizationCodeGrantRequest(
        as,
        clientMetadata,
        credentials(as),
        checked,
        redirectUri,
        verifier,
        requestOptions,
      );
      const said = await oauth.processAuthorizationCodeResponse(as, clientMetadata, await normalizeErrors(response), {
        expectedNonce: issuer === undefined ? undefined : nonce,
        requireIdToken: issuer !== undefined && provider.user === undefined,
      });
      const user = await userOf(said);
      if (typeof user.subject !== 'string' || user.subject === '')
        throw new OAuthError('server_error', 'The provider did not identify the user');
      return { tokens: tokensOf(said), user };
    },
    async refresh(tokens, { subject }) {
      if (tokens.refreshToken === undefined) {
        if (isExpiring(tokens)) return undefined;
        // Without a refresh token, the validity of the token can only be tested by using it.
        if (provider.user === undefined) return tokens;
        const ask = async (): Promise<ProxyUser> => provider.user!(tokens.accessToken);
        const now = await ask().catch(() => undefined);
        return now?.subject === subject ? tokens : undefined;
      }
      const as = await server();
      try {
        const response = await oauth.refreshTokenGrantRequest(
          as,
          clientMetadata,
          credentials(as),
          tokens.refreshToken,
          requestOptions,
        );
        return tokensOf(
          await oauth.processRefreshTokenResponse(as, clientMetadata, await normalizeErrors(response)),
          tokens,
        );
      } catch (error) {
        if (error instanceof oauth.ResponseBodyError && FINAL_ERRORS.has(error.error)) return undefined;
        throw error;
      }
    },
  };
}
