import assert from 'node:assert/strict';
import { test } from 'node:test';
import { until } from '../../../../../scripts/lib/until.ts';
import { ProtocolError } from '../../entries/client.ts';
import { agreesOn, connectScripted, fakeClock } from '../../entries/testing.ts';

const TIMES = { createdAt: '2026-07-28T10:00:00Z', lastUpdatedAt: '2026-07-28T10:00:00Z' };
const WORKING = { taskId: 'a', status: 'working', ...TIMES, ttlMs: null, pollIntervalMs: 100 };
const offer = { capabilities: { tools: {}, prompts: {} } };
const core = { capabilities: { tools: {}, tasks: { requests: { tools: { call: {} } } } } };
const list = { tools: [{ name: 'only', inputSchema: { type: 'object' }, execution: { taskSupport: 'required' } }] };

test('[TASK-37] a task as the answer to anything but a tool call is an invalid answer', async () => {
  const task = { resultType: 'task', ...WORKING };
  const { client } = await connectScripted(
    {
      ...agreesOn('2026-07-28', offer),
      'prompts/get': task,
      'tools/call': task,
      'tasks/get': { ...WORKING, status: 'cancelled' },
    },
    { tasks: true },
  );
  await assert.rejects(client.prompt('a'), { name: 'PeerError', code: 'invalid-answer', message: /resultType/ });
  await assert.rejects(client.call('a'), /was cancelled/);
  await client.close();
});

test('a task for a client that did not declare tasks is an invalid answer', async () => {
  const { client } = await connectScripted({
    ...agreesOn('2026-07-28', offer),
    'tools/call': { resultType: 'task', ...WORKING },
  });
  await assert.rejects(client.call('a'), { name: 'PeerError', code: 'invalid-answer', message: /resultType/ });
  await client.close();
});

test('a task without an id is an invalid answer', async () => {
  const { client } = await connectScripted(
    { ...agreesOn('2026-07-28', offer), 'tools/call': { resultType: 'task', status: 'working' } },
    { tasks: true },
  );
  await assert.rejects(client.call('a'), { name: 'PeerError', message: /without an id/ });
  await assert.rejects(client.start('a'), { name: 'PeerError', message: /without an id/ });
  await client.close();
});

test('[TASK-23] a notification of the status changes nothing: the client polls until the server reports that the task has ended', async () => {
  const clock = fakeClock();
  const statuses = ['working', 'working', 'completed'];
  const { client, peer } = await connectScripted(
    {
      ...agreesOn('2025-11-25', core),
      'tools/list': list,
      'tools/call': { task: { taskId: 'a', status: 'working', ...TIMES, ttl: null, pollInterval: 100 } },
      'tasks/get': () => ({ taskId: 'a', status: statuses.shift(), ...TIMES, ttl: null, pollInterval: 100 }),
      'tasks/result': { content: [{ type: 'text', text: 'done' }] },
    },
    { clock },
  );
  const call = client.call('only');
  await until(() => peer.calls('tools/call').length === 1);
  peer.notify('notifications/tasks/status', { taskId: 'a', status: 'failed', ...TIMES, ttl: null });
  for (let asked = 1; asked <= 3; asked++)
    await until(async () => {
      await clock.advance(10);
      return peer.calls('tasks/get').length === asked;
    });
  assert.equal(await call, 'done');
  await client.close();
});

test('the tools that require a task are looked up once, and again when the list has changed', async () => {
  const { client, peer } = await connectScripted({
    ...agreesOn('2025-11-25', { capabilities: { ...core.capabilities, tools: { listChanged: true } } }),
    'tools/list': list,
    'tools/call': { content: [] },
  });
  for (let time = 0; time < 3; time++) await client.call('only');
  assert.equal(peer.calls('tools/list').length, 1);
  assert.ok(peer.calls('tools/call').every(({ params }) => params?.['task'] !== undefined));
  peer.notify('notifications/tools/list_changed');
  await client.ping().catch(() => {});
  await client.call('only');
  assert.equal(peer.calls('tools/list').length, 2);
  await client.close();
});

test('[TASK-61] a change that the server announces ends the pause', async () => {
  const clock = fakeClock();
  const states = [
    WORKING,
    WORKING,
    { ...WORKING, status: 'completed', result: { content: [{ type: 'text', text: 'done' }] } },
  ];
  const slow = { pollIntervalMs: 300_000 };
  const { client, peer } = await connectScripted(
    {
      ...agreesOn('2026-07-28', offer),
      'tools/call': { resultType: 'task', ...WORKING },
      'tasks/get': () => ({ resultType: 'complete', ...states.shift(), ...slow }),
      'subscriptions/listen': () => undefined,
    },
    { clock, tasks: true },
  );
  const call = client.call('a');
  await until(async () => {
    await clock.advance(50);
    return peer.calls('subscriptions/listen').length === 1;
  }, 'the task is followed');
  const { id, params } = peer.calls('subscriptions/listen')[0] as { readonly id: number; readonly params: any };
  assert.deepEqual(params.notifications, { taskIds: ['a'] });
  assert.deepEqual(params._meta['io.modelcontextprotocol/clientCapabilities'].extensions, {
    'io.modelcontextprotocol/tasks': {},
  });
  const _meta = { 'io.modelcontextprotocol/subscriptionId': id };
  await peer.notify('notifications/subscriptions/acknowledged', { _meta, notifications: { taskIds: ['a'] } });
  for (let asked = peer.calls('tasks/get').length + 1; asked <= 3; asked++) {
    await peer.notify('notifications/tasks', { _meta, ...WORKING });
    await until(async () => {
      await clock.advance(10);
      return peer.calls('tasks/get').length === asked;
    }, `${asked} questions`);
  }
  assert.equal(await call, 'done');
  assert.ok(clock.now() < 60_000, 'no pause has ended on its own');
  await client.close();
});

