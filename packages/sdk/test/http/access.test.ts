// Tests which requests are accepted, and how large they may be.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { type AddressInfo, connect as connectSocket } from 'node:net';
import { after, test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { withinCpuMsAsync } from '../../../../scripts/lib/cpu-time.ts';
import { protectedResource } from '../../src/entries/auth.ts';
import { nodeHandler, serveFetch } from '../../src/entries/http.ts';
import { prompt, resource, server, tool } from '../../src/entries/index.ts';
import { anonymous, serveHttp, type ServeHttpOptions } from '../../src/entries/node.ts';
import { makeApp } from './app.ts';
import { live, raw, send, until } from './send.ts';
import { fieldsOf, initializeBody, JSON_FIELDS, modernBody, stage } from './stage.ts';

const s = await stage();
const PORT = s.port;
const echo = modernBody('tools/call', { name: 'echo', arguments: { v: 1 } });
function post(more: object, body = echo) {
  return send(s.url, 'POST', { ...fieldsOf('tools/call', 'echo'), ...more } as never, body);
}

test('[HTTP-2, HTTP-3] [A-01, A-02, A-03, A-04] foreign hosts and pages are refused before anything runs', async () => {
  const before = s.count('echo');
  for (const fields of [
    { host: 'evil.example' },
    { host: `evil.example:${PORT}`, origin: `http://evil.example:${PORT}` },
    { origin: 'http://evil.example' },
    { origin: 'null' },
    { origin: 'file://' },
    { host: '127.0.0.1.evil.example' },
    { host: 'localhost@evil.example' },
    { host: '0.0.0.0' },
  ]) {
    const answer = await post(fields);
    assert.equal(answer.status, 403, JSON.stringify(fields));
    assert.equal(answer.headers['access-control-allow-origin'], undefined);
    assert.equal(answer.json.error.code, -32600);
  }
  assert.equal(s.count('echo'), before);
  const lines = s.log.filter(({ event }) => event === 'request-refused').length;
  await post({ host: 'evil.example\u001b[31m' }).catch(() => {});
  assert.ok(s.log.filter(({ event }) => event === 'request-refused').length - lines <= 1, 'one line for each');
  await s.checkWorks();
});

test('[A-05] [HTTP-4] requests to loopback names are served, and no other machine can reach the server', async () => {
  for (const host of [`127.0.0.1:${PORT}`, `localhost:${PORT}`, `[::1]:${PORT}`, `LOCALHOST.:${PORT}`])
    assert.equal((await post({ host })).status, 200, host);
  for (const origin of [`http://localhost:${PORT}`, `http://127.0.0.1:${PORT}`]) {
    const answer = await post({ origin });
    assert.equal(answer.status, 200);
    assert.equal(answer.headers['access-control-allow-origin'], origin);
    assert.match(answer.headers['access-control-expose-headers']!, /mcp-session-id/i);
  }
});

test('[A-06, A-07] a request that an HTML form can send is refused', async () => {
  const before = s.count('echo');
  for (const type of [
    'text/plain',
    'application/x-www-form-urlencoded',
    'multipart/form-data; boundary=x',
    'application/jsonp',
    '',
  ])
    assert.equal((await post({ 'content-type': type })).status, 415, type);
  const { 'content-type': _, ...without } = fieldsOf('tools/call', 'echo');
  assert.equal((await send(s.url, 'POST', without, echo)).status, 415);
  assert.equal(s.count('echo'), before);
  assert.equal((await post({ 'content-type': 'application/json; charset=utf-8' })).status, 200);
});

test('[A-08] a preflight of a foreign page gets nothing; one of an allowed page gets the allowed headers', async () => {
  const preflight = (origin: string) =>
    send(s.url, 'OPTIONS', {
      origin,
      'access-control-request-method': 'POST',
      'access-control-request-headers': 'content-type, mcp-method, mcp-param-region, x-evil',
    });
  const foreign = await preflight('http://evil.example');
  assert.equal(foreign.status, 403);
  assert.deepEqual(
    Object.keys(foreign.headers).filter((name) => name.startsWith('access-control')),
    [],
  );
  const own = await preflight(`http://localhost:${PORT}`);
  assert.equal(own.status, 204);
  assert.equal(own.headers['access-control-allow-origin'], `http://localhost:${PORT}`);
  assert.match(own.headers['access-control-allow-headers']!, /mcp-param-region/);
  assert.doesNotMatch(own.headers['access-control-allow-headers']!, /x-evil|\*/);
  assert.equal(own.headers['access-control-allow-credentials'], undefined);
});

test('[A-09] listening on every network interface, in any spelling, needs `expose`', async () => {
  for (const host of ['0.0.0.0', '::', '0', '::0', '0:0::0', '0x0.0.0.0', '::ffff:0.0.0.0', '', '[::]'])
    await assert.rejects(serveHttp(makeApp().app, { port: 0, host, signals: false }), TypeError, host);
  await assert.rejects(
    serveHttp(makeApp().app, { port: 0, host: '0.0.0.0', expose: true, signals: false }),
    /allowedHosts/,
  );
  const open = await serveHttp(makeApp().app, {
    port: 0,
    host: '0.0.0.0',
    expose: true,
    allowedHosts: ['mcp.example'],
    signals: false,
  });
  const ask = (host: string) => send(open.url, 'POST', { ...fieldsOf('tools/call', 'echo'), host }, echo);
  assert.equal((await ask('mcp.example')).status, 200);
  assert.equal((await ask('127.0.0.1')).status, 403);
  await open.close();
});

test('[A-10] an empty list of hosts counts as missing', async () => {
  for (const hosts of [[], '', ' ', ',', [' ', '']]) {
    const strict = await stage({ allowedHosts: hosts, allowedOrigins: hosts });
    assert.equal(
      (await send(strict.url, 'POST', { ...fieldsOf('tools/call', 'echo'), host: 'evil.example' }, echo)).status,
      403,
    );
    await strict.checkWorks();
  }
});

test('[A-11] [HTTP-5] every method and every path is guarded, and answered before a body is read', async () => {
  const guarded = await stage({
    sse: true,
    auth: ({ header }) =>
      header('authorization') === 'Bearer tokA'
        ? { id: 'alice' }
        : { status: 401, message: 'Who is it?', headers: { 'www-authenticate': 'Bearer' } },
  });
  const origin = guarded.url.replace(/\/mcp$/, '');
  const before = guarded.count('echo');
  for (const method of ['POST', 'GET', 'DELETE', 'PUT', 'OPTIONS', 'PATCH']) {
    for (const path of [
      '/mcp',
      '/mcp/',
      '//mcp',
      '/MCP',
      '/mcp;a=1',
      '/mcp%2f',
      '/sse',
      '/messages',
      '/messages?sessionId=1',
      '/register',
      '/',
      '/mcp/../mcp',
    ]) {
      const foreign = await send(
        origin + path,
        method,
        { ...fieldsOf('tools/call', 'echo'), host: 'evil.example' },
        method === 'POST' ? echo : undefined,
      );
      assert.equal(foreign.status, 403, `${method} ${path} from a foreign host`);
      const nobody = await send(
        origin + path,
        method,
        fieldsOf('tools/call', 'echo'),
        method === 'POST' ? echo : undefined,
      );
      assert.ok(
        [401, 404].includes(nobody.status) || method === 'OPTIONS',
        `${method} ${path} without a token: ${nobody.status}`,
      );
    }
  }
  assert.equal(guarded.count('echo'), before);
  const challenged = await send(guarded.url, 'POST', fieldsOf('tools/call', 'echo'), echo);
  assert.equal(challenged.headers['www-authenticate'], 'Bearer');
  const huge = await raw(
    guarded.port,
    `POST /mcp HTTP/1.1\r\nhost: evil.example\r\ncontent-type: application/json\r\ncontent-length: 104857600\r\n\r\n${'x'.repeat(1000)}`,
  );
  assert.match(huge, /^HTTP\/1\.1 403 /);
  assert.match(huge, /connection: close/i);
  assert.equal((await guarded.call('who', {}, { authorization: 'Bearer tokA' })).json.result.content[0].text, 'alice');
});

test('[A-15, A-16] [SECU-22, SECU-24, ELIC-29] a session belongs to the caller that began it: for others it does not exist', async () => {
  const two = await stage({
    auth: ({ header }) => {
      const token = header('authorization');
      return token === 'Bearer tokA'
        ? { id: 'alice' }
        : token === 'Bearer tokB'
          ? { id: 'bob' }
          : { status: 401, message: 'Who is it?' };
    },
  });
  const [a, b] = [{ authorization: 'Bearer tokA' }, { authorization: 'Bearer tokB' }];
  const alice = await two.session('2025-11-25', {}, a);
  const before = two.count('echo');
  const call = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'echo', arguments: { v: 1 } } };
  const listening = alice.listen(a);
  assert.equal(await listening.status, 200);
  const stolen = await alice.post(call, b);
  const unknown = await alice.post(call, { ...b, 'mcp-session-id': 'unknown' });
  assert.deepEqual([stolen.status, stolen.text], [404, unknown.text], 'the same as for one that never was');
  // Mastra 0.14 begins a new session only if it finds this word in the error.
  assert.match(unknown.json.error.message, /session/);
  const stolenStream = alice.listen(b);
  assert.equal(await stolenStream.status, 404);
  assert.equal((await send(two.url, 'DELETE', { ...alice.fields, ...b })).status, 404);
  assert.equal(two.count('echo'), before);
  assert.equal((await alice.post(call, a)).status, 200);
  await two.call('change', {}, a);
  assert.equal((await listening.next()).method, 'notifications/tools/list_changed');
  listening.drop();
  // One principal cannot use the whole limit.
  const small = await stage({ auth: () => ({ id: 'ann' }), limits: { sessionsPerPrincipal: 2 } });
  for (let n = 0; n < 2; n++) {
    const stream = (await small.session('2025-11-25')).listen();
    assert.equal(await stream.status, 200);
    after(() => stream.drop());
  }
  assert.equal((await send(small.url, 'POST', JSON_FIELDS, initializeBody('2025-11-25'))).status, 503);
});

