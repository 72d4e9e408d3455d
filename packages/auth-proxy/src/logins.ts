import type { PageAnswer, PageRequest } from 'tenon/auth';
import { consentPage, OAuthError, problemPage, redirect } from './answers.ts';
import { type Clients, isRegistered } from './clients.ts';
import type { Grants } from './grants.ts';
import type { OAuthProxyOptions, ProxyClient } from './options.ts';
import type { Provider } from './provider.ts';
import { randomId, sha256, type Vault } from './vault.ts';

/** How long a login may take. */
const LOGIN_MS = 600_000;
/** How long a browser need not be asked again about the same program. */
const APPROVED_MS = 30 * 86_400_000;
const MOST_APPROVED = 50;
const MOST_FORM = 4_000;
const MOST_STATE = 4_000;

/** What a program asked for. */
interface Wish {
  readonly clientId: string;
  readonly redirectUri: string;
  readonly state: string | undefined;
  readonly challenge: string;
  readonly scopes: readonly string[];
  /** The browser that asked. Any other gets nowhere. */
  readonly browser: string;
}

/** On its way through the provider. */
interface Journey {
  readonly wish: Wish;
  readonly verifier: string;
  readonly nonce: string;
}

/** Logs people in: asks them whether they want that, sends them to the provider, and back to the program with a code. */
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

/** The cookie that tells browsers apart. Only this server can set it, and only its own pages bring it along. */
const cookiesFor = (issuer: string) => {
  const secure = issuer.startsWith('https:');
  const name = secure ? '__Host-tenon-login' : 'tenon-login';
  const flags = `Path=/; HttpOnly; SameSite=Lax; Max-Age=${APPROVED_MS / 1_000}${secure ? '; Secure' : ''}`;
  return {
    read: (request: PageRequest): string | undefined =>
      new RegExp(`(?:^|; *)${name}=([A-Za-z0-9_-]{43})(?:;|$)`).exec(request.header('cookie') ?? '')?.[1],
    write: (browser: string): string => `${name}=${browser}; ${flags}`,
  };
};

/** Names what somebody agreed to: another program, address or scope is another question. */
const nameOf = ({ clientId, redirectUri, scopes }: Wish): Promise<string> =>
  sha256(JSON.stringify([clientId, redirectUri, [...scopes].sort()]));

