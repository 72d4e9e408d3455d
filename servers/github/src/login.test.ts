import assert from 'node:assert/strict';
import { after, beforeEach, test } from 'node:test';
import { type Client, connect, type ConnectOptions } from 'tenon/client';
import type { ApiClock } from '../../shared/api/clock.ts';
import { callTool } from '../../shared/test/call-tool.ts';
import { createStandIn } from './fixtures/stand-in.ts';
import { pagesOf } from './access.ts';
import { createGithub } from './github.ts';

const TOKEN = 'gho_theTokenOfTheLogin';
const WRITE = { owner: 'ann', repo: 'tea', title: 'Hot' };
const github = createStandIn();
await github.start();
after(() => github.stop());

interface Sent {
  readonly path: string;
  readonly body: Record<string, unknown>;
}
let sent: Sent[] = [];
let now = 0;
const clock: ApiClock = {
  now: () => now,
  sleep: async (ms, signal) => {
    signal.throwIfAborted();
    now += ms;
  },
};

/** Grants a login after these errors. */
function logins(...errors: readonly string[]): void {
  const left = [...errors];
  github.onPage = (path, body) => {
    if (!path.startsWith('/login/')) return undefined;
    sent.push({ path, body: body as Sent['body'] });
    if (path === '/login/device/code')
      return {
        device_code: 'the-device-code',
        user_code: 'WDJB-MJHT',
        verification_uri: `${github.url}/login/device`,
        expires_in: 900,
        interval: 5,
      };
    const error = left.shift();
    return error === undefined ? { access_token: TOKEN, scope: 'repo', token_type: 'bearer' } : { error };
  };
}
beforeEach(() => {
  github.reset();
  sent = [];
  now = 0;
  logins();
});

/** Refuses requests without this token. */
function wants(token: string): typeof github.onRequest {
  return ({ headers }) =>
    headers.authorization === `Bearer ${token}`
      ? undefined
      : { status: 401, body: '{"message":"Requires authentication"}' };
}

interface Visit {
  readonly message: string;
  readonly url?: string;
}

async function open(how: ConnectOptions, action: 'accept' | 'decline' = 'accept') {
  const visits: Visit[] = [];
  const client = await connect(createGithub({ url: github.url, clientId: 'Iv1.tea', clock }), {
    ...how,
    elicit: {
      url: true,
      handler: (request) => {
        visits.push({ message: request.message, url: (request as { url?: string }).url });
        return { action };
      },
    },
  } as ConnectOptions);
  return { client, visits, [Symbol.asyncDispose]: () => client.close() };
}

function write(client: Client) {
  return callTool(client, 'create_issue', WRITE);
}

