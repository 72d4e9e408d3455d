import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Side, TraceLine } from './line.ts';
import { createTraceIndex, GIVEN_UP, NO_ANSWER } from './trace-index.ts';

/** A trace of messages, each with its sender and optionally its session. */
function indexed(...messages: readonly (readonly [from: Side, message: unknown, session?: string])[]) {
  const index = createTraceIndex();
  messages.forEach(([from, message, session = 's'], at) => {
    const text = typeof message === 'string' ? message : JSON.stringify(message);
    index.add({ n: at + 1, at: (at + 1) * 10, session, kind: 'message', from, text } satisfies TraceLine);
  });
  return index;
}

function request(id: unknown, method = 'tools/call', params?: object): object {
  return {
    jsonrpc: '2.0',
    id,
    method,
    params,
  };
}
function result(id: unknown, value: object = {}): object {
  return { jsonrpc: '2.0', id, result: value };
}

test('an answer finds its request, from the other side, in the same session and with the same type of id', () => {
  const { all } = indexed(
    ['client', request(1)],
    ['client', request('1')],
    ['server', request(1, 'roots/list')],
    ['client', request(1), 'other'],
    ['server', result(1)],
    ['client', result(1)],
    ['server', result('1')],
  );
  assert.deepEqual(
    all.map(({ pair }) => pair),
    [5, 7, 6, undefined, 1, 3, 2],
  );
  assert.deepEqual([all[4]!.method, all[4]!.ms, all[0]!.ms, all[4]!.cause], ['tools/call', 40, 40, 1]);
});

test('an answer is matched once, and a reused id belongs to the first request', () => {
  const { all } = indexed(
    ['client', request(1)],
    ['client', request(1, 'ping')],
    ['server', result(1)],
    ['server', result(1)],
  );
  assert.deepEqual(
    all.map(({ pair }) => pair),
    [3, undefined, 1, undefined],
  );
});

test('both the request and its answer have the outcome', () => {
  const { all } = indexed(
    ['client', request(1)],
    ['client', request(2)],
    ['client', request(3)],
    ['client', request(4)],
    ['client', request(5)],
    ['server', result(1)],
    ['server', { jsonrpc: '2.0', id: 2, error: { code: -32602, message: 'no' } }],
    ['server', result(3, { isError: true })],
    ['server', result(4, { resultType: 'input_required' })],
  );
  assert.deepEqual(
    all.map(({ outcome }) => outcome),
    ['ok', 'error', 'tool-error', 'input', 'pending', 'ok', 'error', 'tool-error', 'input'],
  );
  assert.equal(all[6]!.code, -32602);
});

test('only the requester can cancel a request', () => {
  const cancel = { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 1 } };
  const byClient = indexed(['client', request(1)], ['client', cancel]);
  assert.deepEqual([byClient.at(1)!.outcome, byClient.at(2)!.cause], ['cancelled', 1]);
  const byServer = indexed(['client', request(1)], ['server', cancel]);
  assert.deepEqual([byServer.at(1)!.outcome, byServer.at(2)!.cause], ['pending', undefined]);
});

/** Lines of all kinds, 10 ms apart. */
function added(...lines: readonly Partial<TraceLine>[]) {
  const index = createTraceIndex();
  for (const [at, line] of lines.entries())
    index.add({ n: at + 1, at: (at + 1) * 10, session: 's', kind: 'message', text: '', ...line } as TraceLine);
  return index;
}
function said(from: Side, message: object): Partial<TraceLine> {
  return { from, text: JSON.stringify(message) };
}
function part(cause: number, of: 'request' | 'end', text: string): Partial<TraceLine> {
  return {
    kind: 'http',
    from: 'client',
    cause,
    text,
    http: { exchange: 1, part: of },
  };
}

