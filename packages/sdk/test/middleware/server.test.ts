// Middleware around the calls of a server: on every transport, in every revision.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { z } from 'zod';
import { connect } from '../../src/entries/client.ts';
import { type IncomingCall, type LogEntry, middleware, server, tool } from '../../src/entries/index.ts';
import { logging } from '../../src/entries/middleware.ts';
import { REVISIONS } from '../../src/protocol/revision.ts';
import { WAYS } from './ways.ts';

function createApp() {
  return server({
    name: 'notes',
    tools: {
      add: tool({ input: z.object({ a: z.number(), b: z.number() }) }, ({ a, b }) => `${a + b}`),
      fail: tool({}, () => {
        throw new Error('secret');
      }),
      who: tool({}, (_, ctx) => JSON.stringify(ctx.state)),
    },
  });
}
for (const revision of REVISIONS)
  for (const [way, open] of Object.entries(WAYS)) {
    test(`calls are logged with their outcome: ${way}, ${revision}`, async () => {
      const app = createApp();
      const log: LogEntry[] = [];
      app.use(logging((entry) => log.push(entry)));
      await using client = await open(app, { revision });
      assert.equal(await client.call('add', { a: 1, b: 2 }), '3');
      await assert.rejects(client.call('fail'));
      await assert.rejects(client.request('no/such'));
      const calls = log.map(({ details }) => details as { method: string; outcome: string; name?: string });
      assert.deepEqual(
        calls
          .filter(({ method }) => method !== 'server/discover')
          .map(({ method, name, outcome }) => [method, name, outcome]),
        [
          ['tools/call', 'add', 'result'],
          ['tools/call', 'fail', 'tool-error'],
          ['no/such', undefined, 'error'],
        ],
      );
      assert.ok(!JSON.stringify(log).includes('secret'));
    });
  }

test('state that middleware adds reaches the handler', async () => {
  const app = createApp();
  app.use((_, next) => next({ a: 1 }), {
    'tools/call': (_, next) => next({ b: 2 }),
    'tools/list': (_, next) => next({ c: 3 }),
  });
  await using client = await connect(app);
  assert.equal(await client.call('who'), '{"a":1,"b":2}');
});

test('the first middleware is outermost', async () => {
  const app = createApp();
  const seen: string[] = [];
  const log = (name: string) =>
    middleware(async (_: IncomingCall, next) => {
      seen.push(`${name} begins`);
      const answer = await next();
      seen.push(`${name} ends`);
      return answer;
    });
  app.use({ 'tools/call': log('a') });
  app.use({ 'tools/call': log('b') });
  await using client = await connect(app);
  await client.call('add', { a: 1, b: 2 });
  assert.deepEqual(seen, ['a begins', 'b begins', 'b ends', 'a ends']);
});

test('middleware reads the result of a call, however long it is', async () => {
  for (const text of ['short', 'é'.repeat(70_000)]) {
    const app = server({ name: 'notes', tools: { long: tool({}, () => text) } });
    const seen: { text: unknown; size: number }[] = [];
    app.use({
      'tools/call': async (_, next) => {
        const answer = await next();
        const content = answer.result['content'] as readonly { readonly text: unknown }[];
        seen.push({ text: content[0]!.text, size: answer.size });
        return answer;
      },
    });
    await using client = await connect(app);
    assert.ok((await client.call('long')) === text);
    assert.ok(seen[0]!.text === text);
    assert.equal(seen[0]!.size, JSON.stringify({ content: [{ type: 'text', text }] }).length);
  }
});
