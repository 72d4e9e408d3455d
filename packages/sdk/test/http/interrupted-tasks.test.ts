// Tasks whose process has died: only their stored state remains.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { until } from '../../../../scripts/lib/until.ts';
import { memoryStore, type Store } from '../../src/entries/http.ts';
import type { TaskRecord } from '../../src/server/tasks/task-record.ts';
import { ownerOf, TaskStore } from '../../src/server/tasks/task-store.ts';
import { createdBy, serveTasks, shown, shownWhen } from './task-server.ts';

const LIFE_MS = 60_000;
const owner = ownerOf({ id: 'alice' });
const RED = { inputResponses: { color: { action: 'accept', content: { color: 'red' } } } };

/** A store with a task in the state that a dead process leaves. It has another id, because the original still runs in this process. */
async function storeLeftBy(tool: string, change: (record: TaskRecord) => TaskRecord = (record) => record) {
  const first = memoryStore();
  const served = await serveTasks({ store: first });
  const original = await createdBy(served, 'alice', tool);
  await shownWhen(served, 'alice', original, 'input_required');
  const record = (await new TaskStore(first, 'tasks').read({ owner, id: original }))!;
  await served.modern('tasks/cancel', { taskId: original }, { user: 'alice' });
  const store = memoryStore();
  const id = TaskStore.createId(Date.now());
  await new TaskStore(store, 'tasks').create({ owner, id }, change({ ...record, id }), 'the dead process', 1);
  await until(async () => (await store.get(`task-lease/tasks/${id}`)) === undefined, 'its lease is over');
  return { store, id };
}

test('a task whose process has died fails at the next request about it, with an error that says that it may have had effects', async () => {
  const { store, id } = await storeLeftBy('color');
  const next = await serveTasks({ store: memoryStore() });
  assert.equal(await shown(next, 'alice', id), undefined, 'another store does not have it');
  const served = await serveTasks({ store });
  const task = await shownWhen(served, 'alice', id, 'failed');
  assert.match(task.error.message, /The process that ran this task has ended\. The task may have had effects/);
  assert.equal(task.inputRequests, undefined);
});

test('a process that starts ends such tasks without a request', async () => {
  const { store, id } = await storeLeftBy('color');
  await serveTasks({ store });
  const tasks = new TaskStore(store, 'tasks');
  await until(async () => (await tasks.read({ owner, id }))?.state === 'ended', 'it has ended');
  assert.deepEqual(await tasks.open(undefined, 10), []);
});

test('a task that may run again does so, without repeating its `once` actions, and accepts the answer to its question', async () => {
  const { store, id } = await storeLeftBy('again');
  const served = await serveTasks({ store });
  await shownWhen(served, 'alice', id, 'input_required');
  await served.modern('tasks/update', { taskId: id, ...RED }, { user: 'alice' });
  const task = await shownWhen(served, 'alice', id, 'completed');
  // Each server counts on its own: this one has run the handler once.
  assert.equal(task.result.content[0].text, 'charged in run 1, ended in run 1, red');
  const record = (await new TaskStore(store, 'tasks').read({ owner, id }))!;
  assert.deepEqual([record.run, record.done['charge']], [2, { result: 'charged in run 1' }]);
});

test('a task whose time to live, counted from its creation, is over is not run again', async () => {
  const long = 3_600_000;
  const createdAt = new Date(Date.now() - long - 1_000).toISOString();
  const { store, id } = await storeLeftBy('again', (record) => ({ ...record, createdAt, ttlMs: long }));
  const task = await shownWhen(await serveTasks({ store }), 'alice', id, 'failed');
  assert.match(task.error.message, /was not started again/);
});

test('a task of a tool that is gone, or that no longer takes its arguments, fails', async () => {
  const gone = await storeLeftBy('again', (record) => ({ ...record, tool: 'removed' }));
  await shownWhen(await serveTasks({ store: gone.store }), 'alice', gone.id, 'failed');
  const changed = await storeLeftBy('again', (record) => ({ ...record, tool: 'gated', args: { gate: 5 } }));
  await shownWhen(await serveTasks({ store: changed.store }), 'alice', changed.id, 'failed');
});

test('the latest status message is in the store before the task has ended, for other processes', async () => {
  const store = memoryStore();
  const served = await serveTasks({ store });
  const id = await createdBy(served, 'alice', 'gated', { gate: 'stored' });
  const tasks = new TaskStore(store, 'tasks');
  await until(async () => (await tasks.read({ owner, id }))?.message === 'before stored', 'the message is stored');
  assert.equal((await tasks.read({ owner, id }))?.state, 'working');
  await served.modern('tasks/cancel', { taskId: id }, { user: 'alice' });
});

test('a task that another process runs is left alone until its lease expires', async () => {
  const { store, id } = await storeLeftBy('color');
  const tasks = new TaskStore(store, 'tasks');
  assert.equal(await tasks.lease({ owner, id }, 'another process', LIFE_MS), true);
  const served = await serveTasks({ store });
  for (let time = 0; time < 5; time++) assert.equal((await shown(served, 'alice', id)).status, 'input_required');
  await tasks.release({ owner, id }, 'not that process');
  assert.equal((await shown(served, 'alice', id)).status, 'input_required');
  await tasks.release({ owner, id }, 'another process');
  await shownWhen(served, 'alice', id, 'failed');
});