test('[ELIC-31] [ELIC-51] the caller is the one that `auth` returns, whatever the client claims', async () => {
  const one = await stage({ auth: ({ header }) => ({ id: header('authorization') ?? 'nobody' }) });
  const claims = {
    'io.modelcontextprotocol/clientInfo': { name: 'bob', version: '1', title: 'bob' },
    sub: 'bob',
    user: 'bob',
    principal: { id: 'bob' },
  };
  const { json } = await one.call('who', {}, { authorization: 'ann', 'x-user': 'bob' }, claims);
  assert.equal(json.result.content[0].text, 'ann');
  const session = await one.session('2025-11-25', { experimental: { sub: 'bob' } }, { authorization: 'ann' });
  const call = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'who', _meta: { sub: 'bob' } } };
  assert.equal((await session.post(call, { authorization: 'ann' })).json.result.content[0].text, 'ann');
});

for (const beside of ['prompt', 'resource'] as const)
  test(`scopes of a tool count as soon as it is added, also together with a ${beside}`, async () => {
    const app = server({ name: 'live', tools: { first: tool({}, () => 'one') }, prompts: {}, resources: {} });
    const served = await serveHttp(app, { port: 0, signals: false, auth: () => ({ id: 'ann', scopes: [] }) });
    after(() => served.close());
    const call = (name: string) =>
      send(served.url, 'POST', fieldsOf('tools/call', name), modernBody('tools/call', { name, arguments: {} }));
    assert.equal((await call('first')).status, 200);
    const pay = tool({ scopes: ['pay'] }, () => 'paid');
    app.tools.set('pay', pay);
    const plain = () => 'plain';
    if (beside === 'prompt') app.prompts.set('plain', prompt({}, plain));
    else app.resources.set('x://plain', resource({ name: 'plain' }, plain));
    assert.equal((await call('pay')).status, 403);
  });

