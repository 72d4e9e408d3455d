// Tasks, in both revisions that have them: how a call becomes one, how it ends, and how each revision represents that.
import assert from 'node:assert/strict';
import { until } from '../../../../scripts/lib/until.ts';
import { legacy } from './cells.ts';
import { pagedTasks } from './fixtures/tasks.ts';
import { everywhereRaw, type Raw } from './raw.ts';
import {
  callAsTask,
  counted,
  createdIn,
  EXTENSION,
  get,
  getWhen,
  hasTasks,
  open,
  outcome,
  RELATED,
  setup,
  start,
  textOf,
} from './task-calls.ts';

everywhereRaw(
  '[TASK-1] [TASK-7] [TASK-8] [TASK-13] [TASK-17] [TASK-39] [TASK-40] [TASK-44] [TASK-48] [TASK-50] a call becomes a task: the answer is its handle, and its result follows',
  async (raw) => {
    const created = await start(raw, 'gated', { gate: 'one' });
    assert.equal(created.status, 'working');
    for (const time of ['createdAt', 'lastUpdatedAt']) assert.match(String(created[time]), /^\d{4}-.*T.*Z$/);
    const poll = created[legacy(raw.cell) ? 'pollInterval' : 'pollIntervalMs'] as number;
    assert.ok(Number.isInteger(poll) && poll > 0);
    const shown = await get(raw, created);
    assert.deepEqual([shown.taskId, shown.status, shown.result], [created.taskId, 'working', undefined]);
    if (!legacy(raw.cell)) assert.equal(shown['resultType'], 'complete');
    await open(raw, 'one');
    const ended = await getWhen(raw, created, 'completed');
    assert.equal(ended['createdAt'], created['createdAt']);
    assert.equal(Object.hasOwn(ended, 'pollInterval') || Object.hasOwn(ended, 'pollIntervalMs'), false);
    assert.equal(textOf(await outcome(raw, created)), 'through one');
    assert.equal(textOf(await outcome(raw, created)), 'through one', 'the result stays');
  },
  setup,
);

everywhereRaw(
  '[TASK-18] the result of a task is the same as that of a call',
  async (raw) => {
    const { result } = await raw.request(
      'tools/call',
      { name: 'echo', arguments: { text: 'a' } },
      { capabilities: {} },
    );
    const ofTask = (await outcome(raw, await start(raw, 'echo', { text: 'a' }))).result!;
    for (const member of ['content', 'structuredContent', 'isError'])
      assert.deepEqual(ofTask[member], result![member], member);
    assert.deepEqual(ofTask['structuredContent'], { text: 'a' });
  },
  setup,
);

everywhereRaw(
  '[TASK-30] [TASK-41] [TASK-42] a tool error is a failed task in 2025-11-25, and a completed one with isError in 2026-07-28',
  async (raw) => {
    for (const [name, args] of [
      ['refused', {}],
      ['crashed', {}],
    ] as const) {
      const created = await start(raw, name, args);
      const ended = await getWhen(raw, created, 'completed', 'failed');
      assert.equal(ended.status, legacy(raw.cell) ? 'failed' : 'completed');
      const { result } = await outcome(raw, created);
      assert.equal(result!['isError'], true);
      assert.doesNotMatch(JSON.stringify(result), /SECRETPW/);
    }
    const refused = await outcome(raw, await start(raw, 'refused'));
    assert.equal(textOf(refused), 'Not today');
  },
  setup,
);

everywhereRaw(
  '[TASK-43] a protocol error is a failed task with that error',
  async (raw) => {
    const created = await start(raw, 'broken');
    const ended = await getWhen(raw, created, 'failed');
    assert.equal(ended.statusMessage, 'Cannot be run');
    const { error } = await outcome(raw, created);
    assert.deepEqual(error, { code: 1234, message: 'Cannot be run', data: { until: 'tomorrow' } });
  },
  setup,
);

