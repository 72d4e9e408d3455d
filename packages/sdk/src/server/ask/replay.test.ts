import assert from 'node:assert/strict';
import { test } from 'node:test';
import { turns } from '../../../../../scripts/lib/until.ts';
import { ProtocolError, ToolError } from '../../protocol/errors.ts';
import { silent } from '../../protocol/log.ts';
import { memoryStore } from '../../store/memory.ts';
import { type CallState, Pause, type ReplayAsker } from './asker.ts';
import type { Records } from './once-records.ts';
import type { Question } from './question.ts';
import { createReplayAsker } from './replay.ts';

function callId() {
  return 'call';
}
const { signal } = new AbortController();
function records() {
  return { store: memoryStore(), lifeMs: 60_000, leaseMs: 30_000, signal: () => signal, log: silent };
}
function question(name: string, message = name): Question {
  return {
    name,
    method: 'elicitation/create',
    params: { message },
  };
}
function take(answer: Record<string, unknown>) {
  return { value: answer['content'] };
}

test('questions of the same turn are sent together, and their answers are assigned by name', async () => {
  const first = createReplayAsker(undefined, callId, undefined, records());
  await assert.rejects(Promise.all([first.answer(question('a'), take), first.answer(question('b'), take)]), Pause);
  assert.deepEqual([...first.open.keys()], ['a', 'b']);
  const second = createReplayAsker(first.state(), callId, { a: { content: 1 }, b: { content: 2 } }, records());
  assert.deepEqual(await Promise.all([second.answer(question('b'), take), second.answer(question('a'), take)]), [2, 1]);
  assert.equal(second.open.size, 0);
});

test('[MRTR-26] a missing answer is asked for again, the others are kept', async () => {
  const first = createReplayAsker(undefined, callId, undefined, records());
  await assert.rejects(Promise.all([first.answer(question('a'), take), first.answer(question('b'), take)]));
  const second = createReplayAsker(first.state(), callId, { a: { content: 1 } }, records());
  await assert.rejects(Promise.all([second.answer(question('a'), take), second.answer(question('b'), take)]));
  assert.deepEqual([...second.open.keys()], ['b']);
  const third = createReplayAsker(second.state(), callId, { b: { content: 2 } }, records());
  assert.deepEqual(await Promise.all([third.answer(question('a'), take), third.answer(question('b'), take)]), [1, 2]);
});

test('[MRTR-25] responses to questions that were not asked are ignored, once a question was asked', async () => {
  const first = createReplayAsker(undefined, callId, undefined, records());
  await assert.rejects(first.answer(question('a'), take), Pause);
  const second = createReplayAsker(first.state(), callId, { b: { content: 'slipped in' } }, records());
  await assert.rejects(second.answer(question('b'), take), Pause);
});

test('a client that knows the questions in advance may answer at once', async () => {
  const asker = createReplayAsker(undefined, callId, { a: { content: 'known' }, other: 5 }, records());
  assert.deepEqual(await asker.answer(question('a'), take), 'known');
});

test('[MRTR-24] a response of the wrong shape is an invalid-params error', async () => {
  const first = createReplayAsker(undefined, callId, undefined, records());
  await assert.rejects(first.answer(question('a'), take));
  const second = createReplayAsker(first.state(), callId, { a: 'text' }, records());
  await assert.rejects(second.answer(question('a'), take), { code: -32602 });
});

test('an answer that fails validation is asked for again with the reason, three times at most', async () => {
  const validate = () => ({ retryReason: 'too short' });
  let asker = createReplayAsker(undefined, callId, undefined, records());
  await assert.rejects(asker.answer(question('a'), validate), Pause);
  for (let round = 0; round < 2; round++) {
    asker = createReplayAsker(asker.state(), callId, { a: { content: 'x' } }, records());
    await assert.rejects(asker.answer(question('a'), validate), Pause);
    assert.equal(asker.open.get('a')?.params['message'], 'a\n\ntoo short');
  }
  asker = createReplayAsker(asker.state(), callId, { a: { content: 'x' } }, records());
  await assert.rejects(asker.answer(question('a'), validate), {
    name: 'ToolError',
    message: /after 3 attempts: too short/,
  });
});

test('the same name returns the same answer; a different question with that name is an error, even in a later run', async () => {
  const first = createReplayAsker(undefined, callId, undefined, records());
  await assert.rejects(first.answer(question('a'), take));
  assert.throws(() => first.answer(question('a', 'something else'), take), /two different questions/);
  const second = createReplayAsker(first.state(), callId, { a: { content: 1 } }, records());
  assert.throws(() => second.answer(question('a', 'something else'), take), /two different questions/);
  assert.equal(await second.answer(question('a'), take), 1);
  assert.equal(await second.answer(question('a'), take), 1);
});