test('[ELIC-32] a caller who is not logged in gets status 401 with a challenge, and no questions', async () => {
  const closed = await stage({ auth: () => undefined });
  for (const name of ['ask', 'who']) {
    const { status, text, headers } = await closed.call(name);
    assert.equal(status, 401);
    assert.ok(headers['www-authenticate'] !== undefined);
    assert.doesNotMatch(text, /inputRequests|elicitation/);
  }
  assert.equal(closed.count('ask'), 0);
});

test('[A-54] [SECU-18, SECU-20] the state of a suspended call cannot be used by any other caller', async () => {
  const two = await stage({ auth: ({ header }) => ({ id: header('authorization') ?? 'nobody' }) });
  const asked = await two.call('ask', {}, { authorization: 'alice' });
  const params = {
    name: 'ask',
    arguments: {},
    requestState: asked.json.result.requestState,
    inputResponses: { who: { action: 'accept', content: { name: 'B' } } },
  };
  assert.equal((await two.modern('tools/call', params, { authorization: 'bob' })).json.error.code, -32602);
  assert.equal(
    (await two.modern('tools/call', params, { authorization: 'alice' })).json.result.content[0].text,
    'Hello, B',
  );
});

test('[A-34] a body whose announced size is too large is refused before it is read', async () => {
  const size = 5 * 1024 * 1024;
  const answer = await raw(
    PORT,
    `POST /mcp HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\naccept: */*\r\ncontent-length: ${size}\r\n\r\n${'x'.repeat(65_536)}`,
  );
  assert.match(answer, /^HTTP\/1\.1 413 /);
  assert.match(answer, /connection: close/i);
  assert.equal(answer.match(/HTTP\/1\.1/g)!.length, 1);
  await s.checkWorks();
});