everywhereRaw(
  '[TASK-4] [TASK-6] a tool without task support is called as usual, even if the client accepts tasks',
  async (raw) => {
    assert.equal(textOf(await raw.request('tools/call', { name: 'plain' })), 'plain');
    const asTask = await callAsTask(raw, 'plain');
    if (legacy(raw.cell)) assert.equal(asTask.error?.code, -32601);
    else assert.equal(textOf(asTask), 'plain');
  },
  setup,
);

everywhereRaw(
  '[TASK-35] [TASK-38] [TASK-5] a client that accepts no tasks gets the result, or an error if the tool requires a task',
  async (raw) => {
    const plainly = { capabilities: {} };
    const { result } = await raw.request('tools/call', { name: 'echo', arguments: { text: 'a' } }, plainly);
    assert.deepEqual(result!['structuredContent'], { text: 'a' });
    const { error } = await raw.request('tools/call', { name: 'refused' }, plainly);
    assert.equal(error?.code, legacy(raw.cell) ? -32601 : -32021);
    if (!legacy(raw.cell)) assert.deepEqual(error.data, { requiredCapabilities: { extensions: { [EXTENSION]: {} } } });
  },
  setup,
);

everywhereRaw(
  'before 2025-11-25 there are no tasks: every tool is called as usual',
  async (raw) => {
    assert.equal(textOf(await raw.request('tools/call', { name: 'refused' })), 'Not today');
    const { result } = await raw.request('tools/list');
    assert.ok(result!['tools'].every((tool: object) => !Object.hasOwn(tool, 'execution')));
    assert.equal((await raw.request('tasks/get', { taskId: 'a' })).error?.code, -32601);
  },
  { ...setup, only: (cell) => !hasTasks(cell), hostile: true },
);

everywhereRaw(
  '[TASK-33] [TASK-68] each revision has its own task methods',
  async (raw) => {
    const { taskId } = await start(raw, 'echo', { text: 'a' });
    // `tasks/list` needs a caller whose tasks are known.
    const others = legacy(raw.cell) ? ['tasks/list'] : ['tasks/result', 'tasks/list'];
    for (const method of others) assert.equal((await raw.request(method, { taskId })).error?.code, -32601, method);
    // A request of 2026-07-28 without the metadata that every request needs there.
    if (legacy(raw.cell)) assert.equal((await raw.request('tasks/update', { taskId })).error?.code, -32602);
  },
  { ...setup, hostile: true },
);

everywhereRaw(
  '[TASK-1] the server declares tasks as the revision defines, and says which tools run as tasks',
  async (raw) => {
    const { result } = legacy(raw.cell)
      ? await raw.request('initialize', {
          protocolVersion: raw.cell.revision,
          capabilities: {},
          clientInfo: { name: 'again', version: '1' },
        })
      : await raw.request('server/discover');
    const { capabilities } =
      result ?? (raw.received.find(({ result: first }) => first?.['capabilities'])!.result as any);
    if (legacy(raw.cell)) {
      assert.deepEqual(capabilities.tasks, { cancel: {}, requests: { tools: { call: {} } } });
      const { result: list } = await raw.request('tools/list');
      const execution = (name: string) => list!['tools'].find((tool: any) => tool.name === name).execution;
      assert.deepEqual(['plain', 'echo', 'refused'].map(execution), [
        undefined,
        { taskSupport: 'optional' },
        { taskSupport: 'required' },
      ]);
    } else {
      assert.deepEqual(capabilities.extensions, { [EXTENSION]: {} });
      assert.equal(capabilities.tasks, undefined);
      const { result: list } = await raw.request('tools/list');
      assert.ok(list!['tools'].every((tool: object) => !Object.hasOwn(tool, 'execution')));
    }
  },
  { ...setup, alone: true, hostile: true },
);

everywhereRaw(
  'invalid arguments are rejected at once, without a task',
  async (raw) => {
    const { error, result } = await callAsTask(raw, 'echo', { text: 5 });
    if (legacy(raw.cell)) {
      assert.equal(error?.code, -32602);
      assert.match(error.message, /text/);
    } else {
      assert.equal(result!['isError'], true);
      assert.match(result!['content'][0].text, /text/);
    }
  },
  setup,
);

