// A store that fails while no request waits for it: the failure is reported, and the server continues.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { stopTime } from '../../../../scripts/lib/test-time.ts';
import { until } from '../../../../scripts/lib/until.ts';
import { memoryBus, memoryStore, type Store } from '../../src/entries/http.ts';
import { failingStore } from './failing-store.ts';
import { send } from './send.ts';
import { beginSession, initializeBody, JSON_FIELDS, sessionAt, stage } from './stage.ts';

/** A store that fails when the test says so: it throws at once, or rejects later. */
function leaving(how: 'throws' | 'rejects') {
  const real = memoryStore();
  const state = { away: false };
  const failing = (): never => {
    throw new Error('the store is away');
  };
  const store = Object.fromEntries(
    Object.entries(real).map(([name, method]: [string, (...args: unknown[]) => unknown]) => [
      name,
      (...args: unknown[]) => {
        if (!state.away) return method(...args);
        return how === 'throws' ? failing() : Promise.resolve().then(failing);
      },
    ]),
  ) as unknown as Store;
  return { store, state };
}

for (const how of ['throws', 'rejects'] as const)
  test(`a store that ${how} while sessions are maintained is reported, and they continue when it is back`, async () => {
    const { store, state } = leaving(how);
    const shared = { store, bus: memoryBus(), keys: ['k'.repeat(32)], limits: { sessionIdleMs: 2_000 } };
    const a = await stage(shared);
    const b = await stage(shared);
    const atA = await beginSession(a.url, '2025-11-25');
    const atB = sessionAt(b.url, atA.id, '2025-11-25');
    assert.equal((await atB.request('ping')).status, 200);
    const other = await beginSession(a.url, '2025-11-25');
    const listening = atA.listen();
    assert.equal(await listening.status, 200);
    const failures = (): number => a.log.filter(({ event }) => event === 'store-failed').length;
    state.away = true;
    // A request needs the session, so it fails. The lives of sessions with a stream are extended, which fails silently.
    assert.equal((await other.request('ping')).status, 500);
    assert.equal((await other.delete()).status, 500);
    await until(() => failures() > 0);
    listening.drop();
    await listening.over;
    state.away = false;
    assert.equal((await atA.request('ping')).status, 200);
    assert.equal((await atA.delete()).status, 204);
    await a.checkWorks();
    await b.checkWorks();
  });

for (const code of ['unavailable', 'busy'])
  test(`new work is refused with 503 while a store is ${code}, and a session that is known continues`, async () => {
    const real = memoryStore();
    const state = { fails: false };
    const fail = (): never => {
      throw Object.assign(new Error('not now'), { code });
    };
    const store: Store = {
      ...real,
      get: (key) => (state.fails ? fail() : real.get(key)),
      set: (key, value, lifeMs) => (state.fails ? fail() : real.set(key, value, lifeMs)),
    };
    const s = await stage({ store });
    const session = await beginSession(s.url, '2025-11-25');
    state.fails = true;
    assert.equal((await session.request('ping')).status, 200);
    const refused = await send(s.url, 'POST', JSON_FIELDS, initializeBody('2025-11-25'));
    assert.deepEqual([refused.status, refused.headers['retry-after']], [503, '2']);
    state.fails = false;
    assert.equal((await send(s.url, 'POST', JSON_FIELDS, initializeBody('2025-11-25'))).status, 200);
  });

test('a client is told that its session is initialized once every node knows it', async () => {
  const state = failingStore();
  const shared = { store: state.store, bus: memoryBus(), keys: ['k'.repeat(32)] };
  const a = await stage(shared);
  const b = await stage(shared);
  const begun = await send(a.url, 'POST', JSON_FIELDS, initializeBody('2025-11-25'));
  const id = String(begun.headers['mcp-session-id']);
  const [atA, atB] = [sessionAt(a.url, id, '2025-11-25'), sessionAt(b.url, id, '2025-11-25')];
  const listening = atB.listen();
  assert.equal(await listening.status, 200);
  state.fails = (place) => place === 'swap session';
  const refused = await atA.post({ jsonrpc: '2.0', method: 'notifications/initialized' });
  assert.deepEqual([refused.status, refused.headers['retry-after']], [503, '2']);
  state.fails = false;
  assert.equal((await atA.post({ jsonrpc: '2.0', method: 'notifications/initialized' })).status, 202);
  // The node at which it initialized is gone before anything else happens.
  await a.close();
  assert.equal((await atB.request('ping')).status, 200);
  await b.call('change');
  assert.equal((await listening.next()).method, 'notifications/tools/list_changed');
  listening.drop();
});

test('a session that another node ended without a bus ends here too, with its stream', async (t) => {
  const time = stopTime(t);
  const shared = { store: memoryStore(), keys: ['k'.repeat(32)], limits: { sessionIdleMs: 60_000 } };
  const a = await stage(shared);
  const b = await stage(shared);
  const atA = await beginSession(a.url, '2025-11-25');
  const listening = atA.listen();
  assert.equal(await listening.status, 200);
  assert.equal((await sessionAt(b.url, atA.id, '2025-11-25').delete()).status, 204);
  await time.pass(30_000);
  await listening.over;
  assert.equal((await atA.request('ping')).status, 404);
});

test('two processes without a bus never send requests with the same id to a client', async () => {
  const shared = { store: memoryStore(), keys: ['k'.repeat(32)] };
  const a = await stage(shared);
  const b = await stage(shared);
  const atA = await beginSession(a.url, '2025-11-25', { elicitation: {} });
  const atB = sessionAt(b.url, atA.id, '2025-11-25');
  const call = (id: number) => ({ jsonrpc: '2.0', id, method: 'tools/call', params: { name: 'ask', arguments: {} } });
  const asking = [atA.begin(call(1)), atB.begin(call(2))];
  const ids = await Promise.all(
    asking.map(async (one) => (await one.next(({ method }) => method === 'elicitation/create')).id),
  );
  assert.equal(new Set(ids).size, 2);
  for (const one of asking) one.drop();
});

test('a call does not wait, event by event, for a store that is away, and what it sent can be resumed when the store is back', async () => {
  const real = memoryStore();
  let answer = async (): Promise<void> => {};
  let waiting = 0;
  const store: Store = {
    ...real,
    async append(key, value, ms) {
      waiting++;
      await answer().finally(() => waiting--);
      return real.append(key, value, ms);
    },
  };
  const s = await stage({ store, limits: { keepAliveMs: 400 } });
  const session = await beginSession(s.url, '2025-11-25');
  const call = { name: 'steps', arguments: { n: 20 }, _meta: { progressToken: 1 } };
  // The first attempt fails, and the next one gets no answer for a long time.
  let release = (): void => {};
  const back = new Promise<void>((resolve) => (release = resolve));
  let attempts = 0;
  answer = async () => {
    if (++attempts === 1) throw Object.assign(new Error('away'), { code: 'unavailable' });
    await back;
  };
  const running = session.begin({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: call });
  for (let n = 1; n <= 20; n++) assert.equal((await running.next()).params.progress, n);
  assert.equal((await running.next()).result.content[0].text, '20 steps');
  await running.over;
  assert.equal(waiting, 1, 'one attempt at a time');
  release();
  await until(() => waiting === 0 && attempts > 20);
  const rest = session.listen({ 'last-event-id': running.events[0]!.id });
  await rest.over;
  assert.deepEqual(rest.messages, running.messages);
});
