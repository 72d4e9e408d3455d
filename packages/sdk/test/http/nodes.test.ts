// Two nodes of one endpoint: requests go to them in turn, and they share one store and one bus.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { z } from 'zod';
import { stopTime } from '../../../../scripts/lib/test-time.ts';
import { turns } from '../../../../scripts/lib/until.ts';
import { type Bus, memoryBus, memoryStore, type Store } from '../../src/entries/http.ts';
import { type ClientSession, server, tool } from '../../src/entries/index.ts';
import { makeApp } from './app.ts';
import { failingBus, interruptibleBus } from './failing-store.ts';
import { live, send, until } from './send.ts';
import { beginSession, fieldsOf, type LegacySession, modernBody, sessionAt, type Stage, stage } from './stage.ts';

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

test('the events of one turn are stored and published together, and a client can continue after each of them, at any node', async () => {
  const [inner, bus] = [memoryStore(), memoryBus()];
  let [appended, published] = [0, 0];
  const shared = {
    keys: ['k'.repeat(32)],
    store: { ...inner, append: (...given) => (appended++, inner.append(...given)) } satisfies Store,
    bus: { ...bus, publish: (...given) => (published++, bus.publish(...given)) } satisfies Bus,
  };
  const made = makeApp();
  const a = await stage(shared, made);
  const b = await stage(shared, made);
  const session = await beginSession(a.url, '2025-11-25');
  const atB = sessionAt(b.url, session.id, '2025-11-25');
  const before = published;
  const running = session.begin(call('gate', { name: 'g', progress: 20 }, { progressToken: 1 }));
  for (let n = 1; n <= 20; n++) await running.next();
  assert.deepEqual([appended, published - before], [1, 1]);
  const ids = running.events.map(({ id }) => id);
  assert.equal(new Set(ids).size, 21);
  // While the call runs: the other node gets the rest of the group from the store, and the result from the bus.
  const next = atB.listen({ 'last-event-id': ids[7]! });
  assert.equal(await next.status, 200);
  for (let n = 8; n <= 20; n++) assert.equal((await next.next()).params.progress, n);
  made.open('g');
  await next.over;
  const events = [...running.events.slice(0, 8), ...next.events];
  assert.equal(events.length, 22);
  for (const [at, { id }] of events.slice(0, -1).entries())
    for (const session of [sessionAt(a.url, atB.id, '2025-11-25'), atB]) {
      const rest = session.listen({ 'last-event-id': id });
      await rest.over;
      assert.deepEqual(rest.events, events.slice(at + 1));
    }
});

test('a stream does not wait for a bus that does not answer', async () => {
  const silent: Bus = { ...memoryBus(), publish: () => new Promise<void>(() => {}) };
  const node = await stage({ store: memoryStore(), bus: silent, keys: ['k'.repeat(32)] });
  const session = await beginSession(node.url, '2025-11-25');
  const done = await session.post(call('steps', { n: 150 }, { progressToken: 1 }));
  assert.equal(done.messages.length, 151);
});

/** A server with a tool that takes a step whenever the test says so. */
function makeWalk() {
  const made = makeApp();
  const waiting: (() => void)[] = [];
  const app = server({
    name: 'stage',
    version: '1.0.0',
    tools: {
      walk: tool({ input: z.object({ steps: z.number() }) }, async ({ steps }, ctx) => {
        for (let n = 1; n <= steps; n++) {
          await new Promise<void>((resolve) => void waiting.push(resolve));
          await ctx.progress({ progress: n, total: steps });
        }
        return 'there';
      }),
    },
  });
  const step = async (): Promise<void> => {
    await until(() => waiting.length > 0);
    waiting.shift()!();
  };
  return { made: { ...made, app: app as never }, step };
}

/** What the messages of a stream are about: numbers of steps, and texts of results. */
function stepsIn(messages: readonly any[]): readonly unknown[] {
  return messages.map(({ params, result }) => params?.progress ?? result.content[0].text);
}

