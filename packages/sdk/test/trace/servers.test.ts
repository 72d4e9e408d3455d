import assert from 'node:assert/strict';
import { createServer as createSocketServer, type Socket } from 'node:net';
import { createServer, request as httpRequest } from 'node:http';
import type { AddressInfo } from 'node:net';
import process from 'node:process';
import { after, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { type Channel, serve, type TraceEntry } from '../../src/entries/index.ts';
import { protectedResource } from '../../src/entries/auth.ts';
import { connect, createEraMemory } from '../../src/entries/client.ts';
import { memoryBus, memoryStore, nodeHandler, serveFetch } from '../../src/entries/http.ts';
import { serveHttp, type ServeHttpOptions, streamChannel } from '../../src/entries/node.ts';
import {
  assertExchanges,
  assertMirrored,
  runConversation,
  type TraceRecorder,
  createTraceRecorder,
  makeApp,
  REVISIONS,
  eventually,
} from './kit.ts';

function fail(): never {
  throw new Error('the trace function fails');
}

async function served(options: ServeHttpOptions) {
  const http = await serveHttp(makeApp(), { port: 0, signals: false, drainMs: 100, ...options });
  after(() => http.close());
  return http;
}

function numbers({ entries }: TraceRecorder): (number | undefined)[] {
  return [...new Set(entries.map(({ session }) => session))];
}

for (const revision of REVISIONS) {
  test(`over HTTP both sides of ${revision} report every message once, in its exchange`, async () => {
    const [near, far] = [createTraceRecorder(), createTraceRecorder()];
    const { url } = await served({ onTrace: far.onTrace });
    await runConversation(url, revision, { onTrace: near.onTrace });
    await eventually(() => assertMirrored(near, far));
    await eventually(() => assertExchanges(far));
    await eventually(() => assertExchanges(near));
    // The first entry of a session does not name it yet.
    const [head, ...rest] = far.entries;
    if (revision === '2026-07-28') assert.deepEqual(numbers(far), [undefined]);
    else {
      assert.equal(head!.session, undefined);
      assert.ok(rest.every(({ session }) => session === 1));
    }
  });

  test(`over a socket both sides of ${revision} report every message once`, async () => {
    const [near, far] = [createTraceRecorder(), createTraceRecorder()];
    const listener = createSocketServer((socket) =>
      serve(makeApp(), streamChannel(socket, socket), { onTrace: far.onTrace }),
    );
    await new Promise<void>((resolve) => listener.listen(0, '127.0.0.1', resolve));
    const { connect: open } = await import('node:net');
    const socket = open((listener.address() as AddressInfo).port, '127.0.0.1');
    await runConversation(streamChannel(socket, socket), revision, { onTrace: near.onTrace });
    listener.close();
    await eventually(() => assertMirrored(near, far));
    assert.ok(far.entries.every(({ exchange, http, session }) => exchange ?? http ?? session === undefined));
  });
}

for (const revision of ['2026-07-28', '2025-11-25', '2025-03-26'] as const) {
  test(`a process that serves ${revision} on stdio reports the same as its client`, async () => {
    const [near, far] = [createTraceRecorder(), createTraceRecorder()];
    let rest = '';
    const fixture = fileURLToPath(new URL('fixtures/stdio-server.ts', import.meta.url));
    await runConversation(
      {
        command: process.execPath,
        args: ['--conditions=tenon-source', fixture],
        stderr(text) {
          const lines = (rest + text).split('\n');
          rest = lines.pop()!;
          for (const line of lines) far.onTrace(JSON.parse(line) as TraceEntry);
        },
      },
      revision,
      { onTrace: near.onTrace },
    );
    assert.deepEqual([near.entries[0]!.kind, near.entries.at(-1)!.kind], ['open', 'exit']);
    await eventually(() => assertMirrored(near, far));
  });
}

test('clients of HTTP+SSE are distinguished, and each is traced like any other', async () => {
  const far = createTraceRecorder();
  const { url } = await served({ onTrace: far.onTrace, sse: true });
  const place = url.replace(/mcp$/, 'sse');
  for (const session of [1, 2]) {
    const told = createTraceRecorder();
    const before = far.entries.length;
    await runConversation(place, '2024-11-05', { onTrace: told.onTrace });
    await eventually(() => assertExchanges(told));
    // The first POST is an attempt at Streamable HTTP, which is refused before it is read.
    assert.equal(told.parts('answer')[0]!.http!.status, 405);
    const near = createTraceRecorder();
    for (const entry of told.entries) if (entry.exchange !== 1 || entry.kind !== 'sent') near.onTrace(entry);
    const mine: TraceRecorder = createTraceRecorder();
    await eventually(() => {
      mine.entries.splice(0, mine.entries.length, ...far.entries.slice(before));
      assertMirrored(near, mine);
      assert.equal(mine.parts('end').length, mine.parts('request').length);
    });
    const posts = mine.entries.filter(({ http }) => http?.url === '/messages');
    assert.ok(posts.length >= 4 && posts.every((entry) => entry.session === session));
    const [refusal, ...others] = mine.entries.filter(({ kind }) => kind === 'sent');
    assert.equal(refusal!.session, undefined);
    assert.ok(others.every((entry) => entry.session === session));
  }
  await eventually(() => assertExchanges(far));
  assert.doesNotMatch(JSON.stringify(far.entries), /sessionId/);
});

test('sessions are distinguished by numbers, and their ids are never traced', async () => {
  const far = createTraceRecorder();
  const { url } = await served({ onTrace: far.onTrace });
  const ids: string[] = [];
  const open = async () =>
    connect(url, {
      revision: '2025-11-25',
      eras: createEraMemory(),
      fetch: async (input, init) => {
        const response = await fetch(input, init);
        ids.push(response.headers.get('mcp-session-id') ?? '');
        return response;
      },
    });
  const [one, two] = [await open(), await open()];
  const from = far.entries.length;
  await two.call('talk');
  await one.call('talk');
  const calls = far.entries.slice(from).filter(({ kind }) => kind === 'received');
  assert.deepEqual(
    calls.map(({ session }) => session),
    [2, 1],
  );
  await Promise.all([one.close(), two.close()]);
  const known = ids.filter((id) => id !== '');
  assert.equal(known.length, 2);
  for (const id of known) assert.ok(!JSON.stringify(far.entries).includes(id));
});

test('a session that began in another process gets a number when it is known to exist', async () => {
  const [bus, store] = [memoryBus(), memoryStore()];
  const shared = { bus, store, keys: ['x'.repeat(32)] };
  const far = createTraceRecorder();
  const one = serveFetch(makeApp(), shared);
  const two = serveFetch(makeApp(), { ...shared, onTrace: far.onTrace });
  after(() => Promise.all([one.close(), two.close()]));
  let to = one;
  const client = await connect('http://127.0.0.1/mcp', {
    revision: '2025-11-25',
    eras: createEraMemory(),
    fetch: (input, init) => to.fetch(new Request(input, init)),
  });
  to = two;
  for (let call = 0; call < 2; call++) await client.call('talk');
  await client.close();
  const received = far.entries.filter(({ kind }) => kind === 'received').map(({ session }) => session);
  assert.deepEqual(received, [undefined, 1]);
  assert.ok(far.entries.filter(({ kind }) => kind === 'sent').every(({ session }) => session === 1));
});

test('`serveFetch` and `nodeHandler` trace like `serveHttp`', async () => {
  for (const revision of ['2026-07-28', '2025-11-25'] as const) {
    const [near, far] = [createTraceRecorder(), createTraceRecorder()];
    const web = serveFetch(makeApp(), { onTrace: far.onTrace });
    await runConversation('http://127.0.0.1/mcp', revision, {
      onTrace: near.onTrace,
      fetch: (input, init) => web.fetch(new Request(input, init)),
    });
    await web.close();
    await eventually(() => assertMirrored(near, far));
    await eventually(() => assertExchanges(far));

    const [here, there] = [createTraceRecorder(), createTraceRecorder()];
    const handler = nodeHandler(makeApp(), { onTrace: there.onTrace });
    const http = createServer(handler);
    await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve));
    await runConversation(`http://127.0.0.1:${(http.address() as AddressInfo).port}/`, revision, {
      onTrace: here.onTrace,
    });
    await handler.close();
    http.close();
    await eventually(() => assertMirrored(here, there));
  }
});

