// A store or a bus that cannot be reached for a while: what needs it is refused and says so, everything else continues.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { z } from 'zod';
import { until } from '../../../../scripts/lib/until.ts';
import { connect, ProtocolError } from '../../src/entries/client.ts';
import { memoryBus } from '../../src/entries/http.ts';
import { server, tool } from '../../src/entries/index.ts';
import { EXTENSION } from '../suite/task-calls.ts';
import { makeApp } from './app.ts';
import { failingBus, failingStore, type FailingStore, type Place } from './failing-store.ts';
import { type Answer, send } from './send.ts';
import {
  beginSession,
  fieldsOf,
  initializeBody,
  JSON_FIELDS,
  type LegacySession,
  modernBody,
  sessionAt,
  type Stage,
  stage,
} from './stage.ts';

const TASKS = {
  'io.modelcontextprotocol/clientCapabilities': { elicitation: { form: {} }, extensions: { [EXTENSION]: {} } },
};

/** Tools that need a store, and their effects. */
function makeTools() {
  const effects: string[] = [];
  const gates = new Map<string, () => void>();
  const made = makeApp();
  const act = (name: string): string => {
    effects.push(name);
    return `${name} done`;
  };
  const sure = z.object({ sure: z.boolean() });
  const named = z.object({ name: z.string() });
  const app = server({
    name: 'stage',
    version: '1.0.0',
    tools: {
      echo: made.app.tools.get('echo')!,
      gate: made.app.tools.get('gate')!,
      steps: made.app.tools.get('steps')!,
      ask: made.app.tools.get('ask')!,
      charge: tool({ input: named }, async ({ name }, ctx) => {
        await ctx.ask('sure', 'Sure?', sure);
        return ctx.once('charge', async () => {
          if (name === 'slow') await new Promise<void>((resolve) => gates.set(name, resolve));
          return act(name);
        });
      }),
      work: tool({ input: named, taskSupport: 'optional' }, async ({ name }, ctx) => {
        if (name === 'asking') await ctx.ask('sure', 'Sure?', sure);
        await new Promise<void>((resolve) => {
          gates.set(name, resolve);
          ctx.signal.addEventListener('abort', () => resolve());
        });
        return name === 'plain' ? act(name) : ctx.once('work', () => act(name));
      }),
    },
  });
  return {
    made: { ...made, app: app as never },
    app,
    effects,
    open: async (name: string) => (await until(() => gates.has(name)), gates.get(name)!()),
  };
}

type Tools = ReturnType<typeof makeTools>;

/** A node, its store, and requests to it. */
interface Scene {
  readonly node: Stage;
  readonly tools: Tools;
  readonly kept: FailingStore;
  start(name?: string): Promise<string>;
  task(method: string, taskId: string, more?: object): Promise<Answer>;
}

const LIMITS = { leaseMs: 400, keepAliveMs: 300, sessionIdleMs: 60_000 };

async function makeScene(options: object = {}): Promise<Scene> {
  const tools = makeTools();
  const kept = failingStore();
  const node = await stage(
    {
      store: kept.store,
      keys: ['k'.repeat(32)],
      limits: LIMITS,
      noticeMs: 0,
      auth: () => ({ id: 'ann' }),
      ...options,
    },
    tools.made,
  );
  const task: Scene['task'] = (method, taskId, more = {}) =>
    node.modern(method, { taskId, ...more }, { 'mcp-name': taskId }, TASKS);
  const start = async (name = 'task'): Promise<string> => {
    const { json } = await node.call('work', { name }, {}, TASKS);
    return json.result.taskId;
  };
  return { node, tools, kept, start, task };
}

/** Was a request refused, with the promise that it may be repeated? */
function assertRefused({ status, json, headers, text }: Answer, repeatable = true): void {
  assert.equal(status, 503, text);
  assert.equal(headers['retry-after'], '2');
  assert.equal(json.error.code, -32603);
  assert.match(json.error.message, repeatable ? /may be repeated/ : /may have been created/);
  assert.deepEqual(json.error.data, { retryAfterMs: 2_000, repeatable });
  assert.doesNotMatch(text, /SECRETPW|db\.internal/);
}

async function toolResult(node: Stage, name: string, args: object, answers?: object): Promise<Answer> {
  const asked = await node.call(name, args);
  const { requestState } = asked.json.result;
  const params = { name, arguments: args, requestState, inputResponses: answers };
  return node.modern('tools/call', params);
}

const SURE = { sure: { action: 'accept', content: { sure: true } } };

