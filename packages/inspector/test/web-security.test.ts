import assert from 'node:assert/strict';
import { connect } from 'node:net';
import { after, before, describe, test } from 'node:test';
import { ROUTES } from '../src/api/routes.ts';
import { serveWeb } from '../src/web/serve-web.ts';
import { createFakeWorkbench } from '../src/web/fixtures/fake-workbench.ts';
import {
  type Answered,
  ask,
  type Asking,
  codeOf,
  enter,
  makeAssets,
  type Opened,
  openWeb,
  pageHeaders,
} from '../src/web/fixtures/web-client.ts';

// Threat A-88, and the classes of CVE-2025-49596, CVE-2025-58444, CVE-2025-6514 and CVE-2026-23744, over real sockets. The tests
// iterate over all paths of the API, so a new one is attacked without a change here.

/** A body that every POST route would accept. */
const BODY = {
  code: 'x',
  text: '{}',
  method: 'ping',
  key: 'k',
  ref: { prompt: 'p' },
  argument: 'a',
  typed: 't',
  uri: 'x:y',
  on: true,
  level: 'info',
  roots: [],
  action: 'cancel',
  pausing: true,
  server: 'a',
  groups: ['lint'],
  name: 'n',
  request: 1,
  args: [],
  env: [],
};

const PATHS = Object.values(ROUTES).map(({ path }) =>
  path.replace(':id', 'a').replace(':kind', 'tools').replace(':key', 'k'),
);

let opened: Opened;
/** The method of each path, as reported by the server. */
const methods = new Map<string, string>();

before(async () => {
  opened = await openWeb();
  const headers = { ...pageHeaders(opened.web.port), cookie: opened.cookie };
  for (const path of PATHS) {
    const { status, headers: said } = await ask(opened.web.port, { method: 'OPTIONS', path, headers });
    assert.equal(status, 405, `${path} is served`);
    methods.set(path, String(said.allow));
  }
});
after(() => opened.end());

/** Sends the request of the page with changed headers; undefined removes a header. */
function attack(path: string, changed: Record<string, string | undefined>, asking: Asking = {}): Promise<Answered> {
  const method = asking.method ?? methods.get(path)!;
  const headers: Record<string, string | undefined> = {
    ...pageHeaders(opened.web.port),
    cookie: opened.cookie,
    'content-type': method === 'POST' ? 'application/json' : undefined,
    ...changed,
  };
  const kept = Object.entries(headers).filter((header): header is [string, string] => header[1] !== undefined);
  const body = method === 'POST' ? (asking.body ?? JSON.stringify(BODY)) : undefined;
  return ask(opened.web.port, {
    method,
    path: asking.path ?? path,
    headers: Object.fromEntries(kept),
    body,
  });
}

/** Asserts that nothing was done or revealed, and that no other origin may read the response. */
function assertRefused({ status, headers, text }: Answered, statuses: readonly number[]): void {
  assert.ok(statuses.includes(status), `${status} is one of ${statuses.join(', ')}: ${text}`);
  assert.deepEqual(opened.fake.acts, []);
  assert.equal(headers['set-cookie'], undefined);
  assert.deepEqual(
    Object.keys(headers).filter((name) => name.startsWith('access-control-')),
    [],
  );
  const { error } = JSON.parse(text) as { error: { code: string; message: string } };
  assert.equal(typeof error.message, 'string');
  assert.ok(!text.includes('fake 1') && !text.includes('serve-web'), 'neither state nor a stack');
}

function forEveryAddress(what: string, run: (path: string) => Promise<void>, paths = PATHS): void {
  describe(what, () => {
    for (const path of paths)
      test(path, async () => {
        opened.fake.acts.length = 0;
        await run(path);
      });
  });
}

const WITH_COOKIE = PATHS.filter((path) => path !== ROUTES.session.path);

