// Authorization data of servers and authorization servers: challenges, metadata, responses, and redirects of a browser.
import assert from 'node:assert/strict';
import {
  clientCredentials,
  enterpriseManaged,
  type Grant,
  memoryTokens,
  oauth,
  type TokenStore,
} from '../../src/entries/auth.ts';
import { connect, type ConnectOptions } from '../../src/entries/client.ts';
import type { OAuth } from '../../src/auth/token-manager.ts';
import { type Report, settledInTime } from './report.ts';
import { type Json, mutantsOf, WRONG_FIELDS, write } from './values.ts';

const SERVER = 'https://mcp.example.com/mcp';
const AS = 'https://as.example.com';
const PROVIDER = 'https://idp.example.com/token';
const REDIRECT = 'http://127.0.0.1:7777/callback';

/** The correct responses: everything that a client reads. */
const GOOD = {
  resource: {
    resource: SERVER,
    authorization_servers: [AS],
    scopes_supported: ['a'],
  },
  server: {
    issuer: AS,
    authorization_endpoint: `${AS}/authorize`,
    token_endpoint: `${AS}/token`,
    registration_endpoint: `${AS}/register`,
    revocation_endpoint: `${AS}/revoke`,
    scopes_supported: ['offline_access'],
    code_challenge_methods_supported: ['S256'],
    token_endpoint_auth_methods_supported: ['client_secret_basic'],
    dpop_signing_alg_values_supported: [] as string[],
    client_id_metadata_document_supported: false,
    authorization_response_iss_parameter_supported: true,
  },
  registration: {
    client_id: 'registered',
    client_secret: 's3cret',
    client_id_issued_at: 1,
    client_secret_expires_at: 0,
    token_endpoint_auth_method: 'client_secret_basic',
    redirect_uris: [REDIRECT],
  },
  token: {
    access_token: 'good',
    token_type: 'Bearer',
    expires_in: 3_600,
    refresh_token: 'refresh',
    scope: 'a b',
    issued_token_type: 'urn:ietf:params:oauth:token-type:access_token',
  },
  tokenError: { error: 'invalid_grant', error_description: 'spent', error_uri: `${AS}/why` },
  provider: {
    access_token: 'assertion',
    token_type: 'N_A',
    issued_token_type: 'urn:ietf:params:oauth:token-type:id-jag',
    expires_in: 60,
  },
  revocation: {},
  back: { code: 'code', state: '', iss: AS },
};
type Document = keyof typeof GOOD;

/** A wrong response instead. */
interface Said {
  readonly document: Document;
  readonly text: string;
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
}

/** A protected server and everything around it, as a `fetch` function. */
class ProtectedServer {
  said: Said | undefined;
  challenge = 'Bearer scope="a"';
  nonce: string | undefined;
  back: ((url: URL) => string) | undefined;
  server: Json = GOOD.server;
  tokenType = 'Bearer';

  readonly fetch = async (input: string | URL | Request, init?: RequestInit): Promise<Response> => {
    // Requests that the real `fetch` rejects are rejected here, too.
    const request = new Request(input, init);
    const { pathname, origin } = new URL(request.url);
    if (pathname.startsWith('/.well-known/oauth-protected-resource')) return this.#say('resource');
    if (pathname.startsWith('/.well-known/')) return this.#say('server', this.server);
    if (pathname === '/register') return this.#say('registration', GOOD.registration, 201);
    if (pathname === '/revoke') return this.#say('revocation');
    if (request.url === PROVIDER) return this.#say('provider');
    if (pathname === '/token') return this.#token();
    assert.equal(origin, new URL(SERVER).origin);
    return this.#mcp(request);
  };

  readonly browser = {
    open: () => ({
      redirectUri: REDIRECT,
      authorize: async (url: URL): Promise<string> => {
        const back = new URL(url.searchParams.get('redirect_uri')!);
        back.search = new URLSearchParams({ ...GOOD.back, state: url.searchParams.get('state')! }).toString();
        return this.back?.(back) ?? back.href;
      },
      close() {},
    }),
  };

