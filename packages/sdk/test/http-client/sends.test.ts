// The HTTP requests of our client.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { test } from 'node:test';
import { connect, ConnectionError } from '../../src/entries/client.ts';
import { event, failure, json, legacyServer, modernServer, result, type Seen, stream, until } from './scripted.ts';

const eras = { get: () => undefined, set() {}, delete() {} };

test('[HTTP-6, HTTP-7, HTTP-10, HTTP-16, HTTP-17, HTTP-18, HTTP-28, HTTP-29] every modern request is a separate POST, whose headers describe it', async () => {
  const server = await modernServer();
  await using client = await connect(server.url, { eras });
  await client.call('echo', { text: 'x' });
  await client.read('note://a').catch(() => {});
  await client.prompt('greet').catch(() => {});
  await client.request('custom/thing').catch(() => {});
  const names = new Map([
    ['tools/call', 'echo'],
    ['resources/read', 'note://a'],
    ['prompts/get', 'greet'],
  ]);
  assert.deepEqual(
    server.seen.map(({ message }) => message.method),
    ['server/discover', 'tools/call', 'resources/read', 'prompts/get', 'custom/thing'],
  );
  for (const { method, headers, message } of server.seen) {
    assert.equal(method, 'POST');
    assert.match(headers.accept ?? '', /application\/json/);
    assert.match(headers.accept ?? '', /text\/event-stream/);
    assert.equal(headers['content-type'], 'application/json');
    assert.equal(headers['mcp-protocol-version'], '2026-07-28');
    assert.equal(message.params._meta['io.modelcontextprotocol/protocolVersion'], '2026-07-28');
    assert.equal(headers['mcp-method'], message.method);
    assert.equal(headers['mcp-name'], names.get(message.method));
    assert.equal(headers['mcp-session-id'], undefined);
    assert.ok(!Array.isArray(message) && 'id' in message);
  }
});

test('[HTTP-8, HTTP-9, HTTP-25, HTTP-71, HTTP-72, HTTP-76] in a session every message is a POST with the session id and the negotiated version, and the last request is a DELETE', async () => {
  for (const revision of ['2025-11-25', '2025-06-18', '2025-03-26'] as const) {
    const server = await legacyServer(undefined, { revision, session: 'a secret' });
    const trace: string[] = [];
    const client = await connect(server.url, { eras, revision, onTrace: ({ text }) => trace.push(text) });
    await Promise.all([client.call('echo'), client.call('echo'), client.ping()]);
    await client.close();
    const [first, ...rest] = server.seen;
    assert.equal(first!.message.method, 'initialize');
    assert.equal(first!.headers['mcp-session-id'], undefined);
    assert.deepEqual(
      rest.filter(({ headers }) => headers['mcp-session-id'] !== undefined),
      [],
      'an id with a space is invalid (HTTP-70)',
    );
    assert.ok(!trace.join('\n').includes('a secret'));
  }
  const server = await legacyServer(undefined, { session: 'visible-Ascii~only!' });
  const trace: string[] = [];
  const client = await connect(server.url, { eras, onTrace: ({ text }) => trace.push(text) });
  await client.call('echo');
  await client.close();
  const after = server.seen.slice(server.seen.findIndex(({ message }) => message?.method === 'initialize') + 1);
  assert.ok(after.length >= 4);
  for (const { headers, message } of after) {
    assert.equal(headers['mcp-session-id'], 'visible-Ascii~only!');
    assert.equal(headers['mcp-protocol-version'], '2025-11-25');
    assert.ok(!Array.isArray(message));
  }
  assert.equal(after.at(-1)!.method, 'DELETE');
  assert.ok(!trace.join('\n').includes('visible-Ascii~only!'));
});

test('[HTTP-11] a modern client posts no responses, and cancels by closing the stream instead of a notification', async () => {
  const server = await modernServer((seen, response) => {
    if (seen.message?.method !== 'tools/call') return undefined;
    stream(response);
    response.write(event({ jsonrpc: '2.0', id: 99, method: 'sampling/createMessage', params: {} }));
    return true;
  });
  const warned: string[] = [];
  await using client = await connect(server.url, {
    eras,
    sample: () => ({ role: 'assistant', model: 'm', content: { type: 'text', text: 'x' } }),
    log: ({ event: name }) => warned.push(name),
  });
  const stop = new AbortController();
  const call = client.call('echo', {}, { signal: stop.signal });
  await until(() => warned.includes('unexpected-request'), 'the request of the server has arrived');
  stop.abort();
  await assert.rejects(call, { name: 'AbortError' });
  await server.posts('tools/call')[0]!.dropped;
  assert.ok(server.seen.every(({ message }) => message.method !== undefined && 'id' in message));
});

