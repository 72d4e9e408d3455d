// A client, a protected server and an authorization server, on real ports.
import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { inspect } from 'node:util';
import { SignJWT } from 'jose';
import { z } from 'zod';
import {
  AuthError,
  fileTokens,
  jwt,
  loopback,
  memoryTokens,
  oauth,
  protectedResource,
} from '../../src/entries/auth.ts';
import { connect, ConnectionError, type ConnectOptions } from '../../src/entries/client.ts';
import { prompt, resource, server, tool } from '../../src/entries/index.ts';
import { serveHttp, type ServeHttpOptions } from '../../src/entries/node.ts';
import { fakeClock } from '../../src/entries/testing.ts';
import { type Authority, authority, type AuthorityOptions } from './authority.ts';

const eras = { get: () => undefined, set() {}, delete() {} };

const app = server({
  name: 'protected',
  version: '1',
  tools: {
    whoami: tool({}, (_, ctx) => JSON.stringify({ id: ctx.principal?.id, scopes: ctx.principal?.scopes })),
    echo: tool({ input: z.object({ text: z.string() }) }, ({ text }) => text),
  },
});

/** A protected server. Its URL is known before it serves. */
async function serve(as: Authority, scopes: readonly string[] = [], more: ServeHttpOptions = {}) {
  const probe = await serveHttp(app, { port: 0, signals: false });
  const { port, url } = probe;
  await probe.close();
  const served = await serveHttp(app, {
    port,
    signals: false,
    drainMs: 100,
    ...more,
    auth: protectedResource({
      resource: url,
      authorizationServers: [as.issuer],
      scopes,
      verify: jwt({ issuer: as.issuer }),
    }),
  });
  after(() => served.close());
  return served;
}

async function failing(as: Authority, options: ConnectOptions = {}): Promise<Error> {
  const { url } = await serve(as);
  try {
    await connect(url, { eras, auth: oauth({ browser: as.browser }), ...options });
  } catch (error) {
    return error as Error;
  }
  throw new Error('it connected');
}

test('[AUTH-3, AUTH-14, AUTH-16, AUTH-18, AUTH-19, AUTH-21, AUTH-24, AUTH-32, AUTH-62, AUTH-70, AUTH-71, AUTH-77, AUTH-78, AUTH-79, AUTH-105, AUTH-106] a server that requires a token gets one, in both eras, and each request carries it', async () => {
  const as = await authority();
  const { url } = await serve(as, ['notes:read']);
  for (const revision of ['2026-07-28', '2025-11-25'] as const) {
    const seen: string[] = [];
    await using client = await connect(url, {
      eras,
      revision,
      auth: oauth({ browser: as.browser }),
      onTrace: ({ text }) => seen.push(text),
    });
    assert.deepEqual(JSON.parse(String(await client.call('whoami'))), {
      id: `${as.issuer}|ann`,
      scopes: ['notes:read'],
    });
    assert.ok(seen.some((line) => line.includes('authorization: …')));
  }
  const authorize = as.asked.find(({ path }) => path === '/authorize')!.params;
  assert.equal(authorize.get('resource'), url);
  assert.equal(authorize.get('scope'), 'notes:read');
  assert.equal(authorize.get('code_challenge_method'), 'S256');
  const exchanged = as.asked.find(({ path }) => path === '/token')!.params;
  assert.equal(exchanged.get('resource'), url);
  assert.match(exchanged.get('code_verifier') ?? '', /^[A-Za-z0-9\-._~]{43,128}$/);
});

