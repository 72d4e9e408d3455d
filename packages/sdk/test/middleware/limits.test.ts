// The limits that middleware can set, and the audit log.
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { test } from 'node:test';
import { RateLimiterMemory } from 'rate-limiter-flexible';
import { z } from 'zod';
import { connect, ProtocolError, ToolError } from '../../src/entries/client.ts';
import { server, tool } from '../../src/entries/index.ts';
import {
  audit,
  type AuditEntry,
  concurrencyLimit,
  logging,
  rateLimit,
  responseLimit,
  timeLimit,
} from '../../src/entries/middleware.ts';
import { memoryStore, type Store } from '../../src/entries/http.ts';
import { TASKS_EXTENSION } from '../../src/protocol/tasks.ts';
import { jumpingTime } from '../../../../scripts/lib/test-time.ts';
import { turns, until } from '../../../../scripts/lib/until.ts';

/** A tool that runs until the test ends it. */
function createGate() {
  const waiting: (() => void)[] = [];
  const handler = (_: unknown, { signal }: { signal: AbortSignal }) =>
    new Promise<string>((resolve, reject) => {
      waiting.push(() => resolve('done'));
      signal.addEventListener('abort', () => reject(signal.reason as Error));
    });
  return { waiting, handler };
}

function createApp() {
  return server({ name: 'x', tools: { run: tool({}, () => 'done') } });
}

test('a rate limit refuses calls beyond it, of each caller, and tells the model when to try again', async () => {
  const app = createApp();
  app.use({ 'tools/call': rateLimit({ perMinute: 60, burst: 2 }), 'tools/list': rateLimit({ perMinute: 1 }) });
  for (const id of ['ann', 'bob']) {
    await using client = await connect(app, { principal: { id }, cache: false });
    await client.call('run');
    await client.call('run');
    await assert.rejects(client.call('run'), { name: 'ToolError', message: 'Too many calls: try again in 1 s' });
    await client.tools().all();
    await assert.rejects(client.tools().all(), (error: ProtocolError) => {
      assert.equal(error.code, -32_603);
      assert.ok((error.data as { retryAfterMs: number }).retryAfterMs > 50_000);
      return true;
    });
  }
});

test('servers that share a store count calls together, with few writes, and count their own while it is away', async (t) => {
  const { jump } = jumpingTime(t, [Date, performance], { stands: true });
  const real = memoryStore();
  const state = { writes: 0, away: false };
  const counted =
    <Args extends unknown[], T>(method: (...args: Args) => T) =>
    (...args: Args): T => {
      if (state.away) throw new Error('the store is away');
      state.writes++;
      return method(...args);
    };
  const store: Store = { ...real, add: counted(real.add), swap: counted(real.swap) };
  const clients = await Promise.all(
    [1, 2, 3].map(() => {
      const app = createApp();
      app.use({ 'tools/call': rateLimit({ store, perMinute: 100 }) });
      return connect(app, { principal: { id: 'ann' } });
    }),
  );
  const passed = async (calls: number): Promise<number> => {
    const all = Array.from({ length: calls }, (_, n) => clients[n % 3]!.call('run'));
    return (await Promise.allSettled(all)).filter(({ status }) => status === 'fulfilled').length;
  };
  // At most what the nodes counted ahead for calls that did not come is missing.
  const first = await passed(300);
  assert.ok(first > 85 && first <= 100, `${first} passed`);
  assert.ok(state.writes < 100, `${state.writes} writes`);
  const { writes } = state;
  assert.equal(await passed(30), 0);
  assert.equal(state.writes, writes, 'refused calls are not counted');
  await assert.rejects(clients[0]!.call('run'), /Too many calls: try again in \d+ s/);
  jump(60_000);
  assert.equal(await passed(60), 60);
  jump(60_000);
  state.away = true;
  assert.equal(await passed(330), 300, 'each server counts its own');
  for (const bad of [{ store: {} }, { store, name: 'a/b' }, { store, perMinute: 0 }])
    assert.throws(() => rateLimit({ perMinute: 1, ...bad } as never), TypeError);
  for (const client of clients) await client.close();
});

test('connections without a principal are counted separately, unless a key says otherwise', async () => {
  const app = createApp();
  app.use({ 'tools/call': rateLimit({ perMinute: 1 }) });
  for (let connection = 0; connection < 2; connection++) {
    await using client = await connect(app);
    await client.call('run');
    await assert.rejects(client.call('run'), ToolError);
  }
  const shared = createApp();
  shared.use({ 'tools/call': rateLimit({ perMinute: 1, key: () => 'all' }) });
  await using first = await connect(shared);
  await first.call('run');
  await using second = await connect(shared);
  await assert.rejects(second.call('run'), ToolError);
});

