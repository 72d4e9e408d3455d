// Tasks over HTTP: their owners, their headers, subscriptions, and several processes with one store.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { turns, until } from '../../../../scripts/lib/until.ts';
import { memoryBus, memoryStore, type Store } from '../../src/entries/http.ts';
import { connect } from '../../src/entries/client.ts';
import { serveHttp } from '../../src/entries/node.ts';
import { ownerOf, TaskStore } from '../../src/server/tasks/task-store.ts';
import { makePagedTasks, makeTasks } from '../suite/fixtures/tasks.ts';
import { RELATED } from '../suite/task-calls.ts';
import { interruptibleBus } from './failing-store.ts';
import { type Answer, live, send } from './send.ts';
import { beginSession, fieldsOf, JSON_FIELDS, modernBody } from './stage.ts';
import { CLAIM, createdBy, type Served, serveTasks, shown, shownWhen } from './task-server.ts';

const one = await serveTasks();

test('[A-22] [TASK-31] [TASK-67] tasks of another caller cannot be found: every method answers as for an unknown id', async () => {
  /** The keys that were asked for. */
  const asked: string[] = [];
  const kept = memoryStore();
  const get = (key: string): unknown => {
    asked.push(key);
    return kept.get(key);
  };
  const served = await serveTasks({ store: { ...kept, get } });
  const taskId = await createdBy(served, 'alice', 'color');
  await shownWhen(served, 'alice', taskId, 'input_required');
  const answers = { inputResponses: { color: { action: 'accept', content: { color: 'red' } } } };
  const otherId = taskId.replace(/.$/, taskId.endsWith('0') ? '1' : '0');
  /** What is read from the store for a request about a task of another caller, without the id. */
  const keysRead = async (method: string, id: string, user: string): Promise<readonly string[]> => {
    asked.length = 0;
    await served.modern(method, { taskId: id, ...answers }, { user });
    // Without those that the process of the task reads meanwhile.
    return asked.filter((key) => key.startsWith('task/')).map((key) => key.replace(id, ''));
  };
  for (const [method, more] of [
    ['tasks/get', {}],
    ['tasks/cancel', {}],
    ['tasks/update', answers],
  ] as const)
    for (const user of ['bob', 'Alice', 'alice ', 'alice/', '%61lice', '__proto__']) {
      if (user.trim() === 'alice') continue;
      const foreign = await served.modern(method, { taskId, ...more }, { user });
      const unknown = await served.modern(method, { taskId: otherId, ...more }, { user });
      assert.equal(foreign.json.error.code, -32602, `${method} ${user}`);
      // But for the two ids that the client itself has sent, which need not have the same length.
      const masked = ({
        status,
        text,
        headers: { date: _date, 'content-length': _length, ...headers },
      }: Answer): string =>
        JSON.stringify([status, text.replace(/task [\w-]+/, 'task').replace(/"id":\d+/, ''), headers]);
      assert.equal(masked(foreign), masked(unknown));
      const [keys, keysOfUnknown] = [await keysRead(method, taskId, user), await keysRead(method, otherId, user)];
      assert.deepEqual(keys, keysOfUnknown, 'the store is asked for the same, so it takes as long');
      const stream = listen(served, user, { taskIds: [taskId] });
      const { params } = await stream.next(({ method: told }) => told === 'notifications/subscriptions/acknowledged');
      assert.deepEqual(params.notifications.taskIds ?? [], []);
      stream.drop();
    }
  assert.equal((await shown(served, 'alice', taskId)).status, 'input_required', 'nothing has changed');
  await served.modern('tasks/update', { taskId, ...answers }, { user: 'alice' });
  assert.equal((await shownWhen(served, 'alice', taskId, 'completed')).result.content[0].text, 'red');
});