/** The data that a client receives if it sends its whole request before it reads anything. */
async function sendThenRead(port: number, request: string): Promise<string> {
  const socket = connectSocket(port, '127.0.0.1').pause();
  let text = '';
  socket.on('data', (piece) => (text += piece.toString()));
  await new Promise<void>((resolve, reject) => {
    socket.on('error', reject);
    socket.pause().write(request, () => resolve());
  });
  socket.resume();
  await once(socket, 'close');
  return text;
}

test('a client that sends its whole body first can read why it was refused, and its connection is closed', async () => {
  const guarded = await stage({ auth: () => undefined });
  const head = 'POST /mcp HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\naccept: */*\r\n';
  const body = 'x'.repeat(12 * 1024 * 1024);
  for (let round = 0; round < 5; round++) {
    for (const [port, request, status] of [
      [PORT, `${head}content-length: ${body.length}\r\n\r\n${body}`, 413],
      [PORT, `${head}transfer-encoding: chunked\r\n\r\n${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n`, 413],
      [guarded.port, `${head}content-length: ${body.length}\r\n\r\n${body}`, 401],
    ] as const) {
      const [fields = '', answer = ''] = (await sendThenRead(port, request)).split('\r\n\r\n');
      assert.match(fields, new RegExp(`^HTTP/1.1 ${status} .*\r\nconnection: close(?:\r\n|$)`, 'is'));
      assert.equal(typeof JSON.parse(answer).error.message, 'string');
    }
  }
  await s.checkWorks();
});

test('data that a client sends after the last response is read for a while, but not endlessly', async () => {
  const socket = connectSocket(PORT, '127.0.0.1');
  const chunk = Buffer.alloc(1024 * 1024, 'x');
  let text = '';
  socket.on('data', (piece) => (text += piece.toString()));
  const fields = `host: localhost\r\ncontent-type: application/json\r\naccept: */*\r\ncontent-length: ${10 ** 12}`;
  socket.write(`POST /mcp HTTP/1.1\r\n${fields}\r\n\r\n`);
  socket.on('error', () => {});
  const closed = new Promise<void>((resolve) => socket.on('close', () => resolve()));
  const more = (): void => {
    while (!socket.destroyed && socket.write(chunk));
    if (!socket.destroyed) socket.once('drain', more);
  };
  more();
  await closed;
  assert.match(text, /^HTTP\/1\.1 413 /);
  assert.ok(socket.bytesWritten < 256 * 1024 * 1024, `${socket.bytesWritten} bytes were sent`);
  await s.checkWorks();
});

test('[A-35] a body without a size, or with a wrong one, cannot exceed the limit', async () => {
  const chunk = 'x'.repeat(65_536);
  const chunks = Array.from({ length: 80 }, () => `${chunk.length.toString(16)}\r\n${chunk}\r\n`).join('');
  const chunked = await raw(
    PORT,
    `POST /mcp HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\naccept: */*\r\ntransfer-encoding: chunked\r\n\r\n${chunks}0\r\n\r\n`,
  );
  assert.match(chunked, /^HTTP\/1\.1 413 /);
  const before = s.count('echo');
  const rest = `POST /mcp HTTP/1.1\r\nhost: localhost\r\ncontent-length: 0\r\n\r\n`;
  const lying = await raw(
    PORT,
    `POST /mcp HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\naccept: */*\r\ncontent-length: 10\r\n\r\n0123456789${echo}${rest}`,
    300,
  );
  assert.match(lying, /^HTTP\/1\.1 400 /);
  assert.equal(s.count('echo'), before, 'the data that follows does not run as a request');
  await s.checkWorks();
});