const REGION = {
  name: 'deploy',
  inputSchema: {
    type: 'object',
    properties: {
      region: { type: 'string', 'x-mcp-header': 'Region' },
      dry: { type: 'boolean', 'x-mcp-header': 'Dry' },
    },
  },
};

test('[HTTP-39] [A-52] arguments are mirrored in the headers that a tool declares, as Base64 if they are invalid in a header', async () => {
  const server = await modernServer(undefined, [REGION]);
  await using client = await connect(server.url, { eras });
  await client.tools().all();
  for (const region of ['eu-1', 'a\r\nX-Evil: 1', ' padded ', '日本', '=?base64?x?=', '']) {
    await client.call('deploy', { region, dry: true });
    const { headers, rawHeaders, message } = server.posts('tools/call').at(-1)!;
    const sent = headers['mcp-param-region'];
    assert.equal(message.params.arguments.region, region);
    assert.equal(headers['mcp-param-dry'], 'true');
    assert.ok(!rawHeaders.some((name) => /x-evil/i.test(name)));
    if (region === 'eu-1' || region === '') assert.equal(sent, region);
    else {
      const encoded = /^=\?base64\?([A-Za-z0-9+/=]*)\?=$/.exec(String(sent));
      assert.equal(Buffer.from(encoded![1]!, 'base64').toString(), region);
    }
  }
  await client.call('deploy', {});
  assert.equal(server.posts('tools/call').at(-1)!.headers['mcp-param-region'], undefined);
});

test('[HTTP-47, HTTP-48] [A-51] a tool with an invalid header annotation is left out with a warning; the others stay', async () => {
  const tool = (name: string, properties: object) => ({ name, inputSchema: { type: 'object', properties } });
  const bad = [
    tool('empty', { a: { type: 'string', 'x-mcp-header': '' } }),
    tool('space', { a: { type: 'string', 'x-mcp-header': 'a b' } }),
    tool('inject', { a: { type: 'string', 'x-mcp-header': 'X\r\nEvil: 1' } }),
    tool('accent', { a: { type: 'string', 'x-mcp-header': 'Région' } }),
    tool('twice', { a: { type: 'string', 'x-mcp-header': 'R' }, b: { type: 'string', 'x-mcp-header': 'r' } }),
    tool('number', { a: { type: 'number', 'x-mcp-header': 'N' } }),
    tool('object', { a: { type: 'object', 'x-mcp-header': 'O' } }),
  ];
  const server = await modernServer(undefined, [...bad, REGION]);
  const warnings: string[] = [];
  await using client = await connect(server.url, {
    eras,
    log: ({ level, message }) => level === 'warn' && warnings.push(message),
  });
  assert.deepEqual(
    (await client.tools().all()).map(({ name }) => name),
    ['deploy'],
  );
  for (const { name } of bad)
    assert.ok(
      warnings.some((text) => text.includes(name)),
      name,
    );
});

test('[HTTP-59] after a header mismatch the tools are listed again and the call is sent once more', async () => {
  let wants = false;
  const server = await modernServer((seen, response) => {
    const { method } = seen.message ?? {};
    if (method === 'tools/list') {
      const tools = wants ? [REGION] : [{ name: 'deploy', inputSchema: { type: 'object' } }];
      json(response, result(seen, { resultType: 'complete', tools, ttlMs: 60_000, cacheScope: 'private' }));
      return true;
    }
    if (method !== 'tools/call' || seen.headers['mcp-param-region'] === 'eu') return undefined;
    json(response, failure(seen, -32020, 'Header mismatch'), 400);
    return true;
  });
  await using client = await connect(server.url, { eras });
  await client.tools().all();
  wants = true;
  assert.equal(await client.call('deploy', { region: 'eu' }), 'done');
  assert.equal(server.posts('tools/call').length, 2);
  // If that does not help, the call fails.
  await assert.rejects(client.call('deploy', { region: 'us' }), { code: -32020 });
  assert.equal(server.posts('tools/call').length, 4);
});

test('the headers option is sent with every request, and a function is called for each', async () => {
  let turn = 0;
  const server = await modernServer();
  await using client = await connect(server.url, {
    eras,
    headers: async () => ({ Authorization: `Bearer ${++turn}` }),
  });
  await client.call('echo');
  assert.deepEqual(
    server.seen.map(({ headers }) => headers.authorization),
    server.seen.map((_, index) => `Bearer ${index + 1}`),
  );
  await assert.rejects(connect(server.url, { headers: { 'x-bad': 'a\r\nb' } }), (error) => {
    assert.ok(error instanceof TypeError && !error.message.includes('a\r\nb'));
    return true;
  });
  const broken = connect(server.url, {
    eras,
    headers: () => {
      throw new Error('no token');
    },
  });
  await assert.rejects(broken, { name: 'ConnectionError' });
});

