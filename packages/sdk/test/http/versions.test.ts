// Nodes of two versions that share a store and a bus, as during a deployment: what one of them cannot read is refused, and stays as it is.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { z } from 'zod';
import { turns, until } from '../../../../scripts/lib/until.ts';
import { memoryBus, memoryStore, type Store } from '../../src/entries/http.ts';
import { server, tool } from '../../src/entries/index.ts';
import { ownerOf, TaskStore } from '../../src/server/tasks/task-store.ts';
import { FORMAT } from '../../src/store/record-format.ts';
import { makeApp } from './app.ts';
import type { Answer } from './send.ts';
import { beginSession, sessionAt, stage } from './stage.ts';
import { createdBy, serveTasks, shown, shownWhen } from './task-server.ts';

const LIFE_MS = 600_000;
const NEWER = FORMAT + 1;

/** Stores a record in another format, as a node of another version does. Returns what is stored. */
async function rewrite(store: Store, key: string, format: number): Promise<object> {
  const record = { ...((await store.get(key)) as object), format };
  await store.set(key, record, LIFE_MS);
  return record;
}

/** Was a request refused with the promise that it may be repeated? */
function assertRefused({ status, headers, json, text }: Answer, what: string): void {
  assert.deepEqual([status, headers['retry-after']], [503, '2'], `${what}: ${text}`);
  assert.match(json.error.message, /stored by a newer version of this server\. Nothing was done/, what);
  assert.deepEqual(json.error.data, { retryAfterMs: 2_000, repeatable: true }, what);
}

test('[F-73] a session that a newer version has stored is refused with the advice to repeat, also where it was known, and is not changed', async () => {
  const shared = { store: memoryStore(), bus: memoryBus(), keys: ['k'.repeat(32)] };
  const [a, b] = [await stage(shared), await stage(shared)];
  const atA = await beginSession(a.url, '2025-11-25');
  const key = `tenon/session/${atA.id}`;
  assert.equal(((await shared.store.get(key)) as { format: number }).format, FORMAT);
  const newer = await rewrite(shared.store, key, NEWER);
  for (const session of [atA, sessionAt(b.url, atA.id, '2025-11-25')]) {
    assertRefused(await session.request('tools/call', { name: 'echo', arguments: { v: 1 } }), 'a call');
    assertRefused(await session.request('logging/setLevel', { level: 'debug' }), 'a change');
    assertRefused(await session.delete(), 'its end');
    const listening = session.listen();
    assert.equal(await listening.status, 503);
  }
  assert.deepEqual(await shared.store.get(key), newer);
  assert.deepEqual([a.count('echo'), b.count('echo')], [0, 0]);
  await rewrite(shared.store, key, FORMAT);
  assert.equal((await atA.request('ping')).status, 200);
});

test('[F-73] a session in a format that is no longer read has ended: its client begins a new one', async () => {
  const store = memoryStore();
  const { url } = await stage({ store, keys: ['k'.repeat(32)] });
  for (const format of [0, undefined as never, 'x' as never]) {
    const session = await beginSession(url, '2025-11-25');
    await rewrite(store, `tenon/session/${session.id}`, format);
    assert.equal((await session.request('ping')).status, 404, String(format));
  }
});