test('[F-22, F-23] headers and bodies that arrive too slowly are cut off in time', async () => {
  const { headersTimeout, requestTimeout } = await limitsOf();
  assert.deepEqual([headersTimeout, requestTimeout], [15_000, 30_000]);
});

/** The timeouts that the server sets on its listener: waiting for them here would take half a minute. */
async function limitsOf(): Promise<{ headersTimeout: number; requestTimeout: number }> {
  const { createServer } = await import('node:http');
  const { TIMEOUTS: SLOW } = await import('../../src/transport/http/node/serve-http.ts');
  const { headersTimeout, requestTimeout } = createServer(SLOW);
  return { headersTimeout, requestTimeout };
}

test('[A-38] an encoded body is refused', async () => {
  const answer = live(
    s.url,
    'POST',
    { ...fieldsOf('tools/call', 'echo'), 'content-encoding': 'gzip' },
    gzipSync(echo).toString('latin1'),
  );
  assert.equal(await answer.status, 415);
  assert.equal((await post({ 'content-encoding': 'identity' })).status, 200);
});

test('[A-39] a body that is nested too deep, or has too many parts, is refused quickly', async () => {
  for (const depth of [1_000, 20_000, 500_000]) {
    const nested = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo","arguments":{"v":${'['.repeat(depth)}${']'.repeat(depth)}}}}`;
    const answer = await withinCpuMsAsync(2_000, () => post({}, nested));
    assert.deepEqual([answer.status, answer.json.error.code], [400, -32600]);
    assert.doesNotMatch(answer.text, /call stack/i);
  }
  const many = await post({}, `[${'0,'.repeat(250_000)}0]`);
  assert.deepEqual([many.status, many.json.error.code], [400, -32600]);
  await s.checkWorks();
});

/** A modern call as bytes, with header lines before the usual ones, to a target that may be absolute. */
function callBytes(first: string, target = '/mcp', port = PORT): Promise<string> {
  const fields = Object.entries({ ...fieldsOf('tools/call', 'echo'), authorization: 'Bearer right' });
  const lines = fields.map(([name, value]) => `${name}: ${String(value)}\r\n`).join('');
  return raw(
    port,
    `POST ${target} HTTP/1.1\r\n${first}${lines}connection: close\r\ncontent-length: ${echo.length}\r\n\r\n${echo}`,
  );
}

test('a header that has a single value is refused if it is sent twice, in either order', async () => {
  const before = s.count('echo');
  assert.match(await callBytes('host: localhost\r\n'), /^HTTP\/1\.1 200 /);
  for (const first of [
    'host: localhost\r\nhost: evil.example',
    'host: localhost\r\nHOST: localhost',
    'authorization: Bearer wrong',
    'Authorization: Bearer right',
    'content-type: text/plain',
    'content-type: application/json',
    'origin: http://localhost\r\norigin: http://evil.example',
    'mcp-protocol-version: 2025-11-25',
    'mcp-method: tools/list',
    'mcp-name: other',
    'mcp-session-id: a\r\nmcp-session-id: b',
    'mcp-param-region: eu\r\nMcp-Param-Region: us',
    'last-event-id: 1\r\nlast-event-id: 2',
    'dpop: a\r\ndpop: b',
  ]) {
    const answer = await callBytes(
      `${first.toLowerCase().startsWith('host') ? '' : 'host: localhost\r\n'}${first}\r\n`,
    );
    assert.match(answer, /^HTTP\/1\.1 400 /, first);
    assert.match(
      answer,
      first.startsWith('mcp-') ? /-32020.*was sent more than once/ : /-32600.*was sent more than once/,
      first,
    );
  }
  assert.match(await callBytes('host: localhost\r\naccept: text/html\r\n'), /^HTTP\/1\.1 200 /, 'a list may be split');
  assert.equal(s.count('echo') - before, 2);
});

test('a page of the authorization server is not served if a single-valued header is sent twice', async () => {
  const { port } = await stage({
    auth: {
      authenticate: () => undefined,
      document: () => undefined,
      page: ({ path }) => (path === '/token' ? Promise.resolve({ status: 200, headers: {} }) : undefined),
      insufficient: () => ({ status: 403, message: '' }),
    },
  });
  const ask = (lines: string) =>
    raw(port, `POST /token HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n${lines}\r\n`);
  assert.match(await ask('authorization: Basic YTpi\r\n'), /^HTTP\/1\.1 200 /);
  assert.match(await ask('authorization: Basic YTpi\r\nauthorization: Basic Yzpk\r\n'), /^HTTP\/1\.1 400 /);
});