for (const revision of ['2025-11-25', '2026-07-28'] as const) {
  test(`${revision}: a call that needs a token lets the user log in, and later calls use that login`, async () => {
    logins('authorization_pending', 'slow_down');
    await using opened = await open({ revision });
    const { isError, text } = await write(opened.client);
    assert.equal(isError, false, text);
    assert.deepEqual(opened.visits, [
      { message: 'To log in to GitHub, enter the code WDJB-MJHT on this page', url: `${github.url}/login/device` },
    ]);
    assert.deepEqual(sent[0], { path: '/login/device/code', body: { client_id: 'Iv1.tea', scope: 'repo' } });
    assert.deepEqual(
      sent.slice(1).map(({ path, body }) => [path, body['device_code']]),
      Array.from({ length: 3 }, () => ['/login/oauth/access_token', 'the-device-code']),
    );
    // 5 seconds, 5 more, and 10 since GitHub asked to slow down.
    assert.equal(now, 20_000);
    await write(opened.client);
    assert.equal(opened.visits.length, 1);
    assert.deepEqual(
      github.received.map(({ headers }) => headers.authorization),
      Array.from({ length: 2 }, () => `Bearer ${TOKEN}`),
    );
    assert.ok(!text.includes(TOKEN));
  });

  test(`${revision}: calls that need a login at the same time have one login, and fail together if the user declines`, async () => {
    await using opened = await open({ revision });
    const both = await Promise.all([write(opened.client), write(opened.client)]);
    assert.deepEqual(
      both.map(({ isError, text }) => [isError, text.includes('declined')]),
      [
        [false, false],
        [false, false],
      ],
    );
    const codes = () => sent.filter(({ path }) => path === '/login/device/code').length;
    assert.equal(codes(), 1);
    // From 2026-07-28 on, a call asks in its answer, and ends.
    if (revision === '2025-11-25') assert.equal(opened.visits.length, 1);
    assert.equal(new Set(opened.visits.map(({ message }) => message)).size, 1);
    await using other = await open({ revision }, 'decline');
    const declined = await Promise.all([write(other.client), write(other.client)]);
    for (const { isError, text } of declined) assert.deepEqual([isError, /declined/.test(text)], [true, true]);
    assert.equal(codes(), 2);
    if (revision === '2025-11-25') assert.equal(other.visits.length, 1);
  });

  test(`${revision}: a declined, refused or expired login is an error, and nothing is changed`, async () => {
    for (const [action, errors, expected] of [
      ['decline', [], /declined/],
      ['accept', ['access_denied'], /declined/],
      ['accept', ['expired_token'], /did not succeed in time/],
      ['accept', Array.from({ length: 200 }, () => 'authorization_pending'), /did not succeed in time/],
    ] as const) {
      logins(...errors);
      await using opened = await open({ revision }, action);
      const { isError, text } = await write(opened.client);
      assert.equal(isError, true);
      assert.match(text, expected);
      assert.equal(github.received.length, 0);
    }
  });
}

test('a page of another site is not shown to the user', async () => {
  github.onPage = () => ({
    device_code: 'x',
    user_code: 'x',
    verification_uri: 'https://phishing.example/login/device',
    expires_in: 900,
    interval: 5,
  });
  await using opened = await open({ revision: '2025-11-25' });
  assert.match((await write(opened.client)).text, /page of another site/);
  assert.deepEqual(opened.visits, []);
});

test('a read that GitHub allows needs no login, and one that it does not allow does', async () => {
  await using opened = await open({ revision: '2025-11-25' });
  const read = () => opened.client.result('search_code', { q: 'boil' });
  assert.notEqual((await read()).isError, true);
  assert.equal(opened.visits.length, 0);
  github.onRequest = wants(TOKEN);
  assert.notEqual((await read()).isError, true);
  assert.equal(opened.visits.length, 1);
});

test('the login of one client is not that of another', async () => {
  const app = createGithub({ url: github.url, clientId: 'Iv1.tea', clock });
  const visitor = (action: 'accept' | 'decline'): ConnectOptions => ({
    revision: '2025-11-25',
    elicit: { url: true, handler: () => ({ action }) },
  });
  await using one = await connect(app, visitor('accept'));
  await using other = await connect(app, visitor('decline'));
  assert.equal((await write(one)).isError, false);
  assert.match((await write(other)).text, /declined/);
});

test('the user is not asked to log in without a client id, with a token, or if the client cannot open pages', async () => {
  const options = { url: github.url, clock };
  const url: ConnectOptions = { elicit: { url: true, handler: () => assert.fail('asked') } };
  github.onRequest = wants('another');
  for (const [app, how] of [
    [createGithub(options), url],
    [createGithub({ ...options, clientId: 'Iv1.tea', token: 'wrong' }), url],
    [createGithub({ ...options, clientId: 'Iv1.tea' }), { elicit: () => assert.fail('asked') }],
  ] as const) {
    await using client = await connect(app, { ...how, revision: '2025-11-25' });
    assert.match((await write(client)).text, /401|needs a token/);
  }
});

test('the pages of a server are beside its API', () => {
  assert.equal(pagesOf('https://api.github.com'), 'https://github.com');
  assert.equal(pagesOf('https://github.example.com/api/v3'), 'https://github.example.com');
  assert.equal(pagesOf('https://api.acme.ghe.com/'), 'https://acme.ghe.com');
});