everywhereRaw(
  '[TASK-27] [TASK-28] [TASK-56] a cancelled task stops, and stays cancelled',
  async (raw) => {
    const created = await start(raw, 'gated', { gate: 'never' });
    const { result } = await raw.request('tasks/cancel', { taskId: created.taskId });
    if (legacy(raw.cell)) assert.equal(result!['status'], 'cancelled');
    else assert.equal(result!['taskId'], undefined);
    assert.equal((await get(raw, created)).status, 'cancelled');
    await until(async () => (await counted(raw, 'never aborted')) === '1', 'the handler was aborted');
    assert.equal((await get(raw, created)).status, 'cancelled');
    if (legacy(raw.cell)) assert.equal((await outcome(raw, created)).error?.code, -32603);
  },
  setup,
);

everywhereRaw(
  'a task whose handler does not stop is cancelled anyway, and its later result changes nothing',
  async (raw) => {
    const created = await start(raw, 'stubborn', { gate: 'stubborn' });
    await raw.request('tasks/cancel', { taskId: created.taskId });
    await open(raw, 'stubborn');
    await until(async () => (await counted(raw, 'stubborn ended')) === '1', 'the handler has returned');
    await raw.settled();
    assert.equal((await get(raw, created)).status, 'cancelled');
  },
  setup,
);

everywhereRaw(
  '[TASK-26] a task that has ended is not cancelled: an error in 2025-11-25, an acknowledgement in 2026-07-28',
  async (raw) => {
    const created = await start(raw, 'echo', { text: 'a' });
    await getWhen(raw, created, 'completed');
    const { error, result } = await raw.request('tasks/cancel', { taskId: created.taskId });
    if (legacy(raw.cell)) assert.equal(error?.code, -32602);
    else assert.equal(result!['resultType'], 'complete');
    assert.equal((await get(raw, created)).status, 'completed');
  },
  setup,
);

everywhereRaw(
  '[TASK-58] a notification that cancels its request does not cancel a task',
  async (raw) => {
    const params = { name: 'gated', arguments: { gate: 'noted' }, ...(legacy(raw.cell) ? { task: {} } : {}) };
    const id = raw.ask('tools/call', params);
    const created = createdIn(await raw.answerTo(id));
    raw.notify('notifications/cancelled', { requestId: id });
    await raw.settled();
    assert.equal((await get(raw, created)).status, 'working');
    await open(raw, 'noted');
    assert.equal(textOf(await outcome(raw, created)), 'through noted');
  },
  { ...setup, hostile: true },
);

everywhereRaw(
  '[TASK-20] [TASK-21] [TASK-22] in 2025-11-25 the result names its task, and answers about the state do not',
  async (raw) => {
    const created = await start(raw, 'echo', { text: 'a' });
    const { result } = await raw.request('tasks/result', {
      taskId: created.taskId,
      _meta: { [RELATED]: { taskId: 'other' } },
    });
    assert.deepEqual(result!['_meta'][RELATED], { taskId: created.taskId });
    assert.equal((await get(raw, created))['_meta'], undefined);
  },
  { ...setup, only: (cell) => cell.revision === '2025-11-25' },
);

everywhereRaw(
  '[TASK-19] in 2025-11-25 the request for the result waits for it',
  async (raw) => {
    const created = await start(raw, 'gated', { gate: 'later' });
    const id = raw.ask('tasks/result', { taskId: created.taskId });
    await raw.settled();
    assert.ok(!raw.received.some((message) => message.id === id), 'there is no answer yet');
    await open(raw, 'later');
    assert.equal(textOf(await raw.answerTo(id)), 'through later');
  },
  { ...setup, only: (cell) => cell.revision === '2025-11-25' },
);