test('[F-47] a client that resumes gets an event once that is stored, and that this node does not know to be stored yet', async () => {
  const inner = memoryStore();
  let count = 0;
  let release = (): void => {};
  const store: Store = {
    ...inner,
    async append(key, value, ms) {
      const position = await inner.append(key, value, ms);
      // Entries with events: the first one has the priming event and the first step.
      if ((value as unknown[]).length >= 3 && ++count === 2)
        await new Promise<void>((resolve) => void (release = resolve));
      return position;
    },
  };
  const { made, step } = makeWalk();
  const node = await stage({ store, bus: memoryBus(), keys: ['k'.repeat(32)] }, made);
  const session = await beginSession(node.url, '2025-11-25');
  const running = session.begin(call('walk', { steps: 2 }, { progressToken: 1 }));
  await step();
  await running.next();
  running.drop();
  await step();
  await until(() => count === 2);
  const rest = session.listen({ 'last-event-id': running.events.at(-1)!.id });
  await rest.next();
  release();
  await rest.over;
  assert.deepEqual(stepsIn(rest.messages), [2, 'there']);
});

for (const [what, cut] of [
  ['whose nodes hear of each other', []],
  ['whose first node reaches the store, but not the bus', [0]],
  ['of which no node reaches the bus', [0, 1, 2]],
] as const)
  test(`[F-48] [F-69] of connections to one stream at several nodes, ${what}, only the newest gets what is sent`, async () => {
    const { made, step } = makeWalk();
    // A node that hears nothing looks into the store as often as this.
    const limits = { keepAliveMs: cut.length === 0 ? 60_000 : 30 };
    const shared = { store: memoryStore(), keys: ['k'.repeat(32)], limits };
    const bus = memoryBus();
    const [a, b, c] = await Promise.all(
      [0, 1, 2].map((at) => {
        const own = failingBus(bus, 'rejects');
        own.away = (cut as readonly number[]).includes(at);
        return stage({ ...shared, bus: own }, made);
      }),
    );
    const { id } = await beginSession(a!.url, '2025-11-25');
    const at = ({ url }: Stage) => sessionAt(url, id, '2025-11-25');
    const first = at(a!).begin(call('walk', { steps: 5 }, { progressToken: 1 }));
    await step();
    await first.next();
    const connections = [first];
    let last = first.events.at(-1)!.id;
    // To another node, to a third one, back to the first, and to the second one again.
    for (const node of [b!, c!, a!, b!]) {
      let next = at(node).listen({ 'last-event-id': last });
      assert.equal(await next.status, 200);
      await step();
      // Without a bus, a connection to another node ends, and the client resumes again.
      await until(async () => {
        if (next.messages.length > 0) return true;
        const isOver = await Promise.race([next.over.then(() => true), turns().then(() => false)]);
        if (isOver) next = at(node).listen({ 'last-event-id': last });
        return false;
      });
      connections.push(next);
      last = next.events.at(-1)!.id;
    }
    const [, , , , end] = connections;
    if (cut.length < 3) await end!.over;
    // Each of them got one step, and has ended.
    for (const [n, each] of connections.slice(0, 4).entries()) {
      await each.over;
      assert.deepEqual(stepsIn(each.messages), [n + 1]);
    }
    let rest = stepsIn(end!.messages);
    await until(async () => {
      if (rest.includes('there')) return true;
      const more = at(b!).listen({ 'last-event-id': end!.events.at(-1)!.id });
      await more.over;
      rest = [...stepsIn(end!.messages), ...stepsIn(more.messages)];
      return rest.includes('there');
    });
    assert.deepEqual(rest, [5, 'there']);
  });