describe('[A-88] an address of the API refuses', () => {
  forEveryAddress('who has no cookie', async (path) => {
    assertRefused(await attack(path, { cookie: undefined }), [401]);
  });
  forEveryAddress('a cookie that it did not give', async (path) => {
    const { port } = opened.web;
    assertRefused(await attack(path, { cookie: `tenon-inspector-${port}=${'A'.repeat(43)}` }), [401]);
    assertRefused(await attack(path, { cookie: opened.cookie.replace(String(port), String(port + 1)) }), [401]);
    assertRefused(await attack(path, { cookie: `tenon-inspector-${port}=` }), [401]);
  });
  forEveryAddress('the secret of the cookie in the query or in a header', async (path) => {
    const secret = opened.cookie.split('=')[1]!;
    const query = `?token=${secret}&code=${secret}&cookie=${secret}&${opened.cookie}`;
    assertRefused(await attack(path, { cookie: undefined }, { path: `${path}${query}` }), [401]);
    assertRefused(await attack(path, { cookie: undefined, authorization: `Bearer ${secret}` }), [401]);
  });
  forEveryAddress('another origin', async (path) => {
    const { port } = opened.web;
    for (const origin of [
      'https://evil.example',
      'null',
      `http://127.0.0.1:${port + 1}`,
      `https://127.0.0.1:${port}`,
      `http://localhost:${port}`,
      `http://127.0.0.1:${port}.evil.example`,
      '',
    ])
      assertRefused(await attack(path, { origin, 'sec-fetch-site': undefined }), [403]);
  });
  forEveryAddress('another host, as after DNS rebinding', async (path) => {
    const { port } = opened.web;
    for (const host of [
      `evil.example:${port}`,
      'evil.example',
      `127.0.0.1.nip.io:${port}`,
      '127.0.0.1',
      `127.0.0.1:${port + 1}`,
      `0.0.0.0:${port}`,
      `localhost.:${port}`,
      `user@127.0.0.1:${port}`,
      `[::ffff:127.0.0.1]:${port}`,
    ])
      assertRefused(await attack(path, { host, origin: `http://${host}` }), [403]);
  });
  forEveryAddress('what the browser says is of another site', async (path) => {
    for (const site of ['cross-site', 'same-site', 'whatever'])
      assertRefused(await attack(path, { 'sec-fetch-site': site, origin: undefined }), [403]);
  });
  forEveryAddress('the other method', async (path) => {
    for (const method of ['GET', 'POST', 'PUT', 'DELETE', 'PATCH', 'TRACE', 'QUERY'])
      if (method !== methods.get(path)) assertRefused(await attack(path, {}, { method }), [405]);
  });
  forEveryAddress('an image of another page', async (path) => {
    const image = { origin: undefined, 'sec-fetch-dest': 'image', 'sec-fetch-mode': 'no-cors' };
    assertRefused(await attack(path, { ...image, 'sec-fetch-site': 'cross-site' }, { method: 'GET' }), [403]);
    // An image inside the page itself.
    assertRefused(await attack(path, { ...image, 'sec-fetch-site': 'same-origin' }, { method: 'GET' }), [403]);
    // A browser without `Sec-Fetch` headers does not send the cookie, because it is SameSite=Strict.
    const silent = { origin: undefined, 'sec-fetch-dest': undefined, 'sec-fetch-mode': undefined };
    const old = { ...silent, 'sec-fetch-site': undefined, cookie: undefined };
    assertRefused(await attack(path, old, { method: 'GET' }), [401]);
  });
  forEveryAddress('a form or a link of another page', async (path) => {
    const visit = {
      'sec-fetch-site': 'cross-site',
      'sec-fetch-mode': 'navigate',
      'sec-fetch-dest': 'document',
      'sec-fetch-user': '?1',
    };
    assertRefused(await attack(path, { ...visit, origin: undefined }, { method: 'GET' }), [403]);
    const form = { ...visit, origin: 'https://evil.example', 'content-type': 'application/x-www-form-urlencoded' };
    assertRefused(await attack(path, form, { method: 'POST', body: 'code=x' }), [403]);
  });
  forEveryAddress('a preflight, without a word about CORS', async (path) => {
    const preflight = { 'access-control-request-method': 'POST', 'access-control-request-headers': 'content-type' };
    const options = { method: 'OPTIONS' };
    assertRefused(await attack(path, { ...preflight, origin: 'https://evil.example' }, options), [403]);
    assertRefused(await attack(path, { ...preflight, origin: undefined, cookie: undefined }, options), [401]);
    assertRefused(await attack(path, preflight, options), [405]);
  });
  forEveryAddress('a body that a form can send', async (path) => {
    if (methods.get(path) !== 'POST') return;
    for (const type of [
      'text/plain',
      'application/x-www-form-urlencoded',
      'multipart/form-data; boundary=x',
      'text/plain; application/json',
      'application/json-seq',
      undefined,
    ])
      assertRefused(await attack(path, { 'content-type': type }), [415]);
  });
  forEveryAddress('a body that is no object', async (path) => {
    if (methods.get(path) !== 'POST') return;
    for (const body of ['[]', 'null', '"x"', '1', '{', '']) assertRefused(await attack(path, {}, { body }), [400]);
  });
});