test('[TASK-31] lists contain only the tasks of the caller', async () => {
  const sessions = new Map<string, Awaited<ReturnType<typeof beginSession>>>();
  for (const user of ['ann', 'ben']) sessions.set(user, await beginSession(one.url, '2025-11-25', {}, { user }));
  const made = new Map<string, string[]>();
  for (const [user, session] of sessions) {
    const ids = [];
    for (let n = 0; n < 3; n++) {
      const call = { name: 'echo', arguments: { text: user }, task: {} };
      const { json } = await session.post({ jsonrpc: '2.0', id: n, method: 'tools/call', params: call }, { user });
      ids.push(json.result.task.taskId);
    }
    made.set(user, ids);
  }
  for (const [user, session] of sessions) {
    const { json } = await session.post({ jsonrpc: '2.0', id: 'list', method: 'tasks/list' }, { user });
    assert.deepEqual(
      json.result.tasks.map(({ taskId }: { taskId: string }) => taskId),
      made.get(user),
    );
    const [foreign] = made.get(user === 'ann' ? 'ben' : 'ann')!;
    for (const method of ['tasks/get', 'tasks/result', 'tasks/cancel']) {
      const answer = await session.post({ jsonrpc: '2.0', id: method, method, params: { taskId: foreign } }, { user });
      assert.equal(answer.json.error.code, -32602, method);
    }
  }
});

test('a cursor of one caller is invalid for another', async () => {
  const paged = await serveTasks({}, makePagedTasks());
  const list = async (user: string, cursor?: string) => {
    const session = await beginSession(paged.url, '2025-11-25', {}, { user });
    const call = { name: 'echo', arguments: { text: user }, task: {} };
    await session.post({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: call }, { user });
    await session.post({ jsonrpc: '2.0', id: 2, method: 'tools/call', params: call }, { user });
    const params = cursor === undefined ? {} : { cursor };
    return (await session.post({ jsonrpc: '2.0', id: 3, method: 'tasks/list', params }, { user })).json;
  };
  const { nextCursor } = (await list('ann')).result;
  assert.equal(typeof nextCursor, 'string');
  assert.equal((await list('ben', nextCursor)).error.code, -32602);
  assert.equal((await list('ann', nextCursor)).result.tasks.length, 2);
});

test('[TASK-63] Mcp-Name has to be the id of the task', async () => {
  const taskId = await createdBy(one, 'alice', 'echo', { text: 'a' });
  for (const method of ['tasks/get', 'tasks/cancel', 'tasks/update']) {
    const body = modernBody(method, { taskId, inputResponses: {} }, CLAIM);
    const wrong = await send(one.url, 'POST', fieldsOf(method, 'other', { user: 'alice' }), body);
    assert.deepEqual([wrong.status, wrong.json.error.code], [400, -32020], method);
    const missing = await send(one.url, 'POST', fieldsOf(method, undefined, { user: 'alice' }), body);
    assert.deepEqual([missing.status, missing.json.error.code], [400, -32020], method);
    assert.equal((await send(one.url, 'POST', fieldsOf(method, taskId, { user: 'alice' }), body)).status, 200, method);
  }
});

test('[TASK-38] [TASK-65] a client without the extension gets status 400 and the code for a missing capability', async () => {
  const taskId = await createdBy(one, 'alice', 'echo', { text: 'a' });
  for (const [method, params] of [
    ['tasks/get', { taskId }],
    ['tools/call', { name: 'refused' }],
  ] as const) {
    const { status, json } = await one.modern(method, params, { user: 'alice' }, {});
    assert.deepEqual([status, json.error.code], [400, -32021], method);
  }
});

function listen(served: Served, user: string, notifications: object, meta: object = CLAIM) {
  return live(
    served.url,
    'POST',
    fieldsOf('subscriptions/listen', undefined, { user }),
    modernBody('subscriptions/listen', { notifications }, meta, 'listen'),
  );
}

test('[TASK-61] [TASK-49] a client follows its tasks by a subscription: each notification is the whole task', async () => {
  const mine = await createdBy(one, 'carol', 'color');
  const foreign = await createdBy(one, 'dave', 'color');
  await shownWhen(one, 'carol', mine, 'input_required');
  const stream = listen(one, 'carol', { taskIds: [mine, foreign, 'unknown', mine] });
  const { params } = await stream.next(({ method }) => method === 'notifications/subscriptions/acknowledged');
  assert.deepEqual(params.notifications, { taskIds: [mine] });
  const inputResponses = { color: { action: 'accept', content: { color: 'green' } } };
  await one.modern('tasks/update', { taskId: mine, inputResponses }, { user: 'carol' });
  const ended = await stream.next(({ params: told }) => told.status === 'completed');
  assert.equal(ended.method, 'notifications/tasks');
  assert.equal(ended.params.taskId, mine);
  assert.equal(ended.params.result.content[0].text, 'green');
  assert.deepEqual(ended.params._meta, { 'io.modelcontextprotocol/subscriptionId': 'listen' });
  assert.ok(stream.messages.every(({ params: told }) => told.taskId === undefined || told.taskId === mine));
  stream.drop();
  await one.modern('tasks/cancel', { taskId: foreign }, { user: 'dave' });
});

