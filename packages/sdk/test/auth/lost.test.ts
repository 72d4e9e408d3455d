// Logins that end, get lost or are revoked, and clients that have to recover.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect as connectSocket, type Socket } from 'node:net';
import { after, test } from 'node:test';
import { PATIENCE_MS, turns, until } from '../../../../scripts/lib/until.ts';
import { jumpingTime, stopTime } from '../../../../scripts/lib/test-time.ts';
import { memoryTokens, oauth, loopback, type OAuthOptions, type TokenStore } from '../../src/entries/auth.ts';
import { createTokenManager } from '../../src/auth/token-manager.ts';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type Authority, authority, type AuthorityOptions } from './authority.ts';

/** The parts of a protected server that a client uses. The authorization server that it names may change. */
async function resource(issuer: () => string): Promise<string> {
  const server = createServer((_, response) => {
    response
      .writeHead(200, { 'content-type': 'application/json' })
      .end(JSON.stringify({ resource: `${origin}/mcp`, authorization_servers: [issuer()] }));
  }).listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  after(() => {
    server.closeAllConnections();
    server.close();
  });
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return `${origin}/mcp`;
}

async function setting(options: AuthorityOptions = {}) {
  const as = await authority(options);
  const url = await resource(() => as.issuer);
  return { as, url };
}

function user({ as }: { as: Authority }, more: Partial<OAuthOptions> = {}) {
  return oauth({ browser: as.browser, ...more });
}
type Auth = ReturnType<typeof user>;

async function sent(auth: Auth, url: string): Promise<Readonly<Record<string, string>>> {
  return auth.credentials({ server: url, method: 'POST', url });
}

/** Lets the server refuse the credentials that were sent. */
async function refuse(
  auth: Auth,
  url: string,
  {
    status = 401,
    challenge = 'Bearer',
    attempt = 0,
    nonce,
    was,
  }: {
    readonly status?: number;
    readonly challenge?: string;
    readonly attempt?: number;
    readonly nonce?: string;
    readonly was?: Readonly<Record<string, string>>;
  } = {},
): Promise<boolean> {
  return auth.challenged({
    server: url,
    method: 'POST',
    url,
    status,
    challenge,
    attempt,
    sent: was ?? (await sent(auth, url)),
    header: (name) => (name === 'dpop-nonce' ? nonce : undefined),
  });
}

async function logIn(auth: Auth, url: string): Promise<void> {
  await sent(auth, url);
  assert.equal(await refuse(auth, url), true);
}

/** The user accepts immediately. */
const yes = {
  open: () => ({
    redirectUri: 'http://127.0.0.1:1/callback',
    authorize: (url: URL) =>
      Promise.resolve(`http://127.0.0.1:1/callback?code=c&state=${url.searchParams.get('state')}`),
    close() {},
  }),
};

/** A web whose token endpoint can stop answering. Its tokens are valid for 25 seconds. */
function hangingWeb() {
  const url = 'https://mcp.example.com/mcp';
  const issuer = 'https://as.example.com';
  let isHanging = false;
  let asked = 0;
  const documents: Readonly<Record<string, () => object>> = {
    'https://mcp.example.com/.well-known/oauth-protected-resource/mcp': () => ({
      resource: url,
      authorization_servers: [issuer],
    }),
    [`${issuer}/.well-known/oauth-authorization-server`]: () => ({
      issuer,
      authorization_endpoint: `${issuer}/authorize`,
      token_endpoint: `${issuer}/token`,
      registration_endpoint: `${issuer}/register`,
      code_challenge_methods_supported: ['S256'],
    }),
    [`${issuer}/register`]: () => ({ client_id: 'made' }),
    [`${issuer}/token`]: () => ({ access_token: 't', token_type: 'Bearer', expires_in: 25, refresh_token: 'r' }),
  };
  const fetch = async (input: string, init: RequestInit = {}): Promise<Response> => {
    if (!isHanging || !input.endsWith('/token')) return Response.json(documents[input]!());
    asked++;
    // The time limit of a request does not use the stopped clock.
    return new Promise((_, reject) => {
      setTimeout(() => reject(new Error('It did not answer in time')), 10_000);
      init.signal?.throwIfAborted();
    });
  };
  return { url, fetch: fetch as typeof globalThis.fetch, asked: () => asked, hang: () => (isHanging = true) };
}

