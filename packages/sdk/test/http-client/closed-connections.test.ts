// Connections that are kept for further requests, and that the server closes meanwhile.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { after, test } from 'node:test';
import { connect } from '../../src/entries/client.ts';
import { event, legacyServer, result, type Seen, stream, until } from './scripted.ts';

const eras = { get: () => undefined, set() {}, delete() {} };

interface Counted {
  readonly url: string;
  readonly server: Server;
  readonly methods: string[];
  connections: number;
}

/** A server of a few methods that counts its connections. */
async function counted(): Promise<Counted> {
  const methods: string[] = [];
  const server = createServer({ keepAliveTimeout: 0 }, async (request, response) => {
    const message = JSON.parse((await request.toArray()).join('') || 'null');
    methods.push(message?.method ?? request.method ?? '');
    const complete = { resultType: 'complete', ttlMs: 0, cacheScope: 'private' };
    const results: Record<string, object> = {
      'server/discover': { ...complete, supportedVersions: ['2026-07-28'], capabilities: { tools: {}, resources: {} } },
      'tools/call': { ...complete, content: [{ type: 'text', text: 'done' }] },
      'resources/read': { ...complete, contents: [{ uri: 'u:1', text: 'read' }] },
    };
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ jsonrpc: '2.0', id: message?.id, result: results[message?.method] ?? complete }));
  });
  const made: Counted = { url: '', server, methods, connections: 0 };
  server.on('connection', () => made.connections++);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  after(() => {
    server.closeAllConnections();
    server.close();
  });
  return Object.assign(made, { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp` });
}

test('a request without side effects succeeds although the server has closed all kept connections', async () => {
  const made = await counted();
  await using client = await connect(made.url, { eras });
  for (let round = 0; round < 10; round++) {
    // Several connections are kept.
    await Promise.all(Array.from({ length: 6 }, () => client.read('u:1')));
    made.server.closeIdleConnections();
    assert.equal((await client.read('u:1')).contents[0]!.text, 'read');
  }
});

test('a tool call on a connection that the server has just closed is not sent again, and the next one succeeds', async () => {
  const made = await counted();
  await using client = await connect(made.url, { eras });
  for (let round = 0; round < 10; round++) {
    await Promise.all(Array.from({ length: 6 }, () => client.read('u:1')));
    const before = made.methods.length;
    made.server.closeIdleConnections();
    const first = await client.call('t').catch((error: { processed: string }) => error.processed);
    assert.ok(first === 'done' || first === 'unknown', String(first));
    assert.equal(await client.call('t'), 'done');
    assert.ok(made.methods.length - before <= 2);
  }
});

test('a connection is kept for a few seconds without a request', async () => {
  const made = await counted();
  const sockets: Socket[] = [];
  made.server.on('connection', (socket) => sockets.push(socket));
  await using client = await connect(made.url, { eras });
  for (let count = 0; count < 5; count++) await client.read('u:1');
  assert.equal(sockets.length, 1);
  // The client closes it: the server has no time limit here.
  await once(sockets[0]!, 'end');
  await client.read('u:1');
  assert.equal(sockets.length, 2);
});

/** A server that asks the user in the middle of a call, and cuts the connections of some of the first messages. */
async function cutting(isCut: (seen: Seen) => boolean) {
  let call: Seen | undefined;
  let answer: ((seen: Seen) => void) | undefined;
  const cut = new Set<string>();
  const server = await legacyServer((seen, response) => {
    const key = seen.message?.method ?? seen.message?.id;
    if (seen.method === 'POST' && isCut(seen) && !cut.has(key)) {
      cut.add(key);
      response.destroy();
      return true;
    }
    if (seen.message?.method === undefined && seen.message?.id === 'q') answer?.(seen);
    if (seen.message?.method !== 'tools/call') return undefined;
    call = seen;
    stream(response);
    const params = { message: '?', requestedSchema: { type: 'object', properties: {} } };
    response.write(event({ jsonrpc: '2.0', id: 'q', method: 'elicitation/create', params }));
    answer = ({ message }) =>
      response.end(event(result(call!, { content: [{ type: 'text', text: message.result.action }] })));
    return true;
  });
  return { server, cut };
}

test('the answer to a question of the server is sent again if its connection was cut', async () => {
  const { server, cut } = await cutting(({ message }) => message?.id === 'q');
  await using client = await connect(server.url, { eras, elicit: () => ({ action: 'decline' }) });
  assert.equal(await client.call('echo'), 'decline');
  assert.deepEqual([...cut], ['q']);
  assert.equal(server.seen.filter(({ message }) => message?.id === 'q').length, 2);
});

test('a notification of the protocol is sent again if its connection was cut, one of an extension is not', async () => {
  const { server } = await cutting(({ message }) => message?.method?.includes('notifications/'));
  await using client = await connect(server.url, { eras, roots: [] });
  await client.setRoots([]);
  await assert.rejects(client.notify('notifications/vendor/thing'), { name: 'ConnectionError', processed: 'unknown' });
  for (const [method, count] of [
    ['notifications/initialized', 2],
    ['notifications/roots/list_changed', 2],
    ['notifications/vendor/thing', 1],
  ] as const)
    assert.equal(server.posts(method).length, count, method);
});

test('a message that cannot be delivered in two attempts is a failure', async () => {
  const server = await legacyServer((seen, response) => {
    if (seen.message?.method !== 'notifications/roots/list_changed') return undefined;
    response.destroy();
    return true;
  });
  await using client = await connect(server.url, { eras, roots: [] });
  await assert.rejects(client.setRoots([]), { name: 'ConnectionError', processed: 'unknown' });
  await until(() => server.posts('notifications/roots/list_changed').length === 2);
});