test('a request without a Host header is refused', async () => {
  assert.match(await callBytes(''), /^HTTP\/1\.1 400 /);
});

test('a request is refused if its target and its Host header name different hosts', async (t) => {
  const before = s.count('echo');
  const mounted = nodeHandler(s.made.app);
  const server = createServer(mounted).listen(0, '127.0.0.1');
  t.after(() => Promise.all([mounted.close(), server.close()]));
  await once(server, 'listening');
  for (const port of [PORT, (server.address() as AddressInfo).port])
    for (const [target, host, status] of [
      ['http://localhost/mcp', 'localhost', 200],
      ['HTTP://LOCALHOST/mcp', 'localhost', 200],
      ['http://evil.example/mcp', 'localhost', 403],
      ['http://evil.example/mcp', 'evil.example', 403],
      ['http://localhost/mcp', 'evil.example', 403],
      ['http://localhost@evil.example/mcp', 'localhost', 403],
      ['http://localhost:1/mcp', 'localhost', 403],
    ] as const)
      assert.match(await callBytes(`host: ${host}\r\n`, target, port), new RegExp(`^HTTP/1\\.1 ${status} `), target);
  assert.equal(s.count('echo') - before, 4);
  // The message contains both names, or says that one is missing.
  assert.match(
    await callBytes('host: localhost\r\n', 'http://evil.example/mcp'),
    /The request is for the host 'evil\.example', but its Host header names 'localhost'/,
  );
  assert.match(
    await callBytes('host: evil.example\r\n', 'http://evil.example/mcp'),
    /The host 'evil\.example' is not served/,
  );
  assert.match(await callBytes('host: localhost\r\n', 'http:///mcp'), /The target of the request names no host/);
});

test('the reason of a refusal by `auth` appears only in the log', async () => {
  const cause = new Error('connect ECONNREFUSED 10.0.0.7:443');
  const asked = await stage({
    auth: () => ({ status: 503, message: 'Later', headers: { 'retry-after': '5' }, cause }),
  });
  const answer = await asked.call('who');
  assert.deepEqual([answer.status, answer.headers['retry-after'], answer.json.error.message], [503, '5', 'Later']);
  assert.ok(!answer.text.includes('10.0.0.7'));
  const entry = asked.log.find(({ event }) => event === 'request-refused');
  assert.deepEqual([entry?.level, entry?.details], ['error', cause]);
});

test('the log says who was refused, and why their token is not valid', async () => {
  const pay = tool({ scopes: ['pay'] }, () => 'paid');
  const verify = (token: string) =>
    token === 'ann'
      ? { issuer: 'https://as.example', subject: 'ann', scopes: [], claims: {} }
      : { invalid: 'It has expired' };
  const auth = protectedResource({
    resource: 'http://127.0.0.1/mcp',
    authorizationServers: ['https://as.example'],
    verify,
  });
  const asked = await stage({ auth }, { ...makeApp(), app: server({ name: 'bank', tools: { pay } }) as never });
  assert.equal((await asked.call('pay', {}, { authorization: 'Bearer old' })).status, 401);
  assert.equal((await asked.call('pay', {}, { authorization: 'Bearer ann' })).status, 403);
  const entries = asked.log.filter(({ event }) => event === 'request-refused');
  assert.deepEqual(
    entries.map(({ level, message, details }) => [level, message, details]),
    [
      [
        'info',
        'A request was refused with status 401 (caller; sender: network 127.0.0.1): The token is not valid here',
        'It has expired',
      ],
      [
        'info',
        'A request was refused with status 403 (scopes; sender: principal https://as.example|ann): These scopes are needed: pay',
        undefined,
      ],
    ],
  );
});

test('`auth` can tell callers apart by their network', async () => {
  const peers: (string | undefined)[] = [];
  const auth: ServeHttpOptions['auth'] = ({ peer }) => (peers.push(peer), anonymous);
  await (await stage({ auth })).call('echo');
  const behind = await stage({ auth, addressHeader: 'x-client' });
  for (const address of ['192.0.2.1', '2001:db8:1:2::3', '2001:db8:1:2:ffff::4'])
    await behind.call('echo', {}, { 'x-client': address });
  assert.deepEqual(
    peers,
    ['127.0.0.1', '192.0.2.1', '2001:db8:1:2', '2001:db8:1:2'].map((network) => `network ${network}`),
  );
});