test('[A-77] [AUTH-17, AUTH-55, AUTH-76] responses without a token contain only data from the configuration', async () => {
  const as = await authority();
  const { url } = await serve(as, ['notes:read']);
  const refused = await fetch(url, { method: 'POST', headers: { 'x-forwarded-host': 'evil.example' }, body: '{}' });
  assert.equal(refused.status, 401);
  const { origin } = new URL(url);
  const place = `${origin}/.well-known/oauth-protected-resource/mcp`;
  assert.equal(refused.headers.get('www-authenticate'), `Bearer scope="notes:read", resource_metadata="${place}"`);
  const served = await serve(as, [], { allowedHosts: ['evil.example'] });
  const asEvil = await new Promise<string>((resolve, reject) => {
    const headers = { host: 'evil.example', 'x-forwarded-host': 'evil.example' };
    request(served.url, { method: 'POST', headers }, (answer) => resolve(String(answer.headers['www-authenticate'])))
      .on('error', reject)
      .end('{}');
  });
  assert.ok(asEvil.includes(new URL(served.url).origin) && !asEvil.includes('evil'), asEvil);
  for (const at of [place, `${origin}/.well-known/oauth-protected-resource`]) {
    const found = await fetch(at);
    assert.equal(found.headers.get('access-control-allow-origin'), '*');
    assert.deepEqual(await found.json(), {
      resource: url,
      authorization_servers: [as.issuer],
      bearer_methods_supported: ['header'],
      scopes_supported: ['notes:read'],
    });
  }
});

test('[A-71, A-72] [AUTH-80, AUTH-81, AUTH-82, AUTH-83, AUTH-85, AUTH-119, AUTH-120, SECU-11, SECU-17, SECU-21] a token for another server, from another authority, or expired, is refused on every request', async () => {
  const as = await authority();
  const other = await authority();
  const { url } = await serve(as);
  const good = await as.token({ aud: url });
  const [header, payload] = good.split('.');
  const bad = {
    'another audience': await as.token({ aud: 'https://elsewhere.example/mcp' }),
    'no audience': await as.token({}),
    'audiences without this server': await as.token({ aud: ['https://a.example/mcp', 'https://b.example/mcp'] }),
    'an audience that begins like this server': await as.token({ aud: `${url}.evil.example` }),
    'the origin of the server': await as.token({ aud: new URL(url).origin }),
    'a token about the user, for a program': await as.token({ aud: 'c', nonce: 'n' }),
    'not yet good': await as.token({ aud: url, nbf: Math.floor(Date.now() / 1_000) + 600 }),
    'signed with the public key': await new SignJWT({ sub: 'ann', iss: as.issuer, aud: url, exp: 9_999_999_999 })
      .setProtectedHeader({ alg: 'HS256', kid: 'k' })
      .sign(new TextEncoder().encode(JSON.stringify(as.jwks.keys[0]))),
    'another issuer': await other.token({ aud: url }),
    'another issuer that says it is this one': await other.token({ aud: url, iss: as.issuer }),
    over: await as.token({ aud: url }, { expiresIn: -60 }),
    'without an end': await as.token({ aud: url, exp: undefined }),
    'without a signature': `${Buffer.from('{"alg":"none"}').toString('base64url')}.${payload}.`,
    'with a broken signature': `${header}.${payload}.AAAA`,
    'no token at all': 'opaque',
    nobody: await as.token({ aud: url, sub: undefined, client_id: undefined }),
  };
  for (const [what, token] of Object.entries(bad)) {
    for (const method of ['POST', 'GET', 'DELETE']) {
      const answer = await fetch(url, {
        method,
        headers: { authorization: `Bearer ${token}` },
        ...(method === 'POST' ? { body: '{}' } : {}),
      });
      assert.equal(answer.status, 401, `${what}, ${method}`);
      assert.match(answer.headers.get('www-authenticate') ?? '', /^Bearer error="invalid_token"/, what);
    }
  }
  await using client = await connect(url, { eras, headers: { authorization: `Bearer ${good}` } });
  assert.equal(await client.call('echo', { text: 'in' }), 'in');
  for (const authorization of [
    '',
    'Bearer',
    'Bearer ',
    `Basic ${btoa('ann:x')}`,
    good,
    `Token ${good}`,
    `Bearer ${good} x`,
  ]) {
    const answer = await fetch(url, { method: 'POST', headers: { authorization }, body: '{}' });
    assert.equal(answer.status, 401, authorization.slice(0, 12));
  }
  const inQuery = await fetch(`${url}?access_token=${good}`, { method: 'POST', body: '{}' });
  assert.equal(inQuery.status, 401);
});