test('a task whose lease expired while the store was away is left to its process for a lease, from when the store is back', async () => {
  const { store: inner, id } = await storeLeftBy('color');
  const leaseMs = 400;
  const back: (() => void)[] = [];
  // Like the stores in databases: an operation waits for a while, then fails. Those that come last wait until the store is back.
  let isBack = false;
  let waits = false;
  let failedAt = 0;
  const whenBack = (): void | Promise<void> => {
    if (isBack) return undefined;
    if (waits) return new Promise((resolve) => back.push(resolve));
    failedAt = performance.now();
    throw Object.assign(new Error('the store is away'), { code: 'unavailable' });
  };
  const store: Store = {
    ...inner,
    get: async (key) => {
      await whenBack();
      return inner.get(key);
    },
    keys: async (...args) => {
      await whenBack();
      return inner.keys(...args);
    },
  };
  const served = await serveTasks({ store, limits: { leaseMs } });
  assert.equal((await served.modern('tasks/get', { taskId: id }, { user: 'alice' })).status, 503);
  waits = true;
  const asked = shown(served, 'alice', id);
  await until(() => back.length > 0 && performance.now() > failedAt + 2 * leaseMs, 'longer than a lease');
  isBack = true;
  const backAt = performance.now();
  for (const goOn of back) goOn();
  const { status } = await asked;
  assert.ok(status === 'input_required' || performance.now() > backAt + leaseMs, status);
  await shownWhen(served, 'alice', id, 'failed');
});

test('a replaced run has no more effect: neither its answers nor its result are stored', async () => {
  const inner = memoryStore();
  let isReplaced = false;
  // The process that has taken over the task gets the lease, and this one gets none.
  const store: Store = {
    ...inner,
    add: (key, value, ms, quota) =>
      isReplaced && key.startsWith('task-lease/') ? false : inner.add(key, value, ms, quota),
  };
  const served = await serveTasks({ store });
  const id = await createdBy(served, 'alice', 'again');
  await shownWhen(served, 'alice', id, 'input_required');
  const tasks = new TaskStore(inner, 'tasks');
  isReplaced = true;
  await tasks.change({ owner, id }, (record) => ({ ...record, run: record.run + 1 }));
  await served.modern('tasks/update', { taskId: id, ...RED }, { user: 'alice' });
  await until(async () => (await tasks.lease({ owner, id }, 'new', LIFE_MS)) === true, 'the first run has given up');
  const record = (await tasks.read({ owner, id }))!;
  assert.deepEqual([record.state, record.outcome], ['working', undefined]);
});

test('a run whose lease has expired takes it again, also if the store answers slowly', async () => {
  const inner = memoryStore();
  let waiting: (() => void)[] | undefined;
  const store: Store = {
    ...inner,
    swap: async (key, before, after, ms) => {
      const swapped = await inner.swap(key, before, after, ms);
      if (waiting !== undefined && key.startsWith('task-lease/'))
        await new Promise<void>((resolve) => waiting!.push(resolve));
      return swapped;
    },
  };
  const leaseMs = 30;
  const served = await serveTasks({ store, limits: { leaseMs } });
  const id = await createdBy(served, 'alice', 'gated', { gate: 'slow' });
  const lease = `task-lease/tasks/${id}`;
  waiting = [];
  await inner.delete(lease);
  // The period of the renewals is a third of the lifetime.
  let periods = 0;
  const period = setInterval(() => periods++, leaseMs / 3);
  await until(() => periods > 10 && waiting!.length > 0);
  clearInterval(period);
  const renewals = waiting;
  waiting = undefined;
  for (const goOn of renewals) goOn();
  await until(async () => (await inner.get(lease)) !== undefined, 'the run has a lease again');
  await served.modern('tools/call', { name: 'open', arguments: { gate: 'slow' } }, { user: 'alice' });
  await shownWhen(served, 'alice', id, 'completed');
});

test('the end of a task that cannot be stored is logged, and the task is not shown as ended', async () => {
  const events: string[] = [];
  let away = false;
  const inner = memoryStore();
  const store: Store = {
    ...inner,
    swap: (key, before, after, ms) => {
      if (away) return Promise.reject(new Error('the store is away'));
      return inner.swap(key, before, after, ms);
    },
  };
  // The lease cannot be released either, so it has to expire.
  const served = await serveTasks({ store, log: ({ event }) => void events.push(event), limits: { leaseMs: 50 } });
  const id = await createdBy(served, 'alice', 'gated', { gate: 'away' });
  away = true;
  await served.modern('tools/call', { name: 'open', arguments: { gate: 'away' } }, { user: 'alice' });
  await until(() => events.includes('task-not-stored'), 'it is logged');
  away = false;
  // No process runs it any more.
  await shownWhen(served, 'alice', id, 'failed');
});