test('[F-48] of two connections that resume a stream at the same time one is open, and the other ends', async () => {
  const { made, step } = makeWalk();
  const inner = memoryStore();
  const reads: (() => void)[] = [];
  const store: Store = {
    ...inner,
    async read(...given) {
      if (reads.length < 2) await new Promise<void>((resolve) => void reads.push(resolve));
      return inner.read(...given);
    },
  };
  const node = await stage({ store, bus: memoryBus(), keys: ['k'.repeat(32)] }, made);
  const session = await beginSession(node.url, '2025-11-25');
  const running = session.begin(call('walk', { steps: 3 }, { progressToken: 1 }));
  await step();
  await running.next();
  const last = { 'last-event-id': running.events[0]!.id };
  const both = [session.listen(last), session.listen(last)];
  await until(() => reads.length === 2);
  for (const goOn of reads) goOn();
  assert.deepEqual(await Promise.all(both.map(({ status }) => status)), [200, 200]);
  await Promise.race(both.map(({ over }) => over));
  await step();
  await step();
  await Promise.all(both.map(({ over }) => over));
  assert.deepEqual(both.map(({ messages }) => stepsIn(messages).length).toSorted(), [1, 4]);
});

/** A server that sends messages that belong to no call, without a request that would tell it anything. */
function makeTelling() {
  let session: ClientSession | undefined;
  const app = server({
    name: 'stage',
    version: '1.0.0',
    tools: {
      begin: tool({}, (_, ctx) => {
        ({ session } = ctx);
        return 'begun';
      }),
    },
  });
  const tell = async (text: string): Promise<void> => {
    void session!.log('warning', text);
    await turns();
  };
  return { made: { ...makeApp(), app: app as never }, tell };
}

/** A store in memory that delays, while the test says so, the results of reading events, or of writing that a client resumes. */
function delayingStore() {
  const inner = memoryStore();
  const state: { delayed: 'reads' | 'resumptions' | undefined; readonly results: (() => void)[] } = {
    delayed: undefined,
    results: [],
  };
  const delay = async <T>(isDelayed: boolean, result: T): Promise<T> => {
    if (isDelayed) await new Promise<void>((resolve) => void state.results.push(resolve));
    return result;
  };
  const store: Store = {
    ...inner,
    read: async (...given) => delay(state.delayed === 'reads', await inner.read(...given)),
    append: async (key, value, ms) =>
      delay(state.delayed === 'resumptions' && (value as unknown[]).length === 2, await inner.append(key, value, ms)),
  };
  /** From now on, results of another kind are delayed. */
  const next = (kind: typeof state.delayed): void => {
    state.delayed = kind;
    for (const goOn of state.results.splice(0)) goOn();
  };
  return { store, state, next };
}

for (const where of ['the same node', 'another node', 'another node, of which its own does not hear'] as const)
  test(`[F-47] [F-69] a client that resumes its notifications at ${where}, while one is being sent, gets each of them`, async () => {
    const { store, state, next: delay } = delayingStore();
    const shared = { store, keys: ['k'.repeat(32)] };
    const bus = memoryBus();
    const own = failingBus(bus, 'rejects');
    const { made, tell } = makeTelling();
    const a = await stage({ ...shared, bus: own }, made);
    const b = where === 'the same node' ? a : await stage({ ...shared, bus }, made);
    const atA = await beginSession(a.url, '2025-11-25');
    const atB = sessionAt(b.url, atA.id, '2025-11-25');
    await atA.request('tools/call', { name: 'begin', arguments: {} });
    const first = atA.listen();
    assert.equal(await first.status, 200);
    await tell('one');
    await first.next();
    own.away = where.includes('does not hear');
    delay('reads');
    const next = atB.listen({ 'last-event-id': first.events.at(-1)!.id });
    await until(() => state.results.length === 1);
    // Sent on the old connection, which the server still believes in.
    await tell('two');
    delay('resumptions');
    await until(() => state.results.length === 1);
    await tell('three');
    delay(undefined);
    assert.equal(await next.status, 200);
    // Whichever node the client comes to next, the first one learns that it is no longer the one.
    await first.over;
    own.away = false;
    await tell('four');
    await until(() => next.messages.length >= 3);
    await tell('five');
    await next.next(({ params }) => params.data === 'five');
    const told = (messages: readonly any[]) => messages.map(({ params }) => params.data);
    assert.deepEqual(told(next.messages), ['two', 'three', 'four', 'five']);
    assert.deepEqual(told(first.messages), ['one', 'two']);
    next.drop();
  });