test('[AUTH-91, AUTH-92, AUTH-93, AUTH-94] a token without the scopes is refused with 403, and the challenge lists all that are needed', async () => {
  const as = await authority();
  const { url } = await serve(as, ['a', 'b']);
  const token = await as.token({ aud: url, scope: 'a' });
  const answer = await fetch(url, { method: 'POST', headers: { authorization: `Bearer ${token}` }, body: '{}' });
  assert.equal(answer.status, 403);
  assert.match(
    answer.headers.get('www-authenticate') ?? '',
    /error="insufficient_scope", scope="a b", resource_metadata=/,
  );
});

test('[A-16] [AUTH-86] five calls with an expired token cause one refresh', async (t) => {
  const as = await authority({ tokenDelayMs: 50 });
  const { url } = await serve(as);
  const store = memoryTokens();
  await using client = await connect(url, { eras, auth: oauth({ browser: as.browser, store }) });
  const before = as.count('/token');
  // The token is valid for another 25 seconds then.
  t.mock.timers.enable({ apis: ['Date'], now: Date.now() + 3_575_000 });
  const texts = ['1', '2', '3', '4', '5'];
  assert.deepEqual(await Promise.all(texts.map((text) => client.call('echo', { text }))), texts);
  assert.equal(as.count('/token') - before, 1);
  assert.equal(as.count('/authorize'), 1);
});

test('two connections that share a file refresh once, and other users cannot read the file', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'tenon-auth-'));
  after(() => rm(folder, { recursive: true, force: true }));
  const path = join(folder, 'deep', 'tokens.json');
  const as = await authority({ lifeS: 60, tokenDelayMs: 100 });
  const { url } = await serve(as);
  const make = () =>
    connect(url, { eras, auth: oauth({ browser: as.browser, store: fileTokens(path, { secret: 'kept elsewhere' }) }) });
  await using first = await make();
  await using second = await make();
  assert.equal(as.count('/authorize'), 1, 'the second found what the first has kept');
  const before = as.count('/token');
  // The token is valid for another 25 seconds then, and no lock is old enough to be taken over.
  t.mock.timers.enable({ apis: ['Date'], now: Date.now() + 35_000 });
  await Promise.all([first.call('echo', { text: '1' }), second.call('echo', { text: '2' })]);
  assert.equal(as.count('/token') - before, 1);
  assert.equal((await stat(path)).mode & 0o077, 0);
  assert.doesNotMatch(await readFile(path, 'utf8'), /refresh-|eyJ/);
  await assert.rejects(async () => fileTokens(path, { secret: 'another' }).get(url), {
    name: 'AuthError',
    step: 'storage',
  });
  await assert.rejects(async () => fileTokens(path).set(url, { issuer: 'x' }), { name: 'AuthError', step: 'storage' });
});

test('a refresh token that is no longer valid leads to a login', async () => {
  const as = await authority({ lifeS: 31, refuseRefresh: true });
  const { url } = await serve(as);
  const store = memoryTokens();
  await using client = await connect(url, { eras, auth: oauth({ browser: as.browser, store }) });
  await store.set(url, { ...(await store.get(url))!, accessToken: 'opaque' });
  await using again = await connect(url, { eras, auth: oauth({ browser: as.browser, store }) });
  assert.equal(await again.call('echo', { text: 'x' }), 'x');
  assert.equal(as.count('/authorize'), 2);
  assert.equal(await client.call('echo', { text: 'x' }), 'x');
});

