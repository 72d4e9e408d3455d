import assert from 'node:assert/strict';
import { test } from 'node:test';
import { withinCpuMsAsync } from '../../../../scripts/lib/cpu-time.ts';
import { PeerError, ProtocolError } from '../protocol/errors.ts';
import type { JsonObject } from '../protocol/jsonrpc.ts';
import type { ConnectOptions } from '../open/connect.ts';
import { connectScripted } from '../testing/connect-scripted.ts';
import { fakeClock } from '../testing/fake-clock.ts';
import { agreesOn, type Script } from '../testing/scripted-peer.ts';

const capabilities = { tools: { listChanged: true } };
function schema(type: string): JsonObject {
  return { type: 'object', properties: { n: { type } }, required: ['n'] };
}
function listed(outputSchema: unknown): JsonObject {
  return {
    tools: [{ name: 't', inputSchema: { type: 'object' }, outputSchema }],
  };
}
function structured(structuredContent: unknown, more: JsonObject = {}): JsonObject {
  return {
    content: [],
    structuredContent,
    ...more,
  };
}

const revisions = ['2025-06-18', '2025-11-25', '2026-07-28'] as const;
function scripted(script: Script, revision: (typeof revisions)[number] = '2026-07-28', options: ConnectOptions = {}) {
  return connectScripted({ ...agreesOn(revision, { capabilities }), ...script }, { revision, ...options });
}

for (const revision of revisions) {
  test(`[TOOL-26] [TOOL-38] structured content that does not match the output schema of its tool is an error: ${revision}`, async () => {
    const { client, peer } = await scripted(
      { 'tools/list': listed(schema('number')), 'tools/call': ({ params }) => structured(params!['arguments']) },
      revision,
    );
    assert.deepEqual(await client.call('t', { n: 1 }), { n: 1 });
    await assert.rejects(
      client.call('t', { n: 'one' }),
      (error) => error instanceof PeerError && /output schema: n: must be a number/.test(error.message),
    );
    await assert.rejects(client.result('t', {}), PeerError);
    assert.deepEqual(await client.call('t', { n: 2 }), { n: 2 });
    assert.equal(peer.calls('tools/list').length, 1);
    await client.close();
  });
}

test('of two tools with one name the output schema of the first counts, also across pages and after a change', async () => {
  const tool = (type: string) => ({ name: 't', inputSchema: { type: 'object' }, outputSchema: schema(type) });
  const { client } = await scripted({
    'tools/list': ({ params }) =>
      params!['cursor'] === undefined
        ? { tools: [tool('number'), { ...tool('string'), outputSchema: undefined }], nextCursor: 'more' }
        : { tools: [tool('string')] },
    'tools/call': ({ params }) => structured(params!['arguments']),
  });
  await assert.rejects(client.call('t', { n: 'one' }), /output schema: n: must be a number/);
  assert.deepEqual(await client.call('t', { n: 1 }), { n: 1 });
  await client.tools().all();
  await assert.rejects(client.call('t', { n: 'one' }), /output schema: n: must be a number/);
  await client.close();
});

test('the tools are only listed when there is a result to check', async () => {
  const { client, peer } = await scripted({
    'tools/list': listed(schema('number')),
    'tools/call': { content: [{ type: 'text', text: 'x' }] },
  });
  await client.call('t');
  assert.equal(peer.calls('tools/list').length, 0);
  await client.tools().all();
  await assert.rejects(client.call('t'), /no structured content/);
  await client.close();
});

for (const revision of revisions)
  test(`without an output schema, null beside other content means that there is no structured content: ${revision}`, async () => {
    const content = [{ type: 'text', text: 'Found nothing' }];
    const { client } = await scripted(
      { 'tools/list': { tools: [{ name: 't', inputSchema: {} }] }, 'tools/call': structured(null, { content }) },
      revision,
    );
    assert.equal(await client.call('t'), 'Found nothing');
    assert.equal(await client.call('unlisted'), 'Found nothing');
    assert.deepEqual(await client.result('t'), { content, structuredContent: null });
    await client.close();
  });

test('[TOOL-28] with an output schema, null is the value, whatever the content is', async () => {
  const content = [{ type: 'text', text: 'Found nothing' }];
  const { client } = await scripted({
    'tools/list': listed({ type: ['null', 'string'] }),
    'tools/call': structured(null, { content }),
  });
  assert.equal(await client.call('t'), null);
  await client.close();
});

test('the result of a failed tool is not checked', async () => {
  const { client } = await scripted({
    'tools/list': listed(schema('number')),
    'tools/call': structured({ n: 'x' }, { isError: true }),
  });
  await client.tools().all();
  assert.equal((await client.result('t')).isError, true);
  await client.close();
});

test('a tool without an output schema, or one that is not listed, may return any structured content', async () => {
  const { client } = await scripted({
    'tools/list': { tools: [{ name: 't', inputSchema: {} }] },
    'tools/call': structured(7),
  });
  assert.equal(await client.call('t'), 7);
  assert.equal(await client.call('unlisted'), 7);
  assert.equal(await client.call('__proto__'), 7);
  await client.close();
});