test('[F-69] a node that did not hear that a client listens at another one ends its own stream when it next looks at the session', async () => {
  const shared = { store: memoryStore(), keys: ['k'.repeat(32)] };
  const bus = memoryBus();
  const own = failingBus(bus, 'rejects');
  const a = await stage({ ...shared, bus });
  const b = await stage({ ...shared, bus: own });
  const atA = await beginSession(a.url, '2025-11-25');
  const atB = sessionAt(b.url, atA.id, '2025-11-25');
  const first = atA.listen();
  assert.equal(await first.status, 200);
  own.away = true;
  const next = atB.listen();
  assert.equal(await next.status, 200);
  own.away = false;
  await atA.request('ping');
  await first.over;
  await a.call('change');
  await next.next();
  await b.call('touch', { uri: 'note://a' });
  assert.deepEqual([first.messages.length, next.messages.length], [0, 1]);
  next.drop();
});

test('[F-66] a client whose node is gone is told at the next one that everything may have changed; if its node is there, it is not', async (t) => {
  const time = stopTime(t);
  const shared = { store: memoryStore(), keys: ['k'.repeat(32)] };
  const bus = memoryBus();
  const own = failingBus(bus, 'rejects');
  const a = await stage({ ...shared, bus: own });
  const b = await stage({ ...shared, bus });
  const told: (readonly string[])[] = [];
  for (const isGone of [false, true]) {
    own.away = false;
    const atA = await beginSession(a.url, '2025-11-25');
    await atA.request('resources/subscribe', { uri: 'note://a' });
    const first = atA.listen();
    assert.equal(await first.status, 200);
    await until(() => first.events.length > 0);
    first.drop();
    await first.over;
    // From now on, nothing is heard of it.
    own.away = isGone;
    await turns();
    const next = sessionAt(b.url, atA.id, '2025-11-25').listen({ 'last-event-id': first.events.at(-1)!.id });
    assert.equal(await next.status, 200);
    await turns();
    await time.pass(2_100);
    await turns();
    told.push(next.messages.map(({ method, params }) => params?.uri ?? method));
    next.drop();
  }
  // The nodes close as usual.
  t.mock.reset();
  const lists = ['notifications/tools/list_changed', 'notifications/resources/list_changed'];
  assert.deepEqual(told, [[], [...lists, 'note://a']]);
});

