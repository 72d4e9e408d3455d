import assert from 'node:assert/strict';
import { test } from 'node:test';
import { followTask, type TaskFollowing } from './follow-task.ts';
import { createdTask, isTerminal, type TaskState } from './task-state.ts';

type Step = Readonly<Record<string, unknown>> | Error;

/** A server that answers `tasks/get` with these steps in order, and a client that follows the task without waiting. */
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

test('a created task is recognised in both forms, and nothing else is', () => {
  assert.deepEqual(made, { id: 'a', status: 'working', message: undefined, pollMs: 500, questions: {} });
  const flat = createdTask({ resultType: 'task', taskId: 'b', status: 'working', pollIntervalMs: 2_000 });
  assert.deepEqual([flat?.id, flat?.pollMs], ['b', 2_000]);
  for (const value of [undefined, null, [], {}, { task: {} }, { task: { taskId: 1 } }, { taskId: 'a' }])
    assert.equal(createdTask(value), undefined);
});

test('malformed questions are left out', () => {
  const inputRequests = { good: { method: 'roots/list' }, none: null, text: 'a', other: { method: 5 } };
  const { questions } = createdTask({ resultType: 'task', taskId: 'a', inputRequests })!;
  assert.deepEqual(questions, { good: { method: 'roots/list', params: {} } });
});

test('a task is polled at the interval that the server sets, within limits', () => {
  const wants = (pollInterval: unknown): number => createdTask({ task: { taskId: 'a', pollInterval } })!.pollMs;
  assert.deepEqual([0, -1, 'soon', Number.NaN, undefined].map(wants), [1_000, 1_000, 1_000, 1_000, 1_000]);
  assert.deepEqual([1, 250, 1e12, Number.POSITIVE_INFINITY].map(wants), [50, 250, 300_000, 300_000]);
});

test('[TASK-16] [TASK-46] a task of 2025-11-25 is polled at its interval until it has ended, and then its result is requested', async () => {
  const { sent, waited, following } = played([{ status: 'working', pollInterval: 700 }, { status: 'completed' }]);
  const { state, result } = await followTask('a', following, made);
  assert.deepEqual([state.status, result], ['completed', { content: [] }]);
  assert.deepEqual(sent, ['tasks/get', 'tasks/get', 'tasks/result']);
  assert.deepEqual(waited, [500, 700]);
});

test('a task that was not just created is polled at once', async () => {
  const { waited, following } = played([{ status: 'completed' }]);
  await followTask('a', following);
  assert.deepEqual(waited, []);
});

test('the result of a task of 2026-07-28 comes with its state', async () => {
  const { sent, following } = played([{ status: 'failed', error: { code: 1, message: 'no' } }], { isLegacy: false });
  const { state, answer, result } = await followTask('a', following);
  assert.deepEqual([state.status, answer['error'], result], ['failed', { code: 1, message: 'no' }, undefined]);
  assert.deepEqual(sent, ['tasks/get']);
});

test('a cancelled task has no result', async () => {
  const { sent, following } = played([{ status: 'cancelled' }]);
  await followTask('a', following);
  assert.deepEqual(sent, ['tasks/get']);
});

test('[TASK-11] the questions of a task arrive in the form of its revision', async () => {
  const inputRequests = { name: { method: 'roots/list' } };
  const steps = [{ status: 'input_required', inputRequests }, { status: 'completed' }];
  const legacy = played(steps);
  await followTask('a', legacy.following);
  assert.deepEqual(legacy.sent, ['tasks/get', 'tasks/result', 'tasks/get'], 'its result is waited for once');
  const asked: TaskState['questions'][] = [];
  const modern = played(steps, { isLegacy: false, answer: ({ questions }) => void asked.push(questions) });
  await followTask('a', modern.following);
  assert.deepEqual(asked, [{ name: { method: 'roots/list', params: {} } }]);
  assert.deepEqual(modern.sent, ['tasks/get', 'tasks/get']);
});

test('a result ends the pause, and a result that cannot be fetched does not end the pauses', async () => {
  const pauses: number[] = [];
  let answer!: (result: { readonly content: [] }) => void;
  const waits = played([{ status: 'input_required' }, { status: 'completed' }], {
    // Only the result ends this pause.
    delay: () => (answer({ content: [] }), new Promise(() => {})),
  });
  const { request } = waits.following;
  const following: TaskFollowing = {
    ...waits.following,
    request: (method, params, isLong) =>
      method === 'tasks/result' ? new Promise((resolve) => (answer = resolve)) : request(method, params, isLong),
  };
  assert.deepEqual((await followTask('a', following)).result, { content: [] });
  const refusing = played(
    [{ status: 'input_required' }, { status: 'working' }, { status: 'working' }, { status: 'cancelled' }],
    {
      async delay(ms) {
        pauses.push(ms);
        await new Promise((resolve) => void setImmediate(resolve));
      },
    },
  );
  const get = refusing.following.request;
  await followTask('a', {
    ...refusing.following,
    request: (method, params, isLong) =>
      method === 'tasks/result' ? Promise.reject(protocolError()) : get(method, params, isLong),
  });
  assert.deepEqual(pauses, [1_000, 1_000, 1_000]);
});

test('a result whose connection broke is requested again', async () => {
  const { following } = played([{ status: 'completed' }]);
  let asked = 0;
  const { request } = following;
  const { result } = await followTask('a', {
    ...following,
    request: (method, params, waits) =>
      method === 'tasks/result' && ++asked < 3
        ? Promise.reject(new Error('connection lost'))
        : request(method, params, waits),
  });
  assert.deepEqual([asked, result], [3, { content: [] }]);
});

test('an error of the server ends following, and a failed connection is retried a few times', async () => {
  await assert.rejects(followTask('a', played([protocolError()]).following), { message: 'Task not found' });
  const gone = new Error('connection lost');
  const some = played([gone, gone, { status: 'completed' }]);
  await followTask('a', some.following, made);
  assert.equal(some.waited.length, 3);
  await assert.rejects(followTask('a', played([gone, gone, gone, gone, gone, gone]).following), gone);
});

test('an answer about another task ends following', async () => {
  await assert.rejects(
    followTask('a', played([{ taskId: 'b', status: 'completed' }]).following),
    /not about this task/,
  );
});

test('following ends when it is aborted', async () => {
  const stopped = new Error('stopped');
  const { sent, following } = played([], { delay: () => Promise.reject(stopped) });
  await assert.rejects(followTask('a', following, made), stopped);
  assert.deepEqual(sent, []);
});

test('exactly three states are terminal', () => {
  assert.deepEqual(
    ['completed', 'failed', 'cancelled', 'working', 'input_required', 'COMPLETED', undefined].map(isTerminal),
    [true, true, true, false, false, false, false],
  );
});

test('an unreachable server has time to restart, even before the first answer about the task', async () => {
  const gone = new Error('ECONNREFUSED');
  const { waited, following } = played([gone, gone, gone, gone, { status: 'completed' }]);
  await followTask('a', following);
  assert.deepEqual(waited, [1_000, 2_000, 4_000, 8_000]);
});
