// A server protected by a provider without client registration, with programs and users, on real ports.
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, test } from 'node:test';
import { inspect } from 'node:util';
import { until } from '../../../scripts/lib/until.ts';
import { server, type Store, tool } from 'tenon';
import { memoryTokens, oauth } from 'tenon/auth';
import { connect } from 'tenon/client';
import { memoryStore } from 'tenon/http';
import { serveHttp } from 'tenon/node';
import { type OAuthProxy, oauthProxy, type OAuthProxyOptions } from '../src/index.ts';
import { type Authority, authority, type AuthorityOptions } from '../../sdk/test/auth/authority.ts';
import { jumpingTime } from '../../../scripts/lib/test-time.ts';
import { freePort } from '../../../scripts/lib/free-port.ts';

const eras = { get: () => undefined, set() {}, delete() {} };
const KEY = 'sixteen times two makes 32 signs';
const REDIRECT = 'http://127.0.0.1:7777/callback';
const VERIFIER = 'v'.repeat(43);
const CHALLENGE = createHash('sha256').update(VERIFIER).digest('base64url');

/** The log entries of all servers. */
const logged: string[] = [];

interface Proxied {
  readonly as: Authority;
  readonly origin: string;
  readonly url: string;
  readonly store: Store;
  readonly auth: OAuthProxy;
  close(): Promise<void>;
}

async function start(
  options: Partial<OAuthProxyOptions> = {},
  upstream: AuthorityOptions = {},
  shared?: { readonly as: Authority; readonly port: number },
): Promise<Proxied> {
  const as = shared?.as ?? (await authority(upstream));
  const port = shared?.port ?? (await freePort());
  const resource = `http://127.0.0.1:${port}/mcp`;
  const store = options.store ?? memoryStore();
  const auth = oauthProxy({
    resource,
    name: 'Notes',
    keys: [KEY],
    scopes: ['notes:read'],
    scopesSupported: ['notes:read', 'notes:write'],
    ...options,
    store,
    provider: {
      authorizationEndpoint: `${as.issuer}/authorize`,
      tokenEndpoint: `${as.issuer}/token`,
      client: { id: 'by-hand', secret: 'the secret of the proxy' },
      scopes: ['profile'],
      user: () => ({ subject: 'ann', claims: { email: 'ann@example.com' } }),
      ...options.provider,
    },
  });
  const app = server({
    name: 'notes',
    version: '1',
    tools: {
      whoami: tool({}, (_, { principal }) => `${principal?.id} ${String(principal?.claims?.['email'])}`),
      upstream: tool({}, async (_, { principal }) => (await auth.upstream(principal!)) ?? 'none'),
      write: tool({ scopes: ['notes:write'] }, () => 'written'),
    },
  });
  const log = (entry: object) => void logged.push(inspect(entry, { depth: 10 }));
  const served = await serveHttp(app, { port, signals: false, drainMs: 50, auth, log });
  after(() => served.close());
  return { as, origin: `http://127.0.0.1:${port}`, url: served.url, store, auth, close: () => served.close() };
}

/**
 * A simulated browser that follows redirects, except to the program at port 7777. `agree` is the answer on consent pages; empty to stop
 * there.
 */
function browser(agree = 'yes') {
  const cookies = new Map<string, string>();
  const seen: { readonly url: URL; readonly headers: Headers; readonly html: string; readonly status: number }[] = [];
  const go = async (url: URL, form?: URLSearchParams): Promise<URL> => {
    if (url.port === '7777') return url;
    const response = await fetch(url, {
      redirect: 'manual',
      headers: {
        cookie: [...cookies].map(([name, value]) => `${name}=${value}`).join('; '),
        ...(form === undefined ? {} : { origin: url.origin }),
      },
      ...(form === undefined ? {} : { method: 'POST', body: form }),
    });
    for (const line of response.headers.getSetCookie()) {
      const [, name, value] = /^([^=]+)=([^;]*)/.exec(line)!;
      cookies.set(name!, value!);
    }
    const location = response.headers.get('location');
    if (location !== null) return go(new URL(location, url));
    const html = await response.text();
    seen.push({ url, headers: response.headers, html, status: response.status });
    const [, wish] = /name="wish" value="([^"]+)"/.exec(html) ?? [];
    return wish === undefined || agree === ''
      ? url
      : go(new URL('/consent', url), new URLSearchParams({ wish, answer: agree }));
  };
  return {
    seen,
    cookies,
    go: (url: string | URL, form?: URLSearchParams) => go(new URL(url), form),
    asks: () => seen.filter(({ html }) => html.includes('name="wish"')).length,
  };
}

function program(person: ReturnType<typeof browser>, store = memoryTokens()) {
  return oauth({
    store,
    name: 'Editor',
    browser: { open: () => ({ redirectUri: REDIRECT, authorize: (url) => person.go(url), close() {} }) },
  });
}

function post(url: string, body: object | URLSearchParams): Promise<Response> {
  return fetch(url, {
    method: 'POST',
    ...(body instanceof URLSearchParams
      ? { body }
      : { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }),
  });
}

async function registered({ origin }: Proxied, metadata: object = { redirect_uris: [REDIRECT] }): Promise<string> {
  const response = await post(`${origin}/register`, metadata);
  const { client_id: id } = (await response.json()) as { client_id: string };
  assert.equal(response.status, 201);
  return id;
}

function loginUrl({ origin, url }: Proxied, params: Record<string, string>): URL {
  const page = new URL(`${origin}/authorize`);
  const all = {
    response_type: 'code',
    redirect_uri: REDIRECT,
    state: 'mine',
    code_challenge: CHALLENGE,
    code_challenge_method: 'S256',
    resource: url,
    ...params,
  };
  for (const [name, value] of Object.entries(all)) if (value !== '') page.searchParams.set(name, value);
  return page;
}

function tokenFor(
  { origin }: Proxied,
  code: string,
  clientId: string,
  more: Record<string, string> = {},
): Promise<Response> {
  return post(
    `${origin}/token`,
    new URLSearchParams({
      grant_type: 'authorization_code',
      code,
      client_id: clientId,
      redirect_uri: REDIRECT,
      code_verifier: VERIFIER,
      ...more,
    }),
  );
}

