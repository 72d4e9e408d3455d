// A node that shuts down: it finishes its calls, and another node continues its sessions.
import assert from 'node:assert/strict';
import { Agent, createServer, request as httpRequest, Server as HttpServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { test } from 'node:test';
import { stopTime } from '../../../../scripts/lib/test-time.ts';
import { turns, until } from '../../../../scripts/lib/until.ts';
import { type Bus, memoryBus, memoryStore, nodeHandler } from '../../src/entries/http.ts';
import { serveHttp } from '../../src/entries/node.ts';
import { makeApp } from './app.ts';
import { type Fields, live, send } from './send.ts';
import { beginSession, fieldsOf, initializeBody, JSON_FIELDS, modernBody, sessionAt, stage } from './stage.ts';

/** Two nodes of one app, as in two processes. Node A gets enough time to finish its calls. */
async function pair(bus: Bus = memoryBus()) {
  const shared = { store: memoryStore(), bus, keys: ['k'.repeat(32)], drainMs: 60_000 };
  const [a, b] = [await stage(shared, makeApp()), await stage(shared, makeApp())];
  return { a, b };
}

function call(name: string, args: object, id: unknown) {
  const params = { name, arguments: args, _meta: { progressToken: id } };
  return { jsonrpc: '2.0', id, method: 'tools/call', params };
}

test('a node that shuts down finishes its calls, also one that asks, while another node serves its session', async () => {
  const { a, b } = await pair();
  const atA = await beginSession(a.url, '2025-11-25', { elicitation: {} });
  const atB = sessionAt(b.url, atA.id, '2025-11-25');
  const running = atA.begin(call('gate', { name: 'drain', progress: 2 }, 1));
  await running.next(({ params }) => params?.progress === 2);
  const asking = atA.begin(call('ask', {}, 2));
  const question = await asking.next(({ method }) => method === 'elicitation/create');
  const closing = a.close();
  // New work is refused, and the connection closed: the next request reaches another node.
  const refused = await atA.request('tools/call', { name: 'echo', arguments: { v: 1 } });
  assert.deepEqual(
    [refused.status, refused.headers['retry-after'], refused.headers['connection']],
    [503, '2', 'close'],
  );
  assert.match(refused.json.error.message, /may be repeated/);
  const begun = await send(a.url, 'POST', JSON_FIELDS, initializeBody('2025-11-25'));
  assert.equal(begun.status, 503);
  const served = await atB.request('tools/call', { name: 'echo', arguments: { v: 2 } });
  assert.equal(served.json.result.content[0].text, '2');
  // Answers still arrive, through either node.
  const answered = await atB.post({
    jsonrpc: '2.0',
    id: question.id,
    result: { action: 'accept', content: { name: 'Ann' } },
  });
  assert.equal(answered.status, 202);
  assert.equal((await asking.next(({ id }) => id === 2)).result.content[0].text, 'Hello, Ann');
  const { id: lastId } = running.events.at(-1)!;
  running.drop();
  await running.over;
  const resumed = atA.listen({ 'last-event-id': lastId });
  assert.equal(await resumed.status, 200, 'a call that runs here can be resumed here');
  a.made.open('drain');
  assert.equal((await resumed.next(({ id }) => id === 1)).result.content[0].text, 'through drain');
  await closing;
  assert.deepEqual(
    a.log.filter(({ event }) => event.startsWith('drain')).map(({ message }) => message.replace(/[\d.]+ s/, '… s')),
    ['The server accepts no more requests. Running calls: 2', 'The server waited … s for them. Running calls: 0'],
  );
  const rest = atB.listen({ 'last-event-id': running.events[0]!.id });
  await rest.over;
  assert.deepEqual(
    rest.messages.map(({ params, id }) => params?.progress ?? id),
    [1, 2, 1],
    'its answer can be resumed at the other node',
  );
});

test('a client that listens at a node that shuts down gets each change once, at the next node', async () => {
  const { a, b } = await pair();
  const atA = await beginSession(a.url, '2025-11-25');
  const atB = sessionAt(b.url, atA.id, '2025-11-25');
  for (const uri of ['note://a', 'note://b']) await atA.request('resources/subscribe', { uri });
  const listening = atA.listen();
  await listening.status;
  await a.call('touch', { uri: 'note://a' });
  assert.equal((await listening.next()).params.uri, 'note://a');
  const { id: lastId } = listening.events.at(-1)!;
  await a.close();
  await listening.over;
  // The client is not listening now, so the other node keeps the change.
  await b.call('touch', { uri: 'note://b' });
  await turns();
  const next = atB.listen({ 'last-event-id': lastId });
  assert.equal((await next.next()).params.uri, 'note://b');
  await b.call('touch', { uri: 'note://a' });
  assert.equal((await next.next()).params.uri, 'note://a');
  assert.equal(next.messages.length, 2);
  next.drop();
});

test('what waits for a client that never listened is kept by the next node, and by the one after it', async () => {
  const bus = memoryBus();
  const { a, b } = await pair(bus);
  const atA = await beginSession(a.url, '2025-11-25');
  await atA.request('tools/call', { name: 'later', arguments: { times: 2 } });
  await atA.request('resources/subscribe', { uri: 'note://a' });
  await a.call('touch', { uri: 'note://a' });
  await turns();
  await a.close();
  const listening = sessionAt(b.url, atA.id, '2025-11-25').listen();
  const kept = [await listening.next(), await listening.next(), await listening.next()];
  assert.deepEqual(
    kept.map(({ params }) => params.data ?? params.uri),
    ['note://a', 'later 1', 'later 2'],
  );
  listening.drop();
});

test('what the bus does not take for the next node stays here until its client listens there', async () => {
  const inner = memoryBus();
  const lost: unknown[] = [];
  const bus: Bus = {
    ...inner,
    publish(topic, message) {
      const { kind } = message as { readonly kind?: string };
      if (kind !== 'hand-over') return inner.publish(topic, message);
      lost.push(message);
      throw new Error('too large');
    },
  };
  const { a, b } = await pair(bus);
  const atA = await beginSession(a.url, '2025-11-25');
  await atA.request('tools/call', { name: 'later', arguments: { times: 2 } });
  await atA.request('resources/subscribe', { uri: 'note://a' });
  await a.call('touch', { uri: 'note://a' });
  // It shuts down as long as this call runs.
  const running = atA.begin(call('gate', { name: 'untaken', progress: 1 }, 1));
  await running.next();
  const closing = a.close();
  await until(() => lost.length === 1);
  const listening = sessionAt(b.url, atA.id, '2025-11-25').listen();
  const kept = [await listening.next(), await listening.next(), await listening.next()];
  assert.deepEqual(
    kept.map(({ params }) => params.data ?? params.uri),
    ['note://a', 'later 1', 'later 2'],
  );
  listening.drop();
  a.made.open('untaken');
  await closing;
});

test('a call that is stopped at the end of the drain time gets a truthful error, which can be resumed elsewhere', async () => {
  const shared = { store: memoryStore(), bus: memoryBus(), keys: ['k'.repeat(32)] };
  const a = await stage({ ...shared, drainMs: 1 }, makeApp());
  const b = await stage(shared, makeApp());
  const atA = await beginSession(a.url, '2025-11-25');
  const running = atA.begin(call('gate', { name: 'stopped', progress: 1 }, 1));
  await running.next();
  await a.close();
  const error = await running.next(({ id }) => id === 1);
  assert.match(error.error.message, /was stopped, and may have had effects/);
  assert.deepEqual(error.error.data, { retryAfterMs: 2_000, repeatable: false });
  const rest = sessionAt(b.url, atA.id, '2025-11-25').listen({ 'last-event-id': running.events[0]!.id });
  await rest.over;
  assert.deepEqual(rest.messages.at(-1), error);
});

test('readiness ends at once, requests are served for a while longer, and health tells only that the process answers', async (t) => {
  const time = stopTime(t);
  const served = await stage({ drainMs: 60_000 });
  const at = (path: string, method = 'GET') =>
    send(served.url.replace(/mcp$/, path), method, { host: '10.0.0.7', connection: 'keep-alive' });
  for (const path of ['health', 'ready', 'ready?from=probe']) {
    const { status, json, headers } = await at(path);
    assert.deepEqual([status, json, headers['connection']], [200, { status: 'ok' }, 'keep-alive'], path);
  }
  const head = live(served.url.replace(/mcp$/, 'ready'), 'HEAD', { host: '10.0.0.7' });
  assert.equal(await head.status, 200);
  await head.over;
  assert.equal(head.text(), '');
  assert.equal((await at('ready', 'POST')).status, 403, 'only probes are exempt from the check of the host');
  const gate = modernBody('tools/call', { name: 'gate', arguments: { name: 'drain' } });
  const running = live(served.url, 'POST', fieldsOf('tools/call', 'gate'), gate);
  await until(() => served.made.waiting('drain'));
  const closed = served.close();
  const away = await at('ready');
  assert.deepEqual([away.status, away.json, away.headers['connection']], [503, { status: 'draining' }, 'close']);
  await served.checkWorks();
  await time.pass(4_000);
  await served.checkWorks();
  await time.pass(1_100);
  assert.equal((await served.call('echo', { v: 1 })).status, 503, 'new work is refused');
  assert.equal((await at('health')).status, 200);
  served.made.open('drain');
  await running.over;
  assert.match(running.text(), /through drain/, '[F-27] a call that runs is finished');
  await closed;
});

test('a server that shuts down closes a connection after its last response, without waiting for the client', async (t) => {
  const forced = t.mock.method(HttpServer.prototype, 'closeAllConnections');
  const { url, made, close } = await stage();
  const agent = new Agent({ keepAlive: true });
  t.after(() => agent.destroy());
  const answered = new Promise<number | undefined>((resolve, reject) => {
    const headers = fieldsOf('tools/call', 'gate') as Record<string, string>;
    const request = httpRequest(url, { method: 'POST', headers, agent }, (response) => {
      response.resume().once('end', () => resolve(response.statusCode));
    });
    request.on('error', reject).end(modernBody('tools/call', { name: 'gate', arguments: { name: 'last' } }));
  });
  await until(() => made.waiting('last'));
  const closed = close();
  made.open('last');
  assert.equal(await answered, 200);
  await closed;
  assert.equal(forced.mock.callCount(), 0);
});

test('a client that disconnects before its response is written does no harm', async (t) => {
  const made = makeApp();
  const handler = nodeHandler(made.app);
  const lost: unknown[] = [];
  const server = createServer((request, response) => {
    handler(request, response);
    if (request.headers['x-leave'] === undefined) return;
    // After the handler's own listener, so the response has been passed on and waits for others.
    request.once('end', () => request.socket.destroy());
    response.on('error', (error) => void lost.push(error));
    response.on('close', () => void lost.push(response.writableEnded));
  });
  t.after(() => server.close().closeAllConnections());
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  const echo = (fields: Fields) =>
    send(
      url,
      'POST',
      fieldsOf('tools/call', 'echo', fields),
      modernBody('tools/call', { name: 'echo', arguments: { v: 1 } }),
    );
  await assert.rejects(echo({ 'x-leave': '1' }), { code: 'ECONNRESET' });
  assert.equal((await echo({})).json.result.content[0].text, '1');
  assert.deepEqual(lost, [false]);
  await handler.close();
});

test('probes can be renamed and turned off, and give way to an endpoint at their path', async (t) => {
  const { app } = makeApp();
  const at = async (options: object, path: string): Promise<number> => {
    const served = await serveHttp(app, { port: 0, signals: false, noticeMs: 0, ...options });
    t.after(() => served.close());
    return (await send(new URL(path, served.url).href, 'GET', {})).status;
  };
  assert.equal(await at({ ready: '/live/ready' }, '/live/ready'), 200);
  assert.equal(await at({ ready: '/live/ready' }, '/ready'), 404);
  assert.equal(await at({ ready: false }, '/ready'), 404);
  assert.equal(await at({ health: false }, '/health'), 404);
  assert.equal(await at({ path: '/ready' }, '/ready'), 400, 'the endpoint answers');
  assert.equal(await at({ path: '/ready' }, '/health'), 200);
});
