// The order of middleware and other steps around a handler: questions that run it again, tasks, visibility, checks of arguments.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { z } from 'zod';
import { type ClientMiddleware, connect, ProtocolError, ToolError } from '../../src/entries/client.ts';
import {
  type CallAnswer,
  type IncomingCall,
  type LogEntry,
  middleware,
  resource,
  server,
  tool,
} from '../../src/entries/index.ts';
import { REVISIONS } from '../../src/protocol/revision.ts';
import { TASKS_EXTENSION } from '../../src/protocol/tasks.ts';
import { turns, until } from '../../../../scripts/lib/until.ts';
import { WAYS } from './ways.ts';

/** A middleware that records the calls that it sees. */
function noting(seen: string[], name: string) {
  return middleware(async (call: IncomingCall, next) => {
    const task = call.task === undefined ? '' : ` in run ${call.task.run} of a task`;
    seen.push(`${name}: ${call.name}${task}`);
    const answer = await next({ [name]: true });
    seen.push(`${name}: ${answer.kind}`);
    return answer;
  });
}

const question = z.object({ name: z.string() });

test('with questions, the middleware runs around each run of the handler, and adds its state each time', async () => {
  for (const revision of ['2026-07-28', '2025-11-25'] as const) {
    const seen: string[] = [];
    const own = noting(seen, 'own');
    const app = server({
      name: 'asks',
      tools: {
        ask: tool({ use: [own] }, async (_, ctx) => {
          seen.push(Object.keys(ctx.state).join());
          return (await ctx.ask('name', 'Name?', question)).name;
        }),
      },
    });
    app.use({ 'tools/call': noting(seen, 'all') });
    await using client = await connect(app, { revision, answers: { name: { name: 'Ann' } } });
    assert.equal(await client.call('ask'), 'Ann');
    const stopped = ['all: ask', 'own: ask', 'all,own', 'own: input_required', 'all: input_required'];
    const ended = ['all: ask', 'own: ask', 'all,own', 'own: result', 'all: result'];
    assert.deepEqual(seen, revision === '2026-07-28' ? [...stopped, ...ended] : ended);
  }
});

for (const revision of ['2026-07-28', '2025-11-25'] as const)
  test(`with a task, it runs around the request and around the run of the handler: ${revision}`, async () => {
    const seen: string[] = [];
    const app = server({
      name: 'long',
      tools: {
        long: tool({ taskSupport: 'optional', use: [noting(seen, 'own')] }, async (_, ctx) => {
          await turns(3);
          seen.push(Object.keys(ctx.state).join());
          return 'done';
        }),
      },
    });
    app.use({ 'tools/call': noting(seen, 'all') });
    const sent: string[] = [];
    const note: ClientMiddleware = async (_, next) => {
      const answer = await next();
      sent.push(answer.kind);
      return answer;
    };
    const extensions = { [TASKS_EXTENSION]: {} };
    await using client = await connect(app, { revision, extensions, use: [{ 'tools/call': note }] });
    const task = revision === '2026-07-28' ? {} : { task: {} };
    await client.request('tools/call', { name: 'long', arguments: {}, ...task });
    assert.deepEqual(sent, ['task']);
    await until(() => seen.at(-1) === 'all: result');
    assert.deepEqual(
      seen.filter((line) => !line.includes('in run')).filter((line) => line.endsWith('long') || line.endsWith('task')),
      ['all: long', 'own: long', 'own: task', 'all: task'],
    );
    assert.deepEqual(
      seen.filter((line) => line.includes('in run') || line === 'all,own' || line.endsWith('result')),
      ['all: long in run 1 of a task', 'own: long in run 1 of a task', 'all,own', 'own: result', 'all: result'],
    );
  });