test('a client that follows a task gets it again after an interruption of the bus, in which the task may have changed at another node', async () => {
  const bus = interruptibleBus(memoryBus());
  const served = await serveTasks({ store: memoryStore(), bus, keys: ['k'.repeat(32)] });
  const taskId = await createdBy(served, 'alice', 'color');
  await shownWhen(served, 'alice', taskId, 'input_required');
  const stream = listen(served, 'alice', { taskIds: [taskId] });
  await stream.next(({ method }) => method === 'notifications/subscriptions/acknowledged');
  bus.interrupt();
  const { params } = await stream.next(({ method }) => method === 'notifications/tasks');
  assert.deepEqual([params.taskId, params.status], [taskId, 'input_required']);
  stream.drop();
  await served.modern('tasks/cancel', { taskId }, { user: 'alice' });
});

test('[TASK-60] a client without the extension may not follow tasks, and wrong lists of ids are refused', async () => {
  const undeclared = listen(one, 'carol', { taskIds: ['a'] }, {});
  assert.equal(await undeclared.status, 400);
  await undeclared.over;
  assert.equal(JSON.parse(undeclared.text()).error.code, -32021);
  for (const taskIds of ['a', {}, [5], [null], Array.from({ length: 20_000 }, () => 'a')]) {
    const refused = listen(one, 'carol', { taskIds });
    await refused.over;
    assert.equal(JSON.parse(refused.text()).error.code, -32602, JSON.stringify(taskIds).slice(0, 40));
  }
});

test('in 2025-11-25 a question comes on the stream of the request for the result; if the connection breaks, it comes with the next one', async () => {
  const session = await beginSession(one.url, '2025-11-25', { elicitation: {} }, { user: 'erin' });
  const call = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'color', arguments: {}, task: {} } };
  const { taskId } = (await session.post(call, { user: 'erin' })).json.result.task;
  const waitFor = (id: number) =>
    session.begin({ jsonrpc: '2.0', id, method: 'tasks/result', params: { taskId } }, { user: 'erin' });
  const first = waitFor(2);
  await first.next(({ method }) => method === 'elicitation/create');
  await session.post({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 2 } }, { user: 'erin' });
  await first.over;
  const second = waitFor(3);
  const question = await second.next(({ method }) => method === 'elicitation/create');
  assert.deepEqual(question.params._meta[RELATED], { taskId });
  const result = { action: 'accept', content: { color: 'blue' } };
  await session.post({ jsonrpc: '2.0', id: question.id, result }, { user: 'erin' });
  assert.equal((await second.next(({ id }) => id === 3)).result.content[0].text, 'blue');
});

/** Creates a task that asks in a new session of this user, whose client has these capabilities. */
async function askingTask(url: string, user: string) {
  const session = await beginSession(url, '2025-11-25', { elicitation: {} }, { user });
  const call = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'color', arguments: {}, task: {} } };
  return { session, taskId: (await session.post(call, { user })).json.result.task.taskId as string };
}

function isQuestion({ method }: { readonly method?: string }): boolean {
  return method === 'elicitation/create';
}

function resultOf(taskId: string, id = 2): object {
  return { jsonrpc: '2.0', id, method: 'tasks/result', params: { taskId } };
}

const TEAL = { action: 'accept', content: { color: 'teal' } };

test('in 2025-11-25 a client that lost its session in the middle of a question is asked in the next one', async () => {
  const { session, taskId } = await askingTask(one.url, 'gus');
  const first = session.begin(resultOf(taskId), { user: 'gus' });
  await first.next(isQuestion);
  // The client dies. Its server cannot notice.
  first.drop();
  const next = await beginSession(one.url, '2025-11-25', { elicitation: {} }, { user: 'gus' });
  const second = next.begin(resultOf(taskId), { user: 'gus' });
  const { id } = await second.next(isQuestion);
  await next.post({ jsonrpc: '2.0', id, result: TEAL }, { user: 'gus' });
  assert.equal((await second.next((message) => message.id === 2)).result.content[0].text, 'teal');
});

