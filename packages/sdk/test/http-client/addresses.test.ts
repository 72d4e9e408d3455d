// How our client determines the kind of server at a URL.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { connect, ConnectionError, createEraMemory } from '../../src/entries/client.ts';
import { event, failure, json, legacyServer, modernServer, result, scripted, stream } from './scripted.ts';

const eras = { get: () => undefined, set() {}, delete() {} };

test('[VERS-25] the body of a rejected server/discover is read before the client falls back', async () => {
  // A response of a modern server: the client stays modern.
  let asked = 0;
  const modern = await modernServer((seen, response) => {
    if (seen.message?.method !== 'server/discover' || asked++ > 0) return undefined;
    json(response, failure(seen, -32020, 'Header mismatch'), 400);
    return true;
  });
  assert.equal((await connect(modern.url, { eras })).era, 'modern');
  assert.equal(modern.posts('initialize').length, 0);
  // Responses of old servers, in various forms: the client sends `initialize`.
  for (const [status, body] of [
    [400, { jsonrpc: '2.0', id: null, error: { code: -32000, message: 'Bad Request: Server not initialized' } }],
    [404, undefined],
    [405, undefined],
    [400, 'not even JSON'],
    [200, { jsonrpc: '2.0', id: 'self', error: { code: -32601, message: 'Method not found' } }],
  ] as const) {
    const old = await legacyServer((seen, response) => {
      if (seen.message?.method !== 'server/discover') return undefined;
      if (body === undefined) response.writeHead(status).end();
      else if (typeof body === 'string') response.writeHead(status, { 'content-type': 'text/plain' }).end(body);
      else json(response, body.id === 'self' ? { ...body, id: seen.message.id } : body, status);
      return true;
    });
    const client = await connect(old.url, { eras });
    assert.equal(client.revision, '2025-11-25', String(status));
    await client.close();
  }
});

test('a server that needs authorization, or is busy, is not mistaken for a legacy server', async () => {
  for (const status of [401, 403, 408, 429, 500, 503]) {
    const server = await scripted((_, response) => response.writeHead(status, { 'www-authenticate': 'Bearer' }).end());
    await assert.rejects(
      connect(server.url, { eras }),
      (error) => error instanceof ConnectionError && error.status === status,
    );
    assert.equal(server.seen.length, 1, String(status));
  }
});

test('the era of a server is remembered for the next connection', async () => {
  const memory = createEraMemory();
  const server = await legacyServer();
  for (const expected of [1, 1]) {
    await using client = await connect(server.url, { eras: memory });
    assert.equal(client.era, 'legacy');
    assert.equal(server.posts('server/discover').length, expected);
  }
});

test('[SSE-3] messages to a server of 2024-11-05 are posted to the URL in its endpoint event', async () => {
  let say!: (message: unknown) => void;
  const server = await scripted((seen, response) => {
    if (seen.method === 'GET') {
      stream(response);
      response.write('event: endpoint\ndata: /messages?sessionId=7\n\n');
      say = (message) => response.write(`event: message\n${event(message)}`);
      return;
    }
    if (!seen.path.startsWith('/messages')) return void response.writeHead(405).end();
    response.writeHead(202).end('Accepted');
    const { method, id } = seen.message;
    if (id === undefined) return;
    say(
      result(
        seen,
        method === 'initialize'
          ? { protocolVersion: '2024-11-05', capabilities: { tools: {} }, serverInfo: { name: 'old', version: '1' } }
          : { content: [{ type: 'text', text: 'old' }] },
      ),
    );
  });
  await using client = await connect(server.url, { eras });
  assert.equal(client.revision, '2024-11-05');
  assert.equal(await client.call('echo'), 'old');
  const posts = server.seen.filter(({ method, path }) => method === 'POST' && path !== '/mcp');
  assert.ok(posts.length >= 3 && posts.every(({ path }) => path === '/messages?sessionId=7'));
});

test('nothing is posted to an endpoint of another origin, which would get the credentials', async () => {
  const thief = await scripted((_, response) => response.writeHead(202).end());
  for (const endpoint of [thief.url, 'javascript:alert(1)', 'file:///etc/passwd', '//evil.example/x']) {
    const server = await scripted((seen, response) => {
      if (seen.method !== 'GET') return void response.writeHead(405).end();
      stream(response);
      response.write(`event: endpoint\ndata: ${endpoint}\n\n`);
    });
    await assert.rejects(
      connect(server.url, { eras, headers: { authorization: 'Bearer x' } }),
      /not a URL of this server/,
    );
  }
  assert.equal(thief.seen.length, 0);
});

test('[A-69] [SECU-36] redirects are followed on the same origin only, and a POST never becomes a GET', async () => {
  const thief = await modernServer();
  const moved = await modernServer((seen, response) => {
    if (seen.path !== '/old') return undefined;
    response.writeHead(307, { location: '/mcp' }).end();
    return true;
  });
  await using client = await connect(moved.url.replace('/mcp', '/old'), {
    eras,
    headers: { authorization: 'Bearer x' },
  });
  assert.equal(await client.call('echo'), 'done');
  assert.equal(moved.posts('tools/call').at(-1)!.headers.authorization, 'Bearer x');

  for (const [status, location, message] of [
    [307, thief.url, /another origin/],
    [308, thief.url.replace('127.0.0.1', 'localhost'), /another origin/],
    [301, '/mcp', /connect to that address/],
    [303, '/mcp', /connect to that address/],
    [307, '/old', /more than 3 times/],
    [307, 'http://[', /invalid address/],
  ] as const) {
    const server = await modernServer((seen, response) => {
      if (seen.path !== '/old') return undefined;
      response.writeHead(status, { location }).end();
      return true;
    });
    const url = server.url.replace('/mcp', '/old');
    await assert.rejects(connect(url, { eras, headers: { authorization: 'Bearer x' } }), message);
    assert.ok(server.seen.every(({ method }) => method === 'POST'));
  }
  assert.equal(thief.seen.length, 0);
});

test('redirects are followed in the same way with fetch', async () => {
  const thief = await modernServer();
  const server = await modernServer((seen, response) => {
    if (seen.path !== '/old') return undefined;
    response.writeHead(307, { location: thief.url }).end();
    return true;
  });
  const url = server.url.replace('/mcp', '/old');
  await assert.rejects(connect(url, { eras, fetch: globalThis.fetch }), { name: 'ConnectionError' });
  assert.equal(thief.seen.length, 0);
  await using client = await connect(server.url, { eras, fetch: globalThis.fetch });
  assert.equal(await client.call('echo'), 'done');
});
