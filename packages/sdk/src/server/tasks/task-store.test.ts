import assert from 'node:assert/strict';
import { test } from 'node:test';
import { stopTime } from '../../../../../scripts/lib/test-time.ts';
import { memoryStore } from '../../store/memory.ts';
import { FORMAT } from '../../store/record-format.ts';
import type { TaskRecord } from './task-record.ts';
import { ownerOf, TaskStore } from './task-store.ts';

const owner = ownerOf({ id: 'alice' });

function recordOf(id: string, ttlMs: number): TaskRecord {
  const time = new Date().toISOString();
  const caller = {
    ...{ revision: '2026-07-28' as const, client: undefined, capabilities: {}, principal: { id: 'alice' } },
    ...{ quotaKey: 'alice', meta: {} },
  };
  return {
    ...{
      format: FORMAT,
      id,
      tool: 'echo',
      args: {},
      caller,
      callId: 'call',
      state: 'working',
      createdAt: time,
      updatedAt: time,
      ttlMs,
    },
    ...{ run: 1, questions: {}, answers: {}, asked: [], done: {} },
  };
}

test('[TASK-15] a task is deleted a minute after its time to live, whether it has ended or not', async (t) => {
  const time = stopTime(t);
  const tasks = new TaskStore(memoryStore(), 'test');
  const addresses = [1, 2].map(() => ({ owner, id: TaskStore.createId(Date.now()) }));
  for (const address of addresses) await tasks.create(address, recordOf(address.id, 10_000), 'run', 1_000);
  await tasks.change(addresses[0]!, (record) => ({ ...record, state: 'ended', outcome: { result: {} } }));
  await time.pass(69_000);
  for (const address of addresses) assert.notEqual(await tasks.read(address), undefined);
  await time.pass(2_000);
  for (const address of addresses) assert.equal(await tasks.read(address), undefined);
  assert.deepEqual(await tasks.list(owner, undefined, 10), []);
  assert.deepEqual(await tasks.open(undefined, 10), []);
});

test('ids of tasks are sorted by their age, and cannot be guessed', () => {
  const ids = [1, 2, 3].map((ms) => TaskStore.createId(ms * 1_000));
  assert.deepEqual(ids.toSorted(), ids);
  const random = new Set(Array.from({ length: 1_000 }, () => TaskStore.createId(0).slice(-36)));
  assert.equal(random.size, 1_000);
});

test('[TASK-66] [TASK-32] the key of a task contains its owner: no owner name reaches the tasks of another owner', async () => {
  const tasks = new TaskStore(memoryStore(), 'a/b');
  const names = ['a', 'a/b', '-', '%', '=a', '../a', '', '__proto__'];
  const id = TaskStore.createId(0);
  await tasks.create({ owner: ownerOf({ id: 'a/b' }), id }, recordOf(id, 1_000), 'run', 1_000);
  for (const name of names)
    assert.equal((await tasks.read({ owner: ownerOf({ id: name }), id })) !== undefined, name === 'a/b', name);
  assert.equal(await tasks.read({ owner: ownerOf(undefined), id }), undefined);
  assert.equal(await new TaskStore(memoryStore(), 'a').read({ owner: ownerOf({ id: 'b/a/b' }), id }), undefined);
});