/** Runs a login without a client, and resolves with the tokens. */
async function logIn(proxied: Proxied, clientId: string, person = browser()) {
  const back = await person.go(loginUrl(proxied, { client_id: clientId }));
  const code = back.searchParams.get('code')!;
  const response = await tokenFor(proxied, code, clientId);
  return { code, tokens: (await response.json()) as Record<string, string>, response, person };
}

function refreshed({ origin }: Proxied, clientId: string, refreshToken = ''): Promise<Response> {
  return post(
    `${origin}/token`,
    new URLSearchParams({ grant_type: 'refresh_token', refresh_token: refreshToken, client_id: clientId }),
  );
}

test('[AUTH-9, AUTH-12, AUTH-121, SECU-1, SECU-11, ELIC-34, ELIC-35, A-73] a program registers, its user agrees and logs in at the provider, and no token of the provider leaves the server', async () => {
  const proxied = await start();
  const person = browser();
  const kept = memoryTokens();
  for (const revision of ['2026-07-28', '2025-11-25', '2025-03-26'] as const) {
    await using client = await connect(proxied.url, { eras, revision, auth: program(person, kept) });
    assert.equal(await client.call('whoami'), `${proxied.origin}|ann ann@example.com`);
    const upstream = String(await client.call('upstream'));
    assert.match(upstream, /^ey/);
    const ours = (await kept.get(proxied.url))?.accessToken;
    assert.notEqual(ours, upstream);
    // Tokens of this server are never sent to the provider, and tokens of the provider are rejected here.
    assert.ok(!proxied.as.asked.some(({ authorization }) => authorization?.includes(ours!)));
    const headers = { authorization: `Bearer ${upstream}` };
    assert.equal((await fetch(proxied.url, { method: 'POST', headers, body: '{}' })).status, 401);
  }
  assert.equal(person.asks(), 1);
  assert.equal(proxied.as.count('/register'), 0);
});

test('the secret of the proxy is sent as its provider accepts it, and from then on so at once', async () => {
  const proxied = await start(
    {},
    { token: (_, { authorization }) => (authorization === undefined ? [401, { error: 'invalid_client' }] : undefined) },
  );
  for (let user = 0; user < 2; user++) {
    await using client = await connect(proxied.url, { eras, auth: program(browser()) });
    assert.match(String(await client.call('whoami')), /ann@example\.com/);
  }
  assert.deepEqual(
    proxied.as.asked
      .filter(({ path }) => path === '/token')
      .map(({ params, authorization }) => authorization?.split(' ')[0] ?? params.get('client_secret')),
    ['the secret of the proxy', 'Basic', 'Basic'],
  );
});

test('a provider with metadata gets the secret as HTTP Basic if it accepts that', async () => {
  const as: Authority = await authority({
    metadata: { token_endpoint_auth_methods_supported: ['client_secret_post', 'client_secret_basic'] },
    answer: (back) => back.searchParams.set('iss', as.issuer),
  });
  const provider = {
    issuer: as.issuer,
    client: { id: 'by-hand', secret: 'the secret of the proxy' },
    user: () => ({ subject: 'ann', claims: { email: 'ann@example.com' } }),
  };
  // The authority of these tests has its metadata at the other well-known path.
  const fetchHere = (url: string, init?: RequestInit) =>
    fetch(url.replace('openid-configuration', 'oauth-authorization-server'), init);
  const shared = { as, port: await freePort() };
  const proxied = await start({ provider, fetch: fetchHere as typeof fetch }, {}, shared);
  // It issues no ID token, so the login fails afterwards.
  await assert.rejects(connect(proxied.url, { eras, auth: program(browser()) }), /login at the provider failed/);
  assert.match(String(as.asked.find(({ path }) => path === '/token')?.authorization), /^Basic /);
});

test('[ELIC-33] [ELIC-36] nothing that a client receives contains a token or a secret of the provider', async () => {
  const proxied = await start();
  const received: string[] = [];
  const person = browser();
  const recording: typeof fetch = async (...args) => {
    const response = await fetch(...args);
    const text = await response.clone().text();
    received.push(text, ...[...response.headers].flat());
    return response;
  };
  await using client = await connect(proxied.url, { eras, auth: program(person), fetch: recording });
  assert.match(String(await client.call('whoami')), /ann@example\.com/);
  const seen = [...received, ...person.seen.flatMap(({ url, html }) => [url.href, html])].join('\n');
  const upstream = String(await client.call('upstream'));
  assert.match(upstream, /^ey/);
  assert.ok(seen.includes('ann@example.com'), 'what was received is here');
  assert.ok(!seen.includes(upstream));
  assert.ok(!seen.includes('the secret of the proxy'));
});

test('writing requires another scope, for which the user is asked again', async () => {
  const proxied = await start();
  const person = browser();
  await using client = await connect(proxied.url, { eras, auth: program(person) });
  assert.equal(await client.call('write'), 'written');
  assert.equal(person.asks(), 2);
  assert.match(person.seen.at(-1)!.html, /notes:write/);
});