test('once runs its action once over all runs of a call', async () => {
  let acts = 0;
  const store = records();
  const first = createReplayAsker(undefined, callId, undefined, store);
  assert.equal(await first.once('act', () => ++acts), 1);
  await assert.rejects(first.answer(question('a'), take));
  const second = createReplayAsker(first.state(), callId, { a: { content: 1 } }, store);
  assert.equal(await second.once('act', () => ++acts), 1);
  assert.equal(await second.once('act', () => ++acts), 1);
});

test('a retry that is delivered twice acts once, even simultaneously', async () => {
  let acts = 0;
  const store = records();
  const first = createReplayAsker(undefined, callId, undefined, store);
  await assert.rejects(first.answer(question('a'), take));
  const act = async () => {
    await turns();
    return ++acts;
  };
  const twice = [1, 2].map(() =>
    createReplayAsker(first.state(), callId, { a: { content: 1 } }, store).once('act', act),
  );
  assert.deepEqual(await Promise.all(twice), [1, 1]);
  assert.equal(await createReplayAsker(first.state(), callId, { a: { content: 1 } }, store).once('act', act), 1);
});

/** The next run of a handler that stopped at a question. */
async function nextRun(asker: ReplayAsker, store: Records): Promise<ReplayAsker> {
  const name = `question ${asker.state().asked.length}`;
  await assert.rejects(asker.answer(question(name), take), Pause);
  const state = JSON.parse(JSON.stringify(asker.state())) as CallState;
  return createReplayAsker(state, callId, { [name]: { content: 1 } }, store);
}

test('an action that failed is not repeated: later runs get its failure', async () => {
  const thrown: readonly (readonly [unknown, object])[] = [
    [new Error('no luck'), { name: 'Error', message: 'no luck' }],
    [
      new ToolError('no luck', { result: { content: [] } }),
      { name: 'ToolError', message: 'no luck', result: { content: [] } },
    ],
    [new ProtocolError(7, 'no luck', { why: 'x' }), { name: 'ProtocolError', code: 7, data: { why: 'x' } }],
    [Object.assign(new TypeError('no luck'), { code: 'ENOENT' }), { name: 'TypeError', code: 'ENOENT' }],
    ['text', { name: 'Error', message: 'text' }],
    [undefined, { message: 'undefined' }],
  ];
  for (const [error, later] of thrown) {
    for (const runsBefore of [0, 1]) {
      const store = records();
      let asker = createReplayAsker(undefined, callId, undefined, store);
      if (runsBefore > 0) asker = await nextRun(asker, store);
      let acts = 0;
      const act = (): never => {
        acts++;
        throw error;
      };
      await assert.rejects(asker.once('act', act), (caught) => caught === error);
      await assert.rejects(asker.once('act', act), (caught) => caught === error);
      const deliveredTwice = runsBefore > 0 ? [createReplayAsker(asker.state(), callId, {}, store)] : [];
      for (const next of [...deliveredTwice, await nextRun(asker, store)])
        await assert.rejects(next.once('act', act), later);
      assert.equal(acts, 1);
    }
  }
});

test('an action whose result is not JSON is not repeated', async () => {
  const store = records();
  const first = createReplayAsker(undefined, callId, undefined, store);
  await assert.rejects(
    first.once('act', () => new Date()),
    /is not JSON/,
  );
  const second = await nextRun(first, store);
  await assert.rejects(
    second.once('act', () => assert.fail('it ran again')),
    { name: 'TypeError', message: /is not JSON/ },
  );
});

test('a once without a result also returns undefined in later runs', async () => {
  const store = records();
  const first = createReplayAsker(undefined, callId, undefined, store);
  assert.equal(await first.once('act', () => undefined), undefined);
  assert.equal(await first.once('null', () => null), null);
  await assert.rejects(first.answer(question('a'), take));
  const state = JSON.parse(JSON.stringify(first.state()));
  const second = createReplayAsker(state, callId, {}, store);
  assert.equal(await second.once('act', () => assert.fail('it ran again')), undefined);
  assert.equal(await second.once('null', () => assert.fail('it ran again')), null);
});

test('asking while a once is running is an error', async () => {
  const asker = createReplayAsker(undefined, callId, undefined, records());
  const inner = asker.once('act', () => asker.answer(question('a'), take));
  await assert.rejects(inner, /Ask first, then act/);
  assert.equal(asker.open.size, 0);
});

test('the result of once has to be JSON', async () => {
  const asker = createReplayAsker(undefined, callId, undefined, records());
  const bad: unknown[] = [new Date(), () => 1, 1n, Number.NaN, new Map(), { at: new Date() }, [undefined], Symbol('x')];
  for (const [at, value] of bad.entries())
    await assert.rejects(
      asker.once(`bad ${at}`, () => value),
      /is not JSON/,
      String(at),
    );
  const good: unknown[] = [
    undefined,
    null,
    0,
    'x',
    [1, { a: [] }],
    { a: undefined },
    JSON.parse('{"__proto__":{"a":1}}'),
  ];
  for (const [at, value] of good.entries())
    assert.deepEqual(
      await asker.once(`good ${at}`, () => value),
      value === undefined ? undefined : JSON.parse(JSON.stringify(value)),
    );
});