/** Sends bytes as any client may. */
function post(url: string, body: string, headers: Record<string, string> = {}): Promise<number> {
  return new Promise((resolve, reject) => {
    const request = httpRequest(url, { method: 'POST', headers }, (response) => {
      response.resume();
      response.on('end', () => resolve(response.statusCode!));
    });
    request.on('error', reject);
    // In two parts, so that its length is not known in advance.
    request.write(body.slice(0, 1));
    request.end(body.slice(1));
  });
}

test('an invalid message is junk, a body that is too large is lost, and a request that is refused before it is read is not reported', async () => {
  const far = createTraceRecorder();
  const { url } = await served({ onTrace: far.onTrace, limits: { bodyBytes: 1_000 } });
  const json = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' };
  assert.equal(await post(url, '{"hello":1}', json), 400);
  assert.equal(await post(url, JSON.stringify({ jsonrpc: '2.0', method: 5 }), json), 400);
  assert.equal(await post(url, `"${'x'.repeat(2_000)}"`, json), 413);
  assert.equal(await post(url, '{"secret":1}', { ...json, host: 'evil.example' }), 403);
  await eventually(() => assertExchanges(far));
  assert.deepEqual(far.texts('junk'), ['{"hello":1}']);
  assert.deepEqual(far.texts('received'), ['{"jsonrpc":"2.0","method":5}']);
  assert.equal(far.texts('lost').length, 1);
  assert.doesNotMatch(JSON.stringify(far.entries), /secret/);
  assert.deepEqual(
    far.parts('answer').map(({ http }) => http!.status),
    [400, 400, 413, 403],
  );
});