test('[SECU-4, SECU-5, A-74] the consent page shows the program and its redirect URI, and cannot be framed', async () => {
  const proxied = await start();
  const id = await registered(proxied, { client_name: '<script>alert(1)</script>', redirect_uris: [REDIRECT] });
  const person = browser('');
  await person.go(loginUrl(proxied, { client_id: id }));
  const [{ html, headers }] = person.seen as [(typeof person.seen)[0]];
  assert.match(html, /&#60;script&#62;alert\(1\)/);
  assert.doesNotMatch(html, /<script/);
  for (const part of [REDIRECT, id, 'notes:read', 'profile', new URL(proxied.as.issuer).host])
    assert.ok(html.includes(part), part);
  assert.equal(headers.get('x-frame-options'), 'DENY');
  assert.match(headers.get('content-security-policy')!, /frame-ancestors 'none'/);
  assert.match(headers.get('set-cookie')!, /HttpOnly; SameSite=Lax/);
});

test('[SECU-3, SECU-6] over https the cookie has the __Host- prefix, so that no other host can set it', async () => {
  const auth = oauthProxy({
    resource: 'https://mcp.example.com/mcp',
    keys: [KEY],
    store: memoryStore(),
    provider: { issuer: 'https://as.example.com', client: { id: 'a', secret: 'b' } },
  });
  const request = (method: string, path: string, values: Record<string, string>, text = '') => ({
    method,
    path,
    header: (name: string) => (name === 'content-type' ? 'application/json' : undefined),
    search: new URLSearchParams(values).toString(),
    body: () => Promise.resolve(text),
  });
  const made = await auth.page!(request('POST', '/register', {}, JSON.stringify({ redirect_uris: [REDIRECT] })))!;
  const { client_id } = JSON.parse(made.body!) as { client_id: string };
  const { headers } = await auth.page!(
    request('GET', '/authorize', {
      client_id,
      redirect_uri: REDIRECT,
      response_type: 'code',
      code_challenge: CHALLENGE,
      code_challenge_method: 'S256',
    }),
  )!;
  assert.match(headers['set-cookie']!, /^__Host-tenon-login=[\w-]{43}; Path=\/; HttpOnly; SameSite=Lax; .*; Secure$/);
});

test('[SECU-1, SECU-2, A-74] a user who agreed to one program is asked about every other one, even if the provider does not ask again', async () => {
  const proxied = await start();
  const person = browser();
  await logIn(proxied, await registered(proxied), person);
  assert.equal(person.asks(), 1);
  const attacker = await registered(proxied, { client_name: 'Evil', redirect_uris: [REDIRECT] });
  person.seen.length = 0;
  const before = proxied.as.count('/authorize');
  const careful = browser('');
  for (const [name, value] of person.cookies) careful.cookies.set(name, value);
  const where = await careful.go(loginUrl(proxied, { client_id: attacker }));
  assert.equal(where.origin, proxied.origin);
  assert.equal(careful.asks(), 1);
  assert.equal(proxied.as.count('/authorize'), before);
});

test('[SECU-2] consent for the same program is asked for once per browser', async () => {
  const proxied = await start();
  const id = await registered(proxied);
  const { person } = await logIn(proxied, id);
  await logIn(proxied, id, person);
  assert.equal(person.asks(), 1);
  await logIn(proxied, id);
  assert.equal(person.asks(), 1);
});

test('a user who denies access is not sent to the provider', async () => {
  const proxied = await start();
  const back = await browser('no').go(loginUrl(proxied, { client_id: await registered(proxied) }));
  assert.equal(back.searchParams.get('error'), 'access_denied');
  assert.equal(back.searchParams.get('state'), 'mine');
  assert.equal(back.searchParams.get('iss'), proxied.origin);
  assert.equal(proxied.as.count('/authorize'), 0);
});

test('[SECU-5, A-74] consent from another page or another browser is rejected', async () => {
  const proxied = await start();
  const id = await registered(proxied);
  const person = browser('');
  await person.go(loginUrl(proxied, { client_id: id }));
  const [, wish = ''] = /name="wish" value="([^"]+)"/.exec(person.seen[0]!.html) ?? [];
  const cookie = [...person.cookies].map(([name, value]) => `${name}=${value}`).join();
  const answer = (headers: Record<string, string>, fields: Record<string, string> = { wish, answer: 'yes' }) =>
    fetch(`${proxied.origin}/consent`, {
      method: 'POST',
      redirect: 'manual',
      headers,
      body: new URLSearchParams(fields),
    });
  assert.equal((await answer({ cookie, origin: 'https://evil.example' })).status, 403);
  assert.equal((await answer({ cookie, origin: 'null' })).status, 403);
  assert.equal((await answer({})).status, 403);
  assert.equal((await answer({ cookie: cookie.replace(/=.*/, `=${'a'.repeat(43)}`) })).status, 403);
  assert.equal((await answer({ cookie }, { answer: 'yes' })).status, 403);
  assert.equal((await answer({ cookie }, { wish: 'guessed', answer: 'yes' })).status, 403);
  const right = await answer({ cookie, origin: proxied.origin });
  assert.equal(right.status, 303);
  assert.equal((await answer({ cookie, origin: proxied.origin })).status, 403);
});

test('[SECU-8, SECU-9, SECU-10] the state exists only after the consent, is bound to the browser, and is valid once', async () => {
  const proxied = await start();
  const id = await registered(proxied);
  const person = browser('');
  await person.go(loginUrl(proxied, { client_id: id }));
  assert.equal(proxied.as.count('/authorize'), 0);
  const [, wish = ''] = /name="wish" value="([^"]+)"/.exec(person.seen[0]!.html) ?? [];
  const cookie = [...person.cookies].map(([name, value]) => `${name}=${value}`).join();
  const agreed = await fetch(`${proxied.origin}/consent`, {
    method: 'POST',
    redirect: 'manual',
    headers: { cookie },
    body: new URLSearchParams({ wish, answer: 'yes' }),
  });
  const provider = new URL(agreed.headers.get('location')!);
  assert.equal(provider.searchParams.get('code_challenge_method'), 'S256');
  const callback = (await fetch(provider, { redirect: 'manual' })).headers.get('location')!;
  const come = (headers: Record<string, string>, url = callback) => fetch(url, { redirect: 'manual', headers });
  assert.equal((await come({})).status, 403);
  assert.equal((await come({ cookie: `tenon-login=${'b'.repeat(43)}` })).status, 403);
  assert.equal((await come({ cookie }, callback.replace(/state=[^&]+/, 'state=other'))).status, 403);
  const back = new URL((await come({ cookie })).headers.get('location')!);
  assert.ok(back.searchParams.has('code'));
  assert.equal(back.searchParams.get('state'), 'mine');
  assert.equal((await come({ cookie })).status, 403);
});