/** What happens at each operation of a store that fails, before or after its effect. Then the store is back. */
const PLACES: Readonly<Record<Place, (scene: Scene, fail: () => Promise<void>, back: () => void) => Promise<void>>> = {
  async 'set session'({ node }, fail, back) {
    await fail();
    assertRefused(await send(node.url, 'POST', JSON_FIELDS, initializeBody('2025-11-25')));
    back();
    await beginSession(node.url);
  },
  async 'get session'({ node, kept }, fail, back) {
    const session = await beginSession(node.url);
    const other = await stage({ store: kept.store, keys: ['k'.repeat(32)], auth: () => ({ id: 'ann' }) });
    const elsewhere = sessionAt(other.url, session.id, '2025-11-25');
    await fail();
    // This node knows the session. What changes it is refused.
    const answer = await session.request('tools/call', { name: 'echo', arguments: { v: 1 } });
    assert.equal(answer.json.result.content[0].text, '1');
    assertRefused(await session.request('logging/setLevel', { level: 'debug' }));
    // The other one does not.
    assertRefused(await elsewhere.request('ping'));
    assertRefused(await elsewhere.delete());
    const listening = elsewhere.listen();
    assert.equal(await listening.status, 503);
    const modern = { ...fieldsOf('tools/call', 'echo'), 'mcp-session-id': session.id };
    const stateless = await send(
      other.url,
      'POST',
      modern,
      modernBody('tools/call', { name: 'echo', arguments: { v: 2 } }),
    );
    assert.equal(stateless.json.result.content[0].text, '2', 'a request that needs no session is served');
    back();
    assert.equal((await elsewhere.request('ping')).status, 200);
  },
  async 'swap session'({ node, kept }, fail, back) {
    const session = await beginSession(node.url);
    await fail();
    assertRefused(await session.request('logging/setLevel', { level: 'debug' }));
    back();
    assert.equal((await session.request('logging/setLevel', { level: 'debug' })).status, 200);
    assert.equal(((await kept.store.get(`tenon/session/${session.id}`)) as { level: string }).level, 'debug');
  },
  async 'delete session'({ node, kept }, fail, back) {
    const session = await beginSession(node.url);
    await fail();
    assertRefused(await session.delete());
    back();
    if (kept.when === 'before') assert.equal((await session.delete()).status, 204);
    assert.equal((await session.request('ping')).status, 404);
  },
  async 'append events'({ node, tools, kept }, fail, back) {
    const session = await beginSession(node.url);
    const call = { name: 'gate', arguments: { name: 'events', progress: 2 }, _meta: { progressToken: 1 } };
    await fail();
    const { fails } = kept;
    const ended = session.begin({
      ...{ jsonrpc: '2.0', id: 2, method: 'tools/call' },
      params: { name: 'steps', arguments: { n: 2 }, _meta: { progressToken: 2 } },
    });
    await ended.over;
    back();
    // Also of a call that has ended meanwhile.
    const again = { ...session.fields, accept: 'text/event-stream', 'last-event-id': ended.events[0]!.id };
    await until(async () => (await send(node.url, 'GET', again)).messages.length === 3);
    kept.fails = fails;
    const running = session.begin({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: call });
    await running.next(({ params }) => params?.progress === 2);
    back();
    node.made.open('events');
    assert.equal((await running.next(({ id }) => id === 1)).result.content[0].text, 'through events');
    // The events that could not be stored have been stored since.
    const first = running.events[0]!.id;
    let rest: Answer;
    await until(async () => {
      rest = await send(node.url, 'GET', { ...session.fields, accept: 'text/event-stream', 'last-event-id': first });
      return rest.status === 200 && rest.messages.length === 3;
    });
    assert.deepEqual(rest!.messages, running.messages);
    assert.deepEqual(tools.effects, []);
  },
  async 'read events'({ node }, fail, back) {
    const session = await beginSession(node.url);
    const call = { name: 'gate', arguments: { name: 'read', progress: 2 }, _meta: { progressToken: 1 } };
    const running = session.begin({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: call });
    await running.next(({ params }) => params?.progress === 2);
    running.drop();
    await running.over;
    const last = { 'last-event-id': running.events[0]!.id };
    await fail();
    const away = session.listen(last);
    assert.equal(await away.status, 503);
    assert.equal((await away.headers)['retry-after'], '2');
    back();
    const rest = session.listen(last);
    assert.equal((await rest.next()).params.progress, 1);
    node.made.open('read');
    await rest.next(({ id }) => id === 1);
    assert.deepEqual(
      rest.messages.map(({ params, id }) => params?.progress ?? id),
      [1, 2, 1],
    );
  },
  async 'delete events'({ node }, fail, back) {
    const session = await beginSession(node.url);
    const call = { name: 'gate', arguments: { name: 'deleted', progress: 1 }, _meta: { progressToken: 1 } };
    const running = session.begin({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: call });
    await running.next();
    await fail();
    await session.post({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 1 } });
    await running.over;
    back();
  },
  async 'add once'({ node, tools, kept }, fail, back) {
    const { requestState } = (await node.call('charge', { name: 'add' })).json.result;
    const params = { name: 'charge', arguments: { name: 'add' }, requestState, inputResponses: SURE };
    await fail();
    assertRefused(await node.modern('tools/call', params));
    assert.deepEqual(tools.effects, []);
    back();
    const { json } = await node.modern('tools/call', params);
    assert.equal(json.result.content[0].text, 'add done', kept.when);
    assert.deepEqual(tools.effects, ['add']);
  },
  async 'get once'({ node, tools }, fail, back) {
    const { requestState } = (await node.call('charge', { name: 'slow' })).json.result;
    const params = { name: 'charge', arguments: { name: 'slow' }, requestState, inputResponses: SURE };
    const first = node.modern('tools/call', params);
    await tools.open('slow');
    await first;
    await fail();
    // The action has run: this delivery cannot learn its result now.
    assertRefused(await node.modern('tools/call', params));
    back();
    assert.equal((await node.modern('tools/call', params)).json.result.content[0].text, 'slow done');
    assert.deepEqual(tools.effects, ['slow']);
  },
  async 'set once'({ node, tools }, fail, back) {
    const { requestState } = (await node.call('charge', { name: 'set' })).json.result;
    const params = { name: 'charge', arguments: { name: 'set' }, requestState, inputResponses: SURE };
    await fail();
    assert.equal((await node.modern('tools/call', params)).json.result.content[0].text, 'set done');
    back();
    // Recorded since.
    assert.equal((await node.modern('tools/call', params)).json.result.content[0].text, 'set done');
    assert.deepEqual(tools.effects, ['set']);
  },
  async 'swap once'({ node, tools, kept }, fail, back) {
    const { requestState } = (await node.call('charge', { name: 'slow' })).json.result;
    const params = { name: 'charge', arguments: { name: 'slow' }, requestState, inputResponses: SURE };
    const running = node.modern('tools/call', params);
    await until(() => kept.seen.has('add once'));
    await fail();
    await until(() => kept.failed.has('swap once'));
    back();
    await tools.open('slow');
    assert.equal((await running).json.result.content[0].text, 'slow done');
    assert.deepEqual(tools.effects, ['slow']);
  },
  ...Object.fromEntries(
    ['add lease', 'add open task', 'add task'].map((place) => [
      place,
      async ({ node, tools, start }: Scene, fail: () => Promise<void>, back: () => void) => {
        await fail();
        // What was stored of it can be removed.
        assertRefused(await node.call('work', { name: 'never' }, {}, TASKS));
        back();
        await start();
        await tools.open('task');
        await until(() => tools.effects.length > 0);
        assert.deepEqual(tools.effects, ['task']);
      },
    ]),
  ),
  async 'delete task'({ node, kept, tools }, fail, back) {
    await fail();
    const { fails } = kept;
    kept.fails = (place) => (typeof fails === 'function' && fails(place)) || place === 'add task';
    kept.when = 'after';
    // It cannot be removed: it may exist.
    assertRefused(await node.call('work', { name: 'maybe' }, {}, TASKS), false);
    back();
    assert.deepEqual(tools.effects, []);
  },
  ...Object.fromEntries(
    ['delete open task', 'delete lease'].map((place) => [
      place,
      async ({ node, kept, tools, start, task }: Scene, fail: () => Promise<void>, back: () => void) => {
        await fail();
        const { fails } = kept;
        kept.fails = (asked) => (typeof fails === 'function' && fails(asked)) || asked === 'add task';
        assertRefused(await node.call('work', { name: 'never' }, {}, TASKS));
        kept.fails = fails;
        const taskId = await start();
        await tools.open('task');
        await until(async () => (await task('tasks/get', taskId)).json.result.status === 'completed');
        back();
        assert.deepEqual(tools.effects, ['task']);
      },
    ]),
  ),
  async 'get task'({ tools, start, task }, fail, back) {
    const taskId = await start();
    await fail();
    assertRefused(await task('tasks/get', taskId));
    assertRefused(await task('tasks/cancel', taskId));
    await tools.open('task');
    back();
    await until(async () => (await task('tasks/get', taskId)).json.result.status === 'completed');
    assert.deepEqual(tools.effects, ['task']);
  },
  async 'swap task'({ tools, kept, node, start, task }, fail, back) {
    const { taskId } = (await node.call('work', { name: 'asking' }, {}, TASKS)).json.result;
    await until(async () => (await task('tasks/get', taskId)).json.result.status === 'input_required');
    await fail();
    assertRefused(await task('tasks/update', taskId, { inputResponses: SURE }));
    back();
    assert.equal((await task('tasks/update', taskId, { inputResponses: SURE })).status, 200);
    await fail();
    // The result of `once`, and the end of the task, wait for the store.
    await tools.open('asking');
    await until(() => kept.failed.has('swap task') && tools.effects.length === 1);
    back();
    await until(async () => (await task('tasks/get', taskId)).json.result.status === 'completed');
    const plain = await start('plain');
    kept.failed.clear();
    await fail();
    await tools.open('plain');
    await until(() => kept.failed.has('swap task'));
    back();
    await until(async () => (await task('tasks/get', plain)).json.result.status === 'completed');
    assert.deepEqual(tools.effects, ['asking', 'plain']);
  },
  async 'keys task'({ node }, fail, back) {
    const session = await beginSession(node.url);
    await session.request('tools/call', { name: 'work', arguments: { name: 'listed' }, task: {} });
    await fail();
    assertRefused(await session.request('tasks/list'));
    back();
    assert.equal((await session.request('tasks/list')).json.result.tasks.length, 1);
  },
  async 'swap lease'({ tools, kept, start, task }, fail, back) {
    const taskId = await start();
    await fail();
    await until(() => kept.failed.has('swap lease'));
    back();
    await tools.open('task');
    await until(async () => (await task('tasks/get', taskId)).json.result.status === 'completed');
    assert.deepEqual(tools.effects, ['task']);
  },
  ...Object.fromEntries(
    ['keys open task', 'get open task'].map((place) => [
      place,
      async ({ kept, start }: Scene, fail: () => Promise<void>, back: () => void) => {
        // The first process has looked before.
        await until(() => kept.seen.has('keys open task'));
        await start();
        await fail();
        // A new process looks for tasks of processes that ended. It looks again when the store is back.
        const other = await stage({ store: kept.store, keys: ['k'.repeat(32)], limits: LIMITS }, makeTools().made);
        await until(() => kept.failed.has(place));
        back();
        kept.seen.clear();
        await until(() => kept.seen.has(place));
        await other.checkWorks();
      },
    ]),
  ),
  async 'get ready'({ node, kept }, fail, back) {
    const at = (path: string) => send(node.url.replace(/mcp$/, path), 'GET', {});
    await fail();
    const ready = await at('ready');
    assert.deepEqual([ready.status, ready.json], [503, { status: 'store-unavailable' }]);
    assert.equal((await at('health')).status, 200, 'the process answers');
    assert.ok(kept.failed.has('get ready'));
    back();
    await until(async () => (await at('ready')).status === 200);
  },
};

