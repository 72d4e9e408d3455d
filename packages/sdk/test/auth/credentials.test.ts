// Invalid credentials: from an authorization server, from a store, and from a configuration.
import assert from 'node:assert/strict';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, test } from 'node:test';
import {
  AuthError,
  clientCredentials,
  enterpriseManaged,
  fileTokens,
  type Grant,
  memoryTokens,
  oauth,
  type TokenStore,
  workloadIdentity,
} from '../../src/entries/auth.ts';
import { connect, ConnectionError } from '../../src/entries/client.ts';
import { authority, type AuthorityOptions } from './authority.ts';

const eras = { get: () => undefined, set() {}, delete() {} };

/** A server that accepts any well-formed token, and records the tokens that it received. */
async function protectedServer(options: AuthorityOptions = {}) {
  const as = await authority(options);
  const tokens: (string | undefined)[] = [];
  const json = (response: ServerResponse, value: unknown): unknown =>
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(value));
  const server = createServer(async (request, response) => {
    if (request.method === 'GET') return json(response, { resource: url, authorization_servers: [as.issuer] });
    const { authorization } = request.headers;
    tokens.push(authorization);
    const { id, method } = JSON.parse((await request.toArray()).join('')) as { id: unknown; method: string };
    if (authorization === undefined) return response.writeHead(401, { 'www-authenticate': 'Bearer' }).end();
    const result = {
      'server/discover': {
        supportedVersions: ['2026-07-28'],
        capabilities: { tools: {} },
        ttlMs: 0,
        cacheScope: 'private',
      },
      'tools/call': { content: [{ type: 'text', text: 'done' }] },
    }[method];
    return json(response, { jsonrpc: '2.0', id, result: { resultType: 'complete', ...result } });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  after(() => {
    server.closeAllConnections();
    server.close();
  });
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`;
  return { as, url, tokens };
}

const UNSENDABLE = ['\u0001', 'a\r\nx-injected: 1', 'a b', ' a', 'é', '日', '\ud800', 'a\u007f'];

for (const member of ['access_token', 'refresh_token'] as const)
  test(`a login with an invalid token fails with an error about it, and nothing is stored: ${member}`, async () => {
    // A refresh token may contain spaces.
    for (const text of UNSENDABLE.filter((one) => member === 'access_token' || !/^[ -~]*$/.test(one))) {
      const token = { access_token: 'good', token_type: 'Bearer', refresh_token: 'good', [member]: `${text}s3cret` };
      const { as, url } = await protectedServer({ token: () => [200, token] });
      const kept = new Map<string, Grant>();
      const store: TokenStore = { ...memoryTokens(), set: (key, grant) => void kept.set(key, grant) };
      await assert.rejects(connect(url, { eras, auth: oauth({ browser: as.browser, store }) }), (error) => {
        assert.ok(error instanceof ConnectionError, String(error));
        assert.ok(error.cause instanceof AuthError && error.cause.step === 'token', String(error.cause));
        assert.match(error.message, new RegExp(`invalid \`${member}\``));
        assert.ok(!error.message.includes('s3cret'));
        return true;
      });
      assert.deepEqual([...kept], []);
    }
  });

test('tokens with characters that issuers use outside of RFC 6750 are sent unchanged', async () => {
  for (const text of ['12|abc', 'a:b', 'x,y;z="q"']) {
    const { as, url, tokens } = await protectedServer({
      token: () => [200, { access_token: text, token_type: 'Bearer' }],
    });
    await using client = await connect(url, { eras, auth: oauth({ browser: as.browser }) });
    assert.equal(await client.call('echo'), 'done');
    assert.equal(tokens.at(-1), `Bearer ${text}`);
  }
});

test('a registration with an invalid client id or secret fails with an error about it', async () => {
  for (const member of ['client_id', 'client_secret'])
    for (const text of ['\u0001', 'a\r\nb', 'é']) {
      const { as, url } = await protectedServer();
      const answer = { client_id: 'good', client_secret: 'good', [member]: text };
      const auth = oauth({
        browser: as.browser,
        fetch: async (input, init) =>
          String(input).endsWith('/register') ? Response.json(answer, { status: 201 }) : fetch(input, init),
      });
      await assert.rejects(connect(url, { eras, auth }), (error) => {
        assert.ok(error instanceof ConnectionError && error.cause instanceof AuthError, String(error));
        assert.equal(error.cause.step, 'registration');
        assert.match(error.message, new RegExp(`invalid \`${member}\``));
        return true;
      });
    }
});