test('the state of a rate limit can be shared by several processes, with the limiters of rate-limiter-flexible', async () => {
  const app = createApp();
  app.use({ 'tools/call': rateLimit({ limiter: new RateLimiterMemory({ points: 1, duration: 60 }) }) });
  await using client = await connect(app);
  await client.call('run');
  await assert.rejects(client.call('run'), /Too many calls: try again in (?:59|60) s/);
  const broken = createApp();
  broken.use({
    'tools/call': rateLimit({ limiter: { consume: () => Promise.reject(new Error('the store is away')) } }),
  });
  await using other = await connect(broken);
  await assert.rejects(other.call('run'), ProtocolError);
});

test('a task counts once, when it is requested', async () => {
  const app = server({ name: 'x', tools: { run: tool({ taskSupport: 'optional' }, () => 'done') } });
  app.use({ 'tools/call': rateLimit({ perMinute: 1 }) });
  await using client = await connect(app, { extensions: { [TASKS_EXTENSION]: {} } });
  const { taskId } = await client.request('tools/call', { name: 'run', arguments: {} });
  let now: Record<string, unknown> = {};
  await until(async () => (now = await client.request('tasks/get', { taskId }))['status'] !== 'working');
  assert.equal((now['result'] as Record<string, unknown>)['isError'], undefined);
  assert.equal((await client.request('tools/call', { name: 'run', arguments: {} }))['isError'], true);
});

test('a client can limit its requests', async () => {
  await using client = await connect(createApp(), { use: [{ 'tools/call': rateLimit({ perMinute: 1 }) }] });
  await client.call('run');
  await assert.rejects(client.call('run'), /Too many calls/);
});

test('a concurrency limit lets calls wait in order, refuses those for which the queue has no room, and forgets those that are cancelled', async () => {
  const { waiting, handler } = createGate();
  const app = server({ name: 'x', tools: { run: tool({}, handler) } });
  app.use({ 'tools/call': concurrencyLimit({ max: 1, queue: 2 }) });
  await using client = await connect(app);
  const order: string[] = [];
  const call = (name: string, signal?: AbortSignal) => {
    const called = client.call('run', {}, signal && { signal }).then(() => void order.push(name));
    called.catch(() => {});
    return called;
  };
  const first = call('first');
  await until(() => waiting.length === 1);
  const cancel = new AbortController();
  const second = call('second', cancel.signal);
  const third = call('third');
  await turns();
  await assert.rejects(client.call('run'), /Too many calls at once: the limit is 1/);
  cancel.abort();
  await assert.rejects(second, { name: 'AbortError' });
  assert.equal(waiting.length, 1);
  waiting.pop()!();
  await first;
  await until(() => waiting.length === 1);
  waiting.pop()!();
  await third;
  assert.deepEqual(order, ['first', 'third']);
  const last = call('last');
  await until(() => waiting.length === 1);
  waiting.pop()!();
  await last;
});

test('runs of tasks wait for their turn, however many there are', async () => {
  const { waiting, handler } = createGate();
  const app = server({ name: 'x', tools: { run: tool({ taskSupport: 'optional' }, handler) } });
  app.use({ 'tools/call': concurrencyLimit({ max: 1 }) });
  await using client = await connect(app, { extensions: { [TASKS_EXTENSION]: {} } });
  const ids: unknown[] = [];
  for (let task = 0; task < 3; task++)
    ids.push((await client.request('tools/call', { name: 'run', arguments: {} }))['taskId']);
  for (const taskId of ids) {
    await until(() => waiting.length === 1);
    await turns();
    assert.equal(waiting.length, 1);
    waiting.pop()!();
    await until(async () => (await client.request('tasks/get', { taskId }))['status'] === 'completed');
  }
});

