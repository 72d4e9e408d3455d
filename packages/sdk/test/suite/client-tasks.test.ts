// How a client handles calls that become tasks: `call` and `result` wait, `start` gives a handle. The same program in every revision.
import assert from 'node:assert/strict';
import { ProtocolError, ToolError } from '../../src/entries/client.ts';
import type { SavedTask, TaskState } from '../../src/entries/client.ts';
import { fakeClock } from '../../src/entries/testing.ts';
import { until } from '../../../../scripts/lib/until.ts';
import { type Cell, type CellContext, everywhere, legacy } from './cells.ts';
import { tasks } from './fixtures/tasks.ts';
import { accept, answering, fullClient, user } from './questions.ts';
import { hasTasks } from './task-calls.ts';

type Context = CellContext<ReturnType<typeof tasks.make>>;

const setup = { fixture: tasks, connect: { ...fullClient, tasks: true } };
const withoutOption = { fixture: tasks, connect: fullClient };

/** The methods of tasks that the client has sent. */
function sent({ wire }: Context): string[] {
  return wire.flatMap(({ from, message: { method = '' } }) =>
    from === 'client' && method.startsWith('tasks/') ? [method] : [],
  );
}

/** Names that no other cell uses: all tests of a cell share one server in memory. */
let gates = 0;
function newGate(): string {
  return `gate ${++gates}`;
}

function becomesTask({ revision }: Cell): boolean {
  return revision === '2026-07-28';
}

everywhere(
  '[TASK-36] `call` and `result` wait, whether or not the server makes the call a task',
  async (context) => {
    const { client, cell } = context;
    assert.deepEqual(await client.call('echo', { text: 'a' }), { text: 'a' });
    assert.equal((await client.result('echo', { text: 'b' })).isError ?? false, false);
    assert.equal(sent(context).includes('tasks/get'), becomesTask(cell), 'it was a task where the server decides');
  },
  setup,
);

everywhere(
  '[TASK-5] a tool that requires a task is called as a task',
  async ({ client }) => {
    await assert.rejects(client.call('refused'), (error: ToolError) => {
      assert.ok(error instanceof ToolError);
      assert.deepEqual([error.message, error.result?.isError], ['Not today', true]);
      return true;
    });
    assert.equal((await client.result('refused')).isError, true);
  },
  setup,
);

everywhere(
  'the error of a failed task is the error of its call',
  async ({ client }) => {
    for (const wait of [() => client.call('broken'), async () => (await client.start('broken')).result()])
      await assert.rejects(wait(), (error: ProtocolError) => {
        assert.ok(error instanceof ProtocolError);
        assert.deepEqual([error.code, error.message, error.data], [1234, 'Cannot be run', { until: 'tomorrow' }]);
        return true;
      });
  },
  setup,
);

everywhere(
  '[TASK-52] [TASK-53] questions of a task go to the handlers of the client, each once',
  async ({ client, cell }) => {
    answering(() => accept({ color: 'red' }));
    assert.equal(await client.call('color'), 'red');
    assert.deepEqual(
      user.asked.map(({ message }) => message),
      ['Which color?'],
    );
    const task = await client.start('pair');
    assert.equal(await task.value(), 'red and red');
    assert.equal(user.asked.length, 3);
    assert.equal(task.id !== undefined, hasTasks(cell));
  },
  { ...setup, only: ({ revision }) => revision >= '2025-06-18' },
);

everywhere(
  'a tool that asks before its task exists asks once',
  async ({ client }) => {
    answering(() => accept({ color: 'blue' }));
    assert.equal(await client.call('asksFirst'), 'blue');
    assert.equal(user.asked.length, 1);
  },
  { ...setup, only: ({ revision }) => revision >= '2025-06-18' },
);

everywhere(
  '[F-61] start gives a handle: its state, its result, and the data with which another process can continue',
  async ({ client, cell }) => {
    const gate = newGate();
    if (!hasTasks(cell)) await client.call('open', { gate });
    const task = await client.start('gated', { gate });
    const saved = JSON.parse(JSON.stringify(task)) as SavedTask<'gated'>;
    if (hasTasks(cell)) {
      assert.deepEqual(saved, { tool: 'gated', taskId: task.id });
      let state: TaskState;
      await until(async () => (state = await task.status()).message === `before ${gate}`);
      assert.deepEqual([state!.id, state!.status], [task.id, 'working']);
      await client.call('open', { gate });
    } else assert.equal((await task.status()).status, 'completed');
    const states: string[] = [];
    const again = await client.task(saved);
    assert.equal(await again.value({ onState: ({ status }) => states.push(status) }), `through ${gate}`);
    assert.equal(states.at(-1), hasTasks(cell) ? 'completed' : undefined);
    assert.equal(await task.value(), `through ${gate}`);
    assert.equal((await task.result()).isError, undefined);
  },
  withoutOption,
);

everywhere(
  '[TASK-3] [TASK-4] a call is made a task only where server and tool allow it',
  async ({ client, wire }) => {
    const task = await client.start('plain');
    assert.deepEqual([task.id, await task.value()], [undefined, 'plain']);
    const calls = wire.filter(({ message }) => message.method === 'tools/call');
    assert.deepEqual(
      calls.map(({ message }) => message.params!['task']),
      [undefined],
    );
  },
  withoutOption,
);

