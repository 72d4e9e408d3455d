import type { PageAnswer, PageRequest } from 'tenon/auth';
import {
  CODE_CHALLENGE,
  PeerQueue,
  PeerRate,
  readParameters,
  required,
  resourceSpellings,
  SCOPES,
  type Source,
  TEXT,
  VISIBLE,
} from 'tenon/internal/auth';
import { readForm, REQUEST } from './forms.ts';
import { consentPage, OAuthError, PageError, problemPage, redirect } from './responses.ts';
import { type Clients, isRegistered } from './clients.ts';
import type { Grants } from './grants.ts';
import { allScopesOf, type OAuthProxyOptions } from './options.ts';
import { loginFailed, type Provider } from './provider.ts';
import { randomId, sha256, type Vault } from './vault.ts';

/** Maximum duration of a login. */
const LOGIN_MS = 600_000;
/** How long an approval of a program is remembered for a browser. */
const APPROVED_MS = 30 * 86_400_000;
/** The maximum number of approvals that fit into a cookie. */
const MAX_APPROVED = 40;
const MAX_FORM = 4_000;
const MAX_STATE = 4_000;
/**
 * The maximum number of logins that one peer may begin per minute, and of incomplete logins per peer and in total. Anyone can begin a
 * login.
 */
const MAX_PER_MINUTE = 120;
const MAX_PENDING_OF_PEER = 500;
const MAX_PENDING = 10_000;

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

/** The parameters that determine the destination of the response. They are read first: errors must not redirect to an unverified URI. */
const CALLER = { client_id: VISIBLE, redirect_uri: TEXT, state: VISIBLE };
/** The others (RFC 6749, section 4.1.1; RFC 7636, section 4.3; RFC 8707, section 2.1). */
const AUTHORIZATION_REQUEST = {
  response_type: TEXT,
  code_challenge: required(CODE_CHALLENGE),
  code_challenge_method: TEXT,
  resource: TEXT,
  scope: SCOPES,
};
const CONSENT = { wish: VISIBLE, answer: TEXT };

export interface LoginsOptions {
  readonly proxy: OAuthProxyOptions;
  readonly issuer: string;
  readonly vault: Vault;
  readonly clients: Clients;
  readonly provider: Provider;
  readonly grants: Grants;
}

/**
 * The cookies: one identifies a browser, the other has the programs that its user has approved, sealed for this browser. Only this server can set
 * them, and browsers send them only from its own pages or top-level navigation.
 */
function cookiesFor(issuer: string) {
  const secure = issuer.startsWith('https:');
  const flags = `Path=/; HttpOnly; SameSite=Lax; Max-Age=${APPROVED_MS / 1_000}${secure ? '; Secure' : ''}`;
  const cookie = (name: string, value: RegExp) => {
    const own = `${secure ? '__Host-' : ''}tenon-${name}`;
    const pattern = new RegExp(`(?:^|; *)${own}=(${value.source})(?:;|$)`);
    return {
      read: (request: PageRequest): string | undefined => pattern.exec(request.header('cookie') ?? '')?.[1],
      write: (text: string): string => `${own}=${text}; ${flags}`,
    };
  };
  return { browser: cookie('login', /[A-Za-z0-9_-]{43}/), approved: cookie('approved', /[A-Za-z0-9_-]{1,4000}/) };
}

/** The key of a consent. A different program, redirect URI or scope needs a new one. */
function approvalKey({ clientId, redirectUri, scopes }: LoginRequest): Promise<string> {
  return sha256(JSON.stringify([clientId, redirectUri, [...scopes].sort()]));
}

/** Logs users in: asks for their consent, sends them to the provider, and back to the program with a code. */
export class Logins {
  readonly #options: LoginsOptions;
  readonly #requiredScopes: readonly string[];
  readonly #scopesSupported: readonly string[];
  readonly #name: string;
  readonly #cookies: ReturnType<typeof cookiesFor>;
  readonly #begun = new PeerRate(MAX_PER_MINUTE, 60_000);
  readonly #pending = new PeerQueue(MAX_PENDING_OF_PEER, MAX_PENDING, LOGIN_MS);