test('a login with a very long lifetime works, and the lifetime is kept', async () => {
  const { as, url, tokens } = await protectedServer({
    token: () => [200, { access_token: 'good', token_type: 'Bearer', expires_in: 8.64e12, refresh_token: 'r' }],
  });
  const store = memoryTokens();
  const [first, second] = [oauth({ browser: as.browser, store }), oauth({ browser: as.browser, store })];
  await using one = await connect(url, { eras, auth: first });
  await one.call('echo');
  const grant = JSON.parse(JSON.stringify(await store.get(url))) as Grant;
  assert.ok(Number.isSafeInteger(grant.expiresAt) && grant.expiresAt! > 8.64e15);
  await using two = await connect(url, { eras, auth: second });
  await two.call('echo');
  assert.equal(as.count('/token'), 1);
  assert.deepEqual(tokens.slice(1), Array(4).fill('Bearer good'));
});

test('an invalid lifetime, or one that cannot be represented exactly, makes the login fail', async () => {
  for (const expires_in of [1e308, 2 ** 63, -1, '3600', true, [3_600]]) {
    const { as, url } = await protectedServer({
      token: () => [200, { access_token: 'good', token_type: 'Bearer', expires_in }],
    });
    await assert.rejects(connect(url, { eras, auth: oauth({ browser: as.browser }) }), /invalid `expires_in`/);
  }
});

test('null members in responses of a server count as missing', async () => {
  const { as, url, tokens } = await protectedServer({
    metadata: { scopes_supported: null, registration_endpoint: undefined, revocation_endpoint: null },
    token: () => [
      200,
      {
        access_token: 'good',
        token_type: 'bearer',
        expires_in: null,
        refresh_token: null,
        scope: null,
        id_token: null,
      },
    ],
  });
  const auth = oauth({ browser: as.browser, client: { id: 'by-hand' } });
  await using client = await connect(url, { eras, auth });
  assert.equal(await client.call('echo'), 'done');
  assert.equal(tokens.at(-1), 'Bearer good');
});

test('a token answer that is not JSON is not used', async () => {
  for (const type of [
    'text/html',
    'text/plain',
    'application/x-www-form-urlencoded',
    'application/json; charset=latin1',
  ]) {
    const { as, url } = await protectedServer({
      token: () => [200, { access_token: 'good', token_type: 'Bearer' }, { 'content-type': type }],
    });
    const store = memoryTokens();
    await assert.rejects(connect(url, { eras, auth: oauth({ browser: as.browser, store }) }), /not application\/json/);
    assert.equal(await store.get(url), undefined);
  }
});

test('an error of a token endpoint is reported with its reason, whatever its status', async () => {
  const statuses: readonly (readonly [number, Record<string, string>])[] = [
    [200, {}],
    [400, {}],
    [401, { 'www-authenticate': 'Basic realm="as"' }],
  ];
  for (const [status, headers] of statuses) {
    const { as, url } = await protectedServer({
      token: () => [status, { error: 'incorrect_client_credentials', error_description: 'No such secret' }, headers],
    });
    await assert.rejects(connect(url, { eras, auth: oauth({ browser: as.browser }) }), (error) => {
      assert.ok(error instanceof ConnectionError && error.cause instanceof AuthError, String(error));
      const { code, oauthError, message } = error.cause;
      assert.deepEqual([code, oauthError], ['refused', 'incorrect_client_credentials']);
      assert.match(message, /No such secret/);
      return true;
    });
  }
});

test('a token that is bound to a key is not used if no key was sent', async () => {
  const { as, url } = await protectedServer({ token: () => [200, { access_token: 'good', token_type: 'DPoP' }] });
  await assert.rejects(connect(url, { eras, auth: oauth({ browser: as.browser }) }), /bound the token to a key/);
});

test('metadata of the wrong type make the login fail with a clear error', async () => {
  for (const metadata of [
    { scopes_supported: 'offline_access' },
    { code_challenge_methods_supported: 'S256' },
    { token_endpoint_auth_methods_supported: { none: true } },
    { dpop_signing_alg_values_supported: [7] },
    { token_endpoint: 7 },
  ]) {
    const { as, url } = await protectedServer({ metadata });
    const [name] = Object.keys(metadata);
    await assert.rejects(connect(url, { eras, auth: oauth({ browser: as.browser }) }), (error) => {
      assert.ok(error instanceof ConnectionError && error.cause instanceof AuthError, String(error));
      assert.deepEqual([error.cause.code, error.cause.step], ['invalid-response', 'discovery']);
      return error.message.includes(`invalid \`${name}\``);
    });
  }
});