test('a client that disconnects in the middle is reported, and so is a connection that the server breaks', async () => {
  const far = createTraceRecorder();
  const { url } = await served({ onTrace: far.onTrace, limits: { streamBytes: 10_000_000, keepAliveMs: 100 } });
  const message = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: {} });
  const half = httpRequest(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'content-length': 500 },
  });
  half.on('error', () => {});
  half.write(message);
  await eventually(() => assert.equal(far.parts('request').length, 1));
  half.destroy();
  await eventually(() => assert.equal(far.parts('end')[0]?.http?.error, 'The client went away'));
  assert.deepEqual(far.texts('received'), []);

  const _meta = {
    'io.modelcontextprotocol/protocolVersion': '2026-07-28',
    'io.modelcontextprotocol/clientCapabilities': {},
    'io.modelcontextprotocol/logLevel': 'info',
  };
  const deaf = httpRequest(url, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      'mcp-protocol-version': '2026-07-28',
      'mcp-method': 'tools/call',
      'mcp-name': 'flood',
    },
  });
  // It listens, but does not read.
  deaf.on('response', (response) => response.pause().on('error', () => {}));
  deaf.on('error', () => {});
  deaf.end(JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'flood', _meta } }));
  await eventually(() => assert.equal(far.parts('end')[1]?.http?.left, true));
  assert.ok(far.texts('sent').length < 200);
  deaf.destroy();
});

test('secrets of a client are in no entry: its credentials, and its requests for pages of the gatekeeper', async () => {
  const far = createTraceRecorder();
  const { url } = await served({
    onTrace: far.onTrace,
    auth: {
      ...protectedResource({
        resource: 'https://mcp.example.com/mcp',
        authorizationServers: ['https://as.example.com'],
        verify: () => Promise.resolve(undefined),
      }),
      page: ({ path, body }) =>
        path === '/token'
          ? body(1_000).then((text) => ({ status: 200, headers: {}, body: `{"access_token":"GIVEN for ${text}"}` }))
          : undefined,
    },
    allowedHosts: '127.0.0.1',
  });
  const { origin } = new URL(url);
  const secret = { authorization: 'Bearer SECRET1', cookie: 'a=SECRET2', 'x-api-key': 'SECRET3', dpop: 'SECRET4' };
  assert.equal(await post(url, '{}', { ...secret, 'content-type': 'application/json' }), 401);
  assert.equal(await post(`${origin}/token?code=SECRET5`, 'client_secret=SECRET6', secret), 200);
  await eventually(() => assertExchanges(far));
  assert.doesNotMatch(JSON.stringify(far.entries), /SECRET|GIVEN/);
  const [first, second] = far.parts('request').map(({ http }) => http!);
  for (const name of Object.keys(secret)) assert.equal(first!.headers![name], '…');
  assert.equal(second!.url, '/token');
  assert.match(far.parts('answer')[0]!.http!.headers!['www-authenticate']!, /^Bearer /);
});

test('a listener that fails, at once or later, changes nothing', async () => {
  const rejecting = async (): Promise<void> => fail();
  for (const onTrace of [fail, rejecting]) {
    const { url } = await served({ onTrace });
    for (const revision of ['2026-07-28', '2025-11-25'] as const) await runConversation(url, revision, { onTrace });
    const listener = createSocketServer((socket: Socket) =>
      serve(makeApp(), streamChannel(socket, socket), { onTrace }),
    );
    await new Promise<void>((resolve) => listener.listen(0, '127.0.0.1', resolve));
    const { connect: open } = await import('node:net');
    const socket = open((listener.address() as AddressInfo).port, '127.0.0.1');
    await runConversation(streamChannel(socket, socket), '2026-07-28', { onTrace });
    listener.close();
  }
});

test('without a listener, the channel and the request are served as they are', async () => {
  let asked = 0;
  const options = {
    get onTrace() {
      asked++;
      return undefined;
    },
  } as object;
  const sent: string[] = [];
  const channel: Channel = {
    send: (text) => void sent.push(text),
    incoming: (async function* () {
      for (let id = 0; id < 100; id++)
        yield JSON.stringify({ jsonrpc: '2.0', id, method: 'ping', params: {} } satisfies object);
    })(),
    close() {},
  };
  await serve(makeApp(), channel, options).closed;
  assert.equal(sent.length, 100);
  assert.equal(asked, 1);
});

test('a server that is closed while tracing is being loaded ends cleanly', async () => {
  let closed = 0;
  const channel: Channel = {
    send() {},
    incoming: (async function* () {
      await new Promise(() => {});
      yield '';
    })(),
    close: () => void closed++,
  };
  const far = createTraceRecorder();
  const peer = serve(makeApp(), channel, { onTrace: far.onTrace });
  await peer.close();
  await peer.closed;
  assert.equal(closed, 1);
});