  constructor(options: LoginsOptions) {
    this.#options = options;
    const { scopes = [], name = new URL(options.proxy.resource).host } = options.proxy;
    this.#requiredScopes = scopes;
    this.#scopesSupported = allScopesOf(options.proxy);
    this.#name = name;
    this.#cookies = cookiesFor(options.issuer);
  }

  async authorize(request: PageRequest): Promise<PageAnswer> {
    const { clients, provider } = this.#options;
    const { search, peer } = request;
    if (!this.#begun.take(peer))
      return problemPage('Too many logins were started from here. Try again in a minute.', 429);
    const caller = readParameters(search, CALLER, PAGE_REQUEST);
    const { client_id: clientId = '', redirect_uri: redirectUri = '', state } = caller;
    const client = await clients.find(clientId, peer);
    if (client === undefined)
      return problemPage(
        'This program is not registered here, or its registration has expired. Let it register again.',
      );
    if (!isRegistered(client, redirectUri))
      return problemPage('This program uses a redirect URI that it has not registered.');
    if ((state ?? '').length > MAX_STATE) return problemPage('`state` is too long.');
    const known = this.#cookies.browser.read(request);
    const browser = known ?? randomId();
    let login: LoginRequest;
    try {
      login = this.#parseRequest(search, { clientId, redirectUri, state, browser });
    } catch (error) {
      return this.#redirectWithError({ redirectUri, state }, error);
    }
    if (known !== undefined && (await this.#approvalsOf(request, browser)).includes(await approvalKey(login)))
      return this.#redirectToProvider(peer, login);
    const id = randomId();
    await this.#putPending(peer, 'wish', id, login);
    return consentPage(
      {
        server: this.#name,
        provider: provider.host,
        client: client.name,
        clientId: client.id,
        redirectUri,
        scopes: login.scopes,
        providerScopes: provider.scopes,
        requestId: id,
      },
      known === undefined ? this.#cookies.browser.write(browser) : undefined,
    );
  }

  async consent(request: PageRequest): Promise<PageAnswer> {
    const { issuer, vault } = this.#options;
    const origin = request.header('origin');
    if (typeof origin === 'string' && origin !== issuer)
      return problemPage('This response comes from another page.', 403);
    const { wish: id = '', answer } = await readForm(request, CONSENT, MAX_FORM);
    const browser = this.#cookies.browser.read(request);
    const login = (await vault.get('wish', id)) as LoginRequest | undefined;
    if (login === undefined || browser === undefined || login.browser !== browser)
      return problemPage('This login was started in another browser, or has expired. Start again in the program.', 403);
    if ((await this.#takePending('wish', id)) === undefined)
      return problemPage('This question was already answered. Start again in the program.');
    if (answer !== 'yes')
      return this.#redirectWithError(login, new OAuthError('access_denied', 'The user denied access'));
    return this.#redirectToProvider(request.peer, login);
  }

  async callback(request: PageRequest): Promise<PageAnswer> {
    const { clients, grants, provider, vault } = this.#options;
    const { search } = request;
    const { state = '' } = readParameters(search, { state: VISIBLE }, PAGE_REQUEST);
    const waiting = (await vault.get('state', state)) as PendingLogin | undefined;
    const browser = this.#cookies.browser.read(request);
    if (waiting === undefined || browser === undefined || waiting.wish.browser !== browser)
      return problemPage('This login was started in another browser, or has expired. Start again in the program.', 403);
    if ((await this.#takePending('state', state)) === undefined)
      return problemPage('This login is already complete. Start again in the program.');
    const { wish: login } = waiting;
    try {
      const { tokens, user } = await provider.finish(search, { ...waiting, state });
      const { clientId, scopes } = login;
      const code = await grants.begin({ user, tokens, clientId, scopes }, login);
      await clients.remember(clientId);
      // Approvals of a user are remembered once they have logged in.
      return this.#redirectToClient(login, { code }, await this.#withApproval(request, login));
    } catch (error) {
      if (error instanceof OAuthError) return this.#redirectWithError(login, error);
      return this.#redirectWithError(login, loginFailed(error));
    }
  }

  /** Stores a step of a login that is not complete. */
  async #putPending(peer: string | undefined, kind: 'wish' | 'state', id: string, value: object): Promise<void> {
    const { vault } = this.#options;
    const gone = this.#pending.add(peer, `${kind} ${id}`);
    if (gone !== undefined) await vault.drop(...(gone.split(' ', 2) as [string, string]));
    await vault.put(kind, id, value, LOGIN_MS);
  }

  #takePending(kind: 'wish' | 'state', id: string): Promise<unknown> {
    this.#pending.delete(`${kind} ${id}`);
    return this.#options.vault.take(kind, id);
  }

  /** Validates an authorization request. The redirect URI is already verified, so errors can be sent to the program. */
  #parseRequest(
    search: string,
    login: Pick<LoginRequest, 'clientId' | 'redirectUri' | 'state' | 'browser'>,
  ): LoginRequest {
    const { proxy } = this.#options;
    const {
      response_type: type,
      code_challenge: challenge,
      code_challenge_method: method,
      resource,
      scope = '',
    } = readParameters(search, AUTHORIZATION_REQUEST, PROGRAM_REQUEST);
    if (type !== 'code') throw new OAuthError('unsupported_response_type', '`response_type` must be `code`');
    if (method !== 'S256') throw noPkce();
    if (resource !== undefined && !resourceSpellings(proxy.resource).includes(resource))
      throw new OAuthError('invalid_target', `Tokens are issued only for ${proxy.resource}`);
    const asked = scope.split(' ').filter((one) => this.#scopesSupported.includes(one));
    return { ...login, challenge, scopes: [...new Set([...this.#requiredScopes, ...asked])] };
  }

  #redirectToClient(
    login: Pick<LoginRequest, 'redirectUri' | 'state'>,
    answer: Readonly<Record<string, string>>,
    cookie?: string,
  ): PageAnswer {
    const { issuer } = this.#options;
    return redirect(login.redirectUri, { ...answer, state: login.state, iss: issuer }, cookie);
  }

  #redirectWithError(login: Pick<LoginRequest, 'redirectUri' | 'state'>, error: unknown): PageAnswer {
    if (!(error instanceof OAuthError)) throw error;
    const answer = this.#redirectToClient(login, { error: error.code, error_description: error.message });
    return error.cause === undefined ? answer : { ...answer, cause: error.cause };
  }

  /** The approvals of the user of a browser. */
  async #approvalsOf(request: PageRequest, browser: string): Promise<readonly string[]> {
    const { vault } = this.#options;
    const found = (await vault.open('approved', this.#cookies.approved.read(request))) as ApprovalRecord | undefined;
    return found?.browser === browser ? found.keys : [];
  }

  async #withApproval(request: PageRequest, login: LoginRequest): Promise<string> {
    const { vault } = this.#options;
    const key = await approvalKey(login);
    const others = (await this.#approvalsOf(request, login.browser)).filter((one) => one !== key);
    const record: ApprovalRecord = { browser: login.browser, keys: [key, ...others].slice(0, MAX_APPROVED) };
    return this.#cookies.approved.write(await vault.seal('approved', record, APPROVED_MS));
  }

  /** The state is created only after the consent of the user. It is valid once, and only for this browser. */
  async #redirectToProvider(peer: string | undefined, login: LoginRequest): Promise<PageAnswer> {
    const { provider } = this.#options;
    const state = randomId();
    const waiting: PendingLogin = { wish: login, verifier: randomId(), nonce: randomId() };
    const url = await provider.loginUrl({ ...waiting, state });
    await this.#putPending(peer, 'state', state, waiting);
    return redirect(url.href, {});
  }
}

/** The programs that the user of a browser has approved. */
interface ApprovalRecord {
  readonly browser: string;
  readonly keys: readonly string[];
}

/** A request whose errors are shown to the user, because it is unknown whether they may be sent to the program. */
const PAGE_REQUEST: Source = { ...REQUEST, refuse: (sentence) => new PageError(`${sentence}.`) };

function noPkce(): OAuthError {
  return new OAuthError(
    'invalid_request',
    'PKCE with S256 is required: `code_challenge` and `code_challenge_method`, each once',
  );
}

/** A request whose errors are sent to the program. */
const PROGRAM_REQUEST: Source = {
  ...REQUEST,
  refuse: (sentence, member) =>
    member?.startsWith('code_challenge') === true ? noPkce() : REQUEST.refuse(sentence, member),
};