everywhereRaw(
  '[TASK-62] [PROG-10] progress is the status message of a task; only 2025-11-25 reports it to the client, with the token of the call',
  async (raw) => {
    const created = createdIn(await callAsTask(raw, 'gated', { gate: 'told' }, {}, { progressToken: 'token' }));
    await until(async () => (await get(raw, created)).statusMessage === 'before told', 'the message is shown');
    await open(raw, 'told');
    await outcome(raw, created);
    await raw.settled();
    const reports = raw.received.filter(({ method }) => method === 'notifications/progress');
    if (!legacy(raw.cell)) return assert.deepEqual(reports, []);
    assert.deepEqual(
      reports.map(({ params }) => [params!['progressToken'], params!['progress'], params!['_meta']?.[RELATED]]),
      [1, 2].map((progress) => ['token', progress, { taskId: created.taskId }]),
    );
  },
  setup,
);

everywhereRaw(
  'log messages of a task are sent in 2025-11-25, with the task that they belong to, and never in 2026-07-28',
  async (raw) => {
    const meta = legacy(raw.cell) ? {} : { 'io.modelcontextprotocol/logLevel': 'debug' };
    const created = createdIn(await callAsTask(raw, 'logs', {}, {}, meta));
    await outcome(raw, created);
    await raw.settled();
    const logs = raw.received.filter(({ method }) => method === 'notifications/message');
    if (!legacy(raw.cell)) return assert.deepEqual(logs, []);
    assert.deepEqual(
      logs.map(({ params }) => [params!['data'], params!['_meta'][RELATED]]),
      [['logged', { taskId: created.taskId }]],
    );
  },
  setup,
);

/** Ids that a client might make up. */
const STRANGE = [
  '',
  'unknown',
  '__proto__',
  'constructor',
  'toString',
  '../task',
  '%',
  '*',
  'task/tasks/-/',
  '\u0000',
  '\ud800',
  'x'.repeat(100_000),
];

function aboutTasks({ cell }: Raw): readonly [method: string, params: object][] {
  return [
    ['tasks/get', {}],
    ['tasks/cancel', {}],
    legacy(cell) ? ['tasks/result', {}] : ['tasks/update', { inputResponses: { a: { action: 'accept' } } }],
  ];
}

everywhereRaw(
  '[TASK-29] [TASK-64] every method answers a malformed task id like an unknown one',
  async (raw) => {
    const { taskId } = await start(raw, 'echo', { text: 'a' });
    // An id of the right form that belongs to no task.
    const unknown = [...taskId].map((char) => (char === '-' ? char : 'a')).join('');
    for (const [method, more] of aboutTasks(raw))
      for (const id of [unknown, ...STRANGE, taskId.slice(1), `${taskId} `, taskId.toUpperCase()]) {
        if (id === taskId) continue;
        const { error } = await raw.request(method, { ...more, taskId: id });
        assert.equal(error?.code, -32602, `${method} ${JSON.stringify(id).slice(0, 40)}`);
        assert.match(error.message, /^There is no task /);
        assert.ok(error.message.length < 200);
      }
  },
  setup,
);

everywhereRaw(
  'an id that is not a string is an error',
  async (raw) => {
    for (const [method, more] of aboutTasks(raw))
      for (const taskId of [undefined, null, 5, true, {}, ['a']])
        assert.equal(
          (await raw.request(method, { ...more, taskId })).error?.code,
          -32602,
          `${method} ${String(taskId)}`,
        );
  },
  { ...setup, hostile: true },
);

everywhereRaw(
  '[TASK-65] every task method requires that this very request declares the extension',
  async (raw) => {
    const { taskId } = await start(raw, 'echo', { text: 'a' });
    for (const [method, more] of aboutTasks(raw))
      for (const capabilities of [{}, { extensions: {} }, { tasks: {} }, { extensions: { tasks: {} } }]) {
        const { error } = await raw.request(method, { ...more, taskId }, { capabilities });
        assert.equal(error?.code, -32021, method);
        assert.deepEqual(error.data, { requiredCapabilities: { extensions: { [EXTENSION]: {} } } });
      }
  },
  { ...setup, only: (cell) => cell.revision === '2026-07-28', hostile: true },
);

