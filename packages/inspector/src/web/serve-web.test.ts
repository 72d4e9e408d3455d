import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { createServer } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { stopTime } from '../../../../scripts/lib/test-time.ts';
import { PATIENCE_MS, until } from '../../../../scripts/lib/until.ts';
import { WorkbenchError } from '../session/contract.ts';
import { createFakeWorkbench } from './fixtures/fake-workbench.ts';
import { ask, makeAssets, type Opened, openWeb, pageHeaders } from './fixtures/web-client.ts';
import { serveWeb } from './serve-web.ts';

let opened: Opened;
before(async () => (opened = await openWeb()));
after(() => opened.end());

/** Sends bytes. Resolves with the data received until the connection ended, or `ms` passed. */
function sendRaw(port: number, text: string, ms = PATIENCE_MS): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1', () => socket.write(text));
    let got = '';
    const timer = setTimeout(() => socket.destroy(), ms);
    socket.on('data', (chunk) => (got += chunk.toString()));
    socket.on('error', reject);
    socket.on('close', () => {
      clearTimeout(timer);
      resolve(got);
    });
  });
}

function statusOf(raw: string): number {
  return Number(/^HTTP\/1\.1 (\d{3})/.exec(raw)?.[1]);
}

function rawGet(target: string, extra = ''): Promise<string> {
  return sendRaw(
    opened.web.port,
    `GET ${target} HTTP/1.1\r\nHost: 127.0.0.1:${opened.web.port}\r\n${extra}Connection: close\r\n\r\n`,
  );
}

test('if the port is taken, the next one is used', async () => {
  const taken = createServer();
  await new Promise<void>((resolve) => taken.listen(0, '127.0.0.1', resolve));
  const { port } = taken.address() as AddressInfo;
  const fake = createFakeWorkbench();
  const web = await serveWeb(fake.workbench, { assets: makeAssets(), port });
  assert.ok(web.port > port && web.port <= port + 20, `${web.port} comes after ${port}`);
  assert.ok(web.url.startsWith(`http://127.0.0.1:${web.port}/#code=`));
  await web.close();
  taken.close();
  fake.end();
});

test('a missing page is an error, and no port stays open', async () => {
  const fake = createFakeWorkbench();
  const folder = mkdtempSync(join(tmpdir(), 'tenon-empty-'));
  await assert.rejects(serveWeb(fake.workbench, { assets: folder, port: 0 }), /no index\.html.*not built/);
  await assert.rejects(serveWeb(fake.workbench, { assets: join(folder, 'none'), port: 0 }), /cannot be read/);
  rmSync(folder, { recursive: true });
  fake.end();
});

test('the page has a fresh nonce each time, in its policy and in the page, and a policy without unsafe-inline', async () => {
  const nonces = new Set<string>();
  for (const path of ['/', '/', '/index.html']) {
    const { status, headers, text } = await ask(opened.web.port, { path });
    assert.equal(status, 200);
    const policy = String(headers['content-security-policy']);
    const nonce = /'nonce-([^']+)'/.exec(policy)![1]!;
    assert.equal(text.split(`nonce="${nonce}"`).length, 3);
    assert.ok(!text.includes('__NONCE__'));
    assert.doesNotMatch(policy, /unsafe|\*|https?:(?!\/\/127\.0\.0\.1:\d+;)/);
    for (const directive of [
      "default-src 'none'",
      "script-src 'self'",
      "connect-src 'self'",
      "frame-ancestors 'none'",
      "base-uri 'none'",
      "form-action 'none'",
      "require-trusted-types-for 'script'",
    ])
      assert.ok(policy.split('; ').includes(directive), directive);
    assert.equal(headers['x-content-type-options'], 'nosniff');
    assert.equal(headers['referrer-policy'], 'no-referrer');
    assert.equal(headers['cross-origin-opener-policy'], 'same-origin');
    assert.equal(headers['cache-control'], 'no-store');
    nonces.add(nonce);
  }
  assert.equal(nonces.size, 3);
});

test('a link from another site opens the page, but its frames, scripts and forms do not', async () => {
  const { port } = opened.web;
  const visit = { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'document' };
  const { status, headers } = await ask(port, { headers: visit });
  assert.equal(status, 200);
  assert.equal(headers['set-cookie'], undefined);
  const asset = '/assets/index-DiwrgTda.js';
  for (const [path, changed] of [
    ['/', { 'sec-fetch-dest': 'iframe' }],
    ['/', { 'sec-fetch-mode': 'cors', 'sec-fetch-dest': 'empty' }],
    [asset, { 'sec-fetch-mode': 'no-cors', 'sec-fetch-dest': 'script' }],
    [asset, {}],
  ] as const)
    assert.equal((await ask(port, { path, headers: { ...visit, ...changed } })).status, 403, path);
  assert.equal((await ask(port, { method: 'POST', headers: visit })).status, 403);
  assert.equal((await ask(port, { headers: { host: `evil.example:${port}` } })).status, 403);
});

