import assert from 'node:assert/strict';
import { test } from 'node:test';
import { turns } from '../../../../scripts/lib/until.ts';
import { ProtocolError, TimeoutError, ToolError } from '../protocol/errors.ts';
import type { JsonObject } from '../protocol/jsonrpc.ts';
import { DEFAULT_LIMITS } from '../protocol/limits.ts';
import type { LogEntry } from '../protocol/log.ts';
import { memoryStore } from '../store/memory.ts';
import type { CallDeps } from './ask/asker.ts';
import { runHandler, type Outcome } from './run-handler.ts';
import type { CallContext } from './context.ts';
import { ALL_CAPABILITIES, fakeRequestContext, type FakeOptions } from './fixtures/request-context.ts';
import { createLazySealer } from '../store/lazy-sealer.ts';

const CALL = { method: 'tools/call', name: 'test', args: { a: 1 } };
const COLOR = { type: 'object', properties: { color: { type: 'string', minLength: 3 } }, required: ['color'] } as const;
function accept(color: string): JsonObject {
  return { action: 'accept', content: { color } };
}

function stage() {
  const log: LogEntry[] = [];
  const logger = (entry: LogEntry): void => void log.push(entry);
  const deps: CallDeps = {
    sealer: createLazySealer(undefined, 'test', logger),
    store: memoryStore(),
    limits: DEFAULT_LIMITS,
    log: logger,
  };
  const run = async <T>(
    handler: (ctx: CallContext) => T | Promise<T>,
    params: JsonObject = {},
    caller: FakeOptions = {},
  ): Promise<Outcome<T>> => runHandler<T>(deps, fakeRequestContext(caller), params, CALL, handler as never);
  return { deps, run, log, errors: () => log.filter(({ level }) => level === 'error').map(({ event }) => event) };
}

/** Fails the test if a rejected promise is not handled. */
async function noStrayRejections(run: () => Promise<void>): Promise<void> {
  const stray: unknown[] = [];
  const hear = (reason: unknown): void => void stray.push(reason);
  process.on('unhandledRejection', hear);
  try {
    await run();
    await turns();
  } finally {
    process.off('unhandledRejection', hear);
  }
  assert.deepEqual(stray, []);
}

function asked<T>(outcome: Outcome<T>): { requests: JsonObject; state: string } {
  assert.ok('requests' in outcome, 'the call stopped at questions');
  return outcome;
}
function valueOf<T>(outcome: Outcome<T>): T {
  assert.ok('value' in outcome, 'the call has an answer');
  return outcome.value;
}

test('a call whose handler asks nothing is answered in the same turn', () => {
  const { deps } = stage();
  assert.deepEqual(
    runHandler(deps, fakeRequestContext(), {}, CALL, () => 5),
    { value: 5 },
  );
  assert.deepEqual(
    runHandler(deps, fakeRequestContext({ revision: '2025-11-25', sendRequest: async () => ({}) }), {}, CALL, () => 5),
    { value: 5 },
  );
});

test('a call stops at its question and runs again from the top with the answer', async () => {
  const { run } = stage();
  let runs = 0;
  const handler = async (ctx: CallContext): Promise<string> => {
    runs++;
    return (await ctx.ask('color', 'Which?', COLOR)).color;
  };
  const { requests, state } = asked(await run(handler));
  assert.deepEqual(Object.keys(requests), ['color']);
  assert.equal(valueOf(await run(handler, { requestState: state, inputResponses: { color: accept('red') } })), 'red');
  assert.equal(runs, 2);
});

test('in eras in which the server may send requests, the handler waits for the answer', async () => {
  const { run } = stage();
  const sendRequest = async (): Promise<JsonObject> => accept('red');
  assert.equal(
    valueOf(
      await run(
        async (ctx) => (await ctx.ask('color', 'Which?', COLOR)).color,
        {},
        { revision: '2025-11-25', sendRequest },
      ),
    ),
    'red',
  );
});

test('a handler that catches the signal and continues causes an error that names the question and the catch', async () => {
  for (const wrong of [
    async (ctx: CallContext) => ctx.ask('color', 'Which?', COLOR).catch(() => 'swallowed'),
    async (ctx: CallContext) =>
      ctx.ask('color', 'Which?', COLOR).catch((cause) => {
        throw new ToolError('I could not ask', { cause });
      }),
    async (ctx: CallContext) => (await Promise.allSettled([ctx.ask('color', 'Which?', COLOR)])).length,
  ]) {
    const { run, errors } = stage();
    await assert.rejects(
      run<unknown>(wrong),
      (error: unknown) =>
        error instanceof ProtocolError &&
        error.code === -32603 &&
        /'color'/.test(error.message) &&
        /catch block/.test(error.message) &&
        /rethrow/.test(error.message),
    );
    assert.deepEqual(errors(), ['pause-swallowed']);
  }
});