everywhere(
  'without the option, only `start` declares that the client accepts tasks',
  async (context) => {
    const { client } = context;
    assert.deepEqual(await client.call('echo', { text: 'a' }), { text: 'a' });
    assert.deepEqual(sent(context), []);
    await assert.rejects(client.call('refused'), { code: -32021 });
    assert.notEqual((await client.start('echo', { text: 'a' })).id, undefined);
    assert.deepEqual(await client.call('echo', { text: 'b' }), { text: 'b' });
  },
  { ...withoutOption, only: becomesTask },
);

everywhere(
  'waiting for a cancelled task rejects',
  async ({ client }) => {
    const gate = newGate();
    const task = await client.start('gated', { gate });
    const waiting = assert.rejects(task.result(), (error: Error) => {
      assert.match(error.message, /The task of gated was cancelled/);
      assert.ok(error instanceof ToolError);
      return true;
    });
    await task.cancel();
    await waiting;
    assert.equal((await task.status()).status, 'cancelled');
    const counted = async (): Promise<unknown> => client.call('counted', { name: `${gate} aborted` });
    await until(async () => (await counted()) === '1', 'the handler was aborted');
  },
  { ...withoutOption, only: hasTasks },
);

everywhere(
  '[TASK-58] [TASK-47] aborting a call cancels its task; aborting a wait does not',
  async (context) => {
    const { client } = context;
    const gate = newGate();
    const controller = new AbortController();
    const call = client.call('gated', { gate }, { signal: controller.signal });
    await until(() => sent(context).includes('tasks/get'), 'the call has become a task');
    controller.abort();
    await assert.rejects(call, { name: 'AbortError' });
    await until(() => sent(context).includes('tasks/cancel'), 'the task is cancelled');
    const aborted = async (): Promise<unknown> => client.call('counted', { name: `${gate} aborted` });
    await until(async () => (await aborted()) === '1', 'the handler was aborted');

    const other = newGate();
    const task = await client.start('gated', { gate: other });
    const stop = new AbortController();
    const waiting = task.result({ signal: stop.signal });
    stop.abort();
    await assert.rejects(waiting, { name: 'AbortError' });
    assert.equal((await task.status()).status, 'working');
    await client.call('open', { gate: other });
    assert.equal(await task.value(), `through ${other}`);
  },
  { ...setup, only: becomesTask },
);

const clock = fakeClock();

everywhere(
  'a call that exceeds its time limit fails, and its task is cancelled',
  async (context) => {
    const { client } = context;
    const call = client.call('gated', { gate: newGate() }, { maxTimeout: 5_000 });
    const failed = assert.rejects(call, { code: 'total-timeout' });
    // The clock advances far enough for the client to poll its task, and less than the timeout of the call.
    await until(async () => {
      await clock.advance(1);
      return sent(context).includes('tasks/get');
    }, 'the call has become a task');
    await clock.advance(5_000);
    await failed;
    await until(() => sent(context).includes('tasks/cancel'), 'the task is cancelled');
  },
  { ...setup, connect: { ...setup.connect, clock }, alone: true, only: becomesTask },
);

everywhere(
  'a program may answer a question later, without a handler',
  async ({ client, cell }) => {
    answering(() => assert.fail('the handler was asked'));
    const task = await client.start('color');
    if (legacy(cell)) {
      await assert.rejects(task.answer('color', accept({ color: 'red' })), { code: 'unsupported-revision' });
      return task.cancel();
    }
    let state: TaskState;
    await until(async () => (state = await task.status()).status === 'input_required');
    assert.deepEqual(Object.keys(state!.questions), ['color']);
    await task.answer('color', accept({ color: 'green' }));
    assert.equal(await task.value(), 'green');
  },
  { ...withoutOption, only: hasTasks },
);

everywhere(
  'a question that the client refuses ends the wait with its reason',
  async ({ client }) => {
    answering(() => {
      throw new Error('nobody is there');
    });
    const task = await client.start('color');
    await assert.rejects(task.result(), (error: Error) => /nobody is there|could not answer/.test(error.message));
    await task.cancel();
  },
  { ...withoutOption, only: becomesTask },
);

everywhere(
  'a value that is not a stored task is refused before anything is sent, and a deleted task is an error of the server',
  async ({ client, wire }) => {
    for (const wrong of [
      undefined,
      null,
      5,
      'a',
      {},
      { tool: 'a' },
      { taskId: 'a' },
      { tool: 'a', taskId: '' },
      { tool: 5, taskId: 'a' },
    ])
      await assert.rejects(client.task(wrong as never), { name: 'TypeError', message: /not a stored task/ });
    assert.equal(wire.length, 0);
    const gone = await client.task({ tool: 'echo', taskId: 'gone' });
    for (const ask of [() => gone.status(), () => gone.result(), () => gone.cancel()])
      await assert.rejects(ask(), { code: -32602 });
  },
  { ...withoutOption, only: hasTasks },
);

everywhere(
  'a long text that a task returns arrives',
  async ({ client }) => {
    for (const size of [10, 100_000]) {
      const task = await client.start('big', { size });
      assert.ok((await task.value()) === 'x'.repeat(size), `${size} characters`);
    }
  },
  setup,
);