test('[SECU-7, AUTH-13, A-75] the redirect URI has to match a registered one exactly', async () => {
  const proxied = await start();
  const id = await registered(proxied, {
    redirect_uris: ['https://app.example/cb', 'http://127.0.0.1:7000/cb'],
    application_type: 'native',
  });
  const web = await registered(proxied, { redirect_uris: ['http://127.0.0.1:7000/cb'], application_type: 'web' });
  const ask = async (clientId: string, redirectUri: string) => {
    const response = await fetch(loginUrl(proxied, { client_id: clientId, redirect_uri: redirectUri }), {
      redirect: 'manual',
    });
    assert.equal(response.headers.get('location'), null);
    return response.status;
  };
  for (const wrong of [
    'https://app.example/cb/',
    'https://app.example/cb?x=1',
    'https://app.example/cb#f',
    'https://app.example/cb/../evil',
    'https://app.example.evil/cb',
    'https://app.example@evil/cb',
    'http://app.example/cb',
    'https://app.example/CB',
    'https://app.example:8443/cb',
    'http://127.0.0.1:7001/other',
    'http://127.0.0.1:7001.evil.example/cb',
    'http://127.0.0.1:99999/cb',
    'http://127.0.0.1/cb:7000',
    'http://127.0.0.1:7000:80/cb',
    'http://localhost:7000/cb',
    'javascript:alert(1)',
    '',
  ])
    assert.equal(await ask(id, wrong), 400, wrong);
  assert.equal(await ask(id, 'https://app.example/cb'), 200);
  assert.equal(await ask(id, 'http://127.0.0.1:7001/cb'), 200);
  assert.equal(await ask(web, 'http://127.0.0.1:7001/cb'), 400);
  assert.equal(await ask('never-registered', 'https://app.example/cb'), 400);
});

test('[AUTH-104] redirect URIs that a browser would execute, or that are not encrypted, cannot be registered', async () => {
  const proxied = await start();
  for (const wrong of [
    'javascript:alert(1)',
    'data:text/html,x',
    'file:///etc/passwd',
    'http://app.example/cb',
    'https://app.example/cb#f',
    'https://ann@app.example/cb',
    'ms-msdt:/x',
    'x'.repeat(3_000),
    7,
  ]) {
    const response = await post(`${proxied.origin}/register`, { redirect_uris: [wrong] });
    assert.equal(response.status, 400, String(wrong));
    assert.equal(((await response.json()) as { error: string }).error, 'invalid_redirect_uri');
  }
  for (const metadata of [{}, { redirect_uris: [] }, { redirect_uris: Array(11).fill(REDIRECT) }, [], 'text'])
    assert.equal((await post(`${proxied.origin}/register`, metadata as object)).status, 400);
  assert.equal(
    (await post(`${proxied.origin}/register`, { redirect_uris: [REDIRECT], x: 'x'.repeat(20_000) })).status,
    400,
  );
  await registered(proxied, { redirect_uris: ['cursor://anysphere/callback', 'com.example.app:/cb'] });
});

test('the rate of registrations is limited', async () => {
  const proxied = await start();
  const statuses = new Set<number>();
  for (let index = 0; index < 62; index++)
    statuses.add((await post(`${proxied.origin}/register`, { redirect_uris: [REDIRECT] })).status);
  assert.deepEqual([...statuses], [201, 429]);
});

test('the rate of registrations stays limited when the system clock is set, and only for a minute', async (t) => {
  const [day, forward] = [jumpingTime(t, [Date]), jumpingTime(t, [performance])];
  const proxied = await start();
  const register = async () => (await post(`${proxied.origin}/register`, { redirect_uris: [REDIRECT] })).status;
  for (let index = 0; index < 60; index++) await register();
  day.jump(3_600_000);
  assert.equal(await register(), 429);
  day.jump(-7_200_000);
  assert.equal(await register(), 429);
  forward.jump(61_000);
  assert.equal(await register(), 201);
});

test('the consent page shows the name of a program whole and with its hidden characters visible, or the name is refused', async () => {
  const proxied = await start();
  for (const name of ['Edi\u202Erot', 'A\u200Bnn', 'x\u0007y', 'Good\n\nBank', `${'long '.repeat(2_000)}end`]) {
    const response = await post(`${proxied.origin}/register`, { redirect_uris: [REDIRECT], client_name: name });
    if (response.status === 400) continue;
    const { client_id: id } = (await response.json()) as { client_id: string };
    const person = browser('');
    await person.go(loginUrl(proxied, { client_id: id }));
    const { html } = person.seen.at(-1)!;
    assert.doesNotMatch(html, /[\u202E\u200B\u0007]/u, JSON.stringify(name.slice(0, 20)));
    assert.ok(html.length < 20_000, `${html.length}`);
  }
});

test('a registration with members of the wrong kind, or too large, is refused with a clear error, and the next one on its connection is served', async () => {
  const proxied = await start();
  for (const more of [
    { client_name: 7 },
    { redirect_uris: REDIRECT },
    { redirect_uris: [7] },
    { redirect_uris: [] },
    { redirect_uris: Array.from({ length: 5_000 }, () => REDIRECT) },
    { grant_types: 'authorization_code' },
    { token_endpoint_auth_method: 1 },
  ]) {
    const response = await post(`${proxied.origin}/register`, { redirect_uris: [REDIRECT], ...more });
    assert.equal(response.status, 400, JSON.stringify(more).slice(0, 80));
    const { error, error_description: words } = (await response.json()) as Record<string, string>;
    assert.match(`${error}`, /^invalid_/);
    assert.ok(`${words}`.length > 5 && `${words}`.length < 2_000);
  }
});

test('the operator can reject programs', async () => {
  const proxied = await start({
    accept: ({ redirectUris }) => redirectUris.every((uri) => uri.startsWith('https://good.example/')),
  });
  assert.equal((await post(`${proxied.origin}/register`, { redirect_uris: [REDIRECT] })).status, 400);
  await registered(proxied, { redirect_uris: ['https://good.example/cb'] });
});

test('[A-67] a login requires PKCE with S256, and errors are reported to the program', async () => {
  const proxied = await start();
  const id = await registered(proxied);
  for (const [params, error] of [
    [{ code_challenge: '' }, 'invalid_request'],
    [{ code_challenge_method: 'plain' }, 'invalid_request'],
    [{ code_challenge_method: '' }, 'invalid_request'],
    [{ response_type: 'token' }, 'unsupported_response_type'],
    [{ resource: 'https://other.example/mcp' }, 'invalid_target'],
  ] as const) {
    const back = await browser('').go(loginUrl(proxied, { client_id: id, ...params }));
    assert.equal(back.searchParams.get('error'), error);
    assert.equal(back.searchParams.get('state'), 'mine');
  }
});