test('files are sent precompressed, in the smallest accepted coding', async () => {
  const path = '/assets/index-DiwrgTda.js';
  const get = (encoding?: string) =>
    ask(opened.web.port, { path, headers: encoding === undefined ? {} : { 'accept-encoding': encoding } });
  const plain = await get();
  assert.equal(plain.headers['content-encoding'], undefined);
  assert.equal(plain.headers['cache-control'], 'public, max-age=31536000, immutable');
  assert.equal(plain.headers['content-type'], 'text/javascript; charset=utf-8');
  const best = await get('gzip, deflate, br, zstd');
  assert.equal(best.headers['content-encoding'], 'br');
  assert.equal(brotliDecompressSync(best.bytes).toString(), plain.text);
  const gzip = await get('br;q=0, gzip');
  assert.equal(gzip.headers['content-encoding'], 'gzip');
  assert.equal(gunzipSync(gzip.bytes).toString(), plain.text);
  assert.equal(gzip.headers.vary, 'accept-encoding');
  const logo = await ask(opened.web.port, { path: '/logo.svg' });
  assert.equal(logo.headers['cache-control'], 'no-store');
  assert.equal(logo.headers['content-type'], 'image/svg+xml');
});

test('only files that were in the folder at startup can be requested', async (t) => {
  for (const target of [
    '/../../../etc/passwd',
    '/assets/../../../etc/passwd',
    '/assets/..%2f..%2f..%2fetc%2fpasswd',
    '/%2e%2e/%2e%2e/etc/passwd',
    '//etc/passwd',
    '/assets\\..\\..\\etc\\passwd',
    '/assets',
    '/assets/',
    '/assets/index-DiwrgTda.js.br',
    '/index.html/',
    '/__proto__',
    '/constructor',
  ])
    assert.equal(statusOf(await rawGet(target)), 404, target);
  assert.equal(statusOf(await rawGet('/index.html%00.js')), 404);
  const folder = makeAssets();
  symlinkSync('/etc/passwd', join(folder, 'linked.txt'));
  const linked = await openWeb({ assets: folder });
  t.after(() => linked.end());
  assert.equal((await ask(linked.web.port, { path: '/linked.txt' })).status, 404);
});

test('requests that proxies and servers parse differently are rejected', async () => {
  const { port } = opened.web;
  assert.equal(statusOf(await rawGet(`http://127.0.0.1:${port}/`)), 400);
  assert.equal(statusOf(await rawGet('/', 'Host: evil.example\r\n')), 403);
  assert.equal(statusOf(await rawGet('/api/state', `Origin: http://127.0.0.1:${port}\r\nOrigin: https://x\r\n`)), 403);
  const noHost = await sendRaw(port, 'GET / HTTP/1.1\r\nConnection: close\r\n\r\n');
  assert.equal(statusOf(noHost), 400);
  const old = await sendRaw(port, 'GET / HTTP/1.0\r\n\r\n');
  assert.equal(statusOf(old), 403);
});

test('there are no WebSockets', async () => {
  const upgrade =
    'Upgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n' +
    'Origin: https://evil.example\r\n';
  const { port } = opened.web;
  const raw = `GET /api/events HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nConnection: Upgrade\r\n${upgrade}\r\n`;
  assert.equal(statusOf(await sendRaw(port, raw, 500)), 403);
});

test('a body over 16 MB is rejected before it is read, and an endless one is cut off', async () => {
  const { port } = opened.web;
  const head =
    `POST /api/servers/a/frames HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nCookie: ${opened.cookie}\r\n` +
    'Content-Type: application/json\r\n';
  assert.equal(statusOf(await sendRaw(port, `${head}Content-Length: 16777217\r\n\r\n{`)), 413);

  const chunk = `10000\r\n${'x'.repeat(65_536)}\r\n`;
  let sent = 0;
  const answer = await new Promise<string>((resolve, reject) => {
    const socket = connect(port, '127.0.0.1');
    socket.write(`${head}Transfer-Encoding: chunked\r\n\r\n`);
    let got = '';
    const more = (): void => {
      while (!socket.destroyed && sent < 64 * 1024 * 1024) {
        sent += 65_536;
        if (!socket.write(chunk)) return void socket.once('drain', more);
      }
    };
    more();
    socket.on('data', (data) => (got += data.toString()));
    socket.on('error', () => {});
    socket.on('close', () => resolve(got));
    setTimeout(() => reject(new Error('It was read on and on')), PATIENCE_MS).unref();
  });
  assert.ok(sent < 40 * 1024 * 1024, `${sent} bytes were taken`);
  if (answer !== '') assert.equal(statusOf(answer), 413);
});

test('a body of 15 MB is accepted', async () => {
  const text = 'x'.repeat(15 * 1024 * 1024);
  const { status } = await opened.post('/api/servers/a/frames', { text });
  assert.equal(status, 200);
});

test('a client that sends headers slowly, or too many of them, is cut off', async () => {
  const { port } = opened.web;
  // Node's own limit is a minute.
  const slow = await sendRaw(port, `GET / HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nX: `, 50_000);
  assert.equal(statusOf(slow), 408);
  assert.equal(statusOf(await rawGet('/', `X-Long: ${'x'.repeat(20_000)}\r\n`)), 431);
});

