// The state of a suspended call, which travels with the client: sealed, bound to the caller and the request, and short-lived.
import assert from 'node:assert/strict';
import type { Server } from '../../src/entries/index.ts';
import { type Message, modern } from './cells.ts';
import { asking } from './fixtures/asking.ts';
import { ALL_CAPABILITIES, accept } from './questions.ts';
import { everywhereRaw, openRaw, type Raw, type RawSetup } from './raw.ts';

const POEM = { role: 'assistant', content: { type: 'text', text: 'Roses' }, model: 'poet' };
const ROOTS = { roots: [{ uri: 'file:///a' }] };
const RED = accept({ color: 'red' });

const setup = { fixture: asking, capabilities: ALL_CAPABILITIES, only: modern };

function call(raw: Raw, name: string, more: object = {}) {
  return raw.request('tools/call', { name, ...more });
}
function text({ result }: Message): string {
  return result?.['content'][0].text;
}
function asks({ result }: Message): string[] {
  assert.equal(result?.['resultType'], 'input_required');
  return Object.keys(result['inputRequests'] ?? {});
}
function stateOf({ result }: Message): string {
  assert.equal(typeof result?.['requestState'], 'string', JSON.stringify(result));
  return result!['requestState'];
}
async function counted(raw: Raw, name: string): Promise<string> {
  return text(await call(raw, 'counted', { arguments: { name } }));
}

const TEXT = 'requestState is not valid for this request, or has expired. Start again without it.';

/** The state is refused, always with the same message, and the handler does not run. */
async function refused(raw: Raw, name: string, more: object, method = 'tools/call'): Promise<void> {
  const { error } = await raw.request(method, { name, ...more });
  assert.deepEqual(error, { code: -32602, message: TEXT }, JSON.stringify(more).slice(0, 200));
}

everywhereRaw(
  '[MRTR-7, MRTR-8, MRTR-9] state that was changed anywhere is refused, and nothing runs',
  async (raw) => {
    const state = stateOf(await call(raw, 'color'));
    const inputResponses = { color: RED };
    const before = await counted(raw, 'color');
    for (let at = 0; at < state.length; at++) {
      const other = state[at] === 'A' ? 'B' : 'A';
      await refused(raw, 'color', { requestState: state.slice(0, at) + other + state.slice(at + 1), inputResponses });
    }
    for (const requestState of [
      '',
      'x',
      state.slice(1),
      state.slice(0, -1),
      state.slice(0, state.length / 2),
      `${state}A`,
      `${state}==`,
      ` ${state}`,
      `${state}\n`,
      state.replaceAll(/[-_]/g, '+'),
      'A'.repeat(1024 * 1024),
    ]) {
      if (requestState !== state) await refused(raw, 'color', { requestState, inputResponses });
    }
    assert.equal(await counted(raw, 'color'), before);
    assert.equal(
      text(await call(raw, 'color', { requestState: state, inputResponses })),
      'red',
      'as it was it is good',
    );
  },
  setup,
);

everywhereRaw(
  'state that is not a string is refused',
  async (raw) => {
    for (const requestState of [5, null, {}, [], true])
      await refused(raw, 'color', { requestState, inputResponses: { color: RED } });
    for (const inputResponses of [5, null, 'color', [RED]]) {
      const { error } = await call(raw, 'color', { requestState: stateOf(await call(raw, 'color')), inputResponses });
      assert.equal(error?.code, -32602, JSON.stringify(inputResponses));
    }
  },
  { ...setup, hostile: true },
);

everywhereRaw(
  '[MRTR-12] state is only valid for the same tool with the same arguments',
  async (raw) => {
    const requestState = stateOf(await call(raw, 'color', { arguments: { shade: 'dark' } }));
    const more = { requestState, inputResponses: { color: RED } };
    await refused(raw, 'colour', { ...more, arguments: { shade: 'dark' } });
    for (const args of [undefined, {}, { shade: 'light' }, { shade: 'dark', more: 1 }])
      await refused(raw, 'color', { ...more, arguments: args });
    await refused(raw, 'color', more, 'prompts/get');
    const { error } = await raw.request('resources/read', { uri: 'asking://color', ...more });
    assert.equal(error?.message, TEXT);
    assert.equal(text(await call(raw, 'color', { ...more, arguments: { shade: 'dark' } })), 'red');
  },
  setup,
);

