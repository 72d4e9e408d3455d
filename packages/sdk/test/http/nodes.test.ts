// Two nodes of one endpoint: requests go to them in turn, and they share one store and one bus.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { turns } from '../../../../scripts/lib/until.ts';
import { type Bus, memoryBus, memoryStore, type Store } from '../../src/entries/http.ts';
import { makeApp } from './app.ts';
import { live, send, until } from './send.ts';
import { beginSession, fieldsOf, modernBody, sessionAt, stage } from './stage.ts';

/** Two nodes: of one app in one process, or each with its own app, as in two processes. */
async function pair(apps: 'one' | 'two') {
  const shared = { store: memoryStore(), bus: memoryBus(), keys: ['k'.repeat(32)] };
  const first = makeApp();
  const a = await stage(shared, first);
  const b = await stage(shared, apps === 'one' ? first : makeApp());
  return { a, b };
}

function call(name: string, args: object, meta?: object, id: unknown = 1) {
  return {
    jsonrpc: '2.0',
    id,
    method: 'tools/call',
    params: { name, arguments: args, _meta: meta },
  };
}

test('stores and buses only receive JSON', async () => {
  const [store, bus] = [memoryStore(), memoryBus()];
  const given: [what: string, value: unknown][] = [];
  const seen = (what: string, value: unknown): unknown => {
    given.push([what, value]);
    return value;
  };
  const shared = {
    keys: ['k'.repeat(32)],
    store: {
      ...store,
      set: (key, value, ms) => store.set(key, seen('set', value), ms),
      swap: (key, before, after, ms) => store.swap(key, before, seen('swap', after), ms),
      append: (key, value, ms) => store.append(key, seen('append', value), ms),
    } satisfies Store,
    bus: { ...bus, publish: (topic, message) => bus.publish(topic, seen('publish', message)) } satisfies Bus,
  };
  const a = await stage(shared);
  const b = await stage(shared);
  const atA = await beginSession(a.url, '2025-11-25', { elicitation: {} });
  const atB = sessionAt(b.url, atA.id, '2025-11-25');
  await atB.listen().status;
  const asking = atA.begin(call('ask', {}));
  const question = await asking.next(({ method }) => method === 'elicitation/create');
  await atB.post({ jsonrpc: '2.0', id: question.id, result: { action: 'decline' } });
  await asking.over;
  await atB.request('resources/subscribe', { uri: 'note://a' });
  await atB.request('logging/setLevel', { level: 'debug' });
  await atA.post({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 'none' } });
  await atB.delete();
  await turns();
  for (const kind of ['set', 'swap', 'append', 'publish'])
    assert.ok(
      given.some(([what]) => what === kind),
      kind,
    );
  for (const [what, value] of given) assert.deepEqual(value, JSON.parse(JSON.stringify(value)), what);
});

test('a client that resumes gets an event once that is stored, and that the other nodes have not been told of yet, once', async () => {
  const bus = memoryBus();
  let count = 0;
  let release = (): void => {};
  const held: Bus = {
    ...bus,
    async publish(topic, message) {
      // The third: the first one has only an id, the second one is the first progress.
      if (topic.startsWith('tenon/stream/') && ++count === 3) await new Promise<void>((resolve) => (release = resolve));
      return bus.publish(topic, message);
    },
  };
  const node = await stage({ store: memoryStore(), bus: held, keys: ['k'.repeat(32)] });
  const session = await beginSession(node.url, '2025-11-25');
  const running = session.begin(call('gate', { name: 'r', progress: 2 }, { progressToken: 1 }));
  await running.next();
  running.drop();
  await until(() => count === 3);
  const rest = session.listen({ 'last-event-id': running.events.at(-1)!.id });
  await rest.next();
  release();
  node.made.open('r');
  await rest.over;
  assert.deepEqual(
    rest.messages.map(({ params, result }) => params?.progress ?? result.content[0].text),
    [2, 'through r'],
  );
});

