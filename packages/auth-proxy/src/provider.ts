import * as oauth from 'oauth4webapi';
import { AuthError } from 'tenon/auth';
import {
  authenticate,
  checkClient,
  createUrlGuard,
  createWeb,
  expiryOf,
  preregisteredIdentity,
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

/** The values that belong to one login. */
interface LoginSecrets {
  readonly state: string;
  readonly verifier: string;
  readonly nonce: string;
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

/** How long failed metadata are not requested again, in milliseconds. */
const PAUSE_MS = 5_000;

/** Errors for refresh tokens that are no longer valid, of RFC 6749 and of GitHub. */
const FINAL_ERRORS: ReadonlySet<string | undefined> = new Set(['invalid_grant', 'bad_refresh_token']);

/** Whether the access token expires soon. */
export function isExpiring({ expiresAt }: ProviderTokens): boolean {
  return expiresAt !== undefined && expiresAt - SKEW_MS < Date.now();
}

/** The client of the provider. */
export class Provider {
  /** The host of the provider, for display. */
  readonly host: string;
  readonly scopes: readonly string[];
  readonly #provider: OAuthProxyOptions['provider'];
  readonly #redirectUri: string;
  readonly #base: URL;
  readonly #web: ReturnType<typeof createWeb>;
  readonly #client: oauth.Client;
  readonly #requestOptions: oauth.TokenEndpointRequestOptions;
  readonly #discover = pauseAfterFailure(() => this.#readMetadata(), PAUSE_MS);
  #metadata: Promise<oauth.AuthorizationServer> | undefined;

  constructor({ provider, fetch }: OAuthProxyOptions, redirectUri: string) {
    const { issuer, authorizationEndpoint, tokenEndpoint, client } = provider;
    const baseUrl = issuer ?? authorizationEndpoint;
    if (baseUrl === undefined || (issuer === undefined && (tokenEndpoint === undefined || provider.user === undefined)))
      throw new TypeError('`provider` needs an `issuer`, or `authorizationEndpoint`, `tokenEndpoint` and `user`');
    checkClient(client);
    this.#provider = provider;
    this.#redirectUri = redirectUri;
    this.#base = new URL(baseUrl);
    this.#web = createWeb(createUrlGuard(this.#base, true), fetch, 'token');
    this.#client = { client_id: client.id };
    this.#requestOptions = {
      [oauth.customFetch]: this.#web.fetch as never,
      [oauth.allowInsecureRequests]: this.#web.guard.loopback,
    };
    this.host = this.#base.host;
    this.scopes = provider.scopes ?? (issuer === undefined ? [] : ['openid']);
  }

  /** The URL where the user logs in. */
  async loginUrl({ state, verifier, nonce }: LoginSecrets): Promise<URL> {
    const { client, issuer, params = {} } = this.#provider;
    const { authorization_endpoint: login } = await this.#server();
    if (login === undefined)
      throw new OAuthError('server_error', 'The metadata of the provider has no authorization endpoint');
    const url = new URL(login);
    const fields = {
      response_type: 'code',
      client_id: client.id,
      redirect_uri: this.#redirectUri,
      state,
      code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
      code_challenge_method: 'S256',
      scope: this.scopes.length === 0 ? undefined : this.scopes.join(' '),
      nonce: issuer === undefined ? undefined : nonce,
    };
    for (const [name, value] of Object.entries(params)) url.searchParams.set(name, value);
    for (const [name, value] of Object.entries(fields)) if (value !== undefined) url.searchParams.set(name, value);
    return url;
  }

  /**
   * Completes a login with the query of the redirect from the provider. Throws an `OAuthError` if the user was not logged in, and an
   * `AuthError` if a request to the provider failed.
   */
  async finish(
    query: string,
    { state, verifier, nonce }: LoginSecrets,
  ): Promise<{ readonly tokens: ProviderTokens; readonly user: ProxyUser }> {
    const { issuer, user } = this.#provider;
    const client = this.#client;
    const as = await this.#server();
    const answer = redirectAnswer(query, ANSWER);
    let checked: URLSearchParams;
    // Without a configured issuer, `iss` cannot be verified.
    if (issuer === undefined) answer.delete('iss');
    try {
      checked = oauth.validateAuthResponse(as, client, answer, state);
    } catch (error) {
      throw answerError(error);
    }
    const said = await this.#ask(
      as,
      (auth) =>
        oauth.authorizationCodeGrantRequest(
          as,
          client,
          auth,
          checked,
          this.#redirectUri,
          verifier,
          this.#requestOptions,
        ),
      (response) =>
        oauth.processAuthorizationCodeResponse(as, client, response, {
          expectedNonce: issuer === undefined ? undefined : nonce,
          requireIdToken: issuer !== undefined && user === undefined,
        }),
    );
    const found = await this.#userOf(said);
    if (!SUBJECT.fits(found.subject)) throw new OAuthError('server_error', 'The provider did not identify the user');
    return { tokens: tokensOf(said), user: found };
  }

  /**
   * Refreshes the tokens of a user; resolves with the same if they cannot be refreshed and are still valid. Undefined if the provider no
   * longer accepts the user.
   */
  async refresh(tokens: ProviderTokens, { subject }: ProxyUser): Promise<ProviderTokens | undefined> {
    const { refreshToken } = tokens;
    if (refreshToken === undefined) return (await this.#isStillValid(tokens, subject)) ? tokens : undefined;
    const client = this.#client;
    const as = await this.#server();
    try {
      const said = await this.#ask(
        as,
        (auth) => oauth.refreshTokenGrantRequest(as, client, auth, refreshToken, this.#requestOptions),
        (response) => oauth.processRefreshTokenResponse(as, client, response),
      );
      return tokensOf(said, tokens);
    } catch (error) {
      if (error instanceof AuthError && FINAL_ERRORS.has(error.oauthError)) return undefined;
      throw error;
    }
  }

  /** Whether tokens that cannot be refreshed are still valid. */
  async #isStillValid(tokens: ProviderTokens, subject: string): Promise<boolean> {
    if (isExpiring(tokens)) return false;
    const provider = this.#provider;
    if (provider.user === undefined) return true;
    try {
      // Without a refresh token, the validity of the token can only be tested by using it.
      return (await provider.user(tokens.accessToken)).subject === subject;
    } catch {
      return false;
    }
  }

  #server(): Promise<oauth.AuthorizationServer> | oauth.AuthorizationServer {
    const { issuer, authorizationEndpoint, tokenEndpoint } = this.#provider;
    if (issuer === undefined)
      return {
        issuer: this.#base.origin,
        authorization_endpoint: authorizationEndpoint!,
        token_endpoint: tokenEndpoint!,
      };
    this.#metadata ??= this.#discover();
    // A failed discovery is repeated with a later login.
    this.#metadata.catch(() => {
      this.#metadata = undefined;
    });
    return this.#metadata;
  }

  async #readMetadata(): Promise<oauth.AuthorizationServer> {
    const what = 'The metadata of the provider';
    const place = `${this.#base.origin}${this.#base.pathname.replace(/\/$/, '')}/.well-known/openid-configuration`;
    const found = await this.#web.json(place, what);
    if (found === undefined) throw new AuthError('no-metadata', 'discovery', `${what} were not found`);
    const as = readServer(found, this.#web.guard, what);
    // The issuer of the options may lack the slash after the host.
    if (URL.canParse(as.issuer) && new URL(as.issuer).href === this.#base.href) return as;
    throw new AuthError('wrong-issuer', 'discovery', `${what} are those of another issuer`);
  }

  /** Sends a token request, and reads the answer. Throws an `AuthError` without any values of the answer. */
  async #ask(
    as: oauth.AuthorizationServer,
    send: (auth: oauth.ClientAuth) => Promise<Response>,
    process: (response: Response) => Promise<oauth.TokenEndpointResponse>,
  ): Promise<oauth.TokenEndpointResponse> {
    try {
      const { client, issuer } = this.#provider;
      // Providers without metadata usually expect the secret in the body.
      const identity = preregisteredIdentity(as, client, issuer === undefined ? 'client_secret_post' : undefined);
      const { answer } = await authenticate(identity, async (auth) =>
        process(await tokenAnswer(await send(auth), 'The token endpoint of the provider')),
      );
      return answer;
    } catch (error) {
      throw tokenError(error);
    }
  }

  async #userOf(answer: oauth.TokenEndpointResponse): Promise<ProxyUser> {
    const provider = this.#provider;
    if (provider.user !== undefined) return provider.user(answer.access_token);
    const claims = oauth.getValidatedIdTokenClaims(answer);
    if (claims === undefined) throw new OAuthError('server_error', 'The provider did not identify the user');
    return {
      subject: claims.sub,
      claims: Object.fromEntries(ID_CLAIMS.flatMap((name) => (name in claims ? [[name, claims[name]]] : []))),
    };
  }
}
