import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import process from 'node:process';
import { after, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { turns, until } from '../../../../scripts/lib/until.ts';
import type { ClientAuth } from '../../src/entries/auth.ts';
import { type Channel, serve } from '../../src/entries/index.ts';
import { connect, createEraMemory, type ConnectOptions } from '../../src/entries/client.ts';
import { memoryPair } from '../../src/entries/testing.ts';
import { event, json, legacyServer, modernServer, result, said, scripted, stream } from '../http-client/scripted.ts';
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

function modern(url: string, options: ConnectOptions) {
  return connect(url, { revision: '2026-07-28', eras: createEraMemory(), ...options });
}

/** A short form of an exchange's trace: kinds of entries, and parts of HTTP. */
function shapeOf({ entries }: TraceRecorder, exchange: number): string {
  return entries.flatMap((entry) => (entry.exchange === exchange ? [entry.http?.part ?? entry.kind] : [])).join(' ');
}

function callsOf(near: TraceRecorder): number[] {
  return near.entries.flatMap((entry) =>
    entry.kind === 'sent' && entry.text.includes('tools/call') ? [entry.exchange!] : [],
  );
}

for (const revision of REVISIONS) {
  test(`a custom channel and a server in memory are traced in ${revision} like any other`, async () => {
    const [near, far] = [createTraceRecorder(), createTraceRecorder()];
    const [here, there] = memoryPair();
    const peer = serve(makeApp(), there, { onTrace: far.onTrace });
    await runConversation(here, revision, { onTrace: near.onTrace });
    await peer.closed;
    assertMirrored(near, far);
    const [inside, outside] = [createTraceRecorder(), createTraceRecorder()];
    await runConversation(makeApp(), revision, { onTrace: inside.onTrace, serve: { onTrace: outside.onTrace } });
    await eventually(() => assertMirrored(inside, outside));
  });
}

test('an exchange reports its request, the message in it, its response and its end', async () => {
  const server = await modernServer();
  const near = createTraceRecorder();
  const client = await modern(server.url, { onTrace: near.onTrace });
  await client.call('echo', { v: 1 });
  await client.close();
  assertExchanges(near);
  const [exchange] = callsOf(near);
  assert.equal(shapeOf(near, exchange!), 'sent request answer received end');
  const [request] = near.parts('request').filter((entry) => entry.exchange === exchange);
  const seen = server.posts('tools/call')[0]!;
  assert.equal(request!.http!.method, 'POST');
  assert.equal(request!.http!.url, server.url);
  assert.deepEqual(JSON.parse(request!.http!.body!), seen.message);
  assert.match(request!.text, /^POST http:.*; mcp-method: tools\/call; mcp-name: echo$/);
  const [answer] = near.parts('answer').filter((entry) => entry.exchange === exchange);
  assert.equal(answer!.http!.status, 200);
  assert.equal(answer!.text, '200; content-type: application/json');
});

test('the traced headers of a request are those that are actually sent, with Node and with `fetch`', async () => {
  const server = await modernServer((_, response) => {
    response.setHeader('X-Odd', 'kept to itself');
    response.setHeader('Vary', 'Origin');
    response.setHeader('Set-Cookie', ['a=1', 'b=2']);
  });
  for (const options of [{}, { fetch }]) {
    const near = createTraceRecorder();
    const from = server.seen.length;
    const client = await modern(server.url, { onTrace: near.onTrace, headers: { 'User-Agent': 'mine' }, ...options });
    await client.call('echo');
    await client.close();
    near.parts('request').forEach(({ http }, index) => {
      const sent = server.seen[from + index]!.headers;
      // Headers that a runtime adds to a `fetch` are not visible.
      if (!('fetch' in options)) assert.deepEqual(Object.keys(http!.headers!).sort(), Object.keys(sent).sort());
      for (const [name, value] of Object.entries(http!.headers!)) assert.equal(value, sent[name], name);
    });
    const { headers } = near.parts('answer')[0]!.http!;
    assert.equal(headers!['vary'], 'Origin');
    assert.equal(headers!['x-odd'], '…');
    assert.equal(headers!['set-cookie'], '…');
    for (const name of ['date', 'content-type', 'connection']) assert.notEqual(headers![name], undefined, name);
  }
});

test('no secrets of a request or a response are traced: credentials, cookies, sessions, queries', async () => {
  const server = await legacyServer(
    (_, response) => {
      response.setHeader('set-cookie', 'SECRET1');
      response.setHeader('x-token', 'SECRET2');
      response.setHeader('link', '<https://h.example/a?code=SECRET3>; rel="next"');
    },
    { session: 'SECRET4' },
  );
  const near = createTraceRecorder();
  const client = await connect(`${server.url}?key=SECRET5`, {
    revision: '2025-11-25',
    eras: createEraMemory(),
    onTrace: near.onTrace,
    headers: { authorization: 'Bearer SECRET6', cookie: 'SECRET7', 'x-api-key': 'SECRET8', 'my-own': 'SECRET9' },
  });
  await client.call('echo');
  await client.close();
  await eventually(() => assertExchanges(near));
  assert.doesNotMatch(JSON.stringify(near.entries), /SECRET/);
  assert.equal(near.parts('request').at(-1)!.http!.method, 'DELETE');
});

test('a request that is sent again with other credentials is an exchange of its own, and its message is reported once', async () => {
  const server = await modernServer((seen, response) => {
    if (seen.headers['authorization'] === 'Bearer 2') return undefined;
    return json(response, { error: 'no' }, 401, { 'www-authenticate': 'Bearer scope="x"' }) ?? true;
  });
  let token = 1;
  const auth: ClientAuth = {
    credentials: () => ({ authorization: `Bearer ${token}` }),
    challenged: () => Promise.resolve((token += 1) === 2),
  };
  const near = createTraceRecorder();
  const client = await modern(server.url, { onTrace: near.onTrace, auth });
  await client.close();
  assertExchanges(near);
  assert.equal(shapeOf(near, 1), 'sent request answer end');
  assert.equal(near.parts('end')[0]!.http!.left, true);
  assert.equal(shapeOf(near, 2), 'request answer received end');
  const [first, second] = near.parts('request').map(({ http }) => http!);
  assert.equal(second!.body, first!.body);
  assert.equal(second!.body, near.texts('sent')[0]);
});

test('each step of a redirect is an exchange of its own', async () => {
  const server = await modernServer((seen, response) => {
    if (seen.path.startsWith('/there')) return undefined;
    return response.writeHead(307, { location: '/there?code=SECRET' }).end();
  });
  const near = createTraceRecorder();
  const client = await modern(server.url, { onTrace: near.onTrace });
  await client.close();
  assertExchanges(near);
  const urls = near.parts('request').map(({ http }) => new URL(http!.url!).pathname);
  assert.deepEqual(urls, ['/mcp', '/there']);
  assert.equal(near.texts('sent').length, 1);
  assert.match(near.parts('answer')[0]!.http!.headers!['location']!, /^\/there\?…$/);
  assert.doesNotMatch(JSON.stringify(near.entries), /SECRET/);
});

test('the reason for a missing response is reported as text', async () => {
  const nobody = createServer();
  await new Promise<void>((resolve) => nobody.listen(0, '127.0.0.1', resolve));
  const { port } = nobody.address() as AddressInfo;
  await new Promise((resolve) => nobody.close(resolve));
  const cases: [url: string, options: ConnectOptions, words: RegExp][] = [
    [`http://127.0.0.1:${port}/mcp`, {}, /ECONNREFUSED/],
    [`http://127.0.0.1:${port}/mcp`, { fetch }, /ECONNREFUSED/],
    ['http://nowhere.invalid/mcp', {}, /ENOTFOUND|EAI_AGAIN/],
    [(await modernServer()).url.replace('http:', 'https:'), {}, /SSL|TLS|packet/i],
    [(await scripted((_, response) => response.destroy())).url, {}, /hang up|ECONNRESET/],
  ];
  for (const [url, options, words] of cases) {
    const near = createTraceRecorder();
    await assert.rejects(modern(url, { onTrace: near.onTrace, ...options }), { name: 'ConnectionError' });
    assertExchanges(near);
    assert.equal(shapeOf(near, 1), 'sent request end');
    assert.match(near.parts('end')[0]!.http!.error!, words);
    assert.match(near.parts('end')[0]!.text, /^failed: /);
  }
});

test('a response that is cut off is reported as far as it arrived, with the reason', async () => {
  const server = await modernServer((seen, response) => {
    if (seen.message?.method !== 'tools/call') return undefined;
    if (seen.message.params.arguments.as === 'body') {
      response.writeHead(200, { 'content-type': 'application/json', 'content-length': 1_000 });
      response.write('{"jsonrpc":"2.0","id"');
    } else {
      stream(response);
      response.write(event({ jsonrpc: '2.0', method: 'notifications/message', params: { level: 'info', data: 1 } }));
      response.write('data: {"jsonrpc":"2.0","id"');
    }
    // The head and the written part of the body arrive together.
    const before = near.parts('answer').length;
    void until(() => near.parts('answer').length > before)
      .then(() => turns())
      .then(() => response.destroy());
    return true;
  });
  const near = createTraceRecorder();
  const client = await modern(server.url, { onTrace: near.onTrace });
  await assert.rejects(client.call('echo', { as: 'body' }));
  await assert.rejects(client.call('echo', { as: 'stream' }));
  await client.close();
  assertExchanges(near);
  const [body, events] = callsOf(near);
  assert.equal(shapeOf(near, body!), 'sent request answer body end');
  assert.equal(near.parts('body')[0]!.http!.body, '{"jsonrpc":"2.0","id"');
  assert.equal(shapeOf(near, events!), 'sent request answer event received end');
  for (const exchange of [body, events])
    assert.match(near.parts('end').find((entry) => entry.exchange === exchange)!.http!.error!, /middle|aborted|reset/);
});

test('a body that is not a message is reported as junk if a message was expected, else as a body', async () => {
  const answers: [as: string, status: number, type: string, text: string, shape: string][] = [
    ['junk', 200, 'application/json', '{"hello":1}', 'sent request answer junk end'],
    ['page', 200, 'text/html', '<p>Hello</p>', 'sent request answer body end'],
    ['error', 502, 'text/html', '<p>Bad gateway</p>', 'sent request answer body end'],
    ['plain error', 401, 'application/json', '{"error":"invalid_token"}', 'sent request answer body end'],
    ['nothing', 500, 'text/plain', '', 'sent request answer end'],
    [
      'message',
      400,
      'application/json',
      '{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"no"}}',
      'sent request answer received end',
    ],
  ];
  const server = await modernServer((seen, response) => {
    if (seen.message?.method !== 'tools/call') return undefined;
    const [, status, type, text] = answers.find(([as]) => as === seen.message.params.arguments.as)!;
    return response.writeHead(status, { 'content-type': type }).end(text);
  });
  const near = createTraceRecorder();
  const client = await modern(server.url, { onTrace: near.onTrace });
  for (const [as] of answers) await assert.rejects(client.call('echo', { as }));
  await client.close();
  assertExchanges(near);
  for (const [index, exchange] of callsOf(near).entries()) {
    const [as, , , text, shape] = answers[index]!;
    assert.equal(shapeOf(near, exchange), shape, as);
    const body = near.parts('body').find((entry) => entry.exchange === exchange);
    if (body !== undefined) assert.equal(body.http!.body, text);
  }
});

test('each event of a stream is reported, with its id; a message in it unchanged, including numbers', async () => {
  const exact = '{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":9007199254740993}}';
  const server = await modernServer((seen, response) => {
    if (seen.message?.method !== 'tools/call') return undefined;
    stream(response);
    response.write(`: a comment\n\nid: 7\ndata:\n\nevent: other\ndata: x\n\ndata: ${exact.slice(0, 40)}`);
    setTimeout(() => {
      response.write(`${exact.slice(40)}\n\ndata: no message\n\n`);
      response.end(event(result(seen, said('done')), { id: '8' }));
    }, 20);
    return true;
  });
  const near = createTraceRecorder();
  const client = await modern(server.url, { onTrace: near.onTrace });
  await client.call('echo');
  await client.close();
  assertExchanges(near);
  const [exchange] = callsOf(near);
  assert.equal(
    shapeOf(near, exchange!),
    'sent request answer event event event received event junk event received end',
  );
  assert.deepEqual(
    near.parts('event').map(({ http }) => http!.event),
    [
      { name: 'message', id: '7' },
      { name: 'other', id: '7' },
      { name: 'message', id: '7' },
      { name: 'message', id: '7' },
      { name: 'message', id: '8' },
    ],
  );
  assert.ok(near.texts('received').includes(exact));
  assert.deepEqual(near.texts('junk'), ['no message']);
});

test('data that is larger than allowed is reported as lost', async () => {
  const big = 'x'.repeat(5_000);
  const server = await modernServer((seen, response) => {
    if (seen.message?.method !== 'tools/call') return undefined;
    const answer = result(seen, said(big));
    if (seen.message.params.arguments.as === 'body') return json(response, answer) ?? true;
    stream(response);
    return response.end(event(answer));
  });
  const near = createTraceRecorder();
  const client = await modern(server.url, { onTrace: near.onTrace, limits: { lineBytes: 2_000 } });
  for (const as of ['body', 'stream']) await assert.rejects(client.call('echo', { as }));
  await client.close();
  assertExchanges(near);
  for (const exchange of callsOf(near)) assert.match(shapeOf(near, exchange), /^sent request answer lost (body )?end$/);
});

test('a cancelled call, and a stream that the client leaves, are reported as left', async () => {
  const server = await modernServer((seen, response) => {
    if (seen.message?.method !== 'tools/call') return undefined;
    stream(response);
    return true;
  });
  const near = createTraceRecorder();
  const client = await modern(server.url, { onTrace: near.onTrace });
  const stop = new AbortController();
  const call = client.call('echo', {}, { signal: stop.signal });
  await eventually(() => assert.equal(server.posts('tools/call').length, 1));
  stop.abort();
  await assert.rejects(call);
  await client.close();
  assertExchanges(near);
  assert.equal(near.parts('end').at(-1)!.http!.left, true);
});

test('a listener that fails, at once or later, changes nothing', async () => {
  const fail = (): never => {
    throw new Error('the trace function fails');
  };
  const server = await modernServer();
  for (const onTrace of [fail, async () => fail()]) {
    const client = await modern(server.url, { onTrace });
    assert.equal(await client.call('echo'), 'done');
    await client.close();
    await runConversation(makeApp(), '2025-11-25', { onTrace });
  }
});

test('without a listener no tracing code is loaded, and messages are not checked for one', async () => {
  const program = fileURLToPath(new URL('fixtures/unseen.ts', import.meta.url));
  const loadedBy = async (how: string): Promise<unknown> => {
    const { stdout } = await promisify(execFile)(process.execPath, ['--conditions=tenon-source', program, how]);
    return JSON.parse(stdout);
  };
  assert.deepEqual(await loadedBy('alone'), []);
  assert.ok(((await loadedBy('looking')) as string[]).length >= 4);

  let asked = 0;
  const server = await modernServer();
  const client = await connect(server.url, {
    revision: '2026-07-28',
    eras: createEraMemory(),
    get onTrace() {
      asked++;
      return undefined as never;
    },
  });
  const before = asked;
  for (let call = 0; call < 20; call++) await client.call('echo');
  await client.close();
  assert.equal(asked, before);
});

test('a channel that is an object with its own members is used as it is', async () => {
  const [near, far] = memoryPair();
  class Own implements Channel {
    readonly #inner = near;
    readonly incoming = near.incoming;
    send(text: string): void | Promise<void> {
      return this.#inner.send(text);
    }
    close(): void | Promise<void> {
      return this.#inner.close();
    }
  }
  const looking = createTraceRecorder();
  const peer = serve(makeApp(), far);
  after(() => peer.close());
  await runConversation(new Own(), '2025-11-25', { onTrace: looking.onTrace });
  assert.ok(looking.texts('sent').length > 3);
});