test('[F-73] a task that a newer version has stored is refused with the advice to repeat, and is not taken over', async () => {
  const store = memoryStore();
  const served = await serveTasks({ store });
  const tasks = new TaskStore(store, 'tasks');
  const owner = ownerOf({ id: 'alice' });
  const original = await createdBy(served, 'alice', 'again');
  await shownWhen(served, 'alice', original, 'input_required');
  const record = (await tasks.read({ owner, id: original }))!;
  assert.equal(record.format, FORMAT);
  await served.modern('tasks/cancel', { taskId: original }, { user: 'alice' });
  // Two tasks whose processes have ended. The first one is of a newer version.
  const [newer, same] = [TaskStore.createId(Date.now()), TaskStore.createId(Date.now())];
  for (const id of [newer, same]) await tasks.create({ owner, id }, { ...record, id }, 'the dead process', 1);
  const key = `task/tasks/${owner}/${newer}`;
  const kept = await rewrite(store, key, NEWER);
  await until(async () => (await store.get(`task-lease/tasks/${newer}`)) === undefined, 'its lease is over');
  const next = await serveTasks({ store });
  await until(async () => (await tasks.read({ owner, id: same }))?.run === 2, 'the second one runs again');
  const answers = { inputResponses: { color: { action: 'accept', content: { color: 'red' } } } };
  for (const [method, more] of [
    ['tasks/get', {}],
    ['tasks/update', answers],
    ['tasks/cancel', {}],
  ] as const)
    assertRefused(await next.modern(method, { taskId: newer, ...more }, { user: 'alice' }), method);
  const session = await beginSession(next.url, '2025-11-25', {}, { user: 'alice' });
  assertRefused(await session.post({ jsonrpc: '2.0', id: 1, method: 'tasks/list' }, { user: 'alice' }), 'tasks/list');
  assert.deepEqual(await store.get(key), kept);
  await rewrite(store, key, 0);
  const { json } = await next.modern('tasks/get', { taskId: newer }, { user: 'alice' });
  assert.match(json.error.message, /stored by an older version of this server, and cannot be read any more/);
  await next.modern('tasks/cancel', { taskId: same }, { user: 'alice' });
  assert.equal((await shown(next, 'alice', same)).status, 'cancelled');
});

test('[F-73] an action whose result a newer version has recorded is not repeated, and its result stays', async () => {
  const made = makeApp();
  let paid = 0;
  const app = server({
    name: 'stage',
    version: '1.0.0',
    tools: {
      pay: tool({}, async (_, ctx) => {
        await ctx.ask('sure', 'Sure?', z.object({ sure: z.boolean() }));
        return `paid ${await ctx.once('pay', () => ++paid)}`;
      }),
    },
  });
  const inner = memoryStore();
  let key = '';
  const store: Store = {
    ...inner,
    add: (name, value, ms, owner) => {
      if (name.startsWith('once:')) key = name;
      return inner.add(name, value, ms, owner);
    },
  };
  const node = await stage({ store, keys: ['k'.repeat(32)] }, { ...made, app: app as never });
  const { requestState } = (await node.call('pay')).json.result;
  const inputResponses = { sure: { action: 'accept', content: { sure: true } } };
  const retry = () => node.modern('tools/call', { name: 'pay', arguments: {}, requestState, inputResponses });
  assert.equal((await retry()).json.result.content[0].text, 'paid 1');
  assert.deepEqual(await store.get(key), { result: 1, format: FORMAT });
  const newer = await rewrite(store, key, NEWER);
  assertRefused(await retry(), 'the retry');
  assert.deepEqual([await store.get(key), paid], [newer, 1]);
  await rewrite(store, key, FORMAT);
  assert.equal((await retry()).json.result.content[0].text, 'paid 1');
});

test('[F-73] messages of a newer version are ignored and reported, and others still arrive', async () => {
  const bus = memoryBus();
  const shared = { store: memoryStore(), bus, keys: ['k'.repeat(32)] };
  const [a, b] = [await stage(shared), await stage(shared)];
  const session = await beginSession(a.url, '2025-11-25');
  const listening = session.listen();
  assert.equal(await listening.status, 200);
  const ended = { kind: 'session', session: session.id, ended: true, from: crypto.randomUUID() };
  await bus.publish('tenon/nodes', { ...ended, format: NEWER });
  await turns();
  assert.equal((await session.request('ping')).status, 200);
  assert.match(String(a.log.find(({ event }) => event === 'bus-failed')?.details), /node of another version/);
  await b.call('change');
  assert.equal((await listening.next()).method, 'notifications/tools/list_changed');
  // The same message in a format that it reads.
  await bus.publish('tenon/nodes', { ...ended, format: FORMAT });
  await listening.over;
});