test('in 2025-11-25 a client that cannot be asked gets no question of a task, and answers it with no error', async () => {
  const { session, taskId } = await askingTask(one.url, 'hal');
  const plain = await beginSession(one.url, '2025-11-25', {}, { user: 'hal' });
  const waiting = plain.begin(resultOf(taskId), { user: 'hal' });
  const able = session.begin(resultOf(taskId), { user: 'hal' });
  const { id } = await able.next(isQuestion);
  await session.post({ jsonrpc: '2.0', id, result: TEAL }, { user: 'hal' });
  await waiting.over;
  assert.doesNotMatch(waiting.text(), /elicitation/);
  assert.match(waiting.text(), /teal/);
});

test('in 2025-11-25 a client that does not answer in time is asked again, as long as it waits for the result', async () => {
  const impatient = await serveTasks({ limits: { requestMaxMs: 100 } });
  const { session, taskId } = await askingTask(impatient.url, 'ida');
  const waiting = session.begin(resultOf(taskId), { user: 'ida' });
  const first = await waiting.next(isQuestion);
  const second = await waiting.next(isQuestion);
  assert.notEqual(second.id, first.id);
  await session.post({ jsonrpc: '2.0', id: second.id, result: TEAL }, { user: 'ida' });
  assert.equal((await waiting.next((message) => message.id === 2)).result.content[0].text, 'teal');
});

test('in 2025-11-25 a task outlives its session: another session of the same caller gets the result', async () => {
  const session = await beginSession(one.url, '2025-11-25', {}, { user: 'frank' });
  const params = { name: 'gated', arguments: { gate: 'frank' }, task: {} };
  const made = await session.post({ jsonrpc: '2.0', id: 1, method: 'tools/call', params }, { user: 'frank' });
  const { taskId } = made.json.result.task;
  await send(one.url, 'DELETE', { ...session.fields, user: 'frank' });
  const next = await beginSession(one.url, '2025-11-25', {}, { user: 'frank' });
  const waiting = next.begin({ jsonrpc: '2.0', id: 2, method: 'tasks/result', params: { taskId } }, { user: 'frank' });
  await next.post(
    { jsonrpc: '2.0', id: 3, method: 'tools/call', params: { name: 'open', arguments: { gate: 'frank' } } },
    { user: 'frank' },
  );
  await waiting.over;
  const last = JSON.parse(waiting.messages.length > 0 ? JSON.stringify(waiting.messages.at(-1)) : waiting.text());
  assert.equal(last.result.content[0].text, 'through frank');
});

test('without sessions, tasks of 2025-11-25 work as well', async () => {
  const stateless = await serveTasks({ sessions: false });
  const fields = { ...JSON_FIELDS, user: 'gina', 'mcp-protocol-version': '2025-11-25' };
  const post = (method: string, params: object) =>
    send(stateless.url, 'POST', fields, JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }));
  const made = await post('tools/call', { name: 'echo', arguments: { text: 'a' }, task: {} });
  const { taskId } = made.json.result.task;
  const { json } = await post('tasks/result', { taskId });
  assert.deepEqual(json.result.structuredContent, { text: 'a' });
});

test('a task may live longer than a timer can wait', async () => {
  const patient = await serveTasks({ limits: { taskMs: 60 * 24 * 3_600_000 } });
  const taskId = await createdBy(patient, 'alice', 'gated', { gate: 'two months' });
  await turns();
  assert.equal((await shown(patient, 'alice', taskId)).status, 'working');
  await patient.modern('tasks/cancel', { taskId }, { user: 'alice' });
});

test('tasks of one caller are limited, and those of others are not affected', async () => {
  const few = await serveTasks({ limits: { tasksPerPrincipal: 2 } });
  const ids = [];
  for (let n = 0; n < 2; n++) ids.push(await createdBy(few, 'greedy', 'gated', { gate: `g${n}` }));
  const refused = await few.modern('tools/call', { name: 'gated', arguments: { gate: 'g' } }, { user: 'greedy' });
  assert.deepEqual(refused.json.error, { code: -32603, message: 'Too many tasks at once: the limit is 2' });
  const other = await createdBy(few, 'modest', 'gated', { gate: 'h' });
  for (const [user, taskId] of [...ids.map((id) => ['greedy', id] as const), ['modest', other] as const])
    await few.modern('tasks/cancel', { taskId }, { user });
  await until(async () => {
    const { json } = await few.modern('tools/call', { name: 'echo', arguments: { text: 'a' } }, { user: 'greedy' });
    return json.result !== undefined;
  }, 'there is room again');
});