test('unusable values in a store are requested again, and cause no error', async () => {
  const { as, url } = await protectedServer();
  const good = { issuer: as.issuer, accessToken: 'good', tokenType: 'Bearer' };
  const poisoned: unknown[] = [
    null,
    7,
    'text',
    [],
    {},
    { ...good, issuer: 7 },
    ...UNSENDABLE.map((accessToken) => ({ ...good, accessToken })),
    ...[null, 7, {}, []].map((accessToken) => ({ ...good, accessToken })),
    { ...good, accessToken: 'bad token', refreshToken: '\u0001', scope: 7, expiresAt: 'never', redirectUri: 7 },
    { ...good, accessToken: 'bad token', refreshToken: 'spent', clientId: '\u0001', clientSecret: {}, clientAuth: 7 },
    ...[{}, { kty: 'RSA' }, { kty: 'EC', crv: 'P-256', x: '\u0001', y: '', d: '' }].map((dpopKey) => ({
      ...good,
      tokenType: 'DPoP',
      refreshToken: 'spent',
      dpopKey,
    })),
  ];
  for (const grant of poisoned) {
    const kept = new Map<string, Grant>([[url, grant as Grant]]);
    const store: TokenStore = {
      get: (key) => kept.get(key),
      set: (key, one) => void kept.set(key, one),
      delete: (key) => void kept.delete(key),
    };
    const auth = oauth({ browser: as.browser, store });
    await using client = await connect(url, { eras, auth });
    assert.equal(await client.call('echo'), 'done', JSON.stringify(grant));
    assert.match(kept.get(url)!.accessToken!, /^ey/, JSON.stringify(grant));
    await auth.logout(url);
  }
  // A valid one is used unchanged.
  const kept = new Map<string, Grant>([[url, good as Grant]]);
  const logins = as.count('/authorize');
  const store: TokenStore = { ...memoryTokens(), get: (key) => kept.get(key) };
  await using client = await connect(url, { eras, auth: oauth({ browser: as.browser, store }) });
  assert.equal(await client.call('echo'), 'done');
  assert.equal(as.count('/authorize'), logins);
});

test('a client that cannot be registered anywhere is refused in the configuration', () => {
  const browser = { open: (): never => assert.fail() };
  const issuer = 'https://as.example.com';
  const provider = { issuer, tokenEndpoint: `${issuer}/token`, client: { id: 'p', secret: 's' }, idToken: 'x' };
  for (const [bad, message] of [
    [{ id: '', issuer }, /`id`/],
    [{ id: 'a\n', issuer }, /`id`/],
    [{ id: 'é', issuer }, /`id`/],
    [{ id: 7 as never, issuer }, /`id`/],
    [{ id: 'a', secret: 's3cret\n', issuer }, /`secret`.*line break/],
  ] as const) {
    const refuses = (run: () => unknown): void =>
      assert.throws(run, (error) => {
        assert.ok(error instanceof TypeError && !error.message.includes('s3cret'), String(error));
        assert.match(error.message, message);
        return true;
      });
    refuses(() => oauth({ browser, client: bad }));
    refuses(() => clientCredentials({ client: bad }));
    refuses(() => workloadIdentity({ issuer, client: bad, assertion: 'x' }));
    refuses(() => enterpriseManaged({ client: bad, provider }));
    refuses(() => enterpriseManaged({ client: { id: 'a', issuer }, provider: { ...provider, client: bad } }));
  }
});

test('a token file with other content is an error that says so, and is not changed', async () => {
  const { mkdtemp, readFile, rm, writeFile } = await import('node:fs/promises');
  const { tmpdir } = await import('node:os');
  const { join } = await import('node:path');
  const folder = await mkdtemp(join(tmpdir(), 'tenon-tokens-'));
  after(() => rm(folder, { recursive: true, force: true }));
  const path = join(folder, 'tokens.json');
  for (const text of ['null', '7', '"text"', '[]', 'true', '{"sealed":"AA=="}']) {
    await writeFile(path, text);
    const store = fileTokens(path, { secret: 'kept elsewhere' });
    await assert.rejects(async () => store.get('k'), { name: 'AuthError', step: 'storage' }, text);
    await assert.rejects(async () => store.set('k', { issuer: 'i' }), { name: 'AuthError', step: 'storage' }, text);
    assert.equal(await readFile(path, 'utf8'), text);
  }
});
