// The serving program determines the principal of a caller. An invisible id is a mistake, not a separate caller.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { connect, createCacheStore } from '../../src/entries/client.ts';
import { server, tool } from '../../src/entries/index.ts';

const app = server({
  name: 'who',
  tools: { who: tool({}, (_, { principal }) => principal?.id ?? 'nobody') },
});

const BAD: readonly unknown[] = ['', ' ', '\t', '\u00a0\u3000', 7, null, undefined, {}, ['ann']];

test('a principal whose id is blank or not a string is refused when a client connects to a server of the program', async () => {
  for (const id of BAD)
    await assert.rejects(
      async () => {
        await using client = await connect(app, { principal: { id } as never });
        return client.call('who');
      },
      TypeError,
      JSON.stringify(id),
    );
  await using client = await connect(app, { principal: { id: 'ann' } });
  assert.equal(await client.call('who'), 'ann');
});

test('clients that share a cache do not share private results, however their principal is given', async () => {
  const own = server({
    name: 'own',
    visibility: (principal) => principal?.id ?? '',
    cache: { ttlMs: 60_000, scope: 'private' },
    tools: {
      ann: tool({ visible: ['ann'] }, () => 'for ann'),
      bob: tool({ visible: ['bob'] }, () => 'for bob'),
    },
  });
  const cache = createCacheStore(100);
  for (const [id, options] of [
    ['ann', { serve: { principal: { id: 'ann' } } }],
    ['bob', { serve: { principal: { id: 'bob' } } }],
    ['ann', { principal: { id: 'ann' } }],
    ['bob', { principal: { id: 'bob' } }],
  ] as const) {
    await using client = await connect(own, { cache, ...options });
    assert.deepEqual(
      (await client.tools().all()).map(({ name }) => name),
      [id],
    );
  }
});