test('a client that the authorization server has forgotten registers again, and its user logs in', async () => {
  let isKnown = true;
  const { as, url } = await setting({ token: () => (isKnown ? undefined : [401, { error: 'invalid_client' }]) });
  const auth = user({ as });
  await logIn(auth, url);
  isKnown = false;
  // After registering again, the client is known.
  const registered = as.count('/register');
  const logins = as.count('/authorize');
  const watching = setInterval(() => {
    if (as.count('/register') > registered) isKnown = true;
  }, 1);
  assert.equal(await refuse(auth, url), true);
  clearInterval(watching);
  assert.deepEqual([as.count('/register') - registered, as.count('/authorize') - logins], [1, 1]);
});

test('a refresh requests the granted scopes, and none if none are known', async () => {
  for (const [challenge, asked] of [
    ['Bearer scope="notes:read notes:write"', 'notes:read notes:write'],
    ['Bearer', null],
  ] as const) {
    const { as, url } = await setting();
    const auth = user({ as });
    await sent(auth, url);
    assert.equal(await refuse(auth, url, { challenge }), true);
    assert.equal(await refuse(auth, url), true);
    const refresh = as.asked.find(({ params }) => params.get('grant_type') === 'refresh_token')!;
    assert.equal(refresh.params.get('scope'), asked);
    assert.equal(refresh.params.get('resource'), url);
  }
});

test('a refreshed token that is refused leads to a login, not to another refresh', async () => {
  const { as, url } = await setting();
  const auth = user({ as });
  await logIn(auth, url);
  assert.equal(await refuse(auth, url, { attempt: 0 }), true);
  assert.equal(as.count('/authorize'), 1);
  assert.equal(await refuse(auth, url, { attempt: 1 }), true);
  assert.equal(as.count('/authorize'), 2);
  assert.equal(await refuse(auth, url, { attempt: 2 }), false);
});

test('a logout during a refresh is final', async () => {
  let answer!: () => void;
  const answered = new Promise<void>((resolve) => (answer = resolve));
  const { as, url } = await setting({ beforeRefresh: () => answered });
  const store = memoryTokens();
  const auth = user({ as }, { store });
  await logIn(auth, url);
  const before = as.count('/token');
  const refreshing = refuse(auth, url);
  await until(() => as.count('/token') > before);
  const leaving = auth.logout(url);
  answer();
  await leaving;
  assert.equal(await refreshing, false);
  assert.deepEqual(await sent(auth, url), {});
  assert.equal(await store.get(url), undefined);
});

test('a logout in one process is a logout in the others', async () => {
  const { as, url } = await setting({ lifeS: 1 });
  const store = memoryTokens();
  const [one, two] = [user({ as }, { store }), user({ as }, { store })];
  await logIn(one, url);
  await sent(two, url);
  await one.logout(url);
  assert.deepEqual(await sent(two, url), {});
  assert.equal(await store.get(url), undefined);
});

test('a failed refresh does not fail the request: the old token is sent while it is valid', async () => {
  let isUp = true;
  const { as, url } = await setting({ lifeS: 20, token: () => (isUp ? undefined : [503, { error: 'down' }]) });
  const auth = user({ as });
  await logIn(auth, url);
  isUp = false;
  assert.match((await sent(auth, url))['authorization'] ?? '', /^Bearer /);
});

test('an authorization server that hangs delays no request for long while the token is valid, and is contacted less and less often', async (t) => {
  const time = stopTime(t);
  const { url, fetch, asked, hang } = hangingWeb();
  const auth = oauth({ browser: yes, fetch });
  await sent(auth, url);
  assert.equal(await refuse(auth, url), true);
  hang();
  /** How long each request waited for its headers. */
  const waited: number[] = [];
  const ask = async (): Promise<void> => {
    const from = time.now();
    void sent(auth, url).then(({ authorization }) => {
      assert.equal(authorization, 'Bearer t');
      waited.push(time.now() - from);
    });
    await turns();
  };
  await ask();
  await time.pass(1_000);
  await ask();
  await time.pass(990);
  assert.deepEqual(waited, []);
  await time.pass(10);
  assert.deepEqual(waited, [2_000, 1_000]);
  // Later ones do not wait.
  await ask();
  assert.deepEqual(waited, [2_000, 1_000, 0]);
  assert.equal(asked(), 1);
  // The request to the authorization server fails after ten seconds; the next one is possible a second later.
  await time.pass(8_500);
  await ask();
  assert.deepEqual([waited.at(-1), asked()], [0, 1]);
  await time.pass(700);
  await ask();
  assert.equal(asked(), 2);
  // That one fails, too; the next pause is two seconds.
  await time.pass(10_000);
  await ask();
  await time.pass(1_500);
  await ask();
  assert.equal(asked(), 2);
});