  #say(document: Document, good: object = GOOD[document], status = 200): Response {
    const said = this.said?.document === document ? this.said : undefined;
    const headers = { 'content-type': 'application/json', ...said?.headers };
    return new Response(said?.text ?? write(good), { status: said?.status ?? status, headers });
  }

  #token(): Response {
    if (this.said?.document === 'tokenError') return this.#say('tokenError', GOOD.tokenError, 400);
    if (this.nonce !== undefined) {
      const headers = { 'content-type': 'application/json', 'dpop-nonce': this.nonce };
      this.nonce = undefined;
      return new Response('{"error":"use_dpop_nonce"}', { status: 400, headers });
    }
    return this.#say('token', { ...GOOD.token, token_type: this.tokenType });
  }

  async #mcp(request: Request): Promise<Response> {
    if (request.method !== 'POST') return new Response(null, { status: 405 });
    const authorization = request.headers.get('authorization');
    if (authorization === null)
      return new Response(null, { status: 401, headers: { 'www-authenticate': this.challenge } });
    assert.match(authorization, /^(?:Bearer|DPoP) [!-~]+$/);
    const { id } = (await request.json()) as { id: unknown };
    const result = { resultType: 'complete', supportedVersions: ['2026-07-28'], capabilities: {} };
    return Response.json({ jsonrpc: '2.0', id, result });
  }
}

/** Can the platform's `fetch` deliver this as the value of a header? */
function isDeliverable(value: string): boolean {
  try {
    new Headers().set('x', value);
    return true;
  } catch {
    return false;
  }
}