const WRONG: readonly [string, AuthorityOptions, RegExp][] = [
  [
    '[A-65] [AUTH-65, AUTH-66, AUTH-68] an issuer in the answer that differs by a slash',
    { answer: (back) => back.searchParams.set('iss', `${back.origin}/`) },
    /answer to the login/,
  ],
  [
    '[A-65] [AUTH-67] an issuer that was announced and is not there',
    { metadata: { authorization_response_iss_parameter_supported: true } },
    /answer to the login/,
  ],
  ['[A-67] [AUTH-107] no word of PKCE', { metadata: { code_challenge_methods_supported: undefined } }, /PKCE/],
  ['[A-67] PKCE without S256', { metadata: { code_challenge_methods_supported: ['plain'] } }, /PKCE/],
  [
    '[A-68] [AUTH-112] another state',
    { answer: (back) => back.searchParams.set('state', 'theirs') },
    /answer to the login/,
  ],
  ['[A-68] no state', { answer: (back) => back.searchParams.delete('state') }, /answer to the login/],
  [
    '[A-64] [AUTH-27, AUTH-28] metadata of another issuer',
    { metadata: { issuer: 'https://honest.example' } },
    /are those of/,
  ],
  ['[A-64] metadata without an issuer', { metadata: { issuer: undefined } }, /no `issuer`/],
  [
    '[A-59] [SECU-30, SECU-31] a login page with an unsafe URL',
    { metadata: { authorization_endpoint: 'javascript:alert(1)' } },
    /not used/,
  ],
  [
    '[A-59] a token endpoint elsewhere without TLS',
    { metadata: { token_endpoint: 'http://remote.example/token' } },
    /not https/,
  ],
];

for (const [what, options, message] of WRONG)
  test(`${what}: no token is requested`, async () => {
    const as = await authority(options);
    const error = await failing(as);
    assert.ok(error instanceof ConnectionError && error.cause instanceof AuthError, inspect(error));
    assert.match(error.message, message);
    assert.equal(as.count('/token'), 0);
  });

test('[A-65] [AUTH-69] texts of a response with a wrong issuer are not shown', async () => {
  const as = await authority({
    answer(back) {
      back.searchParams.delete('code');
      back.searchParams.set('iss', 'https://evil.example');
      back.searchParams.set('error', 'access_denied');
      back.searchParams.set('error_description', 'CALL 555-EVIL');
    },
  });
  assert.doesNotMatch(inspect(await failing(as), { depth: 9 }), /555-EVIL|access_denied/);
});

test('a refused login gives the reason and the code', async () => {
  const as = await authority({
    answer(back) {
      back.searchParams.delete('code');
      back.searchParams.set('error', 'access_denied');
    },
  });
  const { cause } = await failing(as);
  assert.ok(cause instanceof AuthError);
  assert.deepEqual([cause.code, cause.step, cause.oauthError], ['refused', 'authorization', 'access_denied']);
});

test('[A-63] no login takes place for a server with the metadata of another one', async () => {
  const as = await authority();
  const { port, url } = await serveHttp(app, { port: 0, signals: false }).then(async (served) => {
    await served.close();
    return served;
  });
  const served = await serveHttp(app, {
    port,
    signals: false,
    auth: {
      authenticate: () => ({ status: 401, message: 'no', headers: { 'www-authenticate': 'Bearer' } }),
      insufficient: () => ({ status: 403, message: 'no' }),
      document: () => JSON.stringify({ resource: 'https://bank.example/mcp', authorization_servers: [as.issuer] }),
    },
  });
  after(() => served.close());
  await assert.rejects(
    connect(url, { eras, auth: oauth({ browser: as.browser }) }),
    /names https:\/\/bank\.example\/mcp, but you called http/,
  );
  assert.equal(as.asked.length, 0);
});

test('[A-66] [AUTH-29, AUTH-30, AUTH-51, AUTH-52, AUTH-53, AUTH-54, AUTH-84] another authorization server gets no credentials of the first: a client registers again, and a client that is registered only elsewhere stops', async () => {
  const [one, two] = [await authority(), await authority()];
  let current = one;
  const probe = await serveHttp(app, { port: 0, signals: false });
  const { port, url } = probe;
  await probe.close();
  const gate = (as: Authority) =>
    protectedResource({ resource: url, authorizationServers: [as.issuer], verify: jwt({ issuer: as.issuer }) });
  const gates = new Map([one, two].map((as) => [as, gate(as)]));
  const served = await serveHttp(app, {
    port,
    signals: false,
    auth: {
      authenticate: (request) => gates.get(current)!.authenticate(request),
      document: (path) => gates.get(current)!.document(path),
      insufficient: (scopes) => gates.get(current)!.insufficient(scopes),
    },
  });
  after(() => served.close());
  const store = memoryTokens();
  await using client = await connect(url, { eras, auth: oauth({ browser: one.browser, store }) });
  const before = (await store.get(url))!;
  current = two;
  assert.equal(await client.call('echo', { text: 'moved' }), 'moved');
  const sent = inspect(
    two.asked.map(({ params, authorization }) => [[...params], authorization]),
    { depth: 5 },
  );
  for (const secret of [before.refreshToken!, before.accessToken!, before.clientId!]) assert.ok(!sent.includes(secret));
  assert.equal((await store.get(url))!.issuer, two.issuer);

  const known = oauth({ browser: two.browser, client: { id: 'known', secret: 'S3CRET', issuer: one.issuer } });
  await assert.rejects(connect(url, { eras, auth: known }), /registered at/);
  assert.ok(!inspect(two.asked).includes('S3CRET'));
});