test('[AUTH-99] a code is bound to its client, redirect URI and verifier, and its tokens are revoked if it is used twice', async () => {
  const proxied = await start();
  const id = await registered(proxied);
  const other = await registered(proxied);
  for (const more of [
    { client_id: other } as Record<string, string>,
    { code_verifier: 'w'.repeat(43) },
    { redirect_uri: 'http://127.0.0.1:7777/other' },
  ]) {
    const back = await browser().go(loginUrl(proxied, { client_id: id }));
    const code = back.searchParams.get('code')!;
    const wrong = await tokenFor(proxied, code, id, more);
    assert.equal(wrong.status, 400);
    // A failed attempt uses up the code.
    assert.equal((await tokenFor(proxied, code, id)).status, 400);
  }
  const { code, tokens, response } = await logIn(proxied, id);
  assert.equal(response.headers.get('cache-control'), 'no-store');
  assert.equal((await tokenFor(proxied, code, id)).status, 400);
  assert.equal((await refreshed(proxied, id, tokens['refresh_token'])).status, 400);
});

test('[AUTH-11] access tokens expire, refresh tokens are rotated, and the reuse of an old one ends the login', async (context) => {
  const proxied = await start();
  const id = await registered(proxied);
  const { tokens } = await logIn(proxied, id);
  assert.equal(tokens['expires_in'] as unknown, 600);
  const call = (token = '') =>
    fetch(proxied.url, { method: 'POST', headers: { authorization: `Bearer ${token}` }, body: '{}' });
  assert.notEqual((await call(tokens['access_token'])).status, 401);
  const second = (await (await refreshed(proxied, id, tokens['refresh_token'])).json()) as Record<string, string>;
  assert.notEqual(second['refresh_token'], tokens['refresh_token']);
  // The response may have been lost, so the old token is accepted for a minute.
  assert.equal((await refreshed(proxied, id, tokens['refresh_token'])).status, 200);
  context.mock.timers.enable({ apis: ['Date'], now: Date.now() + 120_000 });
  assert.equal((await refreshed(proxied, id, tokens['refresh_token'])).status, 400);
  assert.equal((await refreshed(proxied, id, second['refresh_token'])).status, 400);
  context.mock.timers.setTime(Date.now() + 600_000);
  assert.equal((await call(tokens['access_token'])).status, 401);
});

test('a refresh token that was used before a step of the system clock, in any direction, ends the login', async (t) => {
  for (const ms of [-3_600_000, 3_600_000]) {
    const day = jumpingTime(t, [Date]);
    const proxied = await start();
    const id = await registered(proxied);
    const { tokens } = await logIn(proxied, id);
    const second = (await (await refreshed(proxied, id, tokens['refresh_token'])).json()) as Record<string, string>;
    day.jump(ms);
    assert.equal((await refreshed(proxied, id, tokens['refresh_token'])).status, 400);
    assert.equal((await refreshed(proxied, id, second['refresh_token'])).status, 400);
    day.jump(-ms);
  }
});

test('[AUTH-12] a user whom the provider no longer accepts gets no more tokens', async () => {
  const proxied = await start({}, { refuseRefresh: true });
  const id = await registered(proxied);
  const { tokens } = await logIn(proxied, id);
  const response = await refreshed(proxied, id, tokens['refresh_token']);
  assert.equal(response.status, 400);
  assert.equal(((await response.json()) as { error: string }).error, 'invalid_grant');
});

test('[AUTH-13] a failure of the provider is reported to the program without the message of the provider', async () => {
  for (const [answer, error] of [
    [
      (back: URL) =>
        (back.search = `?error=access_denied&error_description=secret&state=${back.searchParams.get('state')}`),
      'access_denied',
    ],
    [(back: URL) => back.searchParams.set('code', 'wrong'), 'server_error'],
  ] as const) {
    const proxied = await start({}, { answer: (back) => void answer(back) });
    const back = await browser().go(loginUrl(proxied, { client_id: await registered(proxied) }));
    assert.equal(back.searchParams.get('error'), error);
    assert.doesNotMatch(back.search, /secret|wrong/);
  }
});

test('a revoked login has ended', async () => {
  const proxied = await start();
  const id = await registered(proxied);
  const { tokens } = await logIn(proxied, id);
  const revoke = (clientId: string) =>
    post(`${proxied.origin}/revoke`, new URLSearchParams({ token: tokens['refresh_token']!, client_id: clientId }));
  assert.equal((await revoke('somebody-else')).status, 200);
  const next = (await (await refreshed(proxied, id, tokens['refresh_token'])).json()) as Record<string, string>;
  assert.ok(next['refresh_token'] !== undefined);
  assert.equal((await revoke(id)).status, 200);
  assert.equal((await refreshed(proxied, id, next['refresh_token'])).status, 400);
});

test('[AUTH-13] logins are encrypted in the store, and another node with the same store and keys can continue them', async () => {
  const kept = memoryStore();
  const written: string[] = [];
  const store: Store = {
    ...kept,
    set(key, value, lifeMs) {
      written.push(key, JSON.stringify(value));
      return kept.set(key, value, lifeMs);
    },
  };
  const proxied = await start({ store });
  const id = await registered(proxied);
  const { tokens, code } = await logIn(proxied, id);
  const all = written.join('\n');
  for (const secret of [
    id,
    code,
    tokens['refresh_token']!,
    tokens['access_token']!,
    'ann@example.com',
    REDIRECT,
    'refresh-',
  ])
    assert.ok(!all.includes(secret), secret);
  const own = { as: proxied.as, port: Number(new URL(proxied.url).port) };
  await proxied.close();
  const node = await start({ store }, {}, own);
  // Discards the pooled connections to the previous node.
  await fetch(node.origin).catch(() => {});
  const next = (await (await refreshed(node, id, tokens['refresh_token'])).json()) as Record<string, string>;
  assert.ok(next['refresh_token'] !== undefined);
  // A server with another resource cannot read the entries, even with the same store and keys.
  const other = await start({ store }, {}, { as: proxied.as, port: await freePort() });
  assert.equal((await refreshed(other, id, next['refresh_token'])).status, 401);
  const stranger = await start({ store, keys: ['f'.repeat(32)] }, {}, { as: proxied.as, port: await freePort() });
  assert.equal((await refreshed(stranger, id, tokens['refresh_token'])).status, 401);
});

