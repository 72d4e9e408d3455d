// Calls that are silent for a long time, and logs of streams that a store loses.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { stopTime } from '../../../../scripts/lib/test-time.ts';
import { memoryBus, memoryStore, type Store } from '../../src/entries/http.ts';
import { send, until } from './send.ts';
import { beginSession, type LegacySession, sessionAt, stage } from './stage.ts';

const MINUTE = 60_000;
const RESUMABLE = ['2025-11-25', '2025-06-18', '2025-03-26'] as const;
function gate(name: string, progress: number) {
  return {
    jsonrpc: '2.0',
    id: 1,
    method: 'tools/call',
    params: { name: 'gate', arguments: { name, progress }, _meta: { progressToken: 1 } },
  };
}
function resume(session: LegacySession, id: string) {
  return session.listen({ 'last-event-id': id });
}
function statusOf(url: string, session: LegacySession, id: string): Promise<number> {
  return send(url, 'GET', { ...session.fields, accept: 'text/event-stream', 'last-event-id': id }).then(
    ({ status }) => status,
  );
}

/** A store that loses every log when the test says so, as a full one may. */
function losing(): { readonly store: Store; lose(): void } {
  const store = memoryStore();
  const logs = new Set<string>();
  return {
    store: {
      ...store,
      append(key, value, lifeMs) {
        logs.add(key);
        return store.append(key, value, lifeMs);
      },
    },
    lose() {
      for (const key of logs) void store.delete(key);
    },
  };
}

for (const revision of RESUMABLE) {
  test(`the events of a call are available as long as it runs, however long it is silent: ${revision}`, async (t) => {
    const time = stopTime(t);
    const s = await stage();
    const session = await s.session(revision);
    const running = session.begin(gate('quiet', 3));
    for (let n = 0; n < 3; n++) await running.next();
    const [first, , third] = running.events.filter(({ kind }) => kind === 'message').map(({ id }) => id);
    running.drop();
    await time.pass(20 * MINUTE);
    const all = resume(session, first!);
    assert.deepEqual([(await all.next()).params.progress, (await all.next()).params.progress], [2, 3]);
    await time.pass(20 * MINUTE);
    all.drop();
    const rest = resume(session, third!);
    assert.equal(await rest.status, 200);
    s.made.open('quiet');
    await rest.over;
    assert.deepEqual(
      rest.messages.map(({ result }) => result.content[0].text),
      ['through quiet'],
    );
    // From now on it behaves like any other.
    await time.pass(4 * MINUTE);
    assert.equal(await statusOf(s.url, session, third!), 200);
    await time.pass(2 * MINUTE);
    assert.equal(await statusOf(s.url, session, third!), 400);
  });

  test(`a stream whose log was lost continues for a client that has received all events, and is refused to others: ${revision}`, async () => {
    const { store, lose } = losing();
    const s = await stage({ store });
    const session = await s.session(revision);
    const running = session.begin(gate('lost', 3));
    for (let n = 0; n < 3; n++) await running.next();
    const [, second, third] = running.events.filter(({ kind }) => kind === 'message').map(({ id }) => id);
    running.drop();
    lose();
    const waiting = resume(session, third!);
    assert.equal(await waiting.status, 200);
    waiting.drop();
    s.made.open('lost');
    await until(async () => {
      const rest = resume(session, third!);
      const status = await rest.status;
      await rest.over;
      return status === 200 && rest.messages[0]?.result.content[0].text === 'through lost';
    });
    assert.equal(await statusOf(s.url, session, second!), 400, 'there would be a hole');
  });
}

test('a polled call of an hour loses nothing, although it is silent', async (t) => {
  const time = stopTime(t);
  const s = await stage({ polling: { afterMs: 30_000, retryMs: 5_000 } });
  const session = await s.session('2025-11-25');
  let stream = session.begin(gate('hour', 0));
  await until(() => s.made.waiting('hour'));
  await time.pass(30_000);
  await stream.over;
  const { id } = stream.events[0]!;
  for (let minutes = 0; minutes < 60; minutes++) {
    stream = resume(session, id);
    assert.equal(await stream.status, 200);
    await time.pass(MINUTE);
    await stream.over;
  }
  stream = resume(session, id);
  assert.equal(await stream.status, 200);
  s.made.open('hour');
  await stream.over;
  assert.equal(stream.messages[0].result.content[0].text, 'through hour');
});

test('a silent call is resumed at another node, and so is one whose log was lost', async (t) => {
  const time = stopTime(t);
  const { store, lose } = losing();
  const shared = { store, bus: memoryBus(), keys: ['k'.repeat(32)] };
  const [a, b] = [await stage(shared), await stage(shared)];
  for (const [name, act] of [
    ['quiet', () => time.pass(10 * MINUTE)],
    ['lost', () => lose()],
  ] as const) {
    const atA = await beginSession(a.url, '2025-11-25');
    const atB = sessionAt(b.url, atA.id, '2025-11-25');
    const running = atA.begin(gate(name, 2));
    for (let n = 0; n < 2; n++) await running.next();
    const { id } = running.events.at(-1)!;
    running.drop();
    await act();
    a.made.open(name);
    const result = { at: undefined as string | undefined };
    await until(async () => {
      const rest = resume(atB, id);
      if ((await rest.status) !== 200) return false;
      result.at = (await rest.next()).result.content[0].text;
      rest.drop();
      return true;
    });
    assert.equal(result.at, `through ${name}`);
  }
});

test('the notification stream can be resumed after a silence, and delivers what came meanwhile', async (t) => {
  const time = stopTime(t);
  const s = await stage();
  const session = await s.session('2025-11-25');
  const listening = session.listen();
  await s.call('change');
  await listening.next();
  await time.pass(20 * MINUTE);
  await s.call('change');
  await listening.next();
  const [, first, second] = listening.events.map(({ id }) => id);
  listening.drop();
  const again = resume(session, first!);
  assert.equal(await again.status, 200);
  assert.equal((await again.next()).method, 'notifications/tools/list_changed');
  assert.equal(again.events[0]!.id, second);
  again.drop();
});

test('a failing store does not prevent a response to a connected client', async () => {
  const store = memoryStore();
  const failing: Store = {
    ...store,
    append: () => {
      throw new Error('the store is away');
    },
  };
  const s = await stage({ store: failing });
  const session = await s.session('2025-11-25');
  const answer = await session.post({
    ...gate('x', 2),
    params: { ...gate('x', 2).params, name: 'steps', arguments: { n: 2 } },
  });
  assert.deepEqual(
    answer.messages.map(({ params, result }) => params?.progress ?? result.content[0].text),
    [1, 2, '2 steps'],
  );
  assert.ok(s.log.some(({ event }) => event === 'store-failed'));
});