test('a time limit ends a call: the handler is aborted, the model gets an error, and time for questions to the user does not count', async (t) => {
  for (const revision of ['2026-07-28', '2025-11-25'] as const) {
    let reason: unknown;
    const began: string[] = [];
    const begin = <T>(name: string, act: () => T): T => (began.push(name), act());
    const app = server({
      name: 'x',
      tools: {
        hang: tool({}, (_, { signal }) => {
          signal.addEventListener('abort', () => (reason = signal.reason));
          return begin('hang', () => new Promise<string>(() => {}));
        }),
        fast: tool({}, () => 'done'),
        ask: tool({}, async (_, ctx) => (await ctx.ask('name', 'Name?', z.object({ name: z.string() }))).name),
      },
      methods: { 'acme/hang': () => begin('own', () => new Promise<object>(() => {})) },
    });
    app.use(timeLimit(1_000));
    // The limit passes in parts, and the clock of the test fires no timer that is set meanwhile.
    const pass = (ms: number): void => {
      for (let at = 0; at < ms; at += 50) t.mock.timers.tick(50);
    };
    let reply!: () => void;
    const elicit = () =>
      begin(
        'question',
        () => new Promise((resolve) => (reply = () => resolve({ action: 'accept', content: { name: 'Ann' } }))),
      );
    await using client = await connect(app, { revision, elicit: elicit as never });
    t.mock.timers.enable({ apis: ['setTimeout'] });
    const message = 'The call took longer than 1000 ms';
    const hanging = assert.rejects(client.call('hang'), { name: 'ToolError', message });
    await until(() => began.includes('hang'));
    pass(1_000);
    await hanging;
    assert.equal((reason as Error).message, message);
    const own = assert.rejects(client.request('acme/hang', {}), new ProtocolError(-32_603, message));
    await until(() => began.includes('own'));
    pass(1_000);
    await own;
    assert.equal(await client.call('fast'), 'done');
    const asking = client.call('ask');
    await until(() => began.includes('question'));
    pass(5_000);
    reply();
    assert.equal(await asking, 'Ann');
    t.mock.timers.reset();
  }
});

test('time in which a question waits does not count, however the limit falls', async (t) => {
  const app = server({
    name: 'x',
    tools: {
      ask: tool({}, async (_, ctx) => {
        const { name } = await ctx.ask('name', 'Name?', z.object({ name: z.string() }));
        began.push('work');
        await new Promise<void>((resolve) => (finish = resolve));
        return name;
      }),
    },
  });
  const began: string[] = [];
  let finish!: () => void;
  let reply!: () => void;
  app.use({ 'tools/call': timeLimit(1_000) });
  const elicit = () => {
    began.push('question');
    return new Promise((resolve) => (reply = () => resolve({ action: 'accept', content: { name: 'Ann' } })));
  };
  await using client = await connect(app, { revision: '2025-11-25', elicit: elicit as never });
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const pass = (ms: number): void => {
    for (let at = 0; at < ms; at += 50) t.mock.timers.tick(50);
  };
  // A question of 800 ms, then 700 ms of work: less than the limit. Then one of 5 s, and 1.1 s of work: more than the limit.
  for (const [asked, worked] of [
    [800, 700],
    [5_000, 1_100],
  ] as const) {
    began.length = 0;
    const call = client.call('ask').catch(({ message }: Error) => message);
    await until(() => began.includes('question'));
    pass(asked);
    reply();
    await until(() => began.includes('work'));
    pass(worked);
    finish();
    assert.equal(await call, worked < 1_000 ? 'Ann' : 'The call took longer than 1000 ms');
  }
  t.mock.timers.reset();
});

test('a time limit ends the run of a task, which fails then', async () => {
  const app = server({
    name: 'x',
    tools: { hang: tool({ taskSupport: 'optional' }, () => new Promise<string>(() => {})) },
  });
  app.use({ 'tools/call': timeLimit(30) });
  await using client = await connect(app, { extensions: { [TASKS_EXTENSION]: {} } });
  const { taskId } = await client.request('tools/call', { name: 'hang', arguments: {} });
  let now: Record<string, unknown> = {};
  await until(async () => (now = await client.request('tasks/get', { taskId }))['status'] !== 'working');
  assert.deepEqual(now['result'], {
    content: [{ type: 'text', text: 'The call took longer than 30 ms' }],
    isError: true,
  });
});

test('a response limit refuses results that are too long, of any form', async () => {
  const app = server({
    name: 'x',
    tools: {
      text: tool({ input: z.object({ length: z.number() }) }, ({ length }) => 'x'.repeat(length)),
      data: tool({ output: z.object({ text: z.string() }) }, () => ({ text: 'x'.repeat(1_000) })),
    },
  });
  app.use({ 'tools/call': responseLimit(1_000) });
  await using client = await connect(app);
  assert.equal(((await client.call('text', { length: 900 })) as string).length, 900);
  await assert.rejects(client.call('text', { length: 1_000 }), /more than the 1000 allowed. Ask for less of it/);
  await assert.rejects(client.call('data'), ToolError);
});