test('a question that is not awaited causes the same error, and no unhandled rejection', () =>
  noStrayRejections(async () => {
    const { run } = stage();
    const handler = (ctx: CallContext): string => {
      void ctx.ask('color', 'Which?', COLOR);
      return 'done';
    };
    await assert.rejects(run(handler), /does not await the answer/);
  }));

test('a question or an action that is not awaited does not end the process when it fails later', () =>
  noStrayRejections(async () => {
    const { run } = stage();
    const sendRequest = (): Promise<JsonObject> => Promise.reject(new TimeoutError('request-timeout', 'late'));
    const handler = (ctx: CallContext): string => {
      void ctx.ask('color', 'Which?', COLOR);
      void ctx.once('act', () => {
        throw new Error('no');
      });
      return 'done';
    };
    assert.equal(valueOf(await run(handler, {}, { revision: '2025-11-25', sendRequest })), 'done');
  }));

test('of two questions, one that the client cannot answer is -32021, and the other does not count as a swallowed signal', async () => {
  const { run, errors } = stage();
  const handler = (ctx: CallContext): Promise<unknown> =>
    Promise.all([ctx.ask('color', 'Which?', COLOR), ctx.sample('poem', { messages: [], maxTokens: 1 })]);
  await assert.rejects(
    run(handler, {}, { capabilities: { elicitation: {} } }),
    (error: unknown) => error instanceof ProtocolError && error.code === -32021,
  );
  assert.deepEqual(errors(), []);
});

test('a declined question beside an open one is a tool error', async () => {
  const { run, errors } = stage();
  const handler = (ctx: CallContext): Promise<unknown> =>
    Promise.all([ctx.ask('first', 'First?', COLOR), ctx.ask('second', 'Second?', COLOR)]);
  const { state } = asked(await run(handler));
  const responses = { first: { action: 'decline' }, second: accept('x') };
  await assert.rejects(
    run(handler, { requestState: state, inputResponses: responses }),
    (error: unknown) => error instanceof ToolError && /declined/.test(error.message),
  );
  assert.deepEqual(errors(), []);
});

test('a malformed answer beside a question that is still open is -32602', async () => {
  const { run } = stage();
  const handler = (ctx: CallContext): Promise<unknown> =>
    Promise.all([ctx.ask('first', 'First?', COLOR), ctx.ask('second', 'Second?', COLOR)]);
  const { state } = asked(await run(handler));
  await assert.rejects(
    run(handler, { requestState: state, inputResponses: { first: { action: 'perhaps' } } }),
    (error: unknown) => error instanceof ProtocolError && error.code === -32602,
  );
});

test('a handler that catches a refusal may ask another question', async () => {
  const { run } = stage();
  const handler = async (ctx: CallContext): Promise<unknown> => {
    await ctx.sample('poem', { messages: [], maxTokens: 1 }).catch(() => undefined);
    return ctx.ask('color', 'Which?', COLOR);
  };
  const { requests } = asked(await run(handler, {}, { capabilities: { elicitation: {} } }));
  assert.deepEqual(Object.keys(requests), ['color']);
});

test('a sampled message may use a tool only if tools were offered', async () => {
  const { run } = stage();
  const use = { type: 'tool_use', id: '1', name: 'search', input: {} };
  const sampled = async (content: JsonObject | JsonObject[], offered: object): Promise<unknown> => {
    const sendRequest = async (): Promise<JsonObject> => ({ role: 'assistant', model: 'm', content });
    const params = { messages: [], maxTokens: 1, ...offered };
    return valueOf(await run((ctx) => ctx.sample('plan', params), {}, { revision: '2025-11-25', sendRequest }));
  };
  for (const content of [use, [{ type: 'text', text: 'I search' }, use]]) {
    await assert.rejects(
      sampled(content, {}),
      (error: unknown) =>
        error instanceof ProtocolError && error.code === -32602 && /'plan'.*none was offered/.test(error.message),
    );
    const offered = { tools: [{ name: 'search', inputSchema: { type: 'object' } }] };
    assert.deepEqual(await sampled(content, offered), { role: 'assistant', model: 'm', content });
  }
});

