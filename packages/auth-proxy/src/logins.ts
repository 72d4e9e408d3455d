import type { PageAnswer, PageRequest } from 'tenon/auth';
import { consentPage, OAuthError, problemPage, redirect } from './responses.ts';
import { type Clients, isRegistered } from './clients.ts';
import type { Grants } from './grants.ts';
import type { OAuthProxyOptions, ProxyClient } from './options.ts';
import type { Provider } from './provider.ts';
import { randomId, sha256, type Vault } from './vault.ts';

/** Maximum duration of a login. */
const LOGIN_MS = 600_000;
/** How long an approval of a program is remembered for a browser. */
const APPROVED_MS = 30 * 86_400_000;
const MAX_APPROVED = 50;
const MAX_FORM = 4_000;
const MAX_STATE = 4_000;

/** The authorization request of a program. */
interface LoginRequest {
  readonly clientId: string;
  readonly redirectUri: string;
  readonly state: string | undefined;
  readonly challenge: string;
  readonly scopes: readonly string[];
  /** The id of the browser that started the login. Other browsers cannot continue it. */
  readonly browser: string;
}

/** A login while the user is at the provider, as it is stored. */
interface PendingLogin {
  readonly wish: LoginRequest;
  readonly verifier: string;
  readonly nonce: string;
}

/** Logs users in: asks for their consent, sends them to the provider, and back to the program with a code. */
export interface Logins {
  authorize(request: PageRequest): Promise<PageAnswer>;
  consent(request: PageRequest): Promise<PageAnswer>;
  callback(request: PageRequest): Promise<PageAnswer>;
}

export interface LoginsOptions {
  readonly proxy: OAuthProxyOptions;
  readonly issuer: string;
  readonly vault: Vault;
  readonly clients: Clients;
  readonly provider: Provider;
  readonly grants: Grants;
}

/**
 * The cookie that identifies a browser. Only this server can set it, and browsers send it only from its own pages or top-level navigation.
 */
function cookiesFor(issuer: string) {
  const secure = issuer.startsWith('https:');
  const name = secure ? '__Host-tenon-login' : 'tenon-login';
  const flags = `Path=/; HttpOnly; SameSite=Lax; Max-Age=${APPROVED_MS / 1_000}${secure ? '; Secure' : ''}`;
  return {
    read: (request: PageRequest): string | undefined =>
      new RegExp(`(?:^|; *)${name}=([A-Za-z0-9_-]{43})(?:;|$)`).exec(request.header('cookie') ?? '')?.[1],
    write: (browser: string): string => `${name}=${browser}; ${flags}`,
  };
}

/** The key of a consent. A different program, redirect URI or scope needs a new one. */
function approvalKey({ clientId, redirectUri, scopes }: LoginRequest): Promise<string> {
  return sha256(JSON.stringify([clientId, redirectUri, [...scopes].sort()]));
}

