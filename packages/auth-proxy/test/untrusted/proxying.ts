// Invalid values from programs and browsers, and from the identity provider.
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { generateKeyPair, SignJWT } from 'jose';
import type { PageAnswer, PageRequest } from 'tenon/auth';
import { memoryStore } from 'tenon/http';
import { endedFor, type Report } from '../../../sdk/test/untrusted/report.ts';
import { type Json, mutantsOf, WRONG_FIELDS, write } from '../../../sdk/test/untrusted/values.ts';
import { oauthProxy, type OAuthProxyOptions } from '../../src/index.ts';

const RESOURCE = 'http://127.0.0.1:1/mcp';
const ORIGIN = new URL(RESOURCE).origin;
const REDIRECT = 'http://127.0.0.1:7777/callback';
const VERIFIER = 'v'.repeat(43);
/** The media types of the bodies of requests. */
const TYPES: ReadonlyMap<string, string> = new Map([
  ['/register', 'application/json'],
  ['/consent', 'application/x-www-form-urlencoded'],
  ['/token', 'application/x-www-form-urlencoded'],
  ['/revoke', 'application/x-www-form-urlencoded'],
]);
const CHALLENGE = createHash('sha256').update(VERIFIER).digest('base64url');

/** An error must be caused by a violation of the provider, not by a fault of the proxy. */
async function ended(promise: Promise<unknown>): Promise<void> {
  await promise.catch(endedFor);
}

