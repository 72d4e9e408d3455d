// The events that a call sends in one turn are stored, published and sent together. Whatever else happens meanwhile, each arrives once.
import assert from 'node:assert/strict';
import { setImmediate as turn } from 'node:timers/promises';
import { test } from 'node:test';
import { z } from 'zod';
import { memoryBus, memoryStore, type Store } from '../../src/entries/http.ts';
import { type CallContext, server, tool } from '../../src/entries/index.ts';
import { turns } from '../../../../scripts/lib/until.ts';
import { makeApp } from './app.ts';
import { until } from './send.ts';
import { beginSession, sessionAt, stage } from './stage.ts';

const KEYS = ['k'.repeat(32)];
const EVENTS = 'tenon/events/';

function call(name: string, args: object = {}, id: unknown = 1) {
  return { jsonrpc: '2.0', id, method: 'tools/call', params: { name, arguments: args, _meta: { progressToken: id } } };
}

/** A server with these tools in place of the usual ones. */
function makeTools(tools: Readonly<Record<string, (ctx: CallContext) => string | Promise<string>>>) {
  const made = Object.entries(tools).map(([name, run]) => [name, tool({ input: z.object({}) }, (_, ctx) => run(ctx))]);
  const app = server({ name: 'stage', version: '1.0.0', tools: Object.fromEntries(made) });
  return { ...makeApp(), app: app as never };
}

function whenAborted({ signal }: CallContext): Promise<string> {
  return new Promise((resolve) => signal.addEventListener('abort', () => resolve('over')));
}

/** A store in memory that answers some turns later, as one over a network does. */
function laterStore(onAppend: (key: string, value: unknown) => void = () => {}, count = 1): Store {
  const inner = memoryStore();
  return {
    ...inner,
    async append(key, value, lifeMs) {
      onAppend(key, value);
      await turns(count);
      return inner.append(key, value, lifeMs);
    },
  };
}

for (const revision of ['2025-11-25', '2025-06-18'] as const)
  for (const length of [1_000, 70_000, 300_000])
    test(`a stream ends with a result of ${length} characters that follows an event in the same turn, on ${revision}`, async () => {
      const made = makeTools({
        both(ctx) {
          ctx.progress({ progress: 1 });
          return 'x'.repeat(length);
        },
      });
      const session = await beginSession((await stage({}, made)).url, revision);
      const running = session.begin(call('both'));
      await running.over;
      assert.deepEqual(
        running.messages.map(({ params, result }) => params?.progress ?? result.content[0].text.length),
        [1, length],
      );
    });

test('messages that are long together are stored in several entries', async () => {
  const lengths: number[] = [];
  const store = laterStore((key, value) => key.startsWith(EVENTS) && lengths.push(JSON.stringify(value).length));
  const made = makeTools({
    flood(ctx) {
      for (let n = 1; n <= 100; n++) ctx.progress({ progress: n, message: 'm'.repeat(5_000) });
      return 'done';
    },
  });
  const session = await beginSession((await stage({ store, keys: KEYS }, made)).url, '2025-11-25');
  const running = session.begin(call('flood'));
  await running.over;
  assert.equal(running.messages.length, 101);
  assert.ok(lengths.length >= 8 && Math.max(...lengths) < 80_000, String(lengths));
});

test('[F-47] a result that is stored while its client resumes at another node arrives there', async () => {
  const inner = memoryStore();
  const shared = { bus: memoryBus(), keys: KEYS };
  let goOn: (() => void) | undefined;
  // The first answer with events comes late: when it arrives, it is no longer true that nothing followed them.
  const storeOfB: Store = {
    ...inner,
    async read(key, after) {
      const part = await inner.read(key, after);
      if (key.startsWith(EVENTS) && goOn === undefined && (part?.values.length ?? 0) > 0)
        await new Promise<void>((resolve) => (goOn = resolve));
      return part;
    },
  };
  let appended = 0;
  const storeOfA: Store = { ...inner, append: (...given) => (appended++, inner.append(...given)) };
  const made = makeApp();
  const a = await stage({ ...shared, store: storeOfA }, made);
  const b = await stage({ ...shared, store: storeOfB }, made);
  const session = await beginSession(a.url, '2025-11-25');
  const running = session.begin(call('gate', { name: 'g', progress: 1 }));
  await running.next();
  running.drop();
  const rest = sessionAt(b.url, session.id, '2025-11-25').listen({ 'last-event-id': running.events[1]!.id });
  await until(() => goOn !== undefined);
  const before = appended;
  made.open('g');
  await until(() => appended > before);
  goOn!();
  assert.equal((await rest.next()).result.content[0].text, 'through g');
  await rest.over;
});

