// How tasks end that cannot end as their handler wanted, and that nothing makes them run again without end.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { z } from 'zod';
import { memoryStore, type Store } from '../../src/entries/http.ts';
import { ProtocolError, server, tool } from '../../src/entries/index.ts';
import { TaskStore } from '../../src/server/tasks/task-store.ts';
import { createdBy, serveTasks, shown, shownWhen } from './task-server.ts';

/** Tools that may run again, and how often each did. */
function countingServer() {
  const runs: string[] = [];
  const cyclic: Record<string, unknown> = {};
  cyclic['self'] = cyclic;
  const asTask = { taskSupport: 'optional', interrupted: 'rerun' } as const;
  const app = server({
    name: 'tasks',
    version: '1.0.0',
    tools: {
      cyclic: tool(asTask, () => {
        runs.push('cyclic');
        throw new ProtocolError(1234, 'Cannot be run', cyclic);
      }),
      large: tool(asTask, () => {
        runs.push('large');
        return 'x'.repeat(10_000);
      }),
      asks: tool(asTask, async (_, ctx) => {
        runs.push('asks');
        return (await ctx.ask('color', 'Which color?', z.object({ color: z.string() }))).color;
      }),
    },
  });
  return { app, runs };
}

test('a task whose error is not JSON fails, and is not run again', async () => {
  const { app, runs } = countingServer();
  const served = await serveTasks({ log: () => {} }, app);
  const id = await createdBy(served, 'alice', 'cyclic');
  const { error } = await shownWhen(served, 'alice', id, 'failed');
  assert.match(error.message, /could not be stored/);
  assert.deepEqual(runs, ['cyclic']);
});

test('a task whose result has no room in the store fails, and is not run again', async () => {
  const { app, runs } = countingServer();
  const inner = memoryStore();
  const store: Store = {
    ...inner,
    swap: (key, before, after, ms) =>
      JSON.stringify(after).length > 5_000
        ? Promise.reject(new RangeError('full'))
        : inner.swap(key, before, after, ms),
  };
  const served = await serveTasks({ store, log: () => {} }, app);
  const id = await createdBy(served, 'alice', 'large');
  const { error } = await shownWhen(served, 'alice', id, 'failed');
  assert.match(error.message, /could not be stored/);
  assert.deepEqual(runs, ['large']);
});

test('a task may live for longer than a timer can wait', async () => {
  const { app } = countingServer();
  const month = 30 * 24 * 3_600_000;
  const served = await serveTasks({ limits: { taskMs: month, leaseMs: 100 * month } }, app);
  const id = await createdBy(served, 'alice', 'asks');
  await shownWhen(served, 'alice', id, 'input_required');
  await new Promise((resolve) => setTimeout(resolve, 5));
  const { status, ttlMs } = await shown(served, 'alice', id);
  assert.deepEqual([status, ttlMs], ['input_required', month]);
});

test('a task is not run again after its time to live, which counts from its creation', async () => {
  const { app, runs } = countingServer();
  const store = memoryStore();
  const served = await serveTasks({ store }, app);
  const address = { owner: '=alice', id: TaskStore.createId(Date.now()) };
  const old = await createdBy(served, 'alice', 'asks');
  await shownWhen(served, 'alice', old, 'input_required');
  const tasks = new TaskStore(store, 'tasks');
  const record = (await tasks.read({ owner: '=alice', id: old }))!;
  const createdAt = new Date(Date.now() - record.ttlMs).toISOString();
  await tasks.create(address, { ...record, id: address.id, createdAt }, 'the dead process', 1);
  await shownWhen(served, 'alice', address.id, 'failed');
  assert.deepEqual(runs, ['asks']);
});

test('ids of tasks are in the order in which they were created, also within a millisecond', () => {
  const ids = Array.from({ length: 100 }, () => TaskStore.createId(1_000));
  assert.deepEqual(ids.toSorted(), ids);
});