export async function authorization(report: Report): Promise<void> {
  const world = new ProtectedServer();
  const options: ConnectOptions = {
    fetch: world.fetch as typeof globalThis.fetch,
    eras: { get: () => undefined, set() {}, delete() {} },
  };
  const { fetch } = options as { fetch: typeof globalThis.fetch };
  const right = (): void => {
    world.said = world.nonce = world.back = undefined;
    world.challenge = 'Bearer scope="a"';
    world.server = GOOD.server;
    world.tokenType = 'Bearer';
  };
  /** Connecting needs a token. */
  const use = async (auth: OAuth): Promise<void> => (await connect(SERVER, { ...options, auth })).close();
  /** One response is wrong once; afterwards the same credentials work, and so do those that another program finds in the store. */
  const wrongOnce = async (
    wrong: () => void,
    make: (store: TokenStore) => OAuth,
    store = memoryTokens(),
  ): Promise<void> => {
    right();
    const auth = make(store);
    wrong();
    await settledInTime(use(auth));
    right();
    await use(auth);
    const { authorization: sent } = await make(store).credentials({ server: SERVER, method: 'POST', url: SERVER });
    assert.match(sent!, /^(?:Bearer|DPoP) [!-~]+$/);
    await auth.logout(SERVER);
  };
  const user = (store: TokenStore): OAuth => oauth({ browser: world.browser, store, fetch });
  const program = (store: TokenStore): OAuth =>
    clientCredentials({ client: { id: 'c', secret: 's', issuer: AS }, store, fetch });
  const company = (store: TokenStore): OAuth =>
    enterpriseManaged({
      client: { id: 'c', issuer: AS },
      provider: { issuer: new URL(PROVIDER).origin, tokenEndpoint: PROVIDER, client: { id: 'p' }, idToken: 'x' },
      store,
      fetch,
    });
  /** A login that has expired. */
  const spent = (): TokenStore => {
    const store = memoryTokens();
    const { client_id: clientId, client_secret: clientSecret } = GOOD.registration;
    const kept = { issuer: AS, clientId, clientSecret, clientAuth: 'client_secret_basic', redirectUri: REDIRECT };
    void store.set(SERVER, { ...kept, accessToken: 'old', tokenType: 'Bearer', refreshToken: 'r', expiresAt: 1 });
    return store;
  };

  const mutants = mutantsOf({ levels: 2, deep: false });
  const flows: readonly [string, (store: TokenStore) => OAuth, () => TokenStore, readonly Document[]][] = [
    ['login', user, memoryTokens, ['resource', 'server', 'registration', 'token']],
    ['refresh', user, spent, ['token', 'tokenError']],
    ['client credentials', program, memoryTokens, ['token']],
    ['enterprise', company, memoryTokens, ['provider']],
  ];
  for (const [flow, make, store, documents] of flows)
    for (const document of documents) {
      const good = document === 'token' ? { ...GOOD.token } : GOOD[document];
      for (const { where, kind, message } of [
        ...mutantsOf({ levels: document === 'resource' ? 2 : 1, deep: false })(good),
        ...[...mutantsOf({ levels: 1, deep: false })({ document: good })].map((one) => ({
          ...one,
          message: one.message['document'],
        })),
      ])
        await report.check(`${flow}, ${document}: ${where} is ${kind}`, () =>
          wrongOnce(() => (world.said = { document, text: write(message) }), make, store()),
        );
    }
  for (const { where, kind, message } of mutants({ id_token: 'x.y.z' }))
    await report.check(`login, token: ${where} is ${kind}`, () =>
      wrongOnce(() => (world.said = { document: 'token', text: write({ ...GOOD.token, ...message }) }), user),
    );

  for (const [kind, value] of WRONG_FIELDS) {
    if (value !== undefined && isDeliverable(value)) {
      for (const name of ['resource_metadata', 'scope', 'error'])
        for (const quoted of [JSON.stringify(value), value])
          await report.check(`challenge: ${name} is ${kind}`, () =>
            wrongOnce(() => (world.challenge = `Bearer ${name}=${quoted}`), user),
          );
      await report.check(`challenge is ${kind}`, () => wrongOnce(() => (world.challenge = value), user));
      for (const document of ['resource', 'token'] as const) {
        await report.check(`${document}: the location it moved to is ${kind}`, () =>
          wrongOnce(() => (world.said = { document, text: '', status: 302, headers: { location: value } }), user),
        );
        await report.check(`${document}: its content type is ${kind}`, () =>
          wrongOnce(
            () => (world.said = { document, text: write(GOOD[document]), headers: { 'content-type': value } }),
            user,
          ),
        );
      }
      await report.check(`the nonce of a proof is ${kind}`, () =>
        wrongOnce(() => {
          world.server = { ...GOOD.server, dpop_signing_alg_values_supported: ['ES256'] };
          world.tokenType = 'DPoP';
          world.nonce = value;
        }, user),
      );
    }
    for (const name of ['code', 'state', 'iss', 'error', 'error_description'])
      await report.check(`back from the login: ${name} is ${kind}`, () =>
        wrongOnce(
          () =>
            (world.back = (url) => {
              url.searchParams.delete(name);
              if (value !== undefined) url.searchParams.set(name, value);
              return url.href;
            }),
          user,
        ),
      );
    await report.check(`back from the login: the address is ${kind}`, () =>
      wrongOnce(() => (world.back = () => value as string), user),
    );
  }
  const kept: Grant = {
    issuer: AS,
    accessToken: 'good',
    tokenType: 'Bearer',
    refreshToken: 'r',
    scope: 'a',
    clientId: 'c',
  };
  for (const { where, kind, message } of mutants({ ...kept, redirectUri: REDIRECT, clientSecret: 's', expiresAt: 1 }))
    await report.check(`what is kept: ${where} is ${kind}`, () => {
      const store = memoryTokens();
      void store.set(SERVER, message as unknown as Grant);
      return wrongOnce(() => {}, user, store);
    });
}
