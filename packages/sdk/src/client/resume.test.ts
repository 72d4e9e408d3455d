import assert from 'node:assert/strict';
import { test } from 'node:test';
import { z } from 'zod';
import { connect, type SuspendedCall } from '../entries/client.ts';
import { server, tool } from '../entries/index.ts';

function booking() {
  const booked: string[] = [];
  const app = server({
    name: 'travel',
    version: '1.0.0',
    tools: {
      book: tool({ input: z.object({ city: z.string() }) }, async ({ city }, ctx) => {
        const { seat } = await ctx.ask('seat', `Which seat to ${city}?`, z.object({ seat: z.string() }));
        const { meal } = await ctx.ask('meal', 'Which meal?', z.object({ meal: z.string() }));
        await ctx.once('book', () => booked.push(`${city} ${seat} ${meal}`));
        return `Booked ${city}, ${seat}, ${meal}`;
      }),
    },
  });
  return { app, booked };
}

/** Connects, calls, stores the call as JSON at its first question, and disconnects before it is answered. */
async function leaveAtQuestion(app: ReturnType<typeof booking>['app']): Promise<string> {
  const gone = new AbortController();
  let kept = '';
  await using client = await connect(app, {
    elicit: (_question, { call }) => {
      kept = JSON.stringify(call);
      gone.abort();
      return new Promise(() => {});
    },
  });
  await assert.rejects(client.call('book', { city: 'Oslo' }, { signal: gone.signal }), { name: 'AbortError' });
  return kept;
}

test('[MRTR-7] a suspended call is plain JSON, and another client can continue it', async () => {
  const { app, booked } = booking();
  const kept = JSON.parse(await leaveAtQuestion(app)) as SuspendedCall<'tools/call'>;
  assert.deepEqual(Object.keys(kept.inputRequests), ['seat']);
  assert.deepEqual(kept.params, { name: 'book', arguments: { city: 'Oslo' } });
  await using client = await connect(app, { answers: { seat: { seat: '12A' }, meal: { meal: 'fish' } } });
  const { content } = await client.resume(kept);
  assert.deepEqual(content, [{ type: 'text', text: 'Booked Oslo, 12A, fish' }]);
  // Actions of `once` ran once, even if the stored call is answered a second time.
  await client.resume(kept);
  assert.deepEqual(booked, ['Oslo 12A fish']);
});

test('resuming a call with a server without 2026-07-28 is an error', async () => {
  const { app } = booking();
  const kept = JSON.parse(await leaveAtQuestion(app)) as SuspendedCall;
  await using client = await connect(app, { revision: '2025-11-25' });
  await assert.rejects(client.resume(kept), /Only a server of 2026-07-28 .* this one uses 2025-11-25/);
});

test('an invalid suspended call throws a TypeError; nothing is sent, and the server is not blamed', async () => {
  const { app, booked } = booking();
  const kept = JSON.parse(await leaveAtQuestion(app)) as Record<string, unknown>;
  const sent: string[] = [];
  await using client = await connect(app, {
    answers: { seat: { seat: '12A' }, meal: { meal: 'fish' } },
    onTrace: ({ kind, text }) => kind === 'sent' && sent.push(text),
  });
  const before = sent.length;
  for (const wrong of [
    undefined,
    null,
    'text',
    [],
    {},
    { ...kept, method: 'tools/list' },
    { ...kept, params: undefined },
    { ...kept, params: 'book' },
    { ...kept, inputRequests: [] },
    { ...kept, inputRequests: { seat: 7 } },
    { ...kept, inputRequests: { seat: { method: 'tools/call', params: {} } } },
    { ...kept, state: 7 },
  ])
    await assert.rejects(client.resume(wrong as never), (error) => {
      assert.ok(error instanceof TypeError && !/destructure|undefined as/.test(error.message), String(error));
      return true;
    });
  assert.equal(sent.length, before);
  assert.deepEqual(booked, []);
});

test('a question of a legacy server has no suspended call', async () => {
  const { app } = booking();
  const calls: unknown[] = [];
  await using client = await connect(app, {
    revision: '2025-06-18',
    elicit: ({ name }, { call }) => {
      calls.push(call);
      return { action: 'accept', content: { [name!]: 'anything' } };
    },
  });
  await client.call('book', { city: 'Rome' });
  assert.deepEqual(calls, [undefined, undefined]);
});