test('a client that is registered for its secret in the body logs in, and its login remembers that', async () => {
  const as = await authority({
    metadata: { token_endpoint_auth_methods_supported: ['client_secret_basic', 'client_secret_post'] },
    lifeS: 1,
    token: (_, { authorization }) => (authorization === undefined ? undefined : [401, { error: 'invalid_client' }]),
  });
  const { url } = await serve(as);
  const store = memoryTokens();
  const options = { browser: as.browser, store, client: { id: 'known', secret: 'S3CRET', issuer: as.issuer } };
  const methods = () =>
    as.asked
      .filter(({ path }) => path === '/token')
      .map(
        ({ params, authorization }) => `${params.get('grant_type')} ${authorization ?? params.get('client_secret')}`,
      );
  const basic = `Basic ${btoa('known:S3CRET')}`;
  for (let round = 0; round < 2; round++) {
    await using client = await connect(url, { eras, auth: oauth(options) });
    assert.equal(await client.call('echo', { text: 'x' }), 'x');
  }
  assert.deepEqual(methods().slice(0, 3), [
    `authorization_code ${basic}`,
    'authorization_code S3CRET',
    'refresh_token S3CRET',
  ]);
  assert.equal(methods().filter((method) => method.includes(basic)).length, 1);
});

test('[A-70] [AUTH-100] no secret appears in a log, error, trace or inspected object', async () => {
  const as = await authority();
  const said: string[] = [];
  const { url } = await serve(as, [], { log: (entry) => said.push(inspect(entry, { depth: 9 })) });
  const store = memoryTokens();
  await using client = await connect(url, {
    eras,
    auth: oauth({ browser: as.browser, store }),
    log: (entry) => said.push(inspect(entry, { depth: 9 })),
    onTrace: (entry) => said.push(inspect(entry)),
  });
  await client.call('echo', { text: 'x' });
  await client.call('nothing').catch((error: unknown) => said.push(inspect(error, { depth: 9 })));
  said.push(inspect(client, { depth: 9, showHidden: true }));
  const { accessToken, refreshToken } = (await store.get(url))!;
  const secrets = [
    accessToken!,
    refreshToken!,
    ...as.asked.flatMap(({ params }) => [params.get('code'), params.get('code_verifier')]),
  ];
  for (const secret of secrets) if (secret !== null) assert.ok(!said.join('\n').includes(secret));
});

test('[A-60] [SECU-33, SECU-34] the login page is opened unchanged, without a shell, and its response is accepted once, from this machine', async () => {
  const as = await authority();
  const { url } = await serve(as);
  const opened: URL[] = [];
  const browser = loopback({
    show() {},
    opener(page) {
      opened.push(page);
      void (async () => {
        const back = (await fetch(page, { redirect: 'manual' })).headers.get('location')!;
        const { origin } = new URL(back);
        assert.equal((await fetch(`${origin}/callback`)).status, 404);
        assert.equal((await fetch(`${origin}/elsewhere?code=1`)).status, 404);
        const answer = await fetch(back);
        assert.equal(answer.status, 200);
        assert.match(answer.headers.get('content-security-policy') ?? '', /default-src 'none'/);
      })();
    },
  });
  await using client = await connect(url, { eras, auth: oauth({ browser }) });
  assert.equal(await client.call('echo', { text: 'in' }), 'in');
  assert.equal(opened.length, 1);
  assert.match(opened[0]!.searchParams.get('redirect_uri')!, /^http:\/\/127\.0\.0\.1:\d+\/callback$/);
});

