// Tasks that servers create for calls, followed until they end: in the views of pages, and in the trace.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import type { Target } from '../src/session/contract.ts';
import { createWorkbench } from '../src/session/workbench.ts';
import { createTraceStore } from '../src/trace/node/trace-store.ts';
import { until } from '../../../scripts/lib/until.ts';
import { command, listening } from './fixtures/launch.ts';

async function bench(t: TestContext, launch: Target['launch']) {
  const folder = mkdtempSync(join(tmpdir(), 'tenon-tasks-'));
  const store = createTraceStore(join(folder, 'x.mcptrace'), 'test 1');
  const workbench = createWorkbench({ store, targets: [{ id: 'it', name: 'it', launch }], by: 'test 1' });
  t.after(async () => {
    await workbench.close();
    rmSync(folder, { recursive: true, force: true });
  });
  assert.equal((await workbench.connect('it')).status, 'ready');
  let key = 0;
  const ask = (method: string, params: object) =>
    workbench.request('it', { method, params: JSON.stringify(params), key: `${++key}` });
  return {
    workbench,
    store,
    ask,
    tasks: () => workbench.state().servers[0]!.tasks ?? [],
    /** Calls a tool that answers with a task. Returns the facts of the call. */
    async call(name: string, more: object = {}) {
      const { outcome, request } = await ask('tools/call', { name, arguments: {}, ...more });
      assert.equal(outcome, 'ok');
      return store.index.at(request!)!;
    },
    textOf: (n: number) => store.read(n, n)[0]!.text,
  };
}

async function extension(t: TestContext): Promise<Target['launch']> {
  const { url, stop } = await listening('tasks-extension');
  t.after(stop);
  return { url };
}

test('a task of 2025-11-25 is polled until it ends, and its result is fetched once', async (t) => {
  const { ask, call, store, tasks, textOf } = await bench(t, command('tasks'));
  const facts = await call('research', { task: {} });
  await until(() => tasks()[0]?.message === 'Gathering sources');
  assert.equal(tasks()[0]!.pollMs, 500);
  const asked = (method: string) =>
    store.index.all.filter((one) => one.method === method && one.message === 'request').length;
  await until(() => asked('tasks/get') >= 2);
  const lists = asked('tasks/list');
  await until(() => asked('tasks/get') >= 4);
  assert.ok(asked('tasks/list') <= lists + 1, 'the list is read again only where there is news');
  await ask('tools/call', { name: 'finish', arguments: {} });
  await until(() => facts.outcome === 'ok' && textOf(facts.task!).includes('Research Report'));
  assert.equal(asked('tasks/result'), 1);
  await until(() => tasks().length === 0);
});

test('a task of 2026-07-28 asks in the inbox, gets the answer, and has its result in its state', async (t) => {
  const { call, store, tasks, textOf, workbench } = await bench(t, await extension(t));
  const facts = await call('greet');
  await until(() => tasks()[0]?.status === 'input_required');
  const open = () => workbench.inbox().filter(({ status }) => status === 'open');
  await until(() => open().length > 0);
  const [question] = open();
  assert.deepEqual(
    [question!.message, question!.task, question!.defaults],
    ['Who is greeted?', 'task-1', { name: 'Ann' }],
  );
  assert.match(textOf(question!.line!), /"inputRequests"/);
  workbench.answer(question!.id, { action: 'accept', content: '{"name":"Zoe"}' });
  await until(() => facts.outcome === 'ok');
  assert.match(textOf(facts.task!), /Hello Zoe/);
  assert.equal(workbench.inbox().length, 1, 'what is asked is asked once');
  assert.ok(
    store.index.all.every(({ method }) => method !== 'tasks/result'),
    '2026-07-28 has no such request',
  );
});

test('a failed task is an error, and a cancelled task has ended', async (t) => {
  const { ask, call, tasks } = await bench(t, await extension(t));
  const failing = await call('fail');
  await until(() => failing.outcome === 'error');
  const waiting = await call('wait');
  await until(() => tasks().some(({ message }) => message === 'Warming up'));
  const [{ id }] = tasks() as unknown as [{ id: string }];
  assert.equal((await ask('tasks/cancel', { taskId: id })).outcome, 'ok');
  await until(() => waiting.outcome === 'cancelled');
  await until(() => tasks().length === 0);
});

test('a task that its server has forgotten is no longer followed, and shows why', async (t) => {
  const { call, tasks } = await bench(t, await extension(t));
  const lost = await call('lose');
  await until(() => tasks()[0]?.problem !== undefined);
  assert.match(tasks()[0]!.problem!.message, /no such task/);
  assert.equal(lost.outcome, 'task', 'how it ended is not known');
});

test('nothing is followed without a connection', async (t) => {
  const { ask, tasks, workbench } = await bench(t, await extension(t));
  await ask('tools/call', { name: 'wait', arguments: {} });
  await until(() => tasks().length === 1);
  await workbench.disconnect('it');
  assert.deepEqual(tasks(), []);
});