test('a late answer does not make an abandoned request a success', () => {
  const cancel = { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 1 } };
  const timer = { kind: 'timer', cause: 1, text: 'No answer to tools/call in 10 ms' } as const;
  const ask = said('client', request(1));
  const late = said('server', result(1));
  const ways: Readonly<Record<string, readonly [outcome: string, ms: number, ...Partial<TraceLine>[]]>> = {
    'a cancellation': ['cancelled', 10, ask, said('client', cancel), late],
    'a timer': ['timeout', 10, ask, timer, late],
    'a cancellation and its timer': ['timeout', 10, ask, said('client', cancel), timer, late],
    'an exchange that was left': [
      'cancelled',
      20,
      ask,
      part(1, 'request', 'POST /mcp'),
      part(2, 'end', 'left before the end'),
      late,
    ],
    'a note': ['cancelled', 10, ask, { kind: 'note', from: 'client', cause: 1, text: GIVEN_UP }, late],
    'nothing left to come by': ['lost', 10, ask, { kind: 'note', from: 'client', cause: 1, text: NO_ANSWER }, late],
  };
  for (const [name, [outcome, ms, ...lines]] of Object.entries(ways)) {
    const { all } = added(...lines);
    const [asked] = all;
    const answer = all.at(-1)!;
    assert.deepEqual([asked!.outcome, asked!.ms, asked!.pair], [outcome, ms, answer.n], name);
    assert.deepEqual([answer.outcome, answer.pair, answer.ms], ['ok', 1, (lines.length - 1) * 10], name);
  }
});

test('the normal end of an exchange, and an unrelated note, abandon no request', () => {
  const ask = said('client', request(1));
  const { all } = added(
    ask,
    part(1, 'request', 'POST /mcp'),
    part(2, 'end', 'end'),
    { kind: 'note', from: 'client', cause: 1, text: 'This line on stdin of the server is not UTF-8' },
    { kind: 'timer', text: 'it did not answer for 30 s' },
  );
  assert.equal(all[0]!.outcome, 'pending');
});

test('a request that answers questions is linked to the result that asks them', () => {
  const asks = (id: number, more: object): object => result(id, { resultType: 'input_required', ...more });
  const call = (id: number, more: object = {}, name = 'form'): object => request(id, 'tools/call', { name, ...more });
  const { all } = indexed(
    ['client', call(1)],
    ['server', asks(1, { inputRequests: { a: {} }, requestState: 'x' })],
    ['client', call(2)],
    ['server', asks(2, { inputRequests: { a: {} }, requestState: 'y' })],
    ['client', call(3, { inputResponses: { a: {} }, requestState: 'x' })],
    ['server', asks(3, { inputRequests: { b: {} } })],
    ['client', call(4, { inputResponses: { b: {} } }), 'other'],
    ['client', call(5, { inputResponses: { b: {} } }, 'other')],
    ['client', call(6, { inputResponses: { c: {} } })],
    ['client', call(7, { inputResponses: { b: {} } })],
    ['client', call(8, { inputResponses: { b: {} } })],
    ['client', call(9, { arguments: { text: '"requestState"' } })],
  );
  assert.deepEqual(
    all.filter(({ message }) => message === 'request').map(({ cause }) => cause),
    [undefined, undefined, 2, undefined, undefined, undefined, 6, undefined, undefined],
  );
});

test('the subject of a message, and messages without one', () => {
  const { all } = indexed(
    ['client', request(1, 'tools/call', { name: 'add' })],
    ['client', request(2, 'resources/read', { uri: 'a://b' })],
    ['client', request(3, 'completion/complete', { ref: { type: 'ref/prompt', name: 'p' } })],
    ['client', '[1,2]'],
    ['client', '{"jsonrpc":"1.0"}'],
    ['client', '{"jsonrpc":"2.0","id":1'],
    ['client', { jsonrpc: '2.0', method: 'a' }],
    ['client', { jsonrpc: '2.0', id: 1, method: 'a', result: {} }],
  );
  assert.deepEqual(
    all.map(({ message, subject }) => [message, subject]),
    [
      ['request', 'add'],
      ['request', 'a://b'],
      ['request', 'p'],
      ['batch', undefined],
      ['invalid', undefined],
      ['invalid', undefined],
      ['notification', undefined],
      ['invalid', undefined],
    ],
  );
});