test('[BASE-61] [BASE-64] [BASE-67] [A-44] a schema that cannot be used leaves its tool usable, and is reported', async () => {
  const bad: JsonObject[] = [
    { $schema: 'http://json-schema.org/draft-03/schema#', type: 'object' },
    { $ref: 'https://example.com/schema.json' },
    { type: 'nonsense' },
    { $ref: '#/$defs/missing' },
  ];
  for (const outputSchema of bad) {
    const events: string[] = [];
    const { client } = await scripted(
      { 'tools/list': listed(outputSchema), 'tools/call': structured({ any: 1 }) },
      '2026-07-28',
      { log: ({ event }) => events.push(event) },
    );
    assert.deepEqual(await client.call('t'), { any: 1 }, JSON.stringify(outputSchema));
    assert.ok(events.includes('bad-schema') || events.includes('schema'), JSON.stringify(outputSchema));
    await client.close();
  }
});

test('a pattern that cannot be evaluated safely is skipped, and the rest of the schema is checked', async () => {
  const outputSchema = { type: 'object', properties: { n: { type: 'string', pattern: '^(a+)+$' } } };
  const { client } = await scripted({
    'tools/list': listed(outputSchema),
    'tools/call': ({ params }) => structured(params!['arguments']),
  });
  await withinCpuMsAsync(2_000, () => client.result('t', { n: `${'a'.repeat(40)}!` }).catch(() => {}));
  await assert.rejects(client.call('t', { n: 7 }), PeerError);
  await client.close();
});

test('a tool is listed again before its result is rejected, because its schema may have changed', async () => {
  let type = 'number';
  const clock = fakeClock();
  const { client, peer } = await scripted(
    { 'tools/list': () => listed(schema(type)), 'tools/call': () => structured({ n: type === 'number' ? 1 : 'x' }) },
    '2026-07-28',
    { clock },
  );
  assert.deepEqual(await client.call('t'), { n: 1 });
  type = 'string';
  clock.tick(1_500);
  assert.deepEqual(await client.call('t'), { n: 'x' });
  assert.equal(peer.calls('tools/list').length, 2);
  await client.close();
});

test('[A-58] however often a server says that its tools changed, they are listed at most once a second', async () => {
  const clock = fakeClock();
  const { client, peer } = await scripted(
    { 'tools/list': listed(schema('number')), 'tools/call': structured({ n: 1 }) },
    '2025-11-25',
    { clock },
  );
  for (let n = 0; n < 50; n++) {
    await peer.notify('notifications/tools/list_changed');
    await client.call('t');
    clock.tick(100);
  }
  const count = peer.calls('tools/list').length;
  assert.ok(count >= 4 && count <= 6, `${count} lists in five seconds`);
  await client.close();
});

test('tools that are already listed are not listed again to check a result', async () => {
  const { tools } = listed(schema('number')) as { tools: JsonObject[] };
  const { client, peer } = await scripted({
    'tools/list': ({ params }) =>
      params?.['cursor'] === undefined
        ? { tools: [{ name: 'first', inputSchema: {} }], nextCursor: 'next' }
        : { tools },
    'tools/call': ({ params }) => structured(params!['arguments']),
  });
  await client.tools().all();
  assert.deepEqual(await client.call('t', { n: 1 }), { n: 1 });
  assert.deepEqual(await client.call('first', { n: 1 }), { n: 1 });
  assert.equal(peer.calls('tools/list').length, 2);
  await assert.rejects(client.call('t', { n: 'one' }), PeerError);
  await client.close();
});

test('tools that were requested before a change are listed again, even if the list arrives after it', async () => {
  let type = 'number';
  const { client, peer } = await scripted(
    {
      'tools/list': async (_message, peer) => {
        const now = listed(schema(type));
        if (type === 'number') await peer.notify('notifications/tools/list_changed');
        type = 'string';
        return now;
      },
      'tools/call': structured({ n: 1 }),
    },
    '2025-11-25',
  );
  await client.tools().all();
  await assert.rejects(client.call('t'), /n: must be a string/);
  assert.equal(peer.calls('tools/list').length, 2);
  await client.close();
});

test('a result that matches a schema that changed just now is not rejected', async () => {
  let type = 'number';
  const clock = fakeClock();
  const { client, peer } = await scripted(
    { 'tools/list': () => listed(schema(type)), 'tools/call': () => structured({ n: type === 'number' ? 1 : 'x' }) },
    '2025-11-25',
    { clock },
  );
  assert.deepEqual(await client.call('t'), { n: 1 });
  type = 'string';
  await peer.notify('notifications/tools/list_changed');
  const call = client.call('t');
  await clock.advance(1_000);
  assert.deepEqual(await call, { n: 'x' });
  assert.equal(peer.calls('tools/list').length, 2);
  await client.close();
});

test('concurrent calls share one listing of the tools', async () => {
  const { client, peer } = await scripted({
    'tools/list': listed(schema('number')),
    'tools/call': structured({ n: 1 }),
  });
  await Promise.all(Array.from({ length: 20 }, () => client.call('t')));
  assert.equal(peer.calls('tools/list').length, 1);
  await client.close();
});

test('results of a server that cannot list its tools are accepted, with a warning', async () => {
  const events: string[] = [];
  const { client } = await scripted(
    {
      'tools/list': () => {
        throw new ProtocolError(-32603, 'broken');
      },
      'tools/call': structured({ n: 'x' }),
    },
    '2026-07-28',
    { log: ({ event }) => events.push(event) },
  );
  assert.deepEqual(await client.call('t'), { n: 'x' });
  assert.deepEqual(events, ['tools-unknown']);
  await client.close();
});