for (const revision of ['2026-07-28', '2025-11-25'] as const)
  test(`a call that is cancelled while its answer passes through middleware takes its task with it: ${revision}`, async () => {
    let stopped: unknown;
    let isMade = false;
    const app = server({
      name: 'long',
      tools: {
        long: tool({ taskSupport: 'optional' }, (_, { signal }) => {
          signal.addEventListener('abort', () => (stopped = signal.reason));
          return new Promise<string>(() => {});
        }),
      },
    });
    const sent = new AbortController();
    app.use({
      'tools/call': async (call, next) => {
        const answer = await next();
        if (answer.kind !== 'task') return answer;
        isMade = true;
        await new Promise((resolve) => call.signal.addEventListener('abort', resolve));
        return answer;
      },
    });
    await using client = await connect(app, { revision, extensions: { [TASKS_EXTENSION]: {} } });
    const task = revision === '2026-07-28' ? {} : { task: {} };
    const params = { name: 'long', arguments: {}, ...task };
    const call = assert.rejects(client.request('tools/call', params, { signal: sent.signal }), { name: 'AbortError' });
    await until(() => isMade);
    assert.equal(stopped, undefined);
    sent.abort();
    await call;
    await until(() => stopped !== undefined);
    assert.match(String(stopped), /cancelled/);
  });

for (const revision of ['2026-07-28', '2025-11-25'] as const)
  for (const where of ['app', 'tool'] as const)
    test(`a task whose handle a middleware keeps from the client is cancelled: ${where}, ${revision}`, async () => {
      const stopped: unknown[] = [];
      const keep = middleware(async (call, next) => {
        const answer = await next();
        if (answer.kind !== 'task') return answer;
        if (call.params['_meta'] === undefined || !('replace' in call._meta)) throw new Error('the disk is full');
        return call.answer({ content: [] });
      });
      const app = server({
        name: 'long',
        tools: {
          long: tool({ taskSupport: 'optional', use: where === 'tool' ? [keep] : [] }, (_, { signal }) => {
            signal.addEventListener('abort', () => stopped.push(signal.reason));
            return new Promise<string>(() => {});
          }),
        },
      });
      if (where === 'app') app.use({ 'tools/call': keep });
      await using client = await connect(app, {
        revision,
        extensions: { [TASKS_EXTENSION]: {} },
        serve: { log: () => {} },
      });
      const task = revision === '2026-07-28' ? {} : { task: {} };
      const params = { name: 'long', arguments: {}, ...task };
      await client.request('tools/call', params).catch(() => {});
      await until(() => stopped.length === 1);
      await client.request('tools/call', params, { _meta: { replace: true } });
      await until(() => stopped.length === 2);
    });

for (const revision of ['2026-07-28', '2025-11-25'] as const)
  test(`an error of a middleware around the run of a task becomes the end of the task: ${revision}`, async () => {
    const app = server({ name: 'long', tools: { long: tool({ taskSupport: 'optional' }, () => 'done') } });
    app.use({
      'tools/call': (call, next) => {
        if (call.task !== undefined) throw new ToolError('too long');
        return next();
      },
    });
    await using client = await connect(app, { revision, extensions: { [TASKS_EXTENSION]: {} } });
    const task = revision === '2026-07-28' ? {} : { task: {} };
    const made = await client.request('tools/call', { name: 'long', arguments: {}, ...task });
    const { taskId } = (made['task'] ?? made) as { taskId: string };
    let now: Record<string, unknown> = {};
    await until(async () => (now = await client.request('tasks/get', { taskId }))['status'] !== 'working');
    const result = revision === '2026-07-28' ? now['result'] : await client.request('tasks/result', { taskId });
    assert.deepEqual((result as { content: unknown }).content, [{ type: 'text', text: 'too long' }]);
  });

