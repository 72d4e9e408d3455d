import * as oauth from 'oauth4webapi';
import { AuthError } from 'tenon/auth';
import {
  checkClient,
  clientAuthOf,
  createUrlGuard,
  createWeb,
  expiryOf,
  methodFor,
  pauseAfterFailure,
  readServer,
  redirectAnswer,
  shown,
  SKEW_MS,
  type Source,
  SUBJECT,
  tokenAnswer,
  tokenError,
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
  /**
   * Completes a login with the query with which the user came back from the provider. Throws an `OAuthError` if the user was not logged in, and an
   * `AuthError` if the provider could not be asked.
   */
  finish(
    query: string,
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
  return {
    accessToken: answer.access_token,
    refreshToken: answer.refresh_token ?? before?.refreshToken,
    expiresAt: answer.expires_in === undefined ? undefined : expiryOf(answer.expires_in),
  };
}

/** The error for a login that failed at the provider. The reason is only logged. */
export function loginFailed(cause: unknown): OAuthError {
  return new OAuthError('server_error', 'The login at the provider failed', 400, { cause });
}

/** The answer of the provider to a login. */
const ANSWER: Source = {
  what: 'The answer of the provider',
  refuse: (sentence) => loginFailed(new AuthError('invalid-response', 'authorization', sentence)),
};

/** The error for an answer that is not for this login, or that denies it. */
function answerError(error: unknown): OAuthError {
  if (!(error instanceof oauth.AuthorizationResponseError))
    return ANSWER.refuse(`${ANSWER.what} is invalid: ${shown((error as Error).message, 200)}`) as OAuthError;
  if (error.error === 'access_denied') return new OAuthError('access_denied', 'The login was denied');
  const message = `The provider refused: ${shown(error.error, 60)}`;
  return loginFailed(new AuthError('refused', 'authorization', message, { oauthError: error.error }));
}

/** How long the metadata are not asked for again after they could not be read, in milliseconds. */
const PAUSE_MS = 5_000;

/** Errors for refresh tokens that are no longer valid, of RFC 6749 and of GitHub. */
const FINAL_ERRORS: ReadonlySet<string | undefined> = new Set(['invalid_grant', 'bad_refresh_token']);

/** Whether the access token expires soon. */
export function isExpiring({ expiresAt }: ProviderTokens): boolean {
  return expiresAt !== undefined && expiresAt - SKEW_MS < Date.now();
}

export function createProvider({ provider, fetch }: OAuthProxyOptions, redirectUri: string): Provider {
  const { issuer, authorizationEndpoint, tokenEndpoint, client, params = {} } = provider;
  const baseUrl = issuer ?? authorizationEndpoint;
  if (baseUrl === undefined || (issuer === undefined && (tokenEndpoint === undefined || provider.user === undefined)))
    throw new TypeError('`provider` needs an `issuer`, or `authorizationEndpoint`, `tokenEndpoint` and `user`');
  checkClient(client);
  const base = new URL(baseUrl);
  const web = createWeb(createUrlGuard(base, true), fetch, 'token');
  const scopes = provider.scopes ?? (issuer === undefined ? [] : ['openid']);
  const clientMetadata = { client_id: client.id };
  const requestOptions = {
    [oauth.customFetch]: web.fetch as never,
    [oauth.allowInsecureRequests]: web.guard.loopback,
  };

  let metadata: Promise<oauth.AuthorizationServer> | undefined;
  const discover = pauseAfterFailure(async (): Promise<oauth.AuthorizationServer> => {
    const what = 'The metadata of the provider';
    const place = `${base.origin}${base.pathname.replace(/\/$/, '')}/.well-known/openid-configuration`;
    const found = await web.json(place, what);
    if (found === undefined) throw new AuthError('no-metadata', 'discovery', `${what} were not found`);
    const as = readServer(found, web.guard, what);
    // The issuer of the options may lack the slash after the host.
    if (URL.canParse(as.issuer) && new URL(as.issuer).href === base.href) return as;
    throw new AuthError('wrong-issuer', 'discovery', `${what} are those of another issuer`);
  }, PAUSE_MS);
  const server = (): Promise<oauth.AuthorizationServer> | oauth.AuthorizationServer => {
    if (issuer === undefined)
      return {
        issuer: base.origin,
        authorization_endpoint: authorizationEndpoint!,
        token_endpoint: tokenEndpoint!,
        token_endpoint_auth_methods_supported: ['client_secret_post'],
      };
    metadata ??= discover();
    // A failed discovery is repeated with a later login.
    metadata.catch(() => {
      metadata = undefined;
    });
    return metadata;
  };
  const credentials = (as: oauth.AuthorizationServer): oauth.ClientAuth =>
    clientAuthOf(methodFor(as, true), client.secret);

  /** Sends a token request, and reads the answer. Throws an `AuthError` without any values of the answer. */
  const ask = async (
    send: () => Promise<Response>,
    process: (response: Response) => Promise<oauth.TokenEndpointResponse>,
  ): Promise<oauth.TokenEndpointResponse> => {
    try {
      return await process(await tokenAnswer(await send(), 'The token endpoint of the provider'));
    } catch (error) {
      throw tokenError(error);
    }
  };

  const userOf = async (answer: oauth.TokenEndpointResponse): Promise<ProxyUser> => {
    if (provider.user !== undefined) return provider.user(answer.access_token);
    const claims = oauth.getValidatedIdTokenClaims(answer);
    if (claims === undefined) throw new OAuthError('server_error', 'The provider did not identify the user');
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
    async finish(query, { state, verifier, nonce }) {
      const as = await server();
      const answer = redirectAnswer(query, ANSWER);
      let checked: URLSearchParams;
      // Without a configured issuer, `iss` cannot be verified.
      if (issuer === undefined) answer.delete('iss');
      try {
        checked = oauth.validateAuthResponse(as, clientMetadata, answer, state);
      } catch (error) {
        throw answerError(error);
      }
      const said = await ask(
        () =>
          oauth.authorizationCodeGrantRequest(
            as,
            clientMetadata,
            credentials(as),
            checked,
            redirectUri,
            verifier,
            requestOptions,
          ),
        (response) =>
          oauth.processAuthorizationCodeResponse(as, clientMetadata, response, {
            expectedNonce: issuer === undefined ? undefined : nonce,
            requireIdToken: issuer !== undefined && provider.user === undefined,
          }),
      );
      const user = await userOf(said);
      if (!SUBJECT.fits(user.subject)) throw new OAuthError('server_error', 'The provider did not identify the user');
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
        const { refreshToken } = tokens;
        const said = await ask(
          () => oauth.refreshTokenGrantRequest(as, clientMetadata, credentials(as), refreshToken, requestOptions),
          (response) => oauth.processRefreshTokenResponse(as, clientMetadata, response),
        );
        return tokensOf(said, tokens);
      } catch (error) {
        if (error instanceof AuthError && FINAL_ERRORS.has(error.oauthError)) return undefined;
        throw error;
      }
    },
  };
}