everywhereRaw(
  '[TASK-14] the client may want a time to live; it is limited, and never 0',
  async (raw) => {
    const day = 24 * 3_600_000;
    for (const [ttl, granted] of [
      [undefined, day],
      [null, day],
      [60_000, 60_000],
      [60_000.4, 60_000],
      [100 * 365 * day, day],
      [Number.MAX_VALUE, day],
    ])
      assert.equal((await start(raw, 'echo', { text: 'a' }, { ttl }))['ttl'], granted, String(ttl));
    for (const ttl of [0, -1, 'day', {}, true])
      assert.equal((await callAsTask(raw, 'echo', { text: 'a' }, { ttl })).error?.code, -32602, String(ttl));
    for (const task of [null, 5, [], 'task', true]) {
      const { error } = await raw.request('tools/call', { name: 'echo', arguments: { text: 'a' }, task });
      assert.equal(error?.code, -32602, JSON.stringify(task));
    }
  },
  { ...setup, only: (cell) => cell.revision === '2025-11-25', hostile: true },
);

everywhereRaw(
  'a task that does not end within its time to live fails, and its handler is stopped',
  async (raw) => {
    const created = await start(raw, 'gated', { gate: 'endless' });
    const ended = await getWhen(raw, created, 'failed');
    assert.match(ended.statusMessage!, /^The task did not end within its time to live of 40 ms$/);
    await until(async () => (await counted(raw, 'endless aborted')) === '1', 'the handler was aborted');
    const { error } = await outcome(raw, created);
    assert.equal(error?.code, -32603);
  },
  { ...setup, serve: { limits: { taskMs: 40 } } },
);

everywhereRaw(
  'a result that is too large for a task is a clear error',
  async (raw) => {
    const fits = await start(raw, 'big', { size: 1_000 });
    assert.equal(textOf(await outcome(raw, fits)).length, 1_000);
    const { error } = await outcome(raw, await start(raw, 'big', { size: 3_000 }));
    assert.match(error!.message, /^The result has \d+ characters, more than the 2000 that a task may have/);
  },
  { ...setup, serve: { limits: { taskBytes: 2_000 } } },
);

everywhereRaw(
  '[TASK-34] the number of running tasks is limited; a task that ends makes room',
  async (raw) => {
    const first = await start(raw, 'gated', { gate: 'first' });
    await start(raw, 'gated', { gate: 'second' });
    const { error } = await callAsTask(raw, 'gated', { gate: 'third' });
    assert.equal(error?.code, -32603);
    assert.match(error.message, /^Too many tasks at once: the limit is 2/);
    // The user is not asked for a task that exceeds the limit.
    assert.deepEqual((await callAsTask(raw, 'asksFirst')).error, error);
    await open(raw, 'first');
    await outcome(raw, first);
    const third = await start(raw, 'gated', { gate: 'third' });
    await open(raw, 'second');
    await open(raw, 'third');
    assert.equal(textOf(await outcome(raw, third)), 'through third');
  },
  {
    ...setup,
    alone: true,
    only: (cell) => hasTasks(cell) && cell.transport === 'stdio',
    serve: { limits: { tasks: 2 } },
  },
);

everywhereRaw(
  '[TASK-24] [TASK-25] an authenticated client of 2025-11-25 can list its tasks, in pages',
  async (raw) => {
    const ids = [];
    for (let n = 0; n < 5; n++) ids.push((await start(raw, 'echo', { text: String(n) })).taskId);
    const listed: string[] = [];
    let cursor: string | undefined;
    let pages = 0;
    do {
      const { result } = await raw.request('tasks/list', cursor === undefined ? undefined : { cursor });
      listed.push(...result!['tasks'].map(({ taskId }: { taskId: string }) => taskId));
      cursor = result!['nextCursor'];
      pages++;
    } while (cursor !== undefined);
    // The order of tasks of one millisecond is undefined.
    assert.deepEqual(listed.toSorted(), ids.toSorted());
    assert.equal(pages, 3);
    for (const wrong of ['x', 5, '', {}])
      assert.equal((await raw.request('tasks/list', { cursor: wrong })).error?.code, -32602, JSON.stringify(wrong));
  },
  {
    ...setup,
    alone: true,
    hostile: true,
    only: (cell) => cell.revision === '2025-11-25',
    fixture: pagedTasks,
    serve: { principal: { id: 'alice' } },
  },
);