for (const [place, check] of Object.entries(PLACES))
  for (const when of ['before', 'after'] as const)
    test(`a store that fails at '${place}', ${when} the effect, is answered truthfully, and needs no restart`, async () => {
      const scene = await makeScene();
      const { kept, node } = scene;
      const fail = async (): Promise<void> => {
        kept.when = when;
        kept.fails = (asked) => asked === place;
      };
      const back = (): void => {
        assert.ok(kept.failed.has(place), `${place} was not asked for; failed: ${[...kept.failed].join()}`);
        kept.fails = false;
      };
      await check(scene, fail, back);
      await node.checkWorks();
    });

test('the table of places names every operation of every kind of request', async () => {
  const seen = new Set<Place>();
  const scene = await makeScene();
  const { node, kept, tools, start, task } = scene;
  const session = await node.session('2025-11-25', { elicitation: {} });
  await everyLegacyRequest(session);
  await toolResult(node, 'charge', { name: 'all' }, SURE);
  const taskId = await start();
  await until(() => kept.seen.has('swap lease'));
  await tools.open('task');
  await until(async () => (await task('tasks/get', taskId)).json.result.status === 'completed');
  await send(node.url.replace(/mcp$/, 'ready'), 'GET', {});
  for (const place of kept.seen) seen.add(place);
  assert.deepEqual(
    [...seen].filter((place) => PLACES[place] === undefined),
    [],
  );
});

