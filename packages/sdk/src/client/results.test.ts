import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { JsonObject } from '../protocol/jsonrpc.ts';
import { REVISIONS } from '../protocol/revision.ts';
import { connectScripted } from '../testing/connect-scripted.ts';
import { agreesOn } from '../testing/scripted-peer.ts';

const capabilities = { tools: {}, prompts: {}, resources: {}, completions: {} };
const envelope = { resultType: 'complete', ttlMs: 5, cacheScope: 'private' };
const tool = { name: 't', inputSchema: { type: 'object' } };
const called = { content: [{ type: 'text', text: 'x' }], _meta: { a: 1 } };
const read = { contents: [{ uri: 'u:1', text: 'x' }] };
const prompted = { messages: [{ role: 'user', content: { type: 'text', text: 'x' } }] };
const completion = { values: ['x'] };

for (const revision of REVISIONS) {
  test(`results have only the members of their types, except that request() returns them unchanged: ${revision}`, async () => {
    const wrapped = (result: JsonObject): JsonObject => ({ ...result, ...envelope });
    const { client } = await connectScripted(
      {
        ...agreesOn(revision, { capabilities }),
        'tools/list': wrapped({ tools: [tool] }),
        'tools/call': wrapped(called),
        'resources/read': wrapped(read),
        'prompts/get': wrapped(prompted),
        'completion/complete': wrapped({ completion }),
      },
      { revision },
    );
    assert.deepEqual(await client.result('t'), called);
    // The second result comes from the cache, where there is one.
    for (let time = 0; time < 2; time++) {
      assert.deepEqual(await client.read('u:1'), { ...read, ttlMs: 5, cacheScope: 'private' });
      assert.deepEqual(await client.tools().all(), [tool]);
    }
    assert.deepEqual(await client.prompt('p'), prompted);
    assert.deepEqual(await client.complete({ prompt: 'p' }, { argument: 'a', value: '' }), completion);
    assert.deepEqual(await client.request('tools/call', { name: 't' }), wrapped(called));
    await client.close();
  });
}

test('options that are null count as none', async () => {
  const { client } = await connectScripted(
    { ...agreesOn('2026-07-28', { capabilities }), 'tools/call': { ...called, resultType: 'complete' } },
    { revision: '2026-07-28' },
  );
  assert.equal(await client.call('t', {}, null as never), 'x');
  assert.deepEqual(await client.result('t', {}, null as never), called);
  await client.close();
});
