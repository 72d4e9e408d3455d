// Tasks that ask the user: the same handler in both revisions that have tasks.
import assert from 'node:assert/strict';
import { until } from '../../../../scripts/lib/until.ts';
import { legacy, modern } from './cells.ts';
import { accept } from './questions.ts';
import { everywhereRaw, type Raw } from './raw.ts';
import {
  answer,
  callAsTask,
  counted,
  createdIn,
  EXTENSION,
  get,
  getWhen,
  hasTasks,
  outcome,
  setup,
  type Shown,
  start,
  textOf,
} from './task-calls.ts';

const RED = accept({ color: 'red' });
const BLUE = accept({ color: 'blue' });

/** Waits for the result. In 2025-11-25 the questions arrive during that request. */
async function answered(raw: Raw, task: Shown, answers: Record<string, object>): Promise<string> {
  const isLegacy = legacy(raw.cell);
  const waiting = isLegacy ? outcome(raw, task) : undefined;
  if (!isLegacy) await getWhen(raw, task, 'input_required');
  await answer(raw, task, answers);
  return textOf(await (waiting ?? outcome(raw, task)));
}

everywhereRaw(
  '[TASK-9] [TASK-10] [TASK-11] [TASK-49] [TASK-51] a task that asks has the status input_required until it is answered, and its handler runs once',
  async (raw) => {
    const before = Number(await counted(raw, 'color'));
    const created = await start(raw, 'color');
    const asking = await getWhen(raw, created, 'input_required');
    if (!legacy(raw.cell)) {
      assert.deepEqual(Object.keys(asking.inputRequests!), ['color']);
      const { method, params } = asking.inputRequests!['color']!;
      assert.deepEqual([method, params.message], ['elicitation/create', 'Which color?']);
    }
    assert.equal(await answered(raw, created, { color: RED }), 'red');
    assert.equal((await get(raw, created)).status, 'completed');
    assert.equal(Number(await counted(raw, 'color')), before + 1);
  },
  setup,
);

everywhereRaw(
  '[TASK-57] answers may arrive one by one; answers to unknown questions and second answers are ignored',
  async (raw) => {
    const created = await start(raw, 'pair');
    const asking = await getWhen(raw, created, 'input_required');
    await until(async () => Object.keys((await get(raw, created)).inputRequests ?? {}).length === 2, 'both are asked');
    assert.equal(asking.status, 'input_required');
    await answer(raw, created, { second: BLUE, third: RED, constructor: RED, __proto__x: RED });
    const left = await get(raw, created);
    assert.deepEqual([left.status, Object.keys(left.inputRequests!)], ['input_required', ['first']]);
    await answer(raw, created, { second: RED });
    await answer(raw, created, { first: RED });
    assert.equal(textOf(await outcome(raw, created)), 'red and blue');
  },
  { ...setup, only: (cell) => modern(cell) },
);

everywhereRaw(
  'in 2025-11-25 two questions of a task are asked at once',
  async (raw) => {
    const created = await start(raw, 'pair');
    assert.equal(await answered(raw, created, { first: RED, second: BLUE }), 'red and blue');
  },
  { ...setup, only: (cell) => cell.revision === '2025-11-25' },
);

everywhereRaw(
  '[TASK-54] [TASK-55] a repeated question has a new key, and gives the reason',
  async (raw) => {
    const created = await start(raw, 'even');
    await getWhen(raw, created, 'input_required');
    await answer(raw, created, { even: accept({ value: 3 }) });
    let again: Shown;
    await until(async () => {
      again = await get(raw, created);
      return Object.keys(again.inputRequests ?? {}).some((key) => key !== 'even');
    }, 'it is asked again');
    const [key = '', question] = Object.entries(again!.inputRequests!)[0] ?? [];
    assert.match(question!.params.message, /must be even/);
    await answer(raw, created, { even: accept({ value: 2 }) });
    assert.equal((await get(raw, created)).status, 'input_required', 'the first key is not taken again');
    await answer(raw, created, { [key]: accept({ value: 4 }) });
    assert.equal(textOf(await outcome(raw, created)), '4');
  },
  { ...setup, only: (cell) => modern(cell) },
);

everywhereRaw(
  'an effect of a task happens once, and a declined question fails the task like a call',
  async (raw) => {
    const created = await start(raw, 'charge');
    assert.match(await answered(raw, created, { color: RED }), /^charge \d+, red$/);
    const declined = await start(raw, 'color');
    const waiting = legacy(raw.cell) ? outcome(raw, declined) : undefined;
    await getWhen(raw, declined, 'input_required');
    await answer(raw, declined, { color: { action: 'decline' } });
    const { result } = await (waiting ?? outcome(raw, declined));
    assert.equal(result!['isError'], true);
  },
  setup,
);