test('a call answered with a task ends with the task', () => {
  const { all } = indexed(
    ['client', request(1)],
    ['server', result(1, { task: { taskId: 'a', status: 'working' } })],
    ['client', request(2)],
    ['server', result(2, { resultType: 'task', taskId: 'b', status: 'working' })],
    ['client', request(3, 'tasks/get', { taskId: 'b' })],
    ['server', result(3, { resultType: 'complete', taskId: 'b', status: 'completed' })],
  );
  assert.deepEqual(
    all.map(({ outcome }) => outcome),
    ['task', 'task', 'ok', 'task', 'ok', 'ok'],
  );
  assert.deepEqual([all[2]!.task, all[5]!.task, all[2]!.ms], [6, 3, 30], 'the end of a task is linked to its call');
});

test('a call ends like its task, and the result takes precedence over the state', () => {
  const error = { jsonrpc: '2.0', id: 2, error: { code: -32603, message: 'no' } };
  const unknown = { jsonrpc: '2.0', id: 2, error: { code: -32602, message: 'Task not found' } };
  const told = { jsonrpc: '2.0', method: 'notifications/tasks/status', params: { taskId: 'a', status: 'failed' } };
  const ofTask = (method: string, answer: object) =>
    indexed(
      ['client', request(1)],
      ['server', result(1, { task: { taskId: 'a', status: 'working' } })],
      ['client', request(2, method, { taskId: 'a' })],
      ['server', answer],
    ).at(1)!;
  for (const [method, answer, outcome, task] of [
    ['tasks/get', result(2, { taskId: 'a', status: 'working' }), 'task', undefined],
    ['tasks/get', result(2, { taskId: 'a', status: 'cancelled' }), 'cancelled', 4],
    ['tasks/cancel', result(2, { taskId: 'a', status: 'cancelled' }), 'cancelled', 4],
    ['tasks/get', result(2, { taskId: 'a', status: 'completed', result: { isError: true } }), 'tool-error', 4],
    ['tasks/get', unknown, 'task', undefined],
    ['tasks/result', unknown, 'task', undefined],
    ['tasks/result', error, 'error', 4],
    ['tasks/result', result(2, { isError: true }), 'tool-error', 4],
    ['tasks/other', result(2, { taskId: 'a', status: 'completed' }), 'task', undefined],
  ] as const) {
    const call = ofTask(method, answer);
    assert.deepEqual([call.outcome, call.task], [outcome, task], `${method} ${JSON.stringify(answer)}`);
  }
  const { all } = indexed(
    ['client', request(1)],
    ['server', result(1, { task: { taskId: 'a', status: 'working' } })],
    ['server', told],
    ['client', request(2, 'tasks/result', { taskId: 'a' })],
    ['server', result(2, { isError: true })],
    ['client', request(3, 'tasks/get', { taskId: 'a' })],
    ['server', result(3, { taskId: 'a', status: 'failed' })],
  );
  assert.deepEqual([all[0]!.outcome, all[0]!.task, all[0]!.ms], ['tool-error', 5, 20]);
});

test('a task of another session, and one that a client reports, are not linked to a call', () => {
  const state = { jsonrpc: '2.0', method: 'notifications/tasks', params: { taskId: 'a', status: 'completed' } };
  const { all } = indexed(
    ['client', request(1)],
    ['server', result(1, { resultType: 'task', taskId: 'a', status: 'working' })],
    ['server', state, 'other'],
    ['client', state],
  );
  assert.deepEqual([all[0]!.outcome, all[0]!.task], ['task', undefined]);
});