/** Tries one invalid value at a time, at each step of a login. */
export async function proxying(report: Report): Promise<void> {
  const PROVIDER = 'https://idp.example.com';
  const CLIENT_DOCUMENT = 'https://app.example.com/client.json';
  const told = new Map<string, string>();
  let nonce = '';
  const { privateKey } = await generateKeyPair('ES256', { extractable: true });
  const idToken = (claims: Json = {}): Promise<string> =>
    new SignJWT({ sub: 'ann', iss: PROVIDER, aud: 'by-hand', nonce, email: 'a@b.c', ...claims })
      .setProtectedHeader({ alg: 'ES256' })
      .setIssuedAt()
      .setExpirationTime('1h')
      .sign(privateKey);
  const goodTokens = { access_token: 'upstream', token_type: 'Bearer', expires_in: 1, refresh_token: 'r', scope: 'a' };
  const metadata = {
    issuer: PROVIDER,
    authorization_endpoint: `${PROVIDER}/authorize`,
    token_endpoint: `${PROVIDER}/token`,
    jwks_uri: `${PROVIDER}/jwks`,
    token_endpoint_auth_methods_supported: ['client_secret_basic'],
    id_token_signing_alg_values_supported: ['ES256'],
  };
  const clientDocument = {
    client_id: CLIENT_DOCUMENT,
    client_name: 'App',
    redirect_uris: [REDIRECT],
    application_type: 'native',
  };
  const fetch = async (input: string | URL | Request): Promise<Response> => {
    const url = String(input);
    const right =
      url === CLIENT_DOCUMENT
        ? clientDocument
        : url === metadata.token_endpoint
          ? { ...goodTokens, id_token: await idToken() }
          : metadata;
    return new Response(told.get(new URL(url).pathname) ?? JSON.stringify(right), {
      headers: { 'content-type': 'application/json' },
    });
  };
  const options: OAuthProxyOptions = {
    resource: RESOURCE,
    keys: ['sixteen times two makes 32 signs'],
    store: memoryStore(),
    fetch: fetch as typeof globalThis.fetch,
    provider: { issuer: PROVIDER, client: { id: 'by-hand', secret: 's' } },
  };
  let proxy = oauthProxy(options);
  /** Requests a page. Rejects only for errors of the provider. */
  const ask = (
    method: string,
    path: string,
    query: URLSearchParams,
    body: string,
    headers: Readonly<Record<string, string | undefined>> = {},
  ): Promise<PageAnswer> => {
    const request: PageRequest = {
      method,
      path,
      header: (name) => (name === 'content-type' ? TYPES.get(path) : headers[name]),
      search: query.toString(),
      body: (most) => Promise.resolve(body.length > most ? undefined : body),
    };
    return proxy.page!(request)!;
  };
  const none = new URLSearchParams();
  const form = (fields: Record<string, string>): string => new URLSearchParams(fields).toString();
  const registered = await ask('POST', '/register', none, JSON.stringify({ redirect_uris: [REDIRECT] }));
  const { client_id: clientId } = JSON.parse(registered.body!) as { client_id: string };
  const wish = {
    client_id: clientId,
    redirect_uri: REDIRECT,
    response_type: 'code',
    state: 'mine',
    code_challenge: CHALLENGE,
    code_challenge_method: 'S256',
    resource: RESOURCE,
    scope: 'a b',
  };
  type Step = 'authorize' | 'consent' | 'callback' | 'token' | 'refresh';
  /** Runs a login. One step may send changed fields; the login ends there. Resolves with the last response. */
  const logIn = async (
    step?: Step,
    change: (fields: Record<string, string>) => Record<string, string> = (fields) => fields,
    header: Readonly<Record<string, string | undefined>> = {},
  ): Promise<PageAnswer> => {
    const at = (one: Step, fields: Record<string, string>): Record<string, string> =>
      one === step ? change(fields) : fields;
    const page = await ask('GET', '/authorize', new URLSearchParams(at('authorize', wish)), '');
    if (step === 'authorize') return page;
    const [cookie] = (page.headers['set-cookie'] ?? '').split(';');
    const [, question = ''] = /name="wish" value="([^"]+)"/.exec(page.body ?? '') ?? [];
    const agreed = form(at('consent', { wish: question, answer: 'yes' }));
    const sent = await ask('POST', '/consent', none, agreed, { cookie, origin: ORIGIN, ...header });
    if (step === 'consent') return sent;
    const login = URL.canParse(sent.headers['location'] ?? '') ? new URL(sent.headers['location']!).searchParams : none;
    nonce = login.get('nonce') ?? '';
    const answered = at('callback', { code: 'code', state: login.get('state') ?? '', iss: PROVIDER });
    const back = await ask('GET', '/callback', new URLSearchParams(answered), '', { cookie });
    if (step === 'callback') return back;
    const code = URL.canParse(back.headers['location'] ?? '')
      ? new URL(back.headers['location']!).searchParams.get('code')
      : '';
    const exchange = {
      grant_type: 'authorization_code',
      code: code ?? '',
      client_id: clientId,
      redirect_uri: REDIRECT,
      code_verifier: VERIFIER,
    };
    const tokens = await ask('POST', '/token', none, form(at('token', exchange)));
    if (step === 'token') return tokens;
    const { refresh_token = '' } = JSON.parse(tokens.body ?? '{}') as { refresh_token?: string };
    const again = { grant_type: 'refresh_token', refresh_token, client_id: clientId };
    return ask('POST', '/token', none, form(at('refresh', again)));
  };
  const well = async (): Promise<void> => {
    told.clear();
    assert.equal((await logIn()).status, 200);
  };
  await well();

  const fieldsOf: Readonly<Record<Step, readonly string[]>> = {
    authorize: [...Object.keys(wish), 'x'],
    consent: ['wish', 'answer'],
    callback: ['code', 'state', 'iss', 'error', 'error_description', 'response'],
    token: ['grant_type', 'code', 'client_id', 'redirect_uri', 'code_verifier', 'resource'],
    refresh: ['grant_type', 'refresh_token', 'client_id', 'scope'],
  };
  // Forms contain only strings, so values of other types add nothing.
  for (const [kind, value] of WRONG_FIELDS.filter(([kind]) => !/ (?:number|array|object)/.test(kind))) {
    for (const [step, names] of Object.entries(fieldsOf) as [Step, readonly string[]][])
      for (const name of names)
        await report.check(`${step}: ${name} is ${kind}`, async () => {
          await logIn(step, (fields) => {
            const others = Object.entries(fields).filter(([one]) => one !== name);
            return Object.fromEntries(value === undefined ? others : [...others, [name, value]]);
          });
        });
    for (const name of ['cookie', 'origin'])
      await report.check(`consent: the ${name} header is ${kind}`, async () => {
        await logIn('consent', (fields) => fields, { [name]: value });
      });
    for (const fields of [{ token: value }, { client_id: value }, { token_type_hint: value }])
      await report.check(`revoke: ${Object.keys(fields).join()} is ${kind}`, () => {
        const body = form(
          JSON.parse(JSON.stringify({ token: 'x', client_id: clientId, ...fields })) as Record<string, string>,
        );
        return ask('POST', '/revoke', none, body);
      });
    await report.check(`what is registered is ${kind}`, () => ask('POST', '/register', none, value ?? ''));
  }
  await well();
  const mutants = mutantsOf({ levels: 2, deep: false });
  const registration = {
    redirect_uris: [REDIRECT],
    client_name: 'App',
    application_type: 'native',
    grant_types: ['x'],
  };
  for (const { where, kind, message } of mutants(registration))
    await report.check(`registration: ${where} is ${kind}`, () => ask('POST', '/register', none, write(message)));
  for (const { where, kind, message } of mutants(clientDocument))
    await report.check(`document of a client: ${where} is ${kind}`, async () => {
      proxy = oauthProxy(options);
      told.set('/client.json', write(message));
      await logIn('authorize', (fields) => ({ ...fields, client_id: CLIENT_DOCUMENT }));
    });
  for (const { where, kind, message } of mutants(metadata))
    await report.check(`provider: ${where} is ${kind}`, async () => {
      proxy = oauthProxy(options);
      told.set('/.well-known/openid-configuration', write(message));
      await ended(logIn());
      proxy = oauthProxy(options);
      told.clear();
    });
  for (const { where, kind, message } of mutants({ ...goodTokens, id_token: 'x.y.z' }))
    await report.check(`tokens of the provider: ${where} is ${kind}`, async () => {
      const id = where === 'id_token' ? {} : { id_token: await idToken() };
      told.set('/token', write({ ...message, ...id }));
      await ended(logIn());
      await well();
    });
}