test('the node that did not create a task can show it, take answers to its questions, and cancel it', async () => {
  const shared = { store: memoryStore(), bus: memoryBus(), keys: ['k'.repeat(32)] };
  const [a, b] = [await serveTasks(shared), await serveTasks(shared)];
  const asking = await createdBy(a, 'alice', 'color');
  await shownWhen(b, 'alice', asking, 'input_required');
  const inputResponses = { color: { action: 'accept', content: { color: 'teal' } } };
  await b.modern('tasks/update', { taskId: asking, inputResponses }, { user: 'alice' });
  assert.equal((await shownWhen(b, 'alice', asking, 'completed')).result.content[0].text, 'teal');
  const running = await createdBy(a, 'alice', 'gated', { gate: 'two nodes' });
  await b.modern('tasks/cancel', { taskId: running }, { user: 'alice' });
  assert.equal((await shown(a, 'alice', running)).status, 'cancelled');
});

test('[F-58] [TASK-57] an answer counts once, at whatever nodes it arrives again; those that come early or late change nothing', async () => {
  const shared = { store: memoryStore(), bus: memoryBus(), keys: ['k'.repeat(32)] };
  const nodes = [await serveTasks(shared), await serveTasks(shared)] as const;
  const update = async (at: number, taskId: string, inputResponses: object): Promise<void> => {
    const { json } = await nodes[at % 2]!.modern('tasks/update', { taskId, inputResponses }, { user: 'alice' });
    assert.equal(json.result?.resultType, 'complete', 'it is acknowledged');
  };
  const color = (text: string) => ({ action: 'accept', content: { color: text } });
  const taskId = await createdBy(nodes[0], 'alice', 'charge');
  const address = { owner: ownerOf({ id: 'alice' }), id: taskId };
  const tasks = new TaskStore(shared.store, 'tasks');
  await update(1, taskId, { later: color('too early'), nonsense: color('x') });
  await shownWhen(nodes[1], 'alice', taskId, 'input_required');
  assert.deepEqual((await tasks.read(address))!.answers, {});
  const colors = Array.from({ length: 20 }, (_, at) => `color ${at}`);
  await Promise.all(colors.map((text, at) => update(at, taskId, { color: color(text) })));
  const ended = await shownWhen(nodes[0], 'alice', taskId, 'completed');
  const [, used] = ended.result.content[0].text.split(', ');
  assert.ok(colors.includes(used), used);
  const record = await tasks.read(address);
  assert.deepEqual(record!.answers, { color: { result: color(used) } });
  for (const at of [0, 1]) await update(at, taskId, { color: color('too late'), more: color('x') });
  assert.deepEqual(await tasks.read(address), record);
  for (const node of nodes) assert.deepEqual(await shown(node, 'alice', taskId), ended);
});

test('a failing store leaves no unknown task behind: the call is an error, and nothing runs', async () => {
  const broken: Store = { ...memoryStore(), add: () => Promise.reject(new Error('the store is away')) };
  const away = await serveTasks({ store: broken });
  const { json } = await away.modern('tools/call', { name: 'color', arguments: {} }, { user: 'alice' });
  assert.equal(json.error.code, -32603);
  assert.equal(json.error.message, 'The task could not be stored. Try again later.');
  const { json: ran } = await away.modern('tools/call', { name: 'counted', arguments: { name: 'color' } });
  assert.equal(ran.result.content[0].text, '0');
});

test('a full store is an error that says so', async () => {
  const full: Store = { ...memoryStore(), add: () => Promise.reject(new RangeError('full')) };
  const served = await serveTasks({ store: full });
  const { json } = await served.modern('tools/call', { name: 'color', arguments: {} }, { user: 'alice' });
  assert.equal(json.error.code, -32603);
  assert.equal(json.error.message, 'The server can keep no more tasks now. Try again later.');
});

test('an answer to a question of a task survives a server that is unavailable when it is sent', async () => {
  const app = makeTasks();
  const store = memoryStore();
  const first = await serveHttp(app, { port: 0, signals: false, drainMs: 10, store });
  let again: typeof first | undefined;
  const client = await connect(first.url, {
    revision: '2026-07-28',
    tasks: true,
    async elicit() {
      await first.close();
      setTimeout(
        async () => (again = await serveHttp(app, { port: Number(new URL(first.url).port), signals: false, store })),
        50,
      );
      return { action: 'accept', content: { color: 'teal' } };
    },
  });
  assert.equal(await client.call('color'), 'teal');
  await client.close();
  await again!.close();
});
