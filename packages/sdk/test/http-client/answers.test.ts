// The answers over HTTP that our client accepts, from servers that are faulty or hostile, or whose answers are cut off.
import assert from 'node:assert/strict';
import { createServer } from 'node:net';
import { after, test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { systemClock } from '../../src/client/clock.ts';
import { connect, ConnectionError } from '../../src/entries/client.ts';
import { event, failure, json, modernServer, legacyServer, result, said, stream } from './scripted.ts';

const eras = { get: () => undefined, set() {}, delete() {} };
function isCall(seen: { message: any }): boolean {
  return seen.message?.method === 'tools/call';
}

test('[HTTP-15] an answer may be JSON or a stream, in every era', async () => {
  for (const make of [modernServer, legacyServer]) {
    let streams = false;
    const server = await make((seen, response) => {
      if (!isCall(seen) || !streams) return undefined;
      stream(response);
      response.end(
        event({ jsonrpc: '2.0', method: 'notifications/message', params: { level: 'info', data: 1 } }) +
          event(result(seen, said('streamed'))),
      );
      return true;
    });
    await using client = await connect(server.url, { eras });
    assert.equal(await client.call('echo'), 'done');
    streams = true;
    assert.equal(await client.call('echo'), 'streamed');
  }
});

test('[A-29] stray, double, malformed and late answers are reported and ignored', async () => {
  const reports: string[] = [];
  const server = await legacyServer((seen, response) => {
    if (!isCall(seen)) return undefined;
    stream(response);
    response.write(event({ jsonrpc: '2.0', id: 4_711, result: {} }));
    response.write(event({ jsonrpc: '2.0', id: seen.message.id, result: {}, error: { code: 1, message: 'both' } }));
    response.write(event({ jsonrpc: '2.0', id: seen.message.id }));
    response.write('data: no json\n\n');
    response.write('event: other\ndata: {"jsonrpc":"2.0"}\n\n');
    response.write(event(result(seen, said('real'))));
    response.end(event(result(seen, said('again'))));
    return true;
  });
  await using client = await connect(server.url, { eras, log: ({ event: name }) => reports.push(name) });
  const first = await client.call('echo').then(
    (value) => value,
    (error: Error) => error,
  );
  // If the answer is both, the first one that names the request decides.
  assert.ok(first === 'real' || first instanceof Error, String(first));
  assert.ok(reports.length >= 2, reports.join());
  assert.equal(await client.request('ping').then(() => 'alive'), 'alive');
});

test('an answer whose id has another type rejects its call at once, as a body and as an event', async () => {
  for (const isStream of [false, true])
    for (const make of [modernServer, legacyServer]) {
      const server = await make((seen, response) => {
        if (!isCall(seen)) return undefined;
        const answer = { ...result(seen, said('wrong')), id: String(seen.message.id) };
        if (isStream) stream(response);
        // The stream stays open: only the answer shows that the call has ended.
        if (isStream) response.write(event(answer));
        else json(response, answer);
        return true;
      });
      await using client = await connect(server.url, { eras });
      await assert.rejects(client.call('echo'), /answered tools\/call with the id "\d+", but the request has \d+:/);
    }
});

test('an answer that cannot be read rejects its call with the reason, as a body and as an event', async () => {
  for (const isStream of [false, true])
    for (const make of [modernServer, legacyServer]) {
      const server = await make((seen, response) => {
        if (!isCall(seen)) return undefined;
        const text = `{"jsonrpc":"2.0","id":${seen.message.id},"result":{"content":[],"structuredContent":NaN}}`;
        if (isStream) stream(response);
        else response.writeHead(200, { 'content-type': 'application/json' });
        // The stream stays open: only the answer shows that the call has ended.
        if (isStream) response.write(`data: ${text}\n\n`);
        else response.end(text);
        return true;
      });
      await using client = await connect(server.url, { eras });
      await assert.rejects(client.call('echo'), /cannot be read: Invalid JSON/);
    }
});

test('[A-37] an endless answer fails at the size limit, as a body and as an event', async () => {
  for (const type of ['application/json', 'text/event-stream']) {
    let sent = 0;
    const server = await modernServer((seen, response) => {
      if (!isCall(seen)) return undefined;
      response.writeHead(200, { 'content-type': type });
      response.write(type === 'application/json' ? '{"jsonrpc":"2.0","result":"' : 'data: ');
      const chunk = 'x'.repeat(65_536);
      const more = (): void => {
        while (!response.destroyed) {
          sent += chunk.length;
          if (!response.write(chunk)) return void response.once('drain', more);
        }
      };
      more();
      return true;
    });
    await using client = await connect(server.url, { eras, limits: { lineBytes: 500_000 } });
    await assert.rejects(client.call('echo'), { name: 'ConnectionError' });
    await server.posts('tools/call')[0]!.dropped;
    assert.ok(sent < 20_000_000, `${sent} bytes were taken`);
    assert.equal(server.posts('tools/call').length, 1);
  }
});

test('[A-38] compressed answers are refused', async () => {
  const bomb = gzipSync(Buffer.alloc(50_000_000, 'x'));
  const server = await modernServer((seen, response) => {
    if (!isCall(seen)) return undefined;
    response.writeHead(200, { 'content-type': 'application/json', 'content-encoding': 'gzip' });
    response.end(bomb);
    return true;
  });
  await using client = await connect(server.url, { eras });
  await assert.rejects(client.call('echo'), /encoded \(gzip\)/);
  assert.equal(server.posts('tools/call')[0]!.headers['accept-encoding'], 'identity');
  // `fetch` decompresses on its own, but the result is limited, too.
  await using fetching = await connect(server.url, { eras, fetch: globalThis.fetch, limits: { lineBytes: 500_000 } });
  await assert.rejects(fetching.call('echo'), /larger than 500000 bytes/);
});

test('an answer that is not an MCP message is an error that says so', async () => {
  const cases: [string, (response: import('node:http').ServerResponse) => void, RegExp][] = [
    ['a page', (response) => response.writeHead(200, { 'content-type': 'text/html' }).end('<h1>Hi</h1>'), /text\/html/],
    ['202 to a request', (response) => response.writeHead(202).end(), /status 202/],
    ['nothing', (response) => response.writeHead(200, { 'content-type': 'application/json' }).end(''), /./],
    [
      'another id',
      (response) => json(response, { jsonrpc: '2.0', id: 'other', result: {} }),
      /does not answer the request/,
    ],
    ['a server error', (response) => response.writeHead(503).end('busy'), /status 503/],
    ['a stream that ends', (response) => (stream(response), response.end()), /ended before the result/],
  ];
  for (const [what, answer, message] of cases) {
    const server = await modernServer((seen, response) => (isCall(seen) ? (answer(response), true) : undefined));
    await using client = await connect(server.url, { eras });
    await assert.rejects(client.call('echo'), (error) => error instanceof Error && message.test(error.message), what);
    // The next call is not affected.
    assert.equal(await client.request('nothing/here').catch((error: { code: number }) => error.code), -32601, what);
  }
});

test('a JSON-RPC error is used with any status except 401 and 403', async () => {
  let status = 400;
  const server = await modernServer((seen, response) => {
    if (!isCall(seen)) return undefined;
    json(response, failure(seen, -32602, 'Bad arguments', { field: 'x' }), status, {
      'www-authenticate': 'Bearer scope="write"',
    });
    return true;
  });
  await using client = await connect(server.url, { eras });
  await assert.rejects(client.call('echo'), { name: 'ProtocolError', code: -32602, data: { field: 'x' } });
  for (status of [401, 403]) {
    await assert.rejects(client.call('echo'), (error) => {
      assert.ok(error instanceof ConnectionError);
      assert.equal(error.status, status);
      assert.equal(error.challenge, 'Bearer scope="write"');
      assert.equal(error.processed, 'no');
      return true;
    });
  }
});

test('an error response with an unknown id, in the body of a refusal, answers the refused request', async () => {
  const reports: string[] = [];
  const server = await modernServer((seen, response) => {
    if (!isCall(seen)) return undefined;
    json(response, { jsonrpc: '2.0', id: 'server-error', error: { code: -32600, message: 'Not here' } }, 400);
    return true;
  });
  await using client = await connect(server.url, { eras, log: ({ event }) => void reports.push(event) });
  await assert.rejects(client.call('echo'), { name: 'ProtocolError', code: -32600, message: 'Not here' });
  assert.deepEqual(reports, []);
});

test('[SSE-39] [F-26, F-29] a call whose answer is cut off at any byte settles; only calls without side effects are sent again, with a new id', async () => {
  const answer = JSON.stringify({ jsonrpc: '2.0', id: 0, result: said('x') });
  for (const streams of [false, true]) {
    const whole = streams ? `data: ${answer}\n\n` : answer;
    for (let cut = 0; cut < whole.length; cut += 7) {
      const server = await modernServer(
        (seen, response) => {
          if (!isCall(seen)) return undefined;
          response.writeHead(200, {
            'content-type': streams ? 'text/event-stream' : 'application/json',
            ...(streams ? {} : { 'content-length': String(whole.length) }),
          });
          response.write(whole.slice(0, cut), () => response.destroy());
          return true;
        },
        [
          { name: 'echo', inputSchema: { type: 'object' } },
          { name: 'safe', inputSchema: { type: 'object' }, annotations: { readOnlyHint: true } },
        ],
      );
      await using client = await connect(server.url, { eras });
      await client.tools().all();
      await assert.rejects(client.call('echo'), { name: 'ConnectionError', processed: 'unknown' });
      assert.equal(server.posts('tools/call').length, 1);
      await assert.rejects(client.call('safe'), { name: 'ConnectionError' });
      const ids = server.posts('tools/call').map(({ message }) => message.id);
      assert.equal(ids.length, 3);
      assert.equal(new Set(ids).size, 3);
    }
  }
});

test('[SSE-39] a method of an extension, which may have an effect, is not sent again when its answer is lost', async () => {
  for (const make of [modernServer, legacyServer]) {
    const server = await make((seen, response) => {
      if (!['vendor/charge', 'prompts/get'].includes(seen.message?.method)) return undefined;
      response.destroy();
      return true;
    });
    await using client = await connect(server.url, { eras });
    for (const [method, count] of [
      ['vendor/charge', 1],
      ['prompts/get', 2],
    ] as const) {
      await assert.rejects(client.request(method, { name: 'x' }), { name: 'ConnectionError', processed: 'unknown' });
      assert.equal(server.posts(method).length, count, method);
    }
  }
});

test('a missing server is a clear error, and the next call reaches it once it is back', async () => {
  await assert.rejects(connect('http://127.0.0.1:1/mcp', { eras }), (error) => {
    assert.ok(error instanceof ConnectionError && error.processed === 'no');
    assert.match(error.message, /could not be reached.*ECONNREFUSED/);
    return true;
  });
  const silent = createServer((socket) => socket.on('error', () => {}));
  await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
  after(() => silent.close());
  const { port } = silent.address() as { port: number };
  await assert.rejects(connect(`http://127.0.0.1:${port}/mcp`, { eras, signal: AbortSignal.timeout(100) }), {
    name: 'AbortError',
  });
});

test('[HTTP-75] a session that the server has forgotten is replaced, once, and the call is sent again', async () => {
  let known = 0;
  const server = await legacyServer((seen, response) => {
    const { method } = seen.message ?? {};
    if (method === 'initialize') {
      assert.equal(seen.headers['mcp-session-id'], undefined);
      json(
        response,
        result(seen, {
          protocolVersion: '2025-11-25',
          capabilities: { tools: {} },
          serverInfo: { name: 's', version: '1' },
        }),
        200,
        { 'mcp-session-id': `session-${++known}` },
      );
      return true;
    }
    if (!isCall(seen) || seen.headers['mcp-session-id'] === 'session-2') return undefined;
    response.writeHead(404).end();
    return true;
  });
  await using client = await connect(server.url, { eras });
  assert.equal(await client.call('echo'), 'done');
  assert.equal(known, 2);
});

test('[F-35] a server that forgets every session does not cause endless requests', async () => {
  const server = await legacyServer((seen, response) => {
    if (!isCall(seen)) return undefined;
    response.writeHead(404).end();
    return true;
  });
  await using client = await connect(server.url, { eras });
  await assert.rejects(client.call('echo'), { name: 'ConnectionError' });
  assert.ok(server.posts('initialize').length <= 2, `${server.posts('initialize').length} times`);
  assert.ok(server.posts('tools/call').length <= 2);
});

test('[A-58] unsolicited changes and requests of a modern server are ignored', async () => {
  const reports: string[] = [];
  const server = await modernServer((seen, response) => {
    if (!isCall(seen)) return undefined;
    stream(response);
    for (const params of [{}, { _meta: { 'io.modelcontextprotocol/subscriptionId': 77 } }])
      for (const method of ['notifications/tools/list_changed', 'notifications/resources/updated'])
        response.write(event({ jsonrpc: '2.0', method, params }));
    response.write(event({ jsonrpc: '2.0', id: 1, method: 'roots/list' }));
    response.end(event(result(seen, said('real'))));
    return true;
  });
  await using client = await connect(server.url, { eras, log: ({ event: name }) => reports.push(name) });
  assert.equal(await client.call('echo'), 'real');
  assert.ok(reports.includes('unsolicited') && reports.includes('unexpected-request'), reports.join());
  assert.equal(await client.call('echo'), 'real');
  assert.equal(server.seen.length, 3, 'nothing was fetched again');
});

test('[CACHE-13] cached results expire without any request', async () => {
  const server = await modernServer((seen, response) => {
    if (seen.message?.method !== 'tools/list') return undefined;
    json(response, result(seen, { resultType: 'complete', tools: [], ttlMs: 60_000, cacheScope: 'private' }));
    return true;
  });
  let passed = 0;
  const clock = { ...systemClock, now: () => systemClock.now() + passed };
  await using client = await connect(server.url, { eras, clock });
  await client.tools().all();
  await client.tools().all();
  passed = 60_000;
  await client.call('echo');
  assert.equal(server.posts('tools/list').length, 1);
  await client.tools().all();
  assert.equal(server.posts('tools/list').length, 2);
});