async function everyLegacyRequest(session: LegacySession): Promise<void> {
  const listening = session.listen();
  await listening.status;
  for (const method of ['ping', 'tools/list']) await session.request(method);
  await session.request('logging/setLevel', { level: 'debug' });
  const asking = session.begin({
    jsonrpc: '2.0',
    id: 'ask',
    method: 'tools/call',
    params: { name: 'ask', arguments: {} },
  });
  const { id } = await asking.next(({ method }) => method === 'elicitation/create');
  await session.post({ jsonrpc: '2.0', id, result: { action: 'decline' } });
  await asking.over;
  await session.listen({ 'last-event-id': asking.events[0]!.id }).over;
  await session.request('tools/call', { name: 'work', arguments: { name: 'legacy' }, task: {} });
  await session.request('tasks/list');
  listening.drop();
  await session.delete();
}

test('while the store is unavailable, what needs no state continues, and the log is not flooded', async () => {
  const { node, kept } = await makeScene();
  kept.fails = true;
  await node.checkWorks();
  assert.equal((await node.modern('tools/list')).status, 200);
  // The first round of a question is sealed, not stored.
  assert.equal((await node.call('ask')).json.result.resultType, 'input_required');
  const other = sessionAt(node.url, crypto.randomUUID(), '2025-11-25');
  for (let n = 0; n < 100; n++) assertRefused(await other.request('ping'));
  const about = node.log.filter(({ event }) => event === 'store-failed' || event === 'request-refused');
  // At most 20 about each of: refused requests, the store of sessions, and that of tasks, which is also asked from time to time.
  assert.ok(about.length <= 60, `${about.length} entries`);
  kept.fails = false;
  assert.equal((await other.request('ping')).status, 404);
});