test('[A-76] a program can have a client id metadata document, which has to be its own and not too large', async () => {
  const documents = createServer((request, response) => {
    const self = `http://127.0.0.1:${(documents.address() as AddressInfo).port}${request.url}`;
    const redirects = { client_name: 'By document', redirect_uris: [REDIRECT] };
    response.setHeader('content-type', 'application/json');
    if (request.url === '/good') response.end(JSON.stringify({ client_id: self, ...redirects }));
    else if (request.url === '/other') response.end(JSON.stringify({ client_id: `${self}x`, ...redirects }));
    else if (request.url === '/large')
      response.end(JSON.stringify({ client_id: self, ...redirects, x: 'x'.repeat(5 * 1024 * 1024) }));
    else if (request.url === '/html') response.setHeader('content-type', 'text/html').end('<p>hello');
    else if (request.url === '/page')
      response.setHeader('content-type', 'text/html').end(JSON.stringify({ client_id: self, ...redirects }));
    else if (request.url === '/here') response.writeHead(302, { location: '/good' }).end();
    else if (request.url === '/moved') response.writeHead(302, { location: 'http://169.254.169.254/' }).end();
    else response.writeHead(404).end();
  }).listen(0, '127.0.0.1');
  await new Promise((resolve) => documents.once('listening', resolve));
  after(() => documents.close());
  const base = `http://127.0.0.1:${(documents.address() as AddressInfo).port}`;
  const proxied = await start();
  const status = async (id: string) =>
    (await fetch(loginUrl(proxied, { client_id: id }), { redirect: 'manual' })).status;
  assert.equal(await status(`${base}/good`), 200);
  for (const wrong of ['other', 'large', 'html', 'page', 'here', 'moved', 'missing'])
    assert.equal(await status(`${base}/${wrong}`), 400, wrong);
  assert.equal(await status('https://169.254.169.254/latest'), 400);
  const { response } = await logIn(proxied, `${base}/good`);
  assert.equal(response.status, 200);
});

/** A provider whose tokens expire at once, so that each use refreshes them. */
function hasty(token: AuthorityOptions['token'] = () => undefined, more: AuthorityOptions = {}) {
  return start({}, { lifeS: 1, token, ...more });
}
async function principalOf({ auth }: Proxied, accessToken = ''): Promise<any> {
  return auth.authenticate({
    method: 'POST',
    path: '/mcp',
    header: (name) => (name === 'authorization' ? `Bearer ${accessToken}` : undefined),
  });
}

test('five tools that need a token of the provider concurrently cause one request', async () => {
  const proxied = await hasty(undefined, { tokenDelayMs: 20 });
  const { tokens } = await logIn(proxied, await registered(proxied));
  const principal = await principalOf(proxied, tokens['access_token']);
  const before = proxied.as.count('/token');
  const all = await Promise.all(Array.from({ length: 5 }, () => proxied.auth.upstream(principal)));
  assert.equal(new Set(all).size, 1);
  assert.ok(all[0] !== undefined);
  assert.equal(proxied.as.count('/token') - before, 1);
});

test('a temporary outage of the provider ends no login', async (context) => {
  let isUp = true;
  const proxied = await hasty((params) =>
    isUp || params.get('grant_type') !== 'refresh_token' ? undefined : [503, { error: 'temporarily_unavailable' }],
  );
  const id = await registered(proxied);
  const { tokens } = await logIn(proxied, id);
  isUp = false;
  const down = await refreshed(proxied, id, tokens['refresh_token']);
  assert.deepEqual(
    [down.status, down.headers.get('retry-after'), ((await down.json()) as { error: string }).error],
    [503, '5', 'temporarily_unavailable'],
  );
  assert.match(logged.join('\n'), /The token endpoint of the provider refused: temporarily_unavailable/);
  isUp = true;
  context.mock.timers.enable({ apis: ['Date'], now: Date.now() + 300_000 });
  assert.equal((await refreshed(proxied, id, tokens['refresh_token'])).status, 200);
});

test('a login that is revoked during a refresh stays revoked, and its access tokens are invalid', async () => {
  let answer!: () => void;
  const answered = new Promise<void>((resolve) => (answer = resolve));
  const proxied = await hasty(undefined, { beforeRefresh: () => answered });
  const id = await registered(proxied);
  const { tokens } = await logIn(proxied, id);
  const principal = await principalOf(proxied, tokens['access_token']);
  assert.match(principal.id, /\|ann$/);
  const before = proxied.as.count('/token');
  const asking = proxied.auth.upstream(principal);
  await until(() => proxied.as.count('/token') > before);
  await post(`${proxied.origin}/revoke`, new URLSearchParams({ token: tokens['refresh_token']!, client_id: id }));
  answer();
  assert.equal(await asking, undefined);
  assert.equal(await proxied.auth.upstream(principal), undefined);
  assert.equal((await refreshed(proxied, id, tokens['refresh_token'])).status, 400);
  assert.equal((await principalOf(proxied, tokens['access_token'])).status, 401);
});

test('all tokens of a code that is used twice are invalid, including access tokens', async () => {
  const proxied = await start();
  const id = await registered(proxied);
  const { code, tokens } = await logIn(proxied, id);
  assert.match((await principalOf(proxied, tokens['access_token'])).id, /ann/);
  await tokenFor(proxied, code, id);
  assert.equal((await principalOf(proxied, tokens['access_token'])).status, 401);
});

test('a provider without refresh tokens is asked for the user, and may report errors with status 200', async () => {
  let user: { subject: string } | undefined = { subject: 'ann' };
  const plain = await authority({
    token: () => [200, { access_token: 'for ever', token_type: 'bearer', scope: 'a,b' }],
  });
  const provider = {
    authorizationEndpoint: `${plain.issuer}/authorize`,
    tokenEndpoint: `${plain.issuer}/token`,
    client: { id: 'by-hand', secret: 'secret' },
    user() {
      if (user === undefined) throw new Error('401');
      return user;
    },
  };
  const shared = { as: plain, port: await freePort() };
  const proxied = await start({ provider }, {}, shared);
  const id = await registered(proxied);
  const { tokens } = await logIn(proxied, id);
  const next = (await (await refreshed(proxied, id, tokens['refresh_token'])).json()) as Record<string, string>;
  user = undefined;
  const refused = await refreshed(proxied, id, next['refresh_token']);
  assert.deepEqual([refused.status, ((await refused.json()) as { error: string }).error], [400, 'invalid_grant']);

  const github = await hasty((params) =>
    params.get('grant_type') === 'refresh_token' ? [200, { error: 'bad_refresh_token' }] : undefined,
  );
  const other = await registered(github);
  const login = await logIn(github, other);
  const principal = await principalOf(github, login.tokens['access_token']);
  assert.equal(await github.auth.upstream(principal), undefined);
  assert.equal((await refreshed(github, other, login.tokens['refresh_token'])).status, 400);
});