test('only a principal or `anonymous` is let in, whatever else `auth` returns', async () => {
  const row = { id: 'ann', status: 'active' };
  const found = new Map<string, unknown>([
    ['right', { id: 'ann' }],
    ['open', anonymous],
    ['null', null],
    ['false', false],
    ['true', true],
    ['text', 'ann'],
    ['empty', {}],
    ['no-text', { id: 7 }],
    ['empty-id', { id: '' }],
    ['blank', { id: ' ' }],
    ['blanks', { id: '\t\r\n\u00a0\u3000' }],
    ['row', row],
    ['row-without-id', { name: 'ann', status: 'active' }],
    ['numbered-row', { id: 'ann', status: 1 }],
    ['fine', { id: 'ann', status: 200 }],
    ['forbidden', { status: 403, message: 'Not here' }],
    ['both', { id: 'ann', status: 403, message: 'Not here' }],
    ['array', [{ id: 'ann' }]],
    ['symbol', Symbol('anonymous')],
  ]);
  const asked = await stage({ auth: (request) => found.get(request.header('authorization') ?? '') as never });
  const statuses = new Map<string, number>();
  for (const name of [...found.keys(), 'wrong', undefined]) {
    const answer = await asked.call('who', {}, name === undefined ? {} : { authorization: name });
    statuses.set(String(name), answer.status);
    if (answer.status === 401) assert.equal(answer.headers['www-authenticate'], 'Bearer');
    if (name === 'right') assert.equal(answer.json.result.content[0].text, 'ann');
    if (name === 'open') assert.equal(answer.json.result.content[0].text, 'nobody');
  }
  const admitted = [...statuses].filter(([, status]) => status === 200).map(([name]) => name);
  assert.deepEqual(admitted, ['right', 'open']);
  const forbidden = [...statuses].filter(([, status]) => status === 403).map(([name]) => name);
  assert.deepEqual(forbidden, ['forbidden', 'both']);
  for (const [name, status] of statuses)
    if (!admitted.includes(name) && !forbidden.includes(name)) assert.equal(status, 401, name);
  const faults = asked.log.filter(({ level, event }) => level === 'error' && event === 'request-refused');
  assert.match(faults.map(({ message }) => message).join('\n'), /`auth` returned an object/);
});

test('an `auth` that is given but cannot be called is an error at start', async () => {
  for (const auth of [undefined, null, false, 'token', {}]) {
    await assert.rejects(stage({ auth: auth as never }), /TypeError: `auth` is/);
    assert.throws(() => nodeHandler(s.made.app, { auth: auth as never }), TypeError);
    assert.throws(() => serveFetch(s.made.app, { auth: auth as never }), TypeError);
  }
});

test('[F-20] connections that are closed in the middle of a request leave nothing behind', async () => {
  for (let n = 0; n < 50; n++) {
    const socket = connectSocket(PORT, '127.0.0.1');
    socket.on('error', () => {});
    await new Promise((resolve) => socket.once('connect', resolve));
    socket.write(
      `POST /mcp HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\ncontent-length: 1000\r\n\r\n{"json`,
    );
    socket.destroy();
  }
  await s.checkWorks();
});

test('a call in a session that runs longer than the drain time is answered 503 with an error', async () => {
  const served = await stage({ drainMs: 1 });
  const session = await served.session('2025-11-25');
  const running = session.request('tools/call', { name: 'gate', arguments: { name: 'late' } });
  await until(() => served.made.waiting('late'));
  await served.close();
  const { status, json } = await running;
  assert.deepEqual([status, json.error.code, json.id !== undefined], [503, -32603, true]);
  assert.match(json.error.message, /shutting down/);
});

test('a call that runs longer than the drain time is answered 503 with an error, and its handler is stopped', async () => {
  const served = await stage({ drainMs: 1 });
  const running = served.call('gate', { name: 'late' });
  await until(() => served.made.waiting('late'));
  await served.close();
  const { status, json } = await running;
  assert.deepEqual([status, json.error.code, json.id !== undefined], [503, -32603, true]);
  assert.match(json.error.message, /shutting down/);
});