test('logins that a server causes are limited, and possible again later', async (t) => {
  // The message says how many seconds are left, however long the logins take.
  const time = jumpingTime(t, [performance], { stands: true });
  const { as, url } = await setting({
    token: () => [200, { access_token: `t${as.count('/token')}`, token_type: 'Bearer' }],
  });
  const auth = user({ as });
  await sent(auth, url);
  for (let login = 0; login < 10; login++) assert.equal(await refuse(auth, url), true);
  await assert.rejects(refuse(auth, url), { code: 'too-many-logins', message: /in 600 seconds/ });
  assert.equal(as.count('/authorize'), 10);
  time.jump(600_000);
  assert.equal(await refuse(auth, url), true);
});

for (const [direction, ms] of [
  ['ahead', 3_600_000],
  ['back', -3_600_000],
] as const)
  test(`logins that a server causes stay limited when the system clock is set ${direction}`, async (t) => {
    const day = jumpingTime(t, [Date]);
    const { as, url } = await setting({
      token: () => [200, { access_token: `t${as.count('/token')}`, token_type: 'Bearer' }],
    });
    const auth = user({ as });
    await sent(auth, url);
    for (let login = 0; login < 10; login++) assert.equal(await refuse(auth, url), true);
    day.jump(ms);
    await assert.rejects(refuse(auth, url), { code: 'too-many-logins' });
    assert.equal(as.count('/authorize'), 10);
  });

test('a request that is refused during a failing refresh still leads to a login', async () => {
  let isUp = true;
  let answer!: () => void;
  const answered = new Promise<void>((resolve) => (answer = resolve));
  const { as, url } = await setting({
    lifeS: 20,
    beforeRefresh: () => answered,
    token: (params) =>
      isUp || params.get('grant_type') !== 'refresh_token' ? undefined : [400, { error: 'invalid_grant' }],
  });
  const store = memoryTokens();
  const auth = user({ as }, { store });
  await logIn(auth, url);
  const was = { authorization: `Bearer ${(await store.get(url))?.accessToken}` };
  isUp = false;
  const before = as.count('/token');
  const proactive = sent(auth, url);
  await until(() => as.count('/token') > before);
  const refused = refuse(auth, url, { was });
  await turns();
  answer();
  assert.equal(await refused, true);
  await proactive;
  assert.equal(as.count('/authorize'), 2);
});

test('a store is read again after a failure', async () => {
  const { as, url } = await setting();
  const kept = memoryTokens();
  let reads = 0;
  const store: TokenStore = {
    ...kept,
    get(key) {
      if (++reads === 1) throw new Error('EMFILE');
      return kept.get(key);
    },
  };
  const auth = user({ as }, { store });
  await assert.rejects(sent(auth, url), /EMFILE/);
  assert.deepEqual(await sent(auth, url), {});
});

test('[AUTH-29] the stored login of each authorization server is found again when the server changes between them', async () => {
  const first = await authority();
  const second = await authority();
  let named = first;
  const url = await resource(() => named.issuer);
  const browser = { open: () => named.browser.open() };
  const auth = oauth({ browser });
  await sent(auth, url);
  for (const as of [first, second, first]) {
    named = as;
    assert.equal(await refuse(auth, url), true);
  }
  assert.deepEqual([first.count('/register'), second.count('/register')], [1, 1]);
  assert.deepEqual([first.count('/authorize'), second.count('/authorize')], [1, 1]);
});