test('`iss` in the response of a provider without a configured issuer is accepted', async () => {
  const proxied = await start({}, { answer: (back) => back.searchParams.set('iss', 'https://provider.example/oauth') });
  const { response } = await logIn(proxied, await registered(proxied));
  assert.equal(response.status, 200);
});

test('[A-70] secrets of a login appear in no log, URL or inspected object', async () => {
  const proxied = await start({}, { refuseRefresh: true });
  const id = await registered(proxied);
  const { code, tokens, person } = await logIn(proxied, id);
  await refreshed(proxied, id, tokens['refresh_token']);
  await fetch(proxied.url, { method: 'POST', headers: { authorization: 'Bearer wrong-token' }, body: '{}' });
  const upstream = proxied.as.asked.filter(({ path }) => path === '/token');
  const secrets = [
    code,
    tokens['access_token']!,
    tokens['refresh_token']!,
    VERIFIER,
    'wrong-token',
    'the secret of the proxy',
    KEY,
    upstream[0]!.params.get('code_verifier')!,
  ];
  const seen = [
    ...logged,
    inspect(proxied.auth, { depth: 20, showHidden: true }),
    ...person.seen.map(({ url }) => url.href),
    ...proxied.as.asked.filter(({ path }) => path === '/authorize').map(({ params }) => params.toString()),
  ].join('\n');
  for (const secret of secrets) assert.ok(!seen.includes(secret), `${secret} is shown`);
});

test('invalid options throw a TypeError', () => {
  const options: OAuthProxyOptions = {
    resource: 'https://mcp.example.com/mcp',
    keys: [KEY],
    store: memoryStore(),
    provider: { issuer: 'https://as.example.com', client: { id: 'a', secret: 'b' } },
  };
  assert.throws(() => oauthProxy({ ...options, keys: [] }), /at least one key/);
  assert.throws(() => oauthProxy({ ...options, keys: ['short'] }), /32 characters/);
  assert.throws(() => oauthProxy({ ...options, provider: { client: { id: 'a', secret: 'b' } } }), /`issuer`, or/);
  assert.throws(() => oauthProxy({ ...options, resource: 'http://mcp.example.com/mcp' }), /https/);
});

test('only the program keeps a registration until a user has logged in with it', async () => {
  const kept = memoryStore();
  const written = new Set<string>();
  const store: Store = {
    ...kept,
    set: (key, value, lifeMs) => (written.add(key), kept.set(key, value, lifeMs)),
    add: (key, value, lifeMs) => (written.add(key), kept.add(key, value, lifeMs)),
  };
  const proxied = await start({ store });
  const ids = await Promise.all(Array.from({ length: 20 }, () => registered(proxied)));
  assert.equal(new Set(ids).size, 20);
  assert.deepEqual([...written], []);
  await logIn(proxied, ids[0]!);
  assert.equal([...written].filter((key) => key.startsWith('tenon/oauth/client/')).length, 1);
});

test('anonymous requests never evict a login, a consent or a revocation', async () => {
  const proxied = await start({ store: memoryStore({ maxEntries: 40 }) });
  const id = await registered(proxied);
  const { tokens, person } = await logIn(proxied, id);
  const ended = await logIn(proxied, id);
  await post(`${proxied.origin}/revoke`, new URLSearchParams({ token: ended.tokens['refresh_token']!, client_id: id }));
  for (let visitor = 0; visitor < 80; visitor++) await fetch(loginUrl(proxied, { client_id: id }));
  assert.equal((await principalOf(proxied, ended.tokens['access_token'])).status, 401);
  assert.match((await principalOf(proxied, tokens['access_token'])).id, /ann/);
  assert.equal((await refreshed(proxied, id, tokens['refresh_token'])).status, 200);
  assert.equal((await logIn(proxied, id, person)).response.status, 200);
  assert.equal(person.asks(), 1);
});

test('a consent is remembered only when the user has logged in', async () => {
  let denies = true;
  const proxied = await start(
    {},
    {
      answer(back) {
        if (denies) back.search = `?error=access_denied&state=${back.searchParams.get('state')}`;
      },
    },
  );
  const id = await registered(proxied);
  const person = browser();
  const back = await person.go(loginUrl(proxied, { client_id: id }));
  assert.equal(back.searchParams.get('error'), 'access_denied');
  denies = false;
  for (const asked of [2, 2]) {
    assert.ok((await person.go(loginUrl(proxied, { client_id: id }))).searchParams.has('code'));
    assert.equal(person.asks(), asked);
  }
  // It is useless in another browser.
  const other = browser();
  other.cookies.set('tenon-login', 'b'.repeat(43));
  other.cookies.set('tenon-approved', person.cookies.get('tenon-approved')!);
  await other.go(loginUrl(proxied, { client_id: id }));
  assert.equal(other.asks(), 1);
});