export function createLogins({ proxy, issuer, vault, clients, provider, grants }: LoginsOptions): Logins {
  const { scopes: requiredScopes = [], scopesSupported = requiredScopes, name = new URL(proxy.resource).host } = proxy;
  const cookies = cookiesFor(issuer);

  /** Validates an authorization request. The redirect URI is already verified, so errors can be sent to the program. */
  const parseRequest = (
    request: PageRequest,
    client: ProxyClient,
    redirectUri: string,
    browser: string,
  ): LoginRequest => {
    const { query } = request;
    const challenge = query('code_challenge') ?? '';
    if (query('response_type') !== 'code')
      throw new OAuthError('unsupported_response_type', '`response_type` must be `code`');
    if (query('code_challenge_method') !== 'S256' || !/^[A-Za-z0-9_-]{43}$/.test(challenge))
      throw new OAuthError(
        'invalid_request',
        'PKCE with S256 is required: `code_challenge` and `code_challenge_method`',
      );
    const resource = query('resource');
    if (resource !== undefined && resource !== proxy.resource)
      throw new OAuthError('invalid_target', `Tokens are issued only for ${proxy.resource}`);
    const asked = (query('scope') ?? '').split(' ').filter((scope) => scopesSupported.includes(scope));
    return {
      clientId: client.id,
      redirectUri,
      state: query('state'),
      challenge,
      scopes: [...new Set([...requiredScopes, ...asked])],
      browser,
    };
  };

  const redirectToClient = (
    login: Pick<LoginRequest, 'redirectUri' | 'state'>,
    answer: Readonly<Record<string, string>>,
  ): PageAnswer => redirect(login.redirectUri, { ...answer, state: login.state, iss: issuer });
  const redirectWithError = (login: Pick<LoginRequest, 'redirectUri' | 'state'>, error: unknown): PageAnswer => {
    if (!(error instanceof OAuthError)) throw error;
    return redirectToClient(login, { error: error.code, error_description: error.message });
  };

  const approvals = async (browser: string): Promise<string[]> =>
    ((await vault.get('approved', browser)) as string[] | undefined) ?? [];

  /** The state is created only after the consent of the user. It is valid once, and only for this browser. */
  const redirectToProvider = async (login: LoginRequest): Promise<PageAnswer> => {
    const state = randomId();
    const pending: PendingLogin = { wish: login, verifier: randomId(), nonce: randomId() };
    const url = await provider.loginUrl({ ...pending, state });
    await vault.put('state', state, pending, LOGIN_MS);
    return redirect(url.href, {});
  };

  return {
    async authorize(request) {
      const clientId = request.query('client_id') ?? '';
      const redirectUri = request.query('redirect_uri') ?? '';
      const client = await clients.find(clientId);
      // Errors must not redirect to an unverified URI.
      if (client === undefined)
        return problemPage(
          'This program is not registered here, or its registration has expired. Let it register again.',
        );
      if (!isRegistered(client, redirectUri))
        return problemPage('This program uses a redirect URI that it has not registered.');
      const state = request.query('state');
      if ((state ?? '').length > MAX_STATE) return problemPage('`state` is too long.');
      const known = cookies.read(request);
      const browser = known ?? randomId();
      let login: LoginRequest;
      try {
        login = parseRequest(request, client, redirectUri, browser);
      } catch (error) {
        return redirectWithError({ redirectUri, state }, error);
      }
      if (known !== undefined && (await approvals(browser)).includes(await approvalKey(login)))
        return redirectToProvider(login);
      const id = randomId();
      await vault.put('wish', id, login, LOGIN_MS);
      return consentPage(
        {
          server: name,
          provider: provider.host,
          client: client.name,
          clientId: client.id,
          redirectUri,
          scopes: login.scopes,
          providerScopes: provider.scopes,
          requestId: id,
        },
        known === undefined ? cookies.write(browser) : undefined,
      );
    },

    async consent(request) {
      const origin = request.header('origin');
      if (typeof origin === 'string' && origin !== issuer)
        return problemPage('This response comes from another page.', 403);
      const form = new URLSearchParams((await request.body(MAX_FORM)) ?? '');
      const browser = cookies.read(request);
      const id = form.get('wish') ?? '';
      const login = (await vault.get('wish', id)) as LoginRequest | undefined;
      if (login === undefined || browser === undefined || login.browser !== browser)
        return problemPage(
          'This login was started in another browser, or has expired. Start again in the program.',
          403,
        );
      if ((await vault.take('wish', id)) === undefined)
        return problemPage('This question was already answered. Start again in the program.');
      if (form.get('answer') !== 'yes')
        return redirectWithError(login, new OAuthError('access_denied', 'The user denied access'));
      const approved = [await approvalKey(login), ...(await approvals(browser))].slice(0, MAX_APPROVED);
      await vault.put('approved', browser, approved, APPROVED_MS);
      return redirectToProvider(login);
    },

    async callback(request) {
      const state = request.query('state') ?? '';
      const pending = (await vault.get('state', state)) as PendingLogin | undefined;
      const browser = cookies.read(request);
      if (pending === undefined || browser === undefined || pending.wish.browser !== browser)
        return problemPage(
          'This login was started in another browser, or has expired. Start again in the program.',
          403,
        );
      if ((await vault.take('state', state)) === undefined)
        return problemPage('This login is already complete. Start again in the program.');
      const { wish: login } = pending;
      const answer = new URLSearchParams();
      for (const field of ['code', 'state', 'iss', 'error', 'error_description', 'response']) {
        const value = request.query(field);
        if (value !== undefined) answer.set(field, value);
      }
      try {
        const { tokens, user } = await provider.finish(answer, { ...pending, state });
        const code = await grants.begin({ user, tokens, clientId: login.clientId, scopes: login.scopes }, login);
        return redirectToClient(login, { code });
      } catch (error) {
        if (error instanceof OAuthError) return redirectWithError(login, error);
        // The message of the provider may contain secrets.
        return redirectWithError(login, new OAuthError('server_error', 'The login at the provider failed'));
      }
    },
  };
}
