// Middleware around the calls of a client.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { z } from 'zod';
import { type ClientMiddleware, connect, ToolError } from '../../src/entries/client.ts';
import { type LogEntry, resource, server, tool } from '../../src/entries/index.ts';
import { logging } from '../../src/entries/middleware.ts';
import { REVISIONS } from '../../src/protocol/revision.ts';
import { WAYS } from './ways.ts';

const app = server({
  name: 'notes',
  tools: {
    meta: tool({}, (_, ctx) => String(ctx._meta['com.example/tenant'])),
    ask: tool({}, async (_, ctx) => (await ctx.ask('name', 'Your name?', z.object({ name: z.string() }))).name),
    fail: tool({}, () => {
      throw new ToolError('no');
    }),
  },
  resources: { 'note://1': resource({ name: 'One', cache: { ttlMs: 60_000, scope: 'public' } }, () => 'one') },
  methods: { 'acme/echo': (params) => ({ meta: params['_meta'] }) },
});

const withTenant: ClientMiddleware = (_, next) => next({ _meta: { 'com.example/tenant': 'acme' } });

for (const revision of REVISIONS)
  for (const [way, open] of Object.entries(WAYS))
    test(`additional _meta of middleware reaches the server: ${way}, ${revision}`, async () => {
      await using client = await open(app, { revision, use: [withTenant] });
      assert.equal(await client.call('meta'), 'acme');
      const { meta } = (await client.request('acme/echo', {})) as { meta: Record<string, unknown> };
      assert.equal(meta['com.example/tenant'], 'acme');
      const both = await client.request('acme/echo', {}, { _meta: { 'com.example/own': 1 } });
      assert.equal((both['meta'] as Record<string, unknown>)['com.example/own'], 1);
      const aborted = client.call('meta', {}, { signal: AbortSignal.abort(new Error('enough')) });
      await assert.rejects(aborted, { name: 'AbortError' });
    });

for (const revision of REVISIONS)
  test(`a call with questions is one call: ${revision}`, async () => {
    const log: LogEntry[] = [];
    const answers = { name: { name: 'Ann' } };
    const can = revision >= '2025-06-18';
    await using client = await connect(app, { revision, answers, use: [logging((entry) => log.push(entry))] });
    if (can) assert.equal(await client.call('ask'), 'Ann');
    await assert.rejects(client.call('fail'), ToolError);
    assert.deepEqual(
      log
        .map(({ details }) => details as { name: string; outcome: string })
        .map(({ name, outcome }) => [name, outcome]),
      [...(can ? [['ask', 'result']] : []), ['fail', 'tool-error']],
    );
  });

test('middleware runs for requests that are sent, and not for cached results', async () => {
  const sent: string[] = [];
  const note: ClientMiddleware = (call, next) => {
    sent.push(`${call.method} ${call.name}`);
    return next();
  };
  await using client = await connect(app, { use: [{ 'resources/read': note }] });
  await client.read('note://1');
  await client.read('note://1');
  assert.deepEqual(sent, ['resources/read note://1']);
});

test('a middleware can answer a call, change an answer, and refuse a call', async () => {
  let ran = 0;
  const own: ClientMiddleware = async (call, next) => {
    if (call.name === 'fail') return call.answer({ content: [{ type: 'text', text: 'fine' }] });
    if (call.name === 'ask') throw new RangeError('not today');
    ran++;
    const { result } = await next();
    return call.answer({ ...result, content: [{ type: 'text', text: 'changed' }] });
  };
  await using client = await connect(app, { use: [{ 'tools/call': own }] });
  assert.equal(await client.call('fail'), 'fine');
  await assert.rejects(client.call('ask'), new RangeError('not today'));
  assert.equal(await client.call('meta'), 'changed');
  assert.equal(ran, 1);
});

test('invalid middleware, and metadata that may not be sent, are refused', async () => {
  await assert.rejects(connect(app, { use: [42 as never] }), /'42' in `use` is neither a middleware/);
  await using client = await connect(app, { use: [(_, next) => next({ _meta: { traceparent: 'x' } })] });
  await assert.rejects(client.call('meta'), /traceparent must follow W3C/);
});
