import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createdTask, followTask, isTaskOver, type TaskFollowing } from './follow-task.ts';

type Step = Readonly<Record<string, unknown>> | Error;

/** A server that answers `tasks/get` with these, one after the other; and whoever follows it, without waiting. */
function played(steps: readonly Step[], more: Partial<TaskFollowing> = {}) {
  const sent: string[] = [];
  const waited: number[] = [];
  const left = [...steps];
  const following: TaskFollowing = {
    isLegacy: true,
    async request(method) {
      sent.push(method);
      if (method === 'tasks/result') return { content: [] };
      const step = left.shift();
      assert.ok(step !== undefined, 'asked too often');
      if (step instanceof Error) throw step;
      return { taskId: 'a', ...step };
    },
    async delay(ms) {
      waited.push(ms);
    },
    ...more,
  };
  return { sent, waited, following };
}

function protocolError(): Error {
  return Object.assign(new Error('Task not found'), { name: 'ProtocolError' });
}

const made = createdTask({ task: { taskId: 'a', status: 'working', pollInterval: 500 } })!;

test('a created task is known in both forms, and nothing else is one', () => {
  assert.deepEqual(made, {
    taskId: 'a',
    status: 'working',
    statusMessage: undefined,
    pollMs: 500,
    inputRequests: undefined,
  });
  const flat = createdTask({ resultType: 'task', taskId: 'b', status: 'working', pollIntervalMs: 2_000 });
  assert.deepEqual([flat?.taskId, flat?.pollMs], ['b', 2_000]);
  for (const value of [undefined, null, [], {}, { task: {} }, { task: { taskId: 1 } }, { taskId: 'a' }])
    assert.equal(createdTask(value), undefined);
});

test('how often a task is asked about is what the server wants, within bounds', () => {
  const wants = (pollInterval: unknown): number => createdTask({ task: { taskId: 'a', pollInterval } })!.pollMs;
  assert.deepEqual([0, -1, 'soon', Number.NaN, undefined].map(wants), [1_000, 1_000, 1_000, 1_000, 1_000]);
  assert.deepEqual([1, 250, 1e12, Number.POSITIVE_INFINITY].map(wants), [250, 250, 300_000, 300_000]);
});

test('a task of 2025-11-25 is asked about until it ends, and then for its result', async () => {
  const { sent, waited, following } = played([{ status: 'working' }, { status: 'completed' }]);
  const { status } = await followTask(made, following);
  assert.equal(status, 'completed');
  assert.deepEqual(sent, ['tasks/get', 'tasks/get', 'tasks/result']);
  assert.deepEqual(waited, [500, 1_000]);
});

test('the result of a task of 2026-07-28 comes with its state', async () => {
  const { sent, following } = played([{ status: 'failed', error: { code: 1, message: 'no' } }], { isLegacy: false });
  assert.equal((await followTask(made, following)).status, 'failed');
  assert.deepEqual(sent, ['tasks/get']);
});

test('a cancelled task has no result', async () => {
  const { sent, following } = played([{ status: 'cancelled' }]);
  await followTask(made, following);
  assert.deepEqual(sent, ['tasks/get']);
});

test('what a task wants to know is asked in the way of its revision', async () => {
  const steps = [{ status: 'input_required', inputRequests: { name: {} } }, { status: 'completed' }];
  const legacy = played(steps);
  await followTask(made, legacy.following);
  assert.deepEqual(legacy.sent, ['tasks/get', 'tasks/result', 'tasks/get'], 'its result is waited for once');
  const asked: unknown[] = [];
  const modern = played(steps, { isLegacy: false, answer: async (state) => void asked.push(state.inputRequests) });
  await followTask(made, modern.following);
  assert.deepEqual(asked, [{ name: {} }]);
  assert.deepEqual(modern.sent, ['tasks/get', 'tasks/get']);
});

test('an error of the server ends it, and a connection that fails is tried again some times', async () => {
  await assert.rejects(followTask(made, played([protocolError()]).following), { message: 'Task not found' });
  const gone = new Error('connection lost');
  const some = played([gone, gone, { status: 'completed' }]);
  await followTask(made, some.following);
  assert.deepEqual(some.waited, [500, 1_000, 2_000]);
  await assert.rejects(followTask(made, played([gone, gone, gone, gone, gone, gone]).following), gone);
});

test('an answer about another task ends it', async () => {
  await assert.rejects(
    followTask(made, played([{ taskId: 'b', status: 'completed' }]).following),
    /not about this task/,
  );
});

test('it ends when nobody wants to follow it any more', async () => {
  const stopped = new Error('stopped');
  const { sent, following } = played([], { delay: () => Promise.reject(stopped) });
  await assert.rejects(followTask(made, following), stopped);
  assert.deepEqual(sent, []);
});

test('three states are the end, and no other', () => {
  assert.deepEqual(
    ['completed', 'failed', 'cancelled', 'working', 'input_required', 'COMPLETED', undefined].map(isTaskOver),
    [true, true, true, false, false, false, false],
  );
});