for (const apps of ['one', 'two'] as const) {
  test(`a session that began at one node is served by the other, and ends at both (${apps} app)`, async () => {
    const { a, b } = await pair(apps);
    const atA = await beginSession(a.url, '2025-11-25');
    const atB = sessionAt(b.url, atA.id, '2025-11-25');
    assert.equal((await atB.request('tools/call', call('echo', { v: 1 }).params)).json.result.content[0].text, '1');
    await atB.request('logging/setLevel', { level: 'debug' });
    assert.equal((await atA.request('tools/call', call('say', { level: 'debug' }).params)).messages.length, 2);
    assert.equal((await atB.delete()).status, 204);
    assert.equal((await atA.request('ping')).status, 404);
    assert.equal((await atB.request('ping')).status, 404);
  });

  test(`a question asked at one node is answered through the other (${apps} app)`, async () => {
    const { a, b } = await pair(apps);
    const atA = await beginSession(a.url, '2025-11-25', { elicitation: {} });
    const atB = sessionAt(b.url, atA.id, '2025-11-25');
    for (const [asked, answered] of [
      [atA, atB],
      [atB, atA],
    ] as const) {
      const asking = asked.begin(call('ask', {}));
      const question = await asking.next(({ method }) => method === 'elicitation/create');
      const noted = await answered.post({
        jsonrpc: '2.0',
        id: question.id,
        result: { action: 'accept', content: { name: 'Ann' } },
      });
      assert.equal(noted.status, 202);
      assert.equal((await asking.next(({ id }) => id === 1)).result.content[0].text, 'Hello, Ann');
    }
  });

  test(`ids of requests to a client are unique across nodes (${apps} app)`, async () => {
    const { a, b } = await pair(apps);
    const atA = await beginSession(a.url, '2025-11-25', { elicitation: {} });
    const atB = sessionAt(b.url, atA.id, '2025-11-25');
    const asking = [atA, atB, atA, atB].map((at, id) => at.begin(call('ask', {}, undefined, id)));
    const ids = await Promise.all(
      asking.map(async (one) => (await one.next(({ method }) => method === 'elicitation/create')).id),
    );
    assert.equal(new Set(ids).size, 4);
    for (const one of asking) one.drop();
  });

  test(`a call at one node is cancelled through the other (${apps} app)`, async () => {
    const { a, b } = await pair(apps);
    const atA = await beginSession(a.url, '2025-11-25');
    const atB = sessionAt(b.url, atA.id, '2025-11-25');
    const running = atA.begin(call('gate', { name: 'n', progress: 1 }, { progressToken: 1 }, 5));
    await running.next();
    await atB.post({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 5 } });
    await until(() => a.count('gate-aborted') === 1);
    await running.over;
  });

  test(`a stream of one node is resumed at the other, while the call runs and after (${apps} app)`, async () => {
    const { a, b } = await pair(apps);
    const atA = await beginSession(a.url, '2025-11-25');
    const atB = sessionAt(b.url, atA.id, '2025-11-25');
    const running = atA.begin(call('gate', { name: 'r', progress: 3 }, { progressToken: 1 }));
    for (let n = 0; n < 3; n++) await running.next();
    const { id } = running.events[0]!;
    running.drop();
    const rest = atB.listen({ 'last-event-id': id });
    for (let n = 0; n < 3; n++) assert.equal((await rest.next()).params.progress, n + 1);
    a.made.open('r');
    assert.equal((await rest.next()).result.content[0].text, 'through r');
    await rest.over;
    const after = atB.listen({ 'last-event-id': rest.events[1]!.id });
    await after.over;
    assert.deepEqual(after.messages, rest.messages.slice(2));
  });

  test(`changes at one node reach listeners at the other, once, in both eras (${apps} app)`, async () => {
    const { a, b } = await pair(apps);
    const atA = await beginSession(a.url, '2025-11-25');
    await atA.request('resources/subscribe', { uri: 'note://a' });
    const session = sessionAt(b.url, atA.id, '2025-11-25').listen();
    await session.status;
    const modern = live(
      b.url,
      'POST',
      fieldsOf('subscriptions/listen'),
      modernBody(
        'subscriptions/listen',
        { notifications: { toolsListChanged: true, resourceSubscriptions: ['note://a'] } },
        {},
        'L',
      ),
    );
    await modern.next();
    await a.call('change');
    await a.call('touch', { uri: 'note://a' });
    for (const stream of [session, modern]) {
      const methods = [(await stream.next()).method, (await stream.next()).method].sort();
      assert.deepEqual(methods, ['notifications/resources/updated', 'notifications/tools/list_changed']);
    }
    // A second notification would have arrived before this one.
    await a.call('touch', { uri: 'note://a' });
    for (const stream of [session, modern])
      assert.equal((await stream.next()).method, 'notifications/resources/updated');
    await b.call('change');
    for (const stream of [session, modern])
      assert.equal((await stream.next()).method, 'notifications/tools/list_changed');
    assert.equal(session.messages.length, 4);
    assert.equal(modern.messages.length, 5);
    for (const stream of [session, modern]) stream.drop();
  });

  test(`a change while no stream is open is sent where the client listens next (${apps} app)`, async () => {
    const { a, b } = await pair(apps);
    const atA = await beginSession(a.url, '2025-11-25');
    await b.call('change');
    await turns();
    const listening = sessionAt(b.url, atA.id, '2025-11-25').listen();
    assert.equal((await listening.next()).method, 'notifications/tools/list_changed');
    listening.drop();
  });

  test(`messages of a server between calls reach the stream at the other node, and the answer comes back (${apps} app)`, async () => {
    const { a, b } = await pair(apps);
    const atA = await beginSession(a.url, '2025-11-25', { elicitation: {} });
    const atB = sessionAt(b.url, atA.id, '2025-11-25');
    const stream = atB.listen();
    await stream.status;
    await atA.request('tools/call', { name: 'later', arguments: {} });
    assert.equal((await stream.next()).params?.['data'], 'later 1');
    const question = await stream.next();
    assert.equal(question.method, 'elicitation/create');
    await atB.post({ jsonrpc: '2.0', id: question.id, result: { action: 'accept', content: { word: 'yes' } } });
    assert.deepEqual((await stream.next()).params?.['data'], { word: 'yes' });
    stream.drop();
  });

  test(`messages of a server while no stream is open are sent where the client listens next (${apps} app)`, async () => {
    const { a, b } = await pair(apps);
    const atA = await beginSession(a.url, '2025-11-25');
    await atA.request('tools/call', { name: 'later', arguments: { times: 2 } });
    await turns();
    const stream = sessionAt(b.url, atA.id, '2025-11-25').listen();
    assert.deepEqual(
      [(await stream.next()).params?.['data'], (await stream.next()).params?.['data']],
      ['later 1', 'later 2'],
    );
    stream.drop();
  });

  test(`a client of HTTP+SSE may post to another node than the one it listens to (${apps} app)`, async () => {
    const shared = { store: memoryStore(), bus: memoryBus(), keys: ['k'.repeat(32)], sse: true };
    const first = makeApp();
    const a = await stage(shared, first);
    const b = await stage(shared, apps === 'one' ? first : makeApp());
    const stream = live(a.url.replace(/mcp$/, 'sse'), 'GET', { accept: 'text/event-stream' });
    await until(() => stream.events.length > 0);
    const path = stream.events[0]!.data;
    const post = (base: string, body: object) =>
      send(new URL(path, base).href, 'POST', { 'content-type': 'application/json' }, JSON.stringify(body));
    const hello = {
      jsonrpc: '2.0',
      id: 0,
      method: 'initialize',
      params: { protocolVersion: '2024-11-05', capabilities: {}, clientInfo: { name: 't', version: '1' } },
    };
    assert.equal((await post(b.url, hello)).status, 202);
    assert.equal((await stream.next()).result.protocolVersion, '2024-11-05');
    assert.equal((await post(a.url, call('echo', { v: 2 }, undefined, 7))).status, 202);
    assert.equal((await stream.next()).result.content[0].text, '2');
    stream.drop();
  });
}