test('a parameter that is sent twice, or is not UTF-8, is refused', async () => {
  const proxied = await start();
  const id = await registered(proxied);
  const page = loginUrl(proxied, { client_id: id, scope: 'notes:read' }).href;
  const stateless = loginUrl(proxied, { client_id: id, state: '' }).href;
  // Errors are sent to the program only if they cannot concern the destination of the response.
  for (const address of [
    `${page}&client_id=${id}`,
    `${page}&redirect_uri=https://evil.example/cb`,
    `${page}&state=other`,
    `${stateless}&state=%ff`,
  ]) {
    const answer = await fetch(address, { redirect: 'manual' });
    assert.deepEqual([answer.status, answer.headers.get('location')], [400, null], address);
    assert.match(await answer.text(), /more than once|not UTF-8/);
  }
  for (const [more, error] of [
    ['&scope=notes:write', 'invalid_request'],
    ['&response_type=code', 'invalid_request'],
    ['&code_challenge=x', 'invalid_request'],
    ['&resource=https://other.example/mcp', 'invalid_target'],
  ] as const) {
    const back = await browser('').go(page + more);
    assert.deepEqual([back.searchParams.get('error'), back.searchParams.get('state')], [error, 'mine'], more);
  }
  const form = `grant_type=authorization_code&client_id=${id}&code=c&code_verifier=${VERIFIER}`;
  const ask = async (body: string, type = 'application/x-www-form-urlencoded'): Promise<[number, string]> => {
    const answer = await fetch(`${proxied.origin}/token`, { method: 'POST', headers: { 'content-type': type }, body });
    return [answer.status, ((await answer.json()) as { error: string }).error];
  };
  assert.deepEqual(await ask(form), [400, 'invalid_grant']);
  for (const body of [
    `${form}&code=c`,
    `${form}&code=d`,
    `${form}&%63ode=d`,
    `${form}&refresh_token=%ff`,
    'code=c',
    '',
  ])
    assert.deepEqual(await ask(body), [400, 'invalid_request'], body);
  for (const type of ['application/json', 'text/plain', 'application/x-www-form-urlencoded; charset=iso-8859-1'])
    assert.deepEqual(await ask(form, type), [400, 'invalid_request'], type);
});

test('a registration is JSON in UTF-8, with members of the right type, each once', async () => {
  const proxied = await start();
  const register = async (body: string, type = 'application/json'): Promise<string> => {
    const headers = { 'content-type': type };
    const answer = await fetch(`${proxied.origin}/register`, { method: 'POST', headers, body });
    return ((await answer.json()) as { error?: string }).error ?? 'registered';
  };
  const right = JSON.stringify({ redirect_uris: [REDIRECT] });
  assert.equal(await register(right), 'registered');
  assert.equal(
    await register(JSON.stringify({ redirect_uris: [REDIRECT], client_name: null, scope: 7 })),
    'registered',
  );
  for (const type of ['text/plain', 'application/json; charset=latin1', 'text/html'])
    assert.equal(await register(right, type), 'invalid_client_metadata', type);
  for (const more of [{ client_name: 7 }, { application_type: ['web'] }, { grant_types: 'refresh_token' }])
    assert.equal(await register(JSON.stringify({ redirect_uris: [REDIRECT], ...more })), 'invalid_client_metadata');
  assert.equal(
    await register(`{"redirect_uris":["https://evil.example/cb"],${right.slice(1)}`),
    'invalid_redirect_uri',
  );
  for (const uri of [
    'https://app.example/c b',
    ' https://app.example/cb',
    'https://app.example/c\nb',
    'https:\\\\app.example/cb',
    'https://app.example/é',
    'https://app.example/cb#',
  ])
    assert.equal(await register(JSON.stringify({ redirect_uris: [uri] })), 'invalid_redirect_uri', uri);
});

test('the number of logins that one caller can begin per minute is limited', async () => {
  const proxied = await start();
  const id = await registered(proxied);
  const statuses: number[] = [];
  for (let login = 0; login < 122; login++)
    statuses.push((await fetch(loginUrl(proxied, { client_id: id }), { redirect: 'manual' })).status);
  assert.deepEqual(statuses.slice(118), [200, 200, 429, 429]);
});

test('the number of logins of a user is limited: the oldest ends', async () => {
  const proxied = await start();
  const id = await registered(proxied);
  const person = browser();
  const first = await logIn(proxied, id, person);
  const second = await logIn(proxied, id, person);
  for (let login = 0; login < 49; login++) await person.go(loginUrl(proxied, { client_id: id }));
  assert.equal((await refreshed(proxied, id, first.tokens['refresh_token'])).status, 400);
  assert.equal((await principalOf(proxied, first.tokens['access_token'])).status, 401);
  assert.equal((await refreshed(proxied, id, second.tokens['refresh_token'])).status, 200);
});

test('the document of a program is fetched once for concurrent requests, and its absence is remembered for a while', async () => {
  const fetched: string[] = [];
  const documents = createServer((request, response) => {
    fetched.push(request.url!);
    response.writeHead(404).end();
  }).listen(0, '127.0.0.1');
  await new Promise((resolve) => documents.once('listening', resolve));
  after(() => documents.close());
  const base = `http://127.0.0.1:${(documents.address() as AddressInfo).port}`;
  const proxied = await start();
  const ask = (path: string) => fetch(loginUrl(proxied, { client_id: `${base}/${path}` }), { redirect: 'manual' });
  await Promise.all(Array.from({ length: 10 }, () => ask('same')));
  assert.equal((await ask('same')).status, 400);
  assert.deepEqual(fetched, ['/same']);
  for (let count = 0; count < 70; count++) await ask(String(count));
  assert.equal(fetched.length, 60);
});

test('an invalid response of the provider makes the login fail, and the log contains the reason', async () => {
  for (const [token, why] of [
    [[200, { access_token: 'good', token_type: 'Bearer' }, { 'content-type': 'text/html' }], /not application\/json/],
    [[200, { access_token: 'a b', token_type: 'Bearer' }], /invalid `access_token`/],
    [[200, { access_token: 'good', token_type: 'Bearer', expires_in: '3600' }], /invalid `expires_in`/],
    [[200, { error: 'incorrect_client_credentials' }], /refused: incorrect_client_credentials/],
    [[500, {}], /answered with status 500/],
  ] as const) {
    const proxied = await start({}, { token: () => token as never });
    logged.length = 0;
    const back = await browser().go(loginUrl(proxied, { client_id: await registered(proxied) }));
    assert.equal(back.searchParams.get('error'), 'server_error');
    assert.match(logged.join('\n'), why);
  }
  const proxied = await start(
    {},
    {
      token: () => [
        200,
        { access_token: 'good', token_type: 'bearer', expires_in: null, refresh_token: null, scope: null },
      ],
    },
  );
  assert.equal((await logIn(proxied, await registered(proxied))).response.status, 200);
});