test('the login of a registered client has its redirect address again, unless another program has the port', async (t) => {
  const browser = loopback({ show: () => {}, opener: false });
  const open = async (registered?: string) => {
    const opened = await browser.open(registered);
    t.after(() => opened.close());
    return opened;
  };
  const first = await open();
  assert.notEqual((await open(first.redirectUri)).redirectUri, first.redirectUri);
  await first.close();
  assert.equal((await open(first.redirectUri)).redirectUri, first.redirectUri);
});

test('[AUTH-57, AUTH-58, AUTH-96, SECU-39, SECU-40] missing scopes are requested together with the previous ones; timeouts are paused while the user logs in', async () => {
  const as = await authority();
  const probe = await serveHttp(app, { port: 0, signals: false });
  const { port, url } = probe;
  await probe.close();
  const gate = (scopes: readonly string[]) =>
    protectedResource({ resource: url, authorizationServers: [as.issuer], scopes, verify: jwt({ issuer: as.issuer }) });
  let current = gate(['notes:read']);
  const served = await serveHttp(app, {
    port,
    signals: false,
    drainMs: 100,
    auth: {
      authenticate: (request) => current.authenticate(request),
      document: (path) => current.document(path),
      insufficient: (scopes) => current.insufficient(scopes),
    },
  });
  after(() => served.close());
  const clock = fakeClock();
  const slow = {
    open: async () => {
      const inner = await as.browser.open();
      return {
        ...inner,
        authorize: async (page: URL) => {
          await clock.advance(600);
          return inner.authorize(page);
        },
      };
    },
  };
  await using client = await connect(url, { eras, clock, timeout: 200, auth: oauth({ browser: slow }) });
  current = gate(['notes:write']);
  assert.equal(await client.call('echo', { text: 'late' }), 'late');
  assert.deepEqual(
    as.asked.filter(({ path }) => path === '/authorize').map(({ params }) => params.get('scope')),
    ['notes:read', 'notes:read notes:write'],
  );
});

test('[AUTH-97] a server that keeps asking for scopes causes a limited number of logins', async () => {
  const as = await authority();
  const { url } = await serve(as);
  const never = await serveHttp(app, {
    port: 0,
    signals: false,
    drainMs: 100,
    auth: {
      authenticate: (request) =>
        request.header('authorization') === undefined
          ? { status: 401, message: 'no', headers: { 'www-authenticate': 'Bearer scope="a"' } }
          : {
              status: 403,
              message: 'no',
              headers: { 'www-authenticate': `Bearer error="insufficient_scope", scope="s${as.count('/authorize')}"` },
            },
      insufficient: () => ({ status: 403, message: 'no' }),
      document: () =>
        JSON.stringify({ resource: `${new URL(never.url).origin}/mcp`, authorization_servers: [as.issuer] }),
    },
  });
  after(() => never.close());
  await assert.rejects(connect(never.url, { eras, auth: oauth({ browser: as.browser }) }), {
    name: 'ConnectionError',
    status: 403,
  });
  assert.ok(as.count('/authorize') <= 3, `${as.count('/authorize')} logins`);
  assert.ok(url);
});