test('a server that announces no changes of tasks is polled at its interval', async () => {
  const clock = fakeClock();
  const states = [
    WORKING,
    WORKING,
    { ...WORKING, status: 'completed', result: { content: [{ type: 'text', text: 'done' }] } },
  ];
  const { client } = await connectScripted(
    {
      ...agreesOn('2026-07-28', offer),
      'tools/call': { resultType: 'task', ...WORKING },
      'tasks/get': () => ({ resultType: 'complete', ...states.shift() }),
    },
    { clock, tasks: true },
  );
  const call = client.call('a');
  await until(async () => {
    await clock.advance(50);
    return states.length === 0;
  }, 'it was asked three times');
  assert.equal(await call, 'done');
  await client.close();
});

const created = { resultType: 'task', ...WORKING };
const form = { message: 'Which?', requestedSchema: { type: 'object', properties: { n: { type: 'number' } } } };

/** A task that asks these questions. */
function asking(...names: readonly string[]) {
  const question = { method: 'elicitation/create', params: form };
  return {
    ...WORKING,
    status: 'input_required',
    inputRequests: Object.fromEntries(names.map((name) => [name, question])),
  };
}

function accept() {
  return { action: 'accept' as const, content: { n: 1 } };
}

test('a result with a member named task is a result', async () => {
  const result = { content: [{ type: 'text', text: 'done' }], task: { taskId: 'a', status: 'working' } };
  const { client } = await connectScripted(
    { ...agreesOn('2026-07-28', offer), 'tools/call': { resultType: 'complete', ...result } },
    { tasks: true },
  );
  assert.equal(await client.call('a'), 'done');
  assert.equal(await (await client.start('a')).value(), 'done');
  await client.close();
});

test('a task result that asks for input is an invalid answer', async () => {
  const result = { resultType: 'input_required', inputRequests: {} };
  const { client } = await connectScripted(
    {
      ...agreesOn('2026-07-28', offer),
      'tools/call': created,
      'tasks/get': { ...WORKING, status: 'completed', result },
    },
    { tasks: true },
  );
  await assert.rejects(client.call('a'), {
    name: 'PeerError',
    code: 'invalid-answer',
    message: /cannot ask for input/,
  });
  await client.close();
});

test('a task that keeps asking questions is abandoned and cancelled', async () => {
  let prompts = 0;
  let polls = 0;
  const { client, peer } = await connectScripted(
    {
      ...agreesOn('2026-07-28', offer),
      'tools/call': created,
      'tasks/get': () => asking(...Array.from({ length: 30 }, (_, at) => `${polls}-${at}`), `${polls++}`),
      'tasks/update': {},
      'tasks/cancel': {},
    },
    { tasks: true, elicit: () => (prompts++, accept()) },
  );
  await assert.rejects(client.call('a'), { name: 'PeerError', code: 'endless-questions', message: /100 questions/ });
  assert.ok(prompts <= 100, `the user was asked ${prompts} times`);
  await until(() => peer.calls('tasks/cancel').length === 1, 'the task is cancelled');
  await client.close();
});

test('a call whose question cannot be answered cancels its task', async () => {
  const { client, peer } = await connectScripted(
    { ...agreesOn('2026-07-28', offer), 'tools/call': created, 'tasks/get': asking('one'), 'tasks/cancel': {} },
    {
      tasks: true,
      elicit: () => {
        throw new Error('nobody is there');
      },
    },
  );
  await assert.rejects(client.call('a'), /nobody is there/);
  await until(() => peer.calls('tasks/cancel').length === 1, 'the task is cancelled');
  await client.close();
});

test('a question whose answer could not be sent with `answer` goes to the handlers of the wait', async () => {
  let refuses = true;
  let prompts = 0;
  const { client } = await connectScripted(
    {
      ...agreesOn('2026-07-28', offer),
      'tools/call': created,
      'tasks/get': () => (prompts === 0 ? asking('one') : { ...WORKING, status: 'completed', result: { content: [] } }),
      'tasks/update': () => {
        if (refuses) throw new ProtocolError(-32603, 'The store is away');
        return {};
      },
    },
    { elicit: () => (prompts++, accept()) },
  );
  const task = await client.start('a');
  await assert.rejects(task.answer('one', accept()), /The store is away/);
  refuses = false;
  assert.equal(await task.value(), '');
  assert.equal(prompts, 1);
  await client.close();
});

for (const [revision, offered, answer] of [
  ['2026-07-28', offer, created],
  ['2025-11-25', core, { task: { taskId: 'a', status: 'working', ...TIMES, ttl: null } }],
] as const)
  for (const way of ['abort', 'timeout'] as const)
    test(`a task whose handle arrives after its call was abandoned is cancelled: ${way}, ${revision}`, async () => {
      let release!: () => void;
      const { client, peer } = await connectScripted(
        {
          ...agreesOn(revision, offered),
          'tools/list': list,
          'tools/call': () => new Promise((resolve) => (release = () => resolve(answer))),
          'tasks/cancel': {},
        },
        { tasks: true },
      );
      const cancel = new AbortController();
      const options = way === 'abort' ? { signal: cancel.signal } : { timeout: 50 };
      const call = assert.rejects(client.call('only', {}, options), {
        name: way === 'abort' ? 'AbortError' : 'TimeoutError',
      });
      await until(() => peer.calls('tools/call').length === 1);
      cancel.abort();
      await call;
      release();
      await until(() => peer.calls('tasks/cancel').length === 1, 'the task is cancelled');
      assert.equal(peer.calls('tasks/cancel')[0]!.params?.['taskId'], 'a');
      await client.close();
    });