test('the middleware of a server sees calls of hidden tools; that of a tool runs only for callers who see the tool', async () => {
  const seen: string[] = [];
  const app = server({
    name: 'hidden',
    visibility: (principal) => principal?.id ?? 'nobody',
    tools: { secret: tool({ visible: ['ann'], use: [noting(seen, 'own')] }, () => 'here') },
  });
  // The state that it adds does not affect visibility.
  app.use({ 'tools/call': (call, next) => (seen.push(`all: ${call.name}`), next({ principal: { id: 'ann' } })) });
  await using bob = await connect(app, { principal: { id: 'bob' } });
  await assert.rejects(bob.call('secret'), /Unknown tool/);
  assert.deepEqual(seen.splice(0), ['all: secret']);
  await using ann = await connect(app, { principal: { id: 'ann' } });
  assert.equal(await ann.call('secret'), 'here');
  assert.deepEqual(seen, ['all: secret', 'own: secret', 'own: result']);
});

test('a middleware that a tool and its server name runs once', async () => {
  const seen: string[] = [];
  const both = noting(seen, 'both');
  const app = server({ name: 'both', tools: { run: tool({ use: [both] }, () => 'done') } });
  await using client = await connect(app);
  await client.call('run');
  app.use(both);
  await client.call('run');
  assert.equal(seen.filter((line) => line === 'both: run').length, 2);
});

for (const revision of REVISIONS)
  for (const [way, open] of Object.entries(WAYS))
    test(`all requests that concern the server pass through it: ${way}, ${revision}`, async () => {
      const seen: string[] = [];
      const app = server({
        name: 'all',
        tools: { run: tool({}, () => 'done') },
        resources: { 'note://1': resource({ name: 'One' }, () => 'one') },
        methods: { 'acme/own': () => ({}) },
      });
      app.use(async (call, next) => {
        const answer = await next();
        seen.push(`${call.method} ${answer.kind}`);
        return answer;
      });
      await using client = await open(app, { revision });
      await client.tools().all();
      await client.read('note://1');
      await client.request('acme/own', {});
      const modern = revision === '2026-07-28';
      const watch = client.watch({ uri: 'note://1' });
      await until(() => seen.some((line) => line.startsWith(modern ? 'subscriptions/listen' : 'resources/subscribe')));
      await watch[Symbol.asyncIterator]().return?.();
      if (!modern) await client.setLogLevel('error');
      for (const line of [
        'tools/list result',
        'resources/read result',
        'acme/own result',
        ...(modern ? ['subscriptions/listen subscription'] : ['resources/subscribe result', 'logging/setLevel result']),
      ])
        assert.ok(seen.includes(line), `${line} is not in ${seen.join(', ')}`);
    });

test('a middleware can refuse a call, and replace or change an answer: the caller gets the form of its revision', async () => {
  const app = server({
    name: 'answers',
    tools: { run: tool({}, () => 'done'), data: tool({}, () => 'data') },
    resources: { 'note://1': resource({ name: 'One', cache: { ttlMs: 1_000, scope: 'public' } }, () => 'one') },
  });
  app.use({
    'tools/call': async (call, next) => {
      if (call.name === 'data') return call.answer({ content: [], structuredContent: [1] });
      const { result } = await next();
      return call.answer({ ...result, _meta: { changed: true } });
    },
    'resources/read': async (call, next) => call.answer((await next()).result),
    'tools/list': (call) => {
      throw new ToolError(`not ${call.method}`);
    },
  });
  for (const revision of REVISIONS) {
    await using client = await connect(app, { revision });
    assert.deepEqual((await client.result('run'))._meta?.['changed'], true);
    assert.deepEqual(await client.call('data'), [1]);
    const sent = await client.request('tools/call', { name: 'data', arguments: {} });
    const wrapped = revision === '2025-06-18' || revision === '2025-11-25' ? { result: [1] } : undefined;
    assert.deepEqual(sent['structuredContent'], revision === '2026-07-28' ? [1] : wrapped);
    // The result of the middleware has no permission to be cached.
    await client.read('note://1');
    const read = await client.request('resources/read', { uri: 'note://1' });
    assert.equal(read['ttlMs'], revision === '2026-07-28' ? 0 : undefined);
    await assert.rejects(client.tools().all(), new ProtocolError(-32_603, 'not tools/list'));
  }
});