test('a Host header of the program is also the name for TLS, unless it is an address', async () => {
  const hellos: string[] = [];
  const server = createServer((socket) => {
    socket.on('error', () => {});
    // The name is plain text in the first message of TLS.
    socket.once('data', (hello: Buffer) => {
      hellos.push(hello.toString('latin1'));
      socket.destroy();
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const hosts = [undefined, 'mcp.example.com', 'mcp.example.com:8443', '192.0.2.7', '[2001:db8::7]:8443'];
  for (const host of hosts)
    await assert.rejects(
      connect(`https://localhost:${port}/mcp`, { eras, headers: host === undefined ? {} : { host } }),
      ConnectionError,
    );
  server.close();
  const names = ['localhost', 'mcp.example.com', '192.0.2.7', '2001:db8::7'];
  assert.deepEqual(
    hellos.map((hello) => names.filter((name) => hello.includes(name))),
    [['localhost'], ['mcp.example.com'], ['mcp.example.com'], [], []],
  );
});

test('credentials that throw when a request is refused make the call fail, and so do those that return no promise', async () => {
  let refuses = false;
  const server = await modernServer((_seen, response) => {
    if (refuses) response.writeHead(401, { 'www-authenticate': 'Bearer' }).end();
    return refuses || undefined;
  });
  const throws = (): Promise<boolean> => {
    throw new Error('no credentials left');
  };
  for (const [challenged, message] of [
    [throws, /no credentials left/],
    [() => false as unknown as Promise<boolean>, /requires authorization/],
  ] as const) {
    refuses = false;
    await using client = await connect(server.url, { eras, auth: { credentials: () => ({}), challenged } });
    refuses = true;
    await assert.rejects(client.call('echo', { text: 'x' }), message);
  }
});

test('two log levels that are set at the same time arrive in order, even if the server is slow with the first', async () => {
  const order: string[] = [];
  let secondSet!: () => void;
  const bothSet = new Promise<void>((resolve) => (secondSet = resolve));
  const server = await legacyServer(async (seen, response) => {
    if (seen.message?.method !== 'logging/setLevel') return undefined;
    const { level } = seen.message.params;
    if (level === 'info') {
      await bothSet;
      // A second one that is already on its way arrives before this.
      await (await fetch(server.url)).text();
    }
    order.push(level);
    json(response, result(seen, {}));
    return true;
  });
  await using client = await connect(server.url, { eras, logLevel: 'info' });
  const set = client.setLogLevel('debug');
  secondSet();
  await set;
  assert.deepEqual(order, ['info', 'debug']);
});

test('[SSE-11] in a session a call is cancelled by a notification, and its stream is read until it has ended', async () => {
  let open: Seen | undefined;
  const server = await legacyServer((seen, response) => {
    if (seen.message?.method === 'tools/call') {
      open = seen;
      stream(response);
      response.write(
        event({
          jsonrpc: '2.0',
          id: 'q',
          method: 'elicitation/create',
          params: { message: '?', requestedSchema: { type: 'object', properties: {} } },
        }),
      );
      void cancelled.then(() => {
        response.write(event({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 'q' } }));
        response.end();
      });
      return true;
    }
    if (seen.message?.method !== 'notifications/cancelled') return undefined;
    tell();
    response.writeHead(202).end();
    return true;
  });
  let tell!: () => void;
  const cancelled = new Promise<void>((resolve) => (tell = resolve));
  let asked = false;
  let withdrawn = false;
  await using client = await connect(server.url, {
    eras,
    elicit: (_, { signal }) =>
      new Promise((resolve) => {
        asked = true;
        signal.addEventListener('abort', () => {
          withdrawn = true;
          resolve({ action: 'cancel' });
        });
      }),
  });
  const stop = new AbortController();
  const call = client.call('echo', {}, { signal: stop.signal });
  await until(() => asked);
  stop.abort();
  await assert.rejects(call);
  await until(() => withdrawn, 'the question was taken back');
  const [notice] = server.posts('notifications/cancelled');
  assert.equal(notice!.message.params.requestId, open!.message.id);
});

test('a method that no header can carry is an error, and nothing is sent', async () => {
  const server = await modernServer();
  for (const headers of [{}, async () => ({})]) {
    await using client = await connect(server.url, { eras, headers });
    const before = server.seen.length;
    await assert.rejects(
      client.request('custom\nthing'),
      /'mcp-method' header has characters that are invalid in HTTP/,
    );
    assert.equal(server.seen.length, before);
    assert.ok(await client.call('echo', { text: 'x' }));
  }
});