const shortly = { limits: { stateMs: 40 } };

everywhereRaw(
  '[MRTR-11] expired state is refused',
  async (raw) => {
    const requestState = stateOf(await call(raw, 'color'));
    await new Promise((resolve) => setTimeout(resolve, 60));
    await refused(raw, 'color', { requestState, inputResponses: { color: RED } });
  },
  { ...setup, serve: shortly },
);

const keys = ['a key of several servers, 32 bytes'];
const alice = { keys, principal: { id: 'alice' } };

/** Other servers besides the one of the test. */
async function beside(
  raw: Raw,
  serves: readonly NonNullable<RawSetup['serve']>[],
  use: (others: Raw[]) => Promise<void>,
): Promise<void> {
  const others = await Promise.all(
    serves.map((serve) => openRaw(raw.cell, { ...(setup as unknown as RawSetup<Server>), serve })),
  );
  try {
    await use(others);
  } finally {
    await Promise.all(others.map((other) => other.close()));
  }
}

everywhereRaw(
  '[MRTR-10, ELIC-28, ELIC-37, BASE-37] state is valid for the same principal, at any server with the same keys',
  async (raw) => {
    const requestState = stateOf(await call(raw, 'color'));
    const more = { requestState, inputResponses: { color: RED } };
    const rotated = { ...alice, keys: ['a newer key that seals from now on', ...keys] };
    await beside(
      raw,
      [
        alice,
        rotated,
        { keys, principal: { id: 'bob' } },
        { keys },
        { ...alice, keys: ['another key, that opens nothing of it'] },
      ],
      async ([same, newer, ...others]) => {
        for (const good of [same!, newer!]) assert.equal(text(await call(good, 'color', more)), 'red');
        for (const other of others) await refused(other, 'color', more);
      },
    );
  },
  { ...setup, serve: alice },
);

everywhereRaw(
  '[ELIC-30] state is unreadable without the key',
  async (raw) => {
    const first = stateOf(await call(raw, 'secret'));
    const second = await call(raw, 'secret', {
      requestState: first,
      inputResponses: { 'SECRET-NAME': { ...POEM, model: 'SECRET-ANSWER' } },
    });
    for (const state of [first, stateOf(second)]) {
      assert.match(state, /^[A-Za-z0-9_-]+$/);
      assert.doesNotMatch(Buffer.from(state, 'base64url').toString('latin1'), /SECRET|poet|callId|answers/);
    }
    assert.equal(
      text(await call(raw, 'secret', { requestState: stateOf(second), inputResponses: { roots: ROOTS } })),
      'some',
    );
  },
  setup,
);

everywhereRaw(
  'state that is too large is a tool error that says what to do',
  async (raw) => {
    assert.deepEqual(asks(await call(raw, 'huge', { arguments: { size: 30_000 } })), ['poem']);
    const { result } = await call(raw, 'huge', { arguments: { size: 100_000 } });
    assert.equal(result?.['isError'], true);
    assert.match(result?.['content'][0].text, /too large to carry.*limit is 65536/);
  },
  setup,
);

everywhereRaw(
  '[MRTR-13] a retry that is delivered twice acts once, even simultaneously',
  async (raw) => {
    const before = { slow: await counted(raw, 'slow'), after: await counted(raw, 'after') };
    const retry = { requestState: stateOf(await call(raw, 'slowAct')), inputResponses: { poem: POEM } };
    const twice = [
      raw.ask('tools/call', { name: 'slowAct', ...retry }),
      raw.ask('tools/call', { name: 'slowAct', ...retry }),
    ];
    const answers = await Promise.all(twice.map((id) => raw.answerTo(id)));
    assert.deepEqual(answers.map(text), ['1', '1']);
    assert.equal(text(await call(raw, 'slowAct', retry)), '1');
    assert.equal(await counted(raw, 'slow'), String(Number(before.slow) + 1));
    const act = { requestState: stateOf(await call(raw, 'act')), inputResponses: { poem: POEM } };
    for (let time = 0; time < 3; time++) assert.deepEqual(asks(await call(raw, 'act', act)), ['roots']);
    assert.equal(await counted(raw, 'after'), String(Number(before.after) + 1));
  },
  setup,
);

