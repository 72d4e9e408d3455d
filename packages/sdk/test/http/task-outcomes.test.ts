// How tasks end that cannot end as their handler wanted. Nothing makes them run again endlessly.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { z } from 'zod';
import { until } from '../../../../scripts/lib/until.ts';
import { connect } from '../../src/entries/client.ts';
import { memoryStore, type Store } from '../../src/entries/http.ts';
import { ProtocolError, server, tool } from '../../src/entries/index.ts';
import { TaskStore } from '../../src/server/tasks/task-store.ts';
import { createdBy, serveTasks, shown, shownWhen } from './task-server.ts';

// A rule that the form cannot express: clients accept the value, the server does not.
const EVEN = z.object({ value: z.int().refine((value) => value % 2 === 0, 'must be even') });

/** Tools that may run again, and the number of their runs. */
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
      detailed: tool(asTask, () => {
        throw new ProtocolError(1234, 'Cannot be run', 'x'.repeat(10_000));
      }),
      talks: tool(asTask, async (_, ctx) => {
        ctx.progress({ progress: 1, message: 'x'.repeat(10_000) });
        return (await ctx.ask('color', 'Which color?', z.object({ color: z.string() }))).color;
      }),
      twins: tool(asTask, async (_, ctx) => {
        const first = await ctx.ask('even', 'Which even number?', EVEN);
        const second = await ctx.ask('even#2', 'Delete so many files?', EVEN);
        return `${first.value} and ${second.value}`;
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

test('the error of a task is limited like its result', async () => {
  const { app } = countingServer();
  const served = await serveTasks({ limits: { taskBytes: 5_000 } }, app);
  const id = await createdBy(served, 'alice', 'detailed');
  const { error } = await shownWhen(served, 'alice', id, 'failed');
  assert.match(error.message, /The error has \d+ characters, more than the 5000/);
});

test('a long status message is shortened', async () => {
  const { app } = countingServer();
  const served = await serveTasks({}, app);
  const id = await createdBy(served, 'alice', 'talks');
  assert.equal((await shownWhen(served, 'alice', id, 'input_required')).statusMessage.length, 1_000);
});

test('the number of running tasks of one caller is limited, however slow the store is', async () => {
  const { app, runs } = countingServer();
  const inner = memoryStore();
  const store: Store = {
    ...inner,
    async add(...given) {
      await new Promise((resolve) => setTimeout(resolve, 5));
      return inner.add(...given);
    },
  };
  const served = await serveTasks({ store, limits: { tasksPerPrincipal: 3 } }, app);
  const calls = Array.from({ length: 20 }, () =>
    served.modern('tools/call', { name: 'asks', arguments: {} }, { user: 'the one who calls often' }),
  );
  const created = (await Promise.all(calls)).filter(({ json }) => json.result !== undefined);
  assert.deepEqual([created.length, runs.length], [3, 3]);
});

test('a repeated question never takes the answer to another one, whatever its name', async () => {
  const { app } = countingServer();
  const served = await serveTasks({}, app);
  const id = await createdBy(served, 'alice', 'twins');
  const asked: string[] = [];
  for (const value of [1, 2, 4]) {
    const { inputRequests } = await shownWhen(served, 'alice', id, 'input_required');
    const [[key, { params }]] = Object.entries<any>(inputRequests) as [[string, any]];
    assert.equal(asked.includes(key), false, 'a key is used once');
    asked.push(key, params.message);
    const inputResponses = { [key]: { action: 'accept', content: { value } } };
    await served.modern('tasks/update', { taskId: id, inputResponses }, { user: 'alice' });
    await until(async () => (await shown(served, 'alice', id)).inputRequests?.[key] === undefined, 'it is answered');
  }
  assert.equal((await shownWhen(served, 'alice', id, 'completed')).result.content[0].text, '2 and 4');
});

for (const revision of ['2025-11-25', '2026-07-28'] as const)
  test(`scripted answers by name also answer repeated questions, on ${revision}`, async () => {
    const { app } = countingServer();
    let value = 0;
    const answers = { even: () => ({ value: ++value }), '*': { value: 4 } };
    await using client = await connect(app, { revision, tasks: true, answers });
    const task = await client.start('twins');
    assert.equal(await task.value(), '2 and 4');
  });