test('rounds of a modern call may go to different nodes with shared keys', async () => {
  const { a, b } = await pair('two');
  const asked = await a.call('ask');
  const { requestState } = asked.json.result;
  const params = {
    name: 'ask',
    arguments: {},
    requestState,
    inputResponses: { who: { action: 'accept', content: { name: 'Ann' } } },
  };
  assert.equal((await b.modern('tools/call', params)).json.result.content[0].text, 'Hello, Ann');
});

test('two simultaneous subscriptions at two nodes both succeed', async () => {
  const { a, b } = await pair('two');
  const atA = await beginSession(a.url, '2025-11-25');
  const atB = sessionAt(b.url, atA.id, '2025-11-25');
  await Promise.all([
    atA.request('resources/subscribe', { uri: 'note://a' }),
    atB.request('resources/subscribe', { uri: 'note://b' }),
  ]);
  const listening = atA.listen();
  await listening.status;
  await a.call('touch', { uri: 'note://a' });
  await b.call('touch', { uri: 'note://b' });
  const uris = [(await listening.next()).params.uri, (await listening.next()).params.uri].sort();
  assert.deepEqual(uris, ['note://a', 'note://b']);
  listening.drop();
});

test('[F-50] a stream is resumed from the store after its node was replaced by another', async () => {
  const store = memoryStore();
  const first = await stage({ store, bus: memoryBus() });
  const session = await beginSession(first.url, '2025-11-25');
  const done = await session.post(call('steps', { n: 3 }, { progressToken: 1 }));
  await first.close();
  const second = await stage({ store, bus: memoryBus() });
  const rest = sessionAt(second.url, session.id, '2025-11-25').listen({ 'last-event-id': done.events[1]!.id });
  await rest.over;
  assert.deepEqual(
    rest.events.map(({ id }) => id),
    done.events.slice(2).map(({ id }) => id),
  );
});

test('a resource that a client subscribes to at one node is announced on its stream at the other', async () => {
  const { a, b } = await pair('two');
  const atA = await beginSession(a.url, '2025-11-25');
  const stream = atA.listen();
  await stream.status;
  await sessionAt(b.url, atA.id, '2025-11-25').request('resources/subscribe', { uri: 'note://a' });
  // No request of the session reaches the node of the stream.
  await until(async () => {
    await b.call('touch', { uri: 'note://a' });
    await turns();
    return stream.messages.some(({ method }) => method === 'notifications/resources/updated');
  });
});