test('a client that does not answer in time ends the call with a tool error', async () => {
  const { run } = stage();
  const sendRequest = (): Promise<JsonObject> =>
    Promise.reject(new TimeoutError('request-timeout', 'The client did not answer elicitation/create in time'));
  await assert.rejects(
    run((ctx) => ctx.ask('color', 'Which?', COLOR), {}, { revision: '2025-11-25', sendRequest }),
    (error: unknown) => error instanceof ToolError && /'color'.*in time/.test(error.message),
  );
});

test('a question that the revision cannot represent is a tool error before anything is asked', async () => {
  const { run } = stage();
  const handler = (ctx: CallContext): Promise<unknown> => ctx.visit('page', 'Sign in', 'https://example.com/');
  const { requests } = asked(await run(handler));
  assert.equal((requests['page'] as { params: JsonObject }).params['url'], 'https://example.com/');
  await assert.rejects(
    run(handler, {}, { capabilities: { elicitation: { form: {} } } }),
    (error: unknown) => error instanceof ProtocolError && error.code === -32021,
  );
  const sendRequest = (): Promise<JsonObject> => assert.fail('the client was asked');
  await assert.rejects(run(handler, {}, { revision: '2025-06-18', capabilities: {}, sendRequest }), ToolError);
});

test('state that was made for other arguments, another caller or no caller is -32602', async () => {
  const { run, deps } = stage();
  const handler = (ctx: CallContext): Promise<unknown> => ctx.ask('color', 'Which?', COLOR);
  const { state } = asked(await run(handler));
  const answer = { inputResponses: { color: accept('red') } };
  const refused = (error: unknown): boolean => error instanceof ProtocolError && error.code === -32602;
  for (const requestState of ['', 'x', 5, null, {}, `${state}x`, 'x'.repeat(DEFAULT_LIMITS.stateBytes + 1)])
    await assert.rejects(run(handler, { ...answer, requestState }), refused);
  await assert.rejects(run(handler, { ...answer, requestState: state }, { principal: { id: 'eve' } }), refused);
  await assert.rejects(
    async () =>
      runHandler(
        deps,
        fakeRequestContext(),
        { ...answer, requestState: state },
        { ...CALL, args: { a: 2 } },
        handler as never,
      ),
    refused,
  );
  await assert.rejects(
    async () =>
      runHandler(
        deps,
        fakeRequestContext(),
        { ...answer, requestState: state },
        { ...CALL, name: 'other' },
        handler as never,
      ),
    refused,
  );
  assert.throws(() => runHandler(deps, fakeRequestContext(), { inputResponses: [] }, CALL, () => 5), refused);
});

test('state that is too large is a tool error that says what to do', async () => {
  const { run } = stage();
  const handler = async (ctx: CallContext): Promise<unknown> => {
    await ctx.once('read', () => 'x'.repeat(100_000));
    return ctx.ask('color', 'Which?', COLOR);
  };
  await assert.rejects(
    run(handler),
    (error: unknown) => error instanceof ToolError && /return their id/.test(error.message),
  );
});

test('a call that was cancelled before its handler began does not begin', () => {
  const { deps } = stage();
  const request = fakeRequestContext({ capabilities: ALL_CAPABILITIES });
  request.cancel();
  assert.throws(() => runHandler(deps, request, {}, CALL, () => assert.fail('it ran')), ProtocolError);
});

test('a running action has the lease that the limits say', async () => {
  const leases: number[] = [];
  const { deps, run } = stage();
  const store = memoryStore();
  const watched = {
    ...store,
    add: (key: string, value: unknown, lifeMs: number) => (leases.push(lifeMs), store.add(key, value, lifeMs)),
  };
  Object.assign(deps, { store: watched, limits: { ...DEFAULT_LIMITS, leaseMs: 1_234 } });
  const handler = async (ctx: CallContext): Promise<string> => {
    await ctx.ask('color', 'Which?', COLOR);
    return ctx.once('act', () => 'done');
  };
  const { state } = asked(await run(handler));
  const ended = await run(handler, { requestState: state, inputResponses: { color: accept('red') } });
  assert.deepEqual([valueOf(ended), leases], ['done', [1_234]]);
});

test('`finally` blocks run at every question, and a call id stays the same in every run', async () => {
  const { run } = stage();
  const keys: string[] = [];
  const handler = async (ctx: CallContext): Promise<string> => {
    keys.push(ctx.idempotencyKey);
    try {
      return (await ctx.ask('color', 'Which?', COLOR)).color;
    } finally {
      keys.push('finally');
    }
  };
  const { state } = asked(await run(handler));
  await run(handler, { requestState: state, inputResponses: { color: accept('red') } });
  assert.equal(keys.length, 4);
  assert.equal(keys[0], keys[2]);
  assert.deepEqual([keys[1], keys[3]], ['finally', 'finally']);
});