export const createLogins = ({ proxy, issuer, vault, clients, provider, grants }: LoginsOptions): Logins => {
  const { scopes: always = [], scopesSupported = always, name = new URL(proxy.resource).host } = proxy;
  const cookies = cookiesFor(issuer);

  /** What is wrong with a request whose sender is known to be who they say: that is told the program. */
  const wishOf = (request: PageRequest, client: ProxyClient, redirectUri: string, browser: string): Wish => {
    const { query } = request;
    const challenge = query('code_challenge') ?? '';
    if (query('response_type') !== 'code')
      throw new OAuthError('unsupported_response_type', '`response_type` has to be `code`');
    if (query('code_challenge_method') !== 'S256' || !/^[A-Za-z0-9_-]{43}$/.test(challenge))
      throw new OAuthError('invalid_request', 'PKCE with S256 is needed: `code_challenge` and `code_challenge_method`');
    const resource = query('resource');
    if (resource !== undefined && resource !== proxy.resource)
      throw new OAuthError('invalid_target', `Tokens are only to be had for ${proxy.resource}`);
    const asked = (query('scope') ?? '').split(' ').filter((scope) => scopesSupported.includes(scope));
    return {
      clientId: client.id,
      redirectUri,
      state: query('state'),
      challenge,
      scopes: [...new Set([...always, ...asked])],
      browser,
    };
  };

  const back = (wish: Pick<Wish, 'redirectUri' | 'state'>, answer: Readonly<Record<string, string>>): PageAnswer =>
    redirect(wish.redirectUri, { ...answer, state: wish.state, iss: issuer });
  const backWith = (wish: Pick<Wish, 'redirectUri' | 'state'>, error: unknown): PageAnswer => {
    if (!(error instanceof OAuthError)) throw error;
    return back(wish, { error: error.code, error_description: error.message });
  };

  const approvals = async (browser: string): Promise<string[]> =>
    ((await vault.get('approved', browser)) as string[] | undefined) ?? [];

  /** The state comes into being only now that the user has agreed, and is good once, for this browser. */
  const goOn = async (wish: Wish): Promise<PageAnswer> => {
    const state = randomId();
    const journey: Journey = { wish, verifier: randomId(), nonce: randomId() };
    const url = await provider.page({ ...journey, state });
    await vault.put('state', state, journey, LOGIN_MS);
    return redirect(url.href, {});
  };

  return {
    async authorize(request) {
      const clientId = request.query('client_id') ?? '';
      const redirectUri = request.query('redirect_uri') ?? '';
      const client = await clients.find(clientId);
      // Nobody is sent to an address that is not known to be the program's.
      if (client === undefined)
        return problemPage('This program is not registered here, or no longer. Let it register again.');
      if (!isRegistered(client, redirectUri))
        return problemPage('This program asks for the answer at an address that it is not registered with.');
      const state = request.query('state');
      if ((state ?? '').length > MOST_STATE) return problemPage('`state` is too long.');
      const known = cookies.read(request);
      const browser = known ?? randomId();
      let wish: Wish;
      try {
        wish = wishOf(request, client, redirectUri, browser);
      } catch (error) {
        return backWith({ redirectUri, state }, error);
      }
      if (known !== undefined && (await approvals(browser)).includes(await nameOf(wish))) return goOn(wish);
      const id = randomId();
      await vault.put('wish', id, wish, LOGIN_MS);
      return consentPage(
        {
          server: name,
          provider: provider.host,
          client: client.name,
          clientId: client.id,
          redirectUri,
          scopes: wish.scopes,
          providerScopes: provider.scopes,
          wish: id,
        },
        known === undefined ? cookies.write(browser) : undefined,
      );
    },

    async consent(request) {
      const origin = request.header('origin');
      if (typeof origin === 'string' && origin !== issuer)
        return problemPage('The answer comes from another page.', 403);
      const form = new URLSearchParams((await request.body(MOST_FORM)) ?? '');
      const browser = cookies.read(request);
      const id = form.get('wish') ?? '';
      const wish = (await vault.get('wish', id)) as Wish | undefined;
      if (wish === undefined || browser === undefined || wish.browser !== browser)
        return problemPage(
          'This question was not put to this browser, or too long ago. Start again in the program.',
          403,
        );
      if ((await vault.take('wish', id)) === undefined)
        return problemPage('This question is answered already. Start again in the program.');
      if (form.get('answer') !== 'yes') return backWith(wish, new OAuthError('access_denied', 'The user said no'));
      const approved = [await nameOf(wish), ...(await approvals(browser))].slice(0, MOST_APPROVED);
      await vault.put('approved', browser, approved, APPROVED_MS);
      return goOn(wish);
    },

    async callback(request) {
      const state = request.query('state') ?? '';
      const journey = (await vault.get('state', state)) as Journey | undefined;
      const browser = cookies.read(request);
      if (journey === undefined || browser === undefined || journey.wish.browser !== browser)
        return problemPage(
          'This login did not begin in this browser, or too long ago. Start again in the program.',
          403,
        );
      if ((await vault.take('state', state)) === undefined)
        return problemPage('This login is over already. Start again in the program.');
      const { wish } = journey;
      const answer = new URLSearchParams();
      for (const field of ['code', 'state', 'iss', 'error', 'error_description', 'response']) {
        const value = request.query(field);
        if (value !== undefined) answer.set(field, value);
      }
      try {
        const { tokens, user } = await provider.finish(answer, { ...journey, state });
        const code = await grants.begin({ user, tokens, clientId: wish.clientId, scopes: wish.scopes }, wish);
        return back(wish, { code });
      } catch (error) {
        if (error instanceof OAuthError) return backWith(wish, error);
        // What the provider said may have secrets in it.
        return backWith(wish, new OAuthError('server_error', 'The login at the provider failed'));
      }
    },
  };
};