for (const [where, resume] of [
  ['follows it at another node', (atB: LegacySession, id: string) => atB.listen({ 'last-event-id': id })],
  ['listens at another node', (atB: LegacySession) => atB.listen()],
] as const)
  test(`[F-36] a call goes on at its node while its client ${where}, however long`, async (t) => {
    const time = stopTime(t);
    const shared = {
      store: memoryStore(),
      bus: memoryBus(),
      keys: ['k'.repeat(32)],
      limits: { sessionIdleMs: 60_000 },
    };
    const [a, b] = [await stage(shared), await stage(shared)];
    const atA = await beginSession(a.url, '2025-11-25');
    const running = atA.begin(call('gate', { name: 'long', progress: 1 }, { progressToken: 1 }));
    await running.next();
    const { id } = running.events[0]!;
    running.drop();
    const atB = sessionAt(b.url, atA.id, '2025-11-25');
    const first = resume(atB, id!);
    await first.status;
    for (let minute = 0; minute < 5; minute++) await time.pass(60_000);
    assert.equal(a.count('gate-aborted'), 0);
    a.made.open('long');
    const rest = where.startsWith('follows') ? first : atB.listen({ 'last-event-id': id });
    assert.equal((await rest.next(({ id }) => id === 1)).result.content[0].text, 'through long');
    first.drop();
    // When its client is gone, the session ends everywhere.
    await time.pass(150_000);
    assert.equal((await atA.request('ping')).status, 404);
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
    const shared = { store: memoryStore(), keys: ['k'.repeat(32)], sse: true };
    const bus = memoryBus();
    const [deaf, own] = [interruptibleBus(bus), failingBus(bus, 'rejects')];
    const first = makeApp();
    const a = await stage({ ...shared, bus: deaf }, first);
    const b = await stage({ ...shared, bus: own }, apps === 'one' ? first : makeApp());
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
    // What does not reach the node of the stream now is refused, or arrives later and once.
    own.away = true;
    assert.equal((await post(b.url, call('echo', { v: 3 }, undefined, 8))).status, 503);
    own.away = false;
    deaf.isDeaf = true;
    assert.equal((await post(b.url, call('echo', { v: 4 }, undefined, 9))).status, 202);
    deaf.interrupt();
    assert.equal((await stream.next()).result.content[0].text, '4');
    assert.equal(a.count('echo'), 2);
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

test('after each interruption of the bus, clients of both eras are told once that everything they watch may have changed', async () => {
  const bus = interruptibleBus(memoryBus());
  const node = await stage({ store: memoryStore(), bus, keys: ['k'.repeat(32)] });
  const session = await beginSession(node.url, '2025-11-25');
  await session.request('resources/subscribe', { uri: 'note://a' });
  const legacy = session.listen();
  assert.equal(await legacy.status, 200);
  const notifications = { toolsListChanged: true, resourceSubscriptions: ['note://a'] };
  const fields = fieldsOf('subscriptions/listen');
  const modern = live(node.url, 'POST', fields, modernBody('subscriptions/listen', { notifications }));
  await modern.next(({ method }) => method === 'notifications/subscriptions/acknowledged');
  const told = ({ messages }: typeof legacy) =>
    messages.map(({ method, params }) => params?.uri ?? method).filter((what) => !what.endsWith('acknowledged'));
  const [tools, resources] = ['notifications/tools/list_changed', 'notifications/resources/list_changed'];
  for (let times = 1; times <= 2; times++) {
    // The subscriptions of one connection are interrupted together, and it may break several times in a row.
    for (let breaks = 0; breaks < 2; breaks++) bus.interrupt();
    await until(() => told(legacy).length >= 3 * times && told(modern).length >= 2 * times);
    assert.deepEqual(told(legacy), Array.from({ length: times }, () => [tools, resources, 'note://a']).flat());
    assert.deepEqual(told(modern), Array.from({ length: times }, () => [tools, 'note://a']).flat());
  }
  for (const stream of [legacy, modern]) stream.drop();
});

test('an answer and a cancellation reach a call whose node was cut off from the bus when the client sent them to another one', async () => {
  const shared = { store: memoryStore(), keys: ['k'.repeat(32)] };
  const bus = memoryBus();
  const own = interruptibleBus(bus);
  const a = await stage({ ...shared, bus: own });
  const b = await stage({ ...shared, bus });
  const atA = await beginSession(a.url, '2025-11-25', { elicitation: {} });
  const atB = sessionAt(b.url, atA.id, '2025-11-25');
  const asking = atA.begin(call('ask', {}));
  const question = await asking.next(({ method }) => method === 'elicitation/create');
  const running = atA.begin(call('gate', { name: 'n', progress: 1 }, { progressToken: 1 }, 5));
  await running.next();
  // In each of two interruptions, one message is lost.
  own.isDeaf = true;
  const result = { action: 'accept', content: { name: 'Ann' } };
  assert.equal((await atB.post({ jsonrpc: '2.0', id: question.id, result })).status, 202);
  own.interrupt();
  assert.equal((await asking.next(({ id }) => id === 1)).result.content[0].text, 'Hello, Ann');
  own.isDeaf = true;
  await atB.post({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 5 } });
  own.interrupt();
  await until(() => a.count('gate-aborted') === 1);
  await running.over;
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