everywhereRaw(
  'in 2025-11-25 a question that the client answers with an error fails the task, and says why',
  async (raw) => {
    const created = await start(raw, 'color');
    const waiting = outcome(raw, created);
    const question = await raw.nextOf('elicitation/create');
    raw.send({ jsonrpc: '2.0', id: question.id, error: { code: -32000, message: 'Nobody is here' } });
    const { result } = await waiting;
    assert.equal(result!['isError'], true);
    assert.match(textOf({ result: result! }), /Nobody is here/);
    assert.equal((await get(raw, created)).status, 'failed');
  },
  { ...setup, only: (cell) => cell.revision === '2025-11-25' },
);

everywhereRaw(
  'a task whose client cannot be asked ends like a call: with a tool error in 2025-11-25, with error -32021 in 2026-07-28',
  async (raw) => {
    const ended = await outcome(raw, await start(raw, 'color'));
    const said = /'color' cannot be asked: this client did not declare the capability 'elicitation'/;
    if (legacy(raw.cell)) {
      assert.equal(ended.result?.['isError'], true, JSON.stringify(ended));
      assert.match(textOf(ended), said);
      return;
    }
    assert.equal(ended.error?.code, -32021);
    assert.match(ended.error!.message, said);
  },
  { ...setup, capabilities: { extensions: { [EXTENSION]: {} } } },
);

everywhereRaw(
  'in 2025-11-25 a question is asked once, however many requests wait for the result',
  async (raw) => {
    const created = await start(raw, 'color');
    await getWhen(raw, created, 'input_required');
    const ids = [1, 2, 3].map(() => raw.ask('tasks/result', { taskId: created.taskId }));
    const question = await raw.nextOf('elicitation/create');
    await raw.settled();
    assert.equal(raw.received.filter(({ method }) => method === 'elicitation/create').length, 1);
    raw.send({ jsonrpc: '2.0', id: question.id, result: RED });
    for (const id of ids) assert.equal(textOf(await raw.answerTo(id)), 'red');
  },
  { ...setup, only: (cell) => cell.revision === '2025-11-25' },
);

everywhereRaw(
  'in 2025-11-25 a question whose request for the result was cancelled is asked again with the next one',
  async (raw) => {
    const created = await start(raw, 'color');
    await getWhen(raw, created, 'input_required');
    const first = raw.ask('tasks/result', { taskId: created.taskId });
    await raw.nextOf('elicitation/create');
    raw.notify('notifications/cancelled', { requestId: first });
    await raw.nextOf('notifications/cancelled');
    const waiting = outcome(raw, created);
    await answer(raw, created, { color: RED });
    assert.equal(textOf(await waiting), 'red');
  },
  { ...setup, only: (cell) => cell.revision === '2025-11-25' },
);

everywhereRaw(
  'a cancelled task withdraws its question',
  async (raw) => {
    const created = await start(raw, 'color');
    await getWhen(raw, created, 'input_required');
    const waiting = legacy(raw.cell) ? raw.ask('tasks/result', { taskId: created.taskId }) : undefined;
    if (waiting !== undefined) await raw.nextOf('elicitation/create');
    await raw.request('tasks/cancel', { taskId: created.taskId });
    const cancelled = await get(raw, created);
    assert.deepEqual([cancelled.status, cancelled.inputRequests], ['cancelled', undefined]);
    if (waiting === undefined) return;
    assert.equal((await raw.answerTo(waiting)).error?.code, -32603);
    await raw.nextOf('notifications/cancelled');
  },
  setup,
);

everywhereRaw(
  '[TASK-45] a tool may ask before its task exists: the task starts with the answers',
  async (raw) => {
    const before = Number(await counted(raw, 'asksFirst'));
    const { result } = await callAsTask(raw, 'asksFirst');
    assert.deepEqual([result!['resultType'], Object.keys(result!['inputRequests'])], ['input_required', ['color']]);
    assert.equal(result!['taskId'], undefined);
    const retried = await raw.request('tools/call', {
      name: 'asksFirst',
      arguments: {},
      requestState: result!['requestState'],
      inputResponses: { color: RED },
    });
    assert.equal(retried.result!['requestState'], undefined);
    assert.equal(textOf(await outcome(raw, createdIn(retried))), 'red');
    assert.equal(Number(await counted(raw, 'asksFirst')), before + 1);
  },
  { ...setup, only: (cell) => modern(cell) },
);

everywhereRaw(
  'answers that are not objects are an error, and change nothing',
  async (raw) => {
    const created = await start(raw, 'color');
    await getWhen(raw, created, 'input_required');
    for (const inputResponses of [undefined, null, 5, 'red', [RED]]) {
      const { error } = await raw.request('tasks/update', { taskId: created.taskId, inputResponses });
      assert.equal(error?.code, -32602, JSON.stringify(inputResponses));
    }
    for (const color of [null, 5, 'red', [RED]])
      await raw.request('tasks/update', { taskId: created.taskId, inputResponses: { color } });
    assert.equal((await get(raw, created)).status, 'input_required');
    await answer(raw, created, { color: RED });
    assert.equal(textOf(await outcome(raw, created)), 'red');
  },
  { ...setup, only: (cell) => hasTasks(cell) && modern(cell), hostile: true },
);