test('a response limit is about results: questions, and what a client carries with them, are none', async () => {
  const app = server({
    name: 'x',
    tools: {
      ask: tool({}, async (_, ctx) => {
        const { name } = await ctx.ask('name', `Name? ${'x'.repeat(500)}`, z.object({ name: z.string() }));
        return name;
      }),
    },
  });
  app.use({ 'tools/call': responseLimit(300) });
  for (const revision of ['2026-07-28', '2025-11-25'] as const) {
    await using client = await connect(app, { revision, answers: { name: { name: 'Ann' } } });
    assert.equal(await client.call('ask'), 'Ann');
  }
});

test('a call that was cancelled is logged as cancelled, on both sides, and not as a failure of its tool', async () => {
  for (const revision of ['2026-07-28', '2025-11-25'] as const) {
    const outcomes: string[] = [];
    const app = server({
      name: 'x',
      tools: {
        wait: tool(
          {},
          (_, { signal }) =>
            new Promise<string>((_resolve, reject) => {
              outcomes.push('begun');
              signal.addEventListener('abort', () => reject(signal.reason as Error));
            }),
        ),
      },
    });
    const note = ({ side, outcome }: { side: string; outcome?: string }) =>
      void (outcome && outcomes.push(`${side} ${outcome}`));
    app.use({ 'tools/call': logging(({ details }) => note(details)) }, { 'tools/call': audit(note) });
    const use = [{ 'tools/call': audit(note) }];
    await using client = await connect(app, { revision, use, serve: { log: () => {} } });
    const cancel = new AbortController();
    const call = assert.rejects(client.call('wait', {}, { signal: cancel.signal }), { name: 'AbortError' });
    await until(() => outcomes.length === 1);
    cancel.abort();
    await call;
    await until(() => outcomes.length === 4);
    assert.deepEqual(outcomes.toSorted(), ['begun', 'client cancelled', 'server cancelled', 'server cancelled']);
  }
});

test('an audit log has an entry before and after each call; a call that cannot be written does not run', async () => {
  const entries: AuditEntry[] = [];
  let ran = 0;
  let full = false;
  const app = server({
    name: 'x',
    tools: {
      run: tool({ input: z.object({ secret: z.string() }) }, () => `${ran++}`),
      fail: tool({}, () => {
        throw new ProtocolError(1_234, 'no');
      }),
    },
  });
  app.use({
    'tools/call': audit((entry) => {
      if (full) throw new Error('the disk is full');
      entries.push(entry);
    }),
  });
  await using client = await connect(app, { principal: { id: 'ann' } });
  await client.call('run', { secret: 'hush' });
  await assert.rejects(client.call('fail'), ProtocolError);
  assert.deepEqual(
    entries.map(({ event, name, principal, outcome, code }) => [event, name, principal, outcome, code]),
    [
      ['begin', 'run', 'ann', undefined, undefined],
      ['end', 'run', 'ann', 'result', undefined],
      ['begin', 'fail', 'ann', undefined, undefined],
      ['end', 'fail', 'ann', 'error', 1_234],
    ],
  );
  assert.equal(entries[0]!.id, entries[1]!.id);
  assert.notEqual(entries[0]!.id, entries[2]!.id);
  assert.equal(entries[0]!.argumentsHash, createHash('sha256').update('{"secret":"hush"}').digest('hex'));
  assert.ok(!JSON.stringify(entries).includes('hush'));
  full = true;
  await assert.rejects(client.call('run', { secret: 'hush' }), ProtocolError);
  assert.equal(ran, 1);
});

test('limits that are not numbers, and unknown options, are refused', () => {
  assert.throws(() => rateLimit({ perMinute: 0 }), /perMinute must be a positive number, got 0/);
  assert.throws(() => rateLimit({ perSecond: 1 } as never), /unknown option 'perSecond'/);
  assert.throws(() => rateLimit({ limiter: {} as never }), /limiter needs a method `consume`/);
  assert.throws(() => concurrencyLimit({ max: Number.NaN }), /max must be a positive number/);
  assert.throws(() => timeLimit(-1), /A time limit must be a positive number/);
  assert.throws(() => timeLimit(3_000_000_000), /at most 2147483647 ms/);
  assert.throws(() => responseLimit('1' as never), /A response limit must be a positive number/);
  assert.throws(() => audit(undefined as never), /audit needs a function/);
});