test('a node that follows the stream of another one, and has all of it, reads only the end of its log', async () => {
  const inner = memoryStore();
  const lengths: number[] = [];
  const store: Store = {
    ...inner,
    read(key, after) {
      const part = inner.read(key, after) as Awaited<ReturnType<Store['read']>>;
      if (key.startsWith(EVENTS)) lengths.push(part?.values.length ?? 0);
      return part;
    },
  };
  const shared = { bus: memoryBus(), keys: KEYS, limits: { keepAliveMs: 30 } };
  const made = makeTools({
    async many(ctx) {
      for (let n = 1; n <= 1_000; n++) {
        ctx.progress({ progress: n });
        if (n % 10 === 0) await turn();
      }
      return whenAborted(ctx);
    },
  });
  const a = await stage({ ...shared, store: inner }, made);
  const b = await stage({ ...shared, store }, made);
  const session = await beginSession(a.url, '2025-11-25');
  const running = session.begin(call('many'));
  await running.next(({ params }) => params?.progress === 1_000);
  running.drop();
  const rest = sessionAt(b.url, session.id, '2025-11-25').listen({ 'last-event-id': running.events.at(-1)!.id });
  assert.equal(await rest.status, 200);
  const begun = lengths.length;
  await until(() => lengths.length >= begun + 5);
  assert.ok(Math.max(...lengths.slice(begun)) <= 3, String(lengths));
  rest.drop();
});

test('a call that is cancelled while its events are being stored leaves no log that is renewed', async () => {
  const appends: { readonly key: string; readonly value: readonly unknown[] }[] = [];
  const store = laterStore((key, value) => appends.push({ key, value: value as readonly unknown[] }), 20);
  const made = makeTools({
    async walk(ctx) {
      for (let n = 1; !ctx.signal.aborted; n++) {
        ctx.progress({ progress: n });
        await turn();
      }
      return 'there';
    },
    async wait(ctx) {
      ctx.progress({ progress: 1 });
      return whenAborted(ctx);
    },
  });
  const node = await stage({ store, keys: KEYS, limits: { keepAliveMs: 30, resumeMs: 30 } }, made);
  const session = await beginSession(node.url, '2025-11-25');
  const running = session.begin(call('walk'));
  await running.next();
  const { key } = appends.find((entry) => entry.key.startsWith(EVENTS))!;
  await session.post({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 1 } });
  await running.over;
  const other = session.begin(call('wait', {}, 2));
  await other.next();
  const renewals = (mine: boolean) =>
    appends.filter((entry) => entry.key.startsWith(EVENTS) && (entry.key === key) === mine && entry.value.length === 1);
  await until(() => renewals(false).length >= 5);
  assert.deepEqual(renewals(true), []);
  other.drop();
});

test('[SSE-12] a call that is released for polling has told its client an event id, also with a store that answers later', async () => {
  const made = makeApp();
  const node = await stage({ store: laterStore(), keys: KEYS, polling: { afterMs: 60, retryMs: 20 } }, made);
  const session = await beginSession(node.url, '2025-11-25');
  const running = session.begin(call('gate', { name: 'g' }));
  await running.over;
  assert.match(running.text(), /^id: call-[\s\S]*^retry: 20$/m);
  const rest = session.listen({ 'last-event-id': running.events[0]!.id });
  assert.equal(await rest.status, 200);
  made.open('g');
  assert.equal((await rest.next(({ result }) => result !== undefined)).result.content[0].text, 'through g');
  await rest.over;
});