test('on a channel, a request that needs the store gets an error that says that it may be repeated', async () => {
  const kept = failingStore();
  const { app } = makeTools();
  await using client = await connect(app, { serve: { store: kept.store }, tasks: true });
  kept.fails = true;
  await assert.rejects(client.call('work', { name: 'never' }), (error: unknown) => {
    assert.ok(error instanceof ProtocolError);
    assert.deepEqual(error.data, { retryAfterMs: 2_000, repeatable: true });
    return true;
  });
  assert.equal(await client.call('echo', { v: 1 }), '1');
});

for (const how of ['throws', 'rejects'] as const)
  test(`a bus that ${how} fails no call, and subscriptions are made when it is back`, async () => {
    const kept = failingStore();
    const bus = failingBus(memoryBus(), how);
    const shared = { store: kept.store, bus, keys: ['k'.repeat(32)], limits: LIMITS };
    bus.away = true;
    const a = await stage(shared);
    const b = await stage(shared);
    const atA = await beginSession(a.url, '2025-11-25', { elicitation: {} });
    const atB = sessionAt(b.url, atA.id, '2025-11-25');
    const params = { name: 'gate', arguments: { name: 'bus', progress: 1 }, _meta: { progressToken: 1 } };
    const running = atA.begin({ jsonrpc: '2.0', id: 1, method: 'tools/call', params });
    await running.next();
    // Resumed at the other node without a bus: what there is so far.
    const rest = atB.listen({ 'last-event-id': running.events[0]!.id });
    await rest.over;
    assert.equal(rest.messages.length, 1);
    const asking = atA.begin({ jsonrpc: '2.0', id: 2, method: 'tools/call', params: { name: 'ask', arguments: {} } });
    const { id } = await asking.next(({ method }) => method === 'elicitation/create');
    const answer = { jsonrpc: '2.0', id, result: { action: 'accept', content: { name: 'Ann' } } };
    const refused = await atB.post(answer);
    assert.deepEqual([refused.status, refused.headers['retry-after']], [503, '2'], 'the answer did not arrive');
    a.made.open('bus');
    // The client has gone on at the other node, and gets the result there.
    await until(async () => {
      const more = atB.listen({ 'last-event-id': rest.events.at(-1)!.id });
      await more.over;
      return more.messages.at(-1)?.result.content[0].text === 'through bus';
    });
    await running.over;
    assert.equal(running.messages.length, 1);
    bus.away = false;
    // The subscriptions of the node are tried again.
    await until(async () => {
      assert.equal((await atB.post(answer)).status, 202);
      return asking.messages.some(({ id }) => id === 2);
    });
    assert.equal(asking.messages.at(-1).result.content[0].text, 'Hello, Ann');
    for (const node of [a, b]) await node.checkWorks();
  });