test('[AUTH-61, AUTH-95] a tool that needs more scopes is listed, refused before it runs on every transport path, and called after the user has agreed', async () => {
  const as = await authority();
  let ran = 0;
  const notes = server({
    name: 'notes',
    tools: {
      read: tool({ readOnly: true }, () => 'read'),
      write: tool({ scopes: ['notes:write'] }, () => {
        ran++;
        return 'written';
      }),
    },
  });
  await assert.rejects(serveHttp(notes, { port: 0, signals: false }), {
    name: 'DefinitionError',
    message: /without `auth`/,
  });
  const probe = await serveHttp(app, { port: 0, signals: false });
  const { port, url } = probe;
  await probe.close();
  const auth = protectedResource({
    resource: url,
    authorizationServers: [as.issuer],
    scopes: ['notes:read'],
    verify: jwt({ issuer: as.issuer, audience: [url, url.replace(/mcp$/, 'sse')] }),
  });
  const served = await serveHttp(notes, { port, signals: false, drainMs: 100, sse: true, auth });
  after(() => served.close());
  const token = await as.token({ aud: url, scope: 'notes:read' });
  for (const [target, revision] of [
    [url, '2026-07-28'],
    [url, '2025-11-25'],
    [url.replace(/mcp$/, 'sse'), '2024-11-05'],
  ] as const) {
    await using client = await connect(target, { eras, revision, headers: { authorization: `Bearer ${token}` } });
    assert.equal((await client.tools().all()).length, 2);
    assert.equal(await client.call('read'), 'read');
    await assert.rejects(client.call('write'), /403|status 403/);
  }
  const batch = [
    { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'read' } },
    { jsonrpc: '2.0', id: 2, method: 'tools/call', params: { name: 'write' } },
  ];
  const opened = await fetch(url, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${token}`,
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
    },
    body: JSON.stringify({
      jsonrpc: '2.0',
      id: 0,
      method: 'initialize',
      params: { protocolVersion: '2025-03-26', capabilities: {}, clientInfo: { name: 't', version: '1' } },
    }),
  });
  const posted = await fetch(url, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${token}`,
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      'mcp-session-id': opened.headers.get('mcp-session-id')!,
    },
    body: JSON.stringify(batch),
  });
  assert.equal(posted.status, 403);
  assert.match(
    posted.headers.get('www-authenticate') ?? '',
    /error="insufficient_scope", scope="notes:read notes:write", resource_metadata=/,
  );
  assert.equal(ran, 0);
  await using agreed = await connect(url, { eras, auth: oauth({ browser: as.browser }) });
  assert.equal(await agreed.call('write'), 'written');
  assert.equal(ran, 1);
});

