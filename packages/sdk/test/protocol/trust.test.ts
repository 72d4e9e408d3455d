// A server's information about itself and its tools is for display only: no decision depends on it.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { connect } from '../../src/entries/client.ts';
import { agreesOn, connectScripted, type Script } from '../../src/entries/testing.ts';
import type { Revision } from '../../src/entries/index.ts';
import type { Fixture } from '../suite/fixture.ts';
import { program } from '../suite/program.ts';
import { type Message, MODERN } from './dialog.ts';
import { stdioApp } from './stdio-app.ts';

const HINTS = [
  undefined,
  { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false, title: 'Safe' },
  { readOnlyHint: false, destructiveHint: true, idempotentHint: false, openWorldHint: true },
  { readOnlyHint: 'yes', trusted: true },
];

/** The messages of a client that lists the tools, calls one twice, and a third time without success. */
async function conversation(revision: Revision, tool: object, more: Script = {}): Promise<unknown[]> {
  const script: Script = {
    ...agreesOn(revision, { capabilities: { tools: {} } }),
    'tools/list': {
      tools: [{ name: 'act', inputSchema: { type: 'object' }, ...tool }],
      resultType: 'complete',
      ttlMs: 60_000,
      cacheScope: 'public',
    },
    'tools/call': ({ params }, peer) =>
      (params?.['arguments'] as { fail?: boolean })?.fail === true
        ? void peer.close()
        : { content: [{ type: 'text', text: 'done' }], resultType: 'complete' },
    ...more,
  };
  const { client, peer } = await connectScripted(script);
  const listed = (await client.tools().all()).map(({ name }) => name);
  assert.equal(await client.call('act', {}), 'done');
  assert.equal(await client.call('act', {}), 'done');
  await assert.rejects(client.call('act', { fail: true }), { name: 'ConnectionError' });
  await client.close();
  return [listed, ...peer.received.map(({ method, params }) => [method, { ...(params as object), _meta: undefined }])];
}

for (const revision of ['2025-03-26', '2025-11-25', MODERN] satisfies Revision[]) {
  test(`[TOOL-11] annotations of a tool do not affect calls of a client on ${revision}: no caching, no repeating, no refusing`, async () => {
    const plain = await conversation(revision, {});
    assert.equal(plain.filter((message) => (message as string[])[0] === 'tools/call').length, 3);
    for (const annotations of HINTS)
      assert.deepEqual(await conversation(revision, { annotations }), plain, JSON.stringify(annotations));
  });

  test(`[VERS-13] [BASE-48] [BASE-49] the server's name does not affect the messages of a client on ${revision}`, async () => {
    const sent: unknown[] = [];
    for (const name of ['scripted', 'claude-desktop', 'official-filesystem', 'admin']) {
      sent.push(await conversation(revision, {}, agreesOn(revision, { capabilities: { tools: {} }, name })));
    }
    for (const one of sent) assert.deepEqual(one, sent[0]);
  });
}

test('[BASE-77] over stdio credentials come from the environment, and are never on the wire', async () => {
  const fixture: Fixture = { make: stdioApp, module: new URL('stdio-app.ts', import.meta.url), name: 'stdioApp' };
  const sent: Message[] = [];
  const command = { ...program(fixture), env: { SERVICE_TOKEN: 'tok-123' } };
  const client = await connect(command, {
    onTrace: ({ kind, text }) => void (kind === 'sent' && sent.push(JSON.parse(text) as Message)),
  });
  assert.equal(await client.call('credential'), 'tok-123');
  await client.close();
  assert.doesNotMatch(JSON.stringify(sent), /tok-123|authorization|bearer/i);
});