test('an error of the workbench is sent with a status, and an unexpected one is only logged', async () => {
  const statuses = new Map<WorkbenchError['code'], number>([
    ['unknown-server', 404],
    ['not-connected', 409],
    ['bad-request', 400],
    ['gone', 410],
    ['read-only', 403],
    ['failed', 502],
  ]);
  for (const [code, status] of statuses) {
    opened.fake.replace('refresh', () => {
      throw new WorkbenchError(code, 'It says why', 'Do this');
    });
    const answer = await opened.post('/api/servers/a/refresh', {});
    assert.equal(answer.status, status);
    assert.deepEqual(JSON.parse(answer.text), { error: { code, message: 'It says why', fix: 'Do this' } });
  }
  assert.deepEqual(opened.logged, []);
  opened.fake.replace('refresh', () => {
    throw new Error('disk full at /secret/place');
  });
  const answer = await opened.post('/api/servers/a/refresh', {});
  assert.equal(answer.status, 500);
  assert.ok(!answer.text.includes('disk full') && !answer.text.includes('at '), answer.text);
  assert.match(opened.logged.join('\n'), /POST \/api\/servers\/a\/refresh: Error: disk full.*\n\s+at /);
});

test('the data that a page sends are validated member by member', async () => {
  for (const [path, body] of [
    ['/api/servers/a/requests', { method: 1, key: 'k' }],
    ['/api/servers/a/requests', { method: 'x', key: 'k', timeoutMs: 0 }],
    ['/api/servers/a/requests', { method: 'x', key: 'k', params: {} }],
    ['/api/servers/a/watch', { uri: 'x:y', on: 'yes' }],
    ['/api/servers/a/roots', { roots: [1] }],
    ['/api/servers/a/roots', { roots: [], ask: 'yes' }],
    ['/api/script', {}],
    ['/api/servers/a/auth', {}],
    ['/api/servers/a/log-level', { level: 'loud' }],
    ['/api/inbox/1', { action: 'explode' }],
    ['/api/checks', { server: 'a', groups: ['x'] }],
    ['/api/tests', { server: 'a', name: 'n', request: 1.5 }],
    ['/api/servers/a/complete', { ref: null, argument: 'a', typed: 't' }],
  ] as const) {
    opened.fake.acts.length = 0;
    const { status, text } = await opened.post(path, body);
    assert.equal(status, 400, `${path} ${text}`);
    assert.deepEqual(opened.fake.acts, []);
  }
  const { status } = await opened.post('/api/servers/a/complete', {
    ref: { template: 'x://{a}' },
    argument: 'a',
    typed: 't',
    resolved: JSON.parse('{"__proto__":"b"}'),
  });
  assert.equal(status, 200);
});

test('numbers that JavaScript cannot represent pass unchanged', async () => {
  opened.fake.acts.length = 0;
  const params = '{"name":"add","arguments":{"a":9007199254740993,"b":1e400}}';
  const { text } = await opened.post('/api/servers/a/requests', { method: 'tools/call', key: 'k', params });
  assert.deepEqual(opened.fake.acts, [['request', 'a', { method: 'tools/call', key: 'k', params }]]);
  assert.equal((JSON.parse(text) as { result: string }).result, '{"n":9007199254740993}');
});

test('a login that waits for the user does not keep the page waiting', async (t) => {
  const time = stopTime(t);
  let begun = false;
  opened.fake.replace('login', () => ((begun = true), new Promise(() => {})));
  const answer = opened.post('/api/servers/a/auth', { start: true });
  await until(() => begun);
  await time.pass(5_000);
  const { status, text } = await answer;
  assert.equal(status, 200);
  assert.equal((JSON.parse(text) as { server: string }).server, 'a');
});

test('a check ends when the page that requested it is closed', async () => {
  let begun = false;
  let aborted!: () => void;
  const ended = new Promise<void>((resolve) => (aborted = resolve));
  opened.fake.replace('check', (_body, signal) => {
    begun = true;
    (signal as AbortSignal).addEventListener('abort', () => aborted());
    return ended.then(() => []);
  });
  const body = JSON.stringify({ server: 'a', groups: ['lint'] });
  const socket = connect(opened.web.port, '127.0.0.1', () =>
    socket.write(
      `POST /api/checks HTTP/1.1\r\nHost: 127.0.0.1:${opened.web.port}\r\nCookie: ${opened.cookie}\r\n` +
        `Content-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
    ),
  );
  await until(() => begun);
  socket.destroy();
  await ended;
});

test('closing ends all connections', async () => {
  const own = await openWeb();
  const { port } = own.web;
  let begun = false;
  own.fake.replace('refresh', () => ((begun = true), new Promise(() => {})));
  const waiting = own.post('/api/servers/a/refresh', {}).catch((error: NodeJS.ErrnoException) => error.code);
  await until(() => begun);
  await own.end();
  assert.equal(await waiting, 'ECONNRESET');
  await assert.rejects(ask(port, { headers: pageHeaders(port) }), { code: 'ECONNREFUSED' });
});