test('prompts, resources and single calls may need more scopes, too, also for watches and completions', async () => {
  const as = await authority();
  let ran = 0;
  const run = (text: string): string => {
    ran++;
    return text;
  };
  const scopes = ['notes:secret'];
  const notes = server({
    name: 'notes',
    tools: {
      open: tool(
        { input: z.object({ drawer: z.number() }), scopes: ({ drawer }) => (drawer > 1 ? scopes : []) },
        ({ drawer }) => run(`drawer ${drawer}`),
      ),
    },
    prompts: { plan: prompt({ scopes }, () => run('plan')) },
    resources: {
      'note:///secret': resource({ name: 'secret', scopes }, () => run('secret')),
      'note:///open': resource({ name: 'open' }, () => 'open'),
    },
    providers: [
      {
        tools: { list: () => [], get: (name) => (name === 'given' ? tool({ scopes }, () => run('given')) : undefined) },
      },
    ],
  });
  const probe = await serveHttp(app, { port: 0, signals: false });
  const { port, url } = probe;
  await probe.close();
  const auth = protectedResource({
    resource: url,
    authorizationServers: [as.issuer],
    verify: jwt({ issuer: as.issuer }),
  });
  const served = await serveHttp(notes, { port, signals: false, drainMs: 100, auth });
  after(() => served.close());
  const connected = async (scope: string, revision: '2026-07-28' | '2025-11-25') =>
    connect(url, { eras, revision, headers: { authorization: `Bearer ${await as.token({ aud: url, scope })}` } });
  for (const revision of ['2026-07-28', '2025-11-25'] as const) {
    await using client = await connected('', revision);
    assert.equal(await client.call('open', { drawer: 1 }), 'drawer 1');
    await assert.rejects(client.call('open', { drawer: 'x' } as never), { name: 'ToolError' });
    ran = 0;
    await assert.rejects(client.call('open', { drawer: 2 }), /403/);
    await assert.rejects(client.call('given'), /403/);
    await assert.rejects(client.prompt('plan'), /403/);
    for (const uri of ['note:///secret', 'note:///secret#top']) await assert.rejects(client.read(uri), /403/, uri);
    assert.equal((await client.read('note:///open')).contents[0]?.uri, 'note:///open');
    assert.equal(ran, 0);
    await using agreed = await connected('notes:secret', revision);
    assert.equal(await agreed.call('open', { drawer: 2 }), 'drawer 2');
    assert.equal(await agreed.call('given'), 'given');
    for (const uri of ['note:///secret', 'note:///secret#top'])
      assert.equal((await agreed.read(uri)).contents[0]?.uri, 'note:///secret');
    await agreed.prompt('plan');
    assert.equal(ran, 5);
  }
  const watch = await fetch(url, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${await as.token({ aud: url })}`,
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      'mcp-protocol-version': '2026-07-28',
      'mcp-method': 'subscriptions/listen',
    },
    body: JSON.stringify({
      jsonrpc: '2.0',
      id: 1,
      method: 'subscriptions/listen',
      params: {
        notifications: { resourceSubscriptions: ['note:///open', 'note:///secret'] },
        _meta: {
          'io.modelcontextprotocol/protocolVersion': '2026-07-28',
          'io.modelcontextprotocol/clientCapabilities': {},
          'io.modelcontextprotocol/clientInfo': { name: 't', version: '1' },
        },
      },
    }),
  });
  assert.equal(watch.status, 403);
});

test('if the scopes of a call cannot be determined, the call is refused, and the server continues', async () => {
  const as = await authority();
  let ran = 0;
  const run = () => String(++ran);
  const providers = [{ tools: { list: () => [], get: () => Promise.reject(new Error('the table is away')) } }];
  const notes = server({
    name: 'notes',
    providers,
    tools: {
      throws: tool({ scopes: () => assert.fail('no') }, run),
      rejects: tool({ scopes: () => Promise.reject(new Error('no')) }, run),
      text: tool({ scopes: (() => 'pay:much') as never }, run),
      forged: tool({ scopes: () => ['a"\r\nx-injected: 1'] }, run),
      fine: tool({}, () => 'fine'),
    },
  });
  for (const scopes of ['notes:write' as never, ['notes write'], ['notes\n'], ['']])
    await assert.rejects(
      serveHttp(server({ name: 'wrong', tools: { x: tool({ scopes }, run) } }), {
        port: 0,
        signals: false,
        auth: () => ({ id: 'ann' }),
      }),
      { name: 'DefinitionError', message: /list of strings/ },
    );
  const probe = await serveHttp(app, { port: 0, signals: false });
  const { port, url } = probe;
  await probe.close();
  const auth = protectedResource({
    resource: url,
    authorizationServers: [as.issuer],
    verify: jwt({ issuer: as.issuer, audience: [url, url.replace(/mcp$/, 'sse')] }),
  });
  const logged: string[] = [];
  const log = ({ message }: { message: string }) => void logged.push(message);
  const served = await serveHttp(notes, { port, signals: false, drainMs: 100, sse: true, auth, log });
  after(() => served.close());
  const headers = { authorization: `Bearer ${await as.token({ aud: url })}` };
  for (const [target, revision] of [
    [url, '2026-07-28'],
    [url, '2025-11-25'],
    [url.replace(/mcp$/, 'sse'), '2024-11-05'],
  ] as const) {
    await using client = await connect(target, { eras, revision, headers });
    for (const name of ['throws', 'rejects', 'text', 'forged', 'given'])
      await assert.rejects(client.call(name), /500/, `${name}, ${revision}`);
    assert.equal(await client.call('fine'), 'fine');
  }
  assert.equal(ran, 0);
  assert.ok(logged.length >= 15);
});

test('the contents of an unreadable token file appear in no error', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'tenon-auth-'));
  after(() => rm(folder, { recursive: true, force: true }));
  const path = join(folder, 'tokens.json');
  await writeFile(path, '{"https://x/mcp":{"accessToken":SECRET-TOKEN}}');
  await assert.rejects(
    async () => fileTokens(path).get('https://x/mcp'),
    (error: AuthError) => error.step === 'storage' && !inspect(error).includes('SECRET'),
  );
});