test('a middleware that does not return an answer, or calls next twice or too late, causes an error that the log explains', async () => {
  const wrong: Record<string, (call: IncomingCall, next: () => Promise<CallAnswer>) => unknown> = {
    nothing: async (_, next) => void (await next()),
    other: () => ({ kind: 'result' }),
    twice: async (_, next) => {
      await next();
      return next();
    },
    late: (call, next) => {
      setImmediate(() => next().catch(({ message }: Error) => late.push(message)));
      return call.answer({ content: [] });
    },
  };
  const late: string[] = [];
  let ran = 0;
  const run = tool({}, () => `${ran++}`);
  const app = server({ name: 'wrong', tools: { nothing: run, other: run, twice: run, late: run } });
  app.use({ 'tools/call': (call, next) => wrong[call.name!]!(call, next) as never });
  const log: LogEntry[] = [];
  await using client = await connect(app, { serve: { log: (entry) => log.push(entry) } });
  for (const name of ['nothing', 'other', 'twice'] as const)
    await assert.rejects(client.call(name), /error [\da-f]{8}/);
  await client.call('late');
  await until(() => late.length > 0);
  assert.deepEqual(
    log.filter(({ event }) => event === 'handler-failed').map(({ details }) => (details as Error).message),
    [
      'A middleware for tools/call did not return the answer that `next()` returned',
      'A middleware for tools/call did not return the answer that `next()` returned',
      'A middleware for tools/call called `next()` a second time',
    ],
  );
  assert.deepEqual(late, ['A middleware for tools/call called `next()` after it had returned']);
  assert.equal(ran, 2);
});

test('an error of next() that a middleware does not await is dropped, and the process continues', async () => {
  let failed = false;
  const app = server({
    name: 'impatient',
    methods: {
      'acme/fail': async () => {
        await turns(3);
        failed = true;
        throw new Error('nobody waits for this');
      },
    },
  });
  app.use((call, next) => {
    if (call.method !== 'acme/fail') return next();
    void next();
    return call.answer({ early: true });
  });
  await using client = await connect(app);
  assert.equal((await client.request('acme/fail', {}))['early'], true);
  await until(() => failed);
  await turns();
});

test('a subscription stays open when a middleware fails after it was opened; one that is refused does not open', async () => {
  const log: LogEntry[] = [];
  let refuses = false;
  const app = server({ name: 'subscribed', resources: { 'note://1': resource({ name: 'One' }, () => 'one') } });
  app.use({
    'subscriptions/listen': async (_, next) => {
      if (refuses) throw new ProtocolError(1_234, 'no subscriptions today');
      await next();
      throw new Error('too late');
    },
  });
  const options = { revision: '2026-07-28', serve: { log: (entry: LogEntry) => void log.push(entry) } } as const;
  await using client = await connect(app, options);
  const watch = client.watch({ uri: 'note://1' })[Symbol.asyncIterator]();
  const change = watch.next();
  await until(() => log.some(({ event }) => event === 'middleware-failed'));
  app.changed('note://1');
  assert.equal(((await change).value as { uri: string }).uri, 'note://1');
  refuses = true;
  await using other = await connect(app, options);
  await assert.rejects(other.watch({ uri: 'note://1' })[Symbol.asyncIterator]().next(), /no subscriptions today/);
});

test('app.use and the `use` of a tool refuse invalid middleware, and methods that do not exist', () => {
  const app = server({ name: 'x', methods: { 'acme/own': () => ({}) } });
  app.use({ 'acme/own': (_, next) => next() });
  assert.throws(() => app.use(42 as never), /^TypeError: '42' in `use` is neither a middleware/);
  assert.throws(() => app.use({ 'tools/call': 42 as never }), /'tools\/call' in `use`/);
  assert.throws(
    () => app.use({ 'tool/call': (_, next) => next() }),
    /'tool\/call' in `use` is neither a middleware nor a method with one/,
  );
  assert.throws(
    () => server({ name: 'x', tools: { a: tool({ use: [42 as never] }, () => '') } }),
    /The tool 'a' cannot be used: `use` contains a value that is not a middleware/,
  );
});