everywhereRaw(
  '[MRTR-25] answers to questions that were not asked are ignored, even if they are asked later; but a call may start with answers',
  async (raw) => {
    const requestState = stateOf(await call(raw, 'act'));
    const early = await call(raw, 'act', {
      requestState,
      inputResponses: { poem: POEM, roots: ROOTS, other: 5, constructor: {} },
    });
    assert.deepEqual(asks(early), ['roots']);
    const first = await call(raw, 'act', { inputResponses: { poem: POEM, other: 5 } });
    assert.deepEqual(asks(first), ['roots']);
  },
  { ...setup, hostile: true },
);

everywhereRaw(
  '[MRTR-26] a question that was not answered is asked again',
  async (raw) => {
    const first = await call(raw, 'mixed');
    assert.deepEqual(asks(first).sort(), ['poem', 'roots']);
    let state = stateOf(first);
    for (const inputResponses of [undefined, {}]) {
      const again = await call(raw, 'mixed', { requestState: state, inputResponses });
      assert.deepEqual(asks(again).sort(), ['poem', 'roots']);
      state = stateOf(again);
    }
    const partly = await call(raw, 'mixed', { requestState: state, inputResponses: { roots: ROOTS } });
    assert.deepEqual(asks(partly), ['poem']);
    assert.equal(
      text(await call(raw, 'mixed', { requestState: stateOf(partly), inputResponses: { poem: POEM } })),
      'poet 1',
      'an answered question is not asked again',
    );
  },
  setup,
);

everywhereRaw(
  "[BASE-44] the client's capabilities are those of this request, not of an earlier one",
  async (raw) => {
    const requestState = stateOf(await call(raw, 'act'));
    const { error } = await raw.request(
      'tools/call',
      { name: 'act', requestState, inputResponses: { poem: POEM } },
      { capabilities: { sampling: {} } },
    );
    assert.deepEqual([error?.code, error?.data], [-32021, { requiredCapabilities: { roots: {} } }]);
  },
  setup,
);

const narrow = { limits: { inFlight: 2 } };

everywhereRaw(
  '[MRTR-14, ELIC-26] a call that stopped at a question uses no memory, and need never continue',
  async (raw) => {
    const states: string[] = [];
    for (let time = 0; time < 20; time++) states.push(stateOf(await call(raw, 'color')));
    assert.equal(new Set(states).size, 20);
    assert.equal(text(await call(raw, 'color', { requestState: states[3], inputResponses: { color: RED } })), 'red');
  },
  { ...setup, serve: narrow },
);

everywhereRaw(
  'a resource that asks sends its caching hints with its contents, not with its questions',
  async (raw) => {
    const params = { uri: 'asking://poem' };
    const first = await raw.request('resources/read', params);
    assert.deepEqual(asks(first), ['poem']);
    assert.equal(Object.hasOwn(first.result!, 'ttlMs'), false);
    const { result } = await raw.request('resources/read', {
      ...params,
      requestState: stateOf(first),
      inputResponses: { poem: POEM },
    });
    assert.deepEqual(
      [result?.['contents'][0].text, result?.['ttlMs'], result?.['cacheScope']],
      ['poet', 60_000, 'private'],
    );
  },
  setup,
);

everywhereRaw(
  'the state does not depend on the order of arguments',
  async (raw) => {
    const requestState = stateOf(await call(raw, 'color', { arguments: { shade: 'dark', tone: 'warm' } }));
    assert.equal(
      text(
        await call(raw, 'color', {
          arguments: { tone: 'warm', shade: 'dark' },
          requestState,
          inputResponses: { color: RED },
        }),
      ),
      'red',
    );
  },
  setup,
);