describe('the caller of the page', () => {
  forEveryAddress(
    'is served at every address',
    async (path) => {
      if (path === ROUTES.events.path) return;
      const { status, text } = await attack(path, {}, { path: path === ROUTES.lines.path ? `${path}?n=1` : path });
      assert.equal(status, 200, text);
    },
    WITH_COOKIE,
  );
});

describe('[A-88, CVE-2025-49596, CVE-2026-23744] the API that starts programs', () => {
  test('is reachable only on 127.0.0.1', async () => {
    const refused = await new Promise<string>((resolve) => {
      const socket = connect(opened.web.port, '127.0.0.2');
      socket.on('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? ''));
      socket.on('connect', () => resolve('connected'));
    });
    assert.equal(refused, 'ECONNREFUSED');
  });

  test('takes no command from a page: only names, and requests for confirmation in the terminal', async () => {
    const evil = { command: 'EVIL', args: ['EVIL'], env: { X: 'EVIL' }, launch: { command: 'EVIL' }, cwd: 'EVIL' };
    for (const path of WITH_COOKIE.filter((path) => methods.get(path) === 'POST')) {
      opened.fake.acts.length = 0;
      await attack(path, {}, { body: JSON.stringify({ ...BODY, ...evil }) });
      assert.ok(!JSON.stringify(opened.fake.acts).includes('EVIL'), path);
    }
    opened.fake.acts.length = 0;
    const { text } = await attack(ROUTES.targets.path, {}, { body: JSON.stringify({ text: 'node evil.js' }) });
    assert.deepEqual(opened.fake.acts, [['addTargets', 'node evil.js']]);
    assert.deepEqual(JSON.parse(text), { status: 'asked-in-terminal', servers: [], leftOut: [] });
    opened.fake.acts.length = 0;
    const change = { command: 'evil', cwd: '/evil', args: [{ text: '-e' }], env: [] };
    const asked = await attack('/api/servers/a/launch', {}, { body: JSON.stringify({ ...evil, ...change }) });
    assert.deepEqual(opened.fake.acts, [['changeLaunch', 'a', change]]);
    assert.deepEqual(JSON.parse(asked.text), { status: 'asked-in-terminal', servers: ['a'], leftOut: [] });
  });

  test('passes names of servers unchanged, and not as paths', async () => {
    opened.fake.acts.length = 0;
    await attack('/api/servers/a/connect', {}, { method: 'POST', path: '/api/servers/..%2f..%2fbin%2fsh/connect' });
    assert.deepEqual(opened.fake.acts, [['connect', '../../bin/sh', {}]]);
  });
});

describe('the code and the cookie', () => {
  const tryCode = (port: number, code: unknown): Promise<Answered> =>
    ask(port, {
      method: 'POST',
      path: ROUTES.session.path,
      headers: { ...pageHeaders(port), 'content-type': 'application/json' },
      body: JSON.stringify({ code }),
    });

  const alone = async (run: (opened: Opened) => Promise<void>): Promise<void> => {
    const own = await openWeb();
    try {
      await run(own);
    } finally {
      await own.end();
    }
  };

  test('a code works once', () =>
    alone(async ({ web }) => {
      assert.equal((await tryCode(web.port, codeOf(web.url))).status, 401, 'it was used when this test began');
      const url = web.newCode();
      assert.equal((await tryCode(web.port, codeOf(url))).status, 200);
      assert.equal((await tryCode(web.port, codeOf(url))).status, 401);
    }));

  test('a new code replaces the previous one', () =>
    alone(async ({ web }) => {
      const [older, newer] = [web.newCode(), web.newCode()];
      assert.equal((await tryCode(web.port, codeOf(older))).status, 401);
      assert.equal((await tryCode(web.port, codeOf(newer))).status, 200);
    }));

  test('of two simultaneous uses of a code, one succeeds', () =>
    alone(async ({ web }) => {
      const code = codeOf(web.newCode());
      const answers = await Promise.all(Array.from({ length: 8 }, () => tryCode(web.port, code)));
      assert.equal(answers.filter(({ status }) => status === 200).length, 1);
    }));

  test('codes have 256 random bits and are in the fragment, which browsers do not send', () => {
    const { url } = opened.web;
    assert.match(url, /^http:\/\/127\.0\.0\.1:\d+\/#code=[\w-]{43}$/);
    assert.notEqual(codeOf(opened.web.newCode()), codeOf(opened.web.newCode()));
  });

  test('guessing is stopped, even with the right code', () =>
    alone(async ({ web }) => {
      const code = codeOf(web.newCode());
      const statuses: number[] = [];
      for (let i = 0; i < 30; i++) statuses.push((await tryCode(web.port, `${'x'.repeat(40)}${i}`)).status);
      assert.deepEqual(new Set(statuses.slice(0, 10)), new Set([401]));
      assert.deepEqual(new Set(statuses.slice(10)), new Set([429]));
      assert.equal((await tryCode(web.port, code)).status, 429);
    }));

  test('an invalid code is rejected', () =>
    alone(async ({ web }) => {
      for (const code of [undefined, null, 1, {}, [], 'x'.repeat(1_001)])
        assert.ok([400, 413].includes((await tryCode(web.port, code)).status));
      assert.equal((await tryCode(web.port, '')).status, 401);
      assert.equal((await tryCode(web.port, 'x'.repeat(5_000))).status, 413);
    }));

  test('the cookie is for this port, this site and no script', () =>
    alone(async ({ web }) => {
      const { headers, text } = await tryCode(web.port, codeOf(web.newCode()));
      assert.match(
        headers['set-cookie']![0]!,
        new RegExp(`^tenon-inspector-${web.port}=[\\w-]{43}; Path=/; HttpOnly; SameSite=Strict$`),
      );
      assert.equal(text, '{}');
    }));

  test('a cookie of one inspector does not open another', () =>
    alone(async (other) => {
      const value = opened.cookie.split('=')[1]!;
      const cookie = `tenon-inspector-${other.web.port}=${value}`;
      assert.equal((await other.get(ROUTES.state.path, { cookie })).status, 401);
    }));

  test('a cookie that another port of this machine added does not hide the right one', async () => {
    const name = opened.cookie.split('=')[0]!;
    const answer = await opened.get(ROUTES.state.path, { cookie: `${name}=evil; x=1; ${opened.cookie}; ${name}=evil` });
    assert.equal(answer.status, 200);
  });

  test('a cookie value from outside is never adopted', () =>
    alone(async ({ web, get }) => {
      const cookie = `tenon-inspector-${web.port}=${'B'.repeat(43)}`;
      await ask(web.port, {
        method: 'POST',
        path: ROUTES.session.path,
        headers: { ...pageHeaders(web.port), cookie, 'content-type': 'application/json' },
        body: JSON.stringify({ code: codeOf(web.newCode()) }),
      });
      assert.equal((await get(ROUTES.state.path, { cookie })).status, 401);
    }));
});

test('no secret is in the page, in a response or in the log', async () => {
  const fake = createFakeWorkbench();
  const logged: string[] = [];
  const web = await serveWeb(fake.workbench, { assets: makeAssets(), port: 0, log: (text) => logged.push(text) });
  const secrets = [codeOf(web.url)];
  const cookie = await enter(web);
  secrets.push(cookie.split('=')[1]!);
  fake.replace('refresh', () => {
    throw new Error('boom');
  });
  const headers = { ...pageHeaders(web.port), cookie };
  const texts = [(await ask(web.port, { path: '/' })).text];
  const { state, sandbox, trace, download } = ROUTES;
  for (const path of [state.path, sandbox.path, trace.path, download.path, `/api/x?code=${secrets[0]}`])
    texts.push((await ask(web.port, { path, headers })).text);
  const failing = await ask(web.port, {
    method: 'POST',
    path: `/api/servers/a/refresh?token=${secrets[1]}`,
    headers: { ...headers, 'content-type': 'application/json' },
    body: '{}',
  });
  assert.equal(failing.status, 500);
  assert.equal(logged.length, 1);
  for (const text of [...texts, failing.text, ...logged])
    for (const secret of secrets) assert.ok(!text.includes(secret), text);
  await web.close();
  fake.end();
});