test('a user and a program that share a store have separate credentials', async () => {
  const { as, url } = await setting();
  const store = memoryTokens();
  await logIn(user({ as }, { store }), url);
  const program = createTokenManager({
    source: {
      owner: 'for credentials nightly',
      canRefresh: false,
      asksUser: false,
      obtain: () => Promise.reject(new Error('asked')),
      refresh: () => Promise.reject(new Error('never')),
      revoke: () => Promise.resolve(false),
    },
    store,
    scopes: [],
    dpop: false,
    fetch: undefined,
  });
  assert.deepEqual(await sent(program, url), {});
  await assert.rejects(refuse(program, url), /asked/);
});

test('scopes that were granted and are not sufficient are not requested again by any call', async () => {
  const { as, url } = await setting();
  const auth = user({ as });
  await logIn(auth, url);
  const challenge = 'Bearer error="insufficient_scope", scope="more"';
  for (let call = 0; call < 4; call++)
    for (let attempt = 0; attempt < 2; attempt++) await refuse(auth, url, { status: 403, challenge, attempt });
  assert.ok(as.count('/authorize') <= 3, `${as.count('/authorize')} logins`);
});

const DPOP = { metadata: { dpop_signing_alg_values_supported: ['ES256'] } };
/** An authorization server whose tokens are bound to keys. */
function bound(): AuthorityOptions {
  let count = 0;
  return {
    ...DPOP,
    token: () => [200, { access_token: `bound-${++count}`, token_type: 'DPoP', expires_in: 3_600 }],
  };
}

test('five requests that are refused because of the same nonce are all sent again, without a login', async () => {
  const { as, url } = await setting(bound());
  const auth = user({ as });
  await logIn(auth, url);
  const logins = as.count('/authorize');
  const all = await Promise.all(Array.from({ length: 5 }, () => sent(auth, url)));
  for (const challenge of ['DPoP error="use_dpop_nonce"', 'Bearer realm="x", DPoP error="use_dpop_nonce"'])
    for (const was of all)
      assert.equal(await refuse(auth, url, { challenge, nonce: `n-${challenge.length}`, was }), true);
  assert.equal(as.count('/authorize'), logins);
  const again = await sent(auth, url);
  assert.match(Buffer.from(again['dpop']!.split('.')[1]!, 'base64url').toString(), /"nonce":"n-\d+"/);
});

test('a token of another process is sent with the key of that process', async () => {
  const { as, url } = await setting(bound());
  const store = memoryTokens();
  const [one, two] = [user({ as }, { store }), user({ as }, { store })];
  await logIn(one, url);
  await sent(two, url);
  await one.logout(url);
  await logIn(one, url);
  assert.equal(await refuse(two, url), true);
  const keyOf = (proof = '') =>
    (JSON.parse(Buffer.from(proof.split('.')[0]!, 'base64url').toString()) as { jwk: { x: string } }).jwk.x;
  const [a, b] = [await sent(one, url), await sent(two, url)];
  assert.equal(a['authorization'], b['authorization']);
  assert.equal(keyOf(a['dpop']), keyOf(b['dpop']));
});

test('only the response to this login ends it, and connections that a browser opened in advance cause no delay', async () => {
  const opened = await loopback({ show: () => {}, opener: false, timeout: PATIENCE_MS }).open();
  const answer = opened.authorize(new URL('https://as.example/authorize?state=right'));
  const { port } = new URL(opened.redirectUri);
  const idle: Socket = await new Promise((resolve) => {
    const socket = connectSocket(Number(port), '127.0.0.1', () => resolve(socket));
  });
  const gone = new Promise((resolve) => idle.once('close', resolve));
  idle.resume();
  for (const query of ['error=x&state=forged', 'code=stolen', 'code=y&state='])
    assert.equal((await fetch(`${opened.redirectUri}?${query}`)).status, 404);
  // A request target that is not a URL ends neither the login nor the program.
  const odd = connectSocket(Number(port), '127.0.0.1', () =>
    odd.write(`GET // HTTP/1.1\r\nhost: 127.0.0.1:${port}\r\n\r\n`),
  );
  const [head] = (await once(odd, 'data')) as [Buffer];
  assert.match(head.toString(), /^HTTP\/1\.1 404 /);
  const page = await fetch(`${opened.redirectUri}?code=z&state=right`);
  assert.match(await page.text(), /Logged in/);
  assert.equal(new URL(String(await answer)).searchParams.get('code'), 'z');
  await opened.close();
  await gone;
});
