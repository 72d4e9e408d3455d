import assert from 'node:assert/strict';
import { test } from 'node:test';
import { CODE, PeerError, ProtocolError } from '../protocol/errors.ts';
import type { JsonObject } from '../protocol/jsonrpc.ts';
import { REVISIONS } from '../protocol/revision.ts';
import { connectScripted } from '../testing/connect-scripted.ts';
import { agreesOn, type PeerMessage, type Script } from '../testing/scripted-peer.ts';

const capabilities = { tools: {}, prompts: {}, resources: {} };
function tool(name: string): JsonObject {
  return { name, inputSchema: { type: 'object' } };
}
function names(entries: readonly { name: string }[]): string[] {
  return entries.map(({ name }) => name);
}

for (const revision of REVISIONS) {
  const scripted = (script: Script) =>
    connectScripted({ ...agreesOn(revision, { capabilities }), ...script }, { revision });

  test(`[PAGE-1] [PAGE-2] [PAGE-4] [PAGE-5] [PAGE-6] [PROMPT-10] all pages of every list are fetched, with unchanged cursors: ${revision}`, async () => {
    const lists = {
      'tools/list': 'tools',
      'resources/list': 'resources',
      'resources/templates/list': 'resourceTemplates',
      'prompts/list': 'prompts',
    };
    const entry = (name: string): JsonObject => ({
      name,
      uri: `u:${name}`,
      uriTemplate: `u:{${name}}`,
      inputSchema: { type: 'object' },
    });
    const script = Object.fromEntries(
      Object.entries(lists).map(([method, key]) => [
        method,
        ({ params }: { params?: JsonObject }) => {
          const cursor = params?.['cursor'];
          if (cursor === undefined) return { [key]: [entry('a'), entry('b')], nextCursor: ' {"p":2}\n' };
          if (cursor === ' {"p":2}\n') return { [key]: [], nextCursor: 'x' };
          return { [key]: [entry('c')] };
        },
      ]),
    );
    const { client } = await scripted(script);
    for (const list of [client.tools(), client.resources(), client.templates(), client.prompts()]) {
      assert.deepEqual(names(await list.all()), ['a', 'b', 'c']);
      assert.deepEqual(names(await list.all()), ['a', 'b', 'c']);
    }
    await client.close();
  });
}

for (const revision of REVISIONS) {
  const without = (error: { code: number; message: string }) =>
    connectScripted(
      {
        ...agreesOn(revision, { capabilities: { resources: {} } }),
        'resources/list': { resources: [{ uri: 'file:///a', name: 'a' }] },
        'resources/templates/list': ({ id }, peer) => peer.fail(id, error.code, error.message),
      },
      { revision },
    );

  test(`a server with resources but without resources/templates/list has no templates: ${revision}`, async () => {
    const { client, peer } = await without({ code: CODE.methodNotFound, message: 'Method not found' });
    assert.deepEqual(await client.templates().all(), []);
    assert.deepEqual(names(await client.resources().all()), ['a']);
    assert.equal(peer.calls('resources/templates/list').length, 1, 'it is asked');
    await client.close();
  });

  test(`any other error of resources/templates/list is passed on: ${revision}`, async () => {
    const { client } = await without({ code: CODE.internalError, message: 'no database' });
    await assert.rejects(client.templates().all(), /no database/);
    await client.close();
  });
}

test('a server that declares resources but not resources/list causes an error', async () => {
  const { client } = await connectScripted({
    ...agreesOn('2025-11-25', { capabilities: { resources: {} } }),
    'resources/list': ({ id }, peer) => peer.fail(id, CODE.methodNotFound, 'Method not found'),
  });
  await assert.rejects(client.resources().all(), ProtocolError);
  await client.close();
});

function modern(script: Script) {
  return connectScripted({ ...agreesOn('2026-07-28', { capabilities }), ...script });
}

test('[PAGE-8] an empty cursor is not the end', async () => {
  const { client } = await modern({
    'tools/list': ({ params }) =>
      params?.['cursor'] === '' ? { tools: [tool('b')] } : { tools: [tool('a')], nextCursor: '' },
  });
  assert.deepEqual(names(await client.tools().all()), ['a', 'b']);
  await client.close();
});

test('pages are only fetched as they are needed', async () => {
  const { client, peer } = await modern({
    'tools/list': ({ params }) => ({
      tools: [tool(`t${String(params?.['cursor'])}`)],
      nextCursor: `${Number(params?.['cursor'] ?? 0) + 1}`,
    }),
  });
  for await (const { name } of client.tools()) if (name === 't1') break;
  assert.equal(peer.calls('tools/list').length, 2);
  await client.close();
});

test('[A-45] a repeated cursor, immediately or after others, is an error', async () => {
  for (const cycle of [['x'], ['x', 'y'], ['x', 'y', 'z']]) {
    let page = 0;
    const { client, peer } = await modern({
      'tools/list': () => ({ tools: [tool(`t${page}`)], nextCursor: cycle[page++ % cycle.length] }),
    });
    await assert.rejects(client.tools().all(), (error) => error instanceof PeerError && /loop/.test(error.message));
    assert.ok(peer.calls('tools/list').length <= cycle.length + 1);
    await client.close();
  }
});

test('[A-45] an endless list is an error after the maximum number of pages', async () => {
  const { client, peer } = await connectScripted(
    {
      ...agreesOn('2026-07-28', { capabilities }),
      'tools/list': ({ params }) => ({ tools: [], nextCursor: `${Number(params?.['cursor'] ?? 0) + 1}` }),
    },
    { limits: { pages: 30 } },
  );
  await assert.rejects(client.tools().all(), PeerError);
  assert.equal(peer.calls('tools/list').length, 30);
  await client.close();
});

test('[A-44] a malformed or huge entry is left out and reported, and does not hide other entries', async () => {
  // Too deep for `JSON.stringify`.
  const deep = `${'{"properties":{"a":'.repeat(3_000)}{}${'}}'.repeat(3_000)}`;
  const wide = {
    type: 'object',
    properties: Object.fromEntries(Array.from({ length: 50_000 }, (_, n) => [`p${n}`, { type: 'string' }])),
  };
  const log: string[] = [];
  const { client } = await connectScripted(
    {
      ...agreesOn('2026-07-28', { capabilities }),
      'tools/list': ({ id }, peer) => {
        const tools = [
          'DEEP',
          { name: 'wide', inputSchema: wide },
          { name: 7, inputSchema: {} },
          'x',
          null,
          { name: 'bare' },
          tool('healthy'),
        ];
        const text = JSON.stringify({ jsonrpc: '2.0', id, result: { tools } });
        return peer.send(text.replace('"DEEP"', `{"name":"deep","inputSchema":${deep}}`));
      },
      'tools/call': { content: [{ type: 'text', text: 'ok' }], structuredContent: { a: 1 } },
    },
    { log: ({ event }) => log.push(event) },
  );
  const found = names(await client.tools().all());
  assert.deepEqual(found, ['wide', 'healthy']);
  assert.ok(log.includes('bad-entry'));
  assert.deepEqual(await client.call('healthy'), { a: 1 });
  await client.close();
});

test('a result that is nested too deeply rejects its request unless it is a list', async () => {
  const { client, peer } = await modern({
    'tools/call': ({ id }, peer) =>
      peer.send(
        `{"jsonrpc":"2.0","id":${String(id)},"result":{"content":[],"x":${'['.repeat(500)}${']'.repeat(500)}}}`,
      ),
  });
  await assert.rejects(
    client.call('t'),
    (error) => error instanceof PeerError && /deeper than 128/.test(error.message),
  );
  await peer.notify('x', { deep: JSON.parse('['.repeat(200) + ']'.repeat(200)) as unknown });
  await client.ping();
  await client.close();
});

/** Answers that cannot be read, after the id. */
const UNREADABLE: readonly [string, string][] = [
  ['nested deeper than 20000 levels', `"result":{"content":[],"x":${'['.repeat(30_000)}${']'.repeat(30_000)}}}`],
  ['more than 200000 values', `"result":{"content":[],"x":[${'1,'.repeat(300_000)}1]}}`],
  ['Invalid JSON', '"result":{"content":[],"structuredContent":{"ratio":NaN}}}'],
  ['Invalid JSON at position', '"error":{"code":-32603,"message":"it broke'],
];

for (const [problem, rest] of UNREADABLE)
  test(`an answer that cannot be read rejects its request with the reason: ${problem}`, async () => {
    let waiting: PeerMessage | undefined;
    const { client, peer } = await modern({
      'tools/call': (message, peer) => {
        if (message.params!['name'] === 'other') return void (waiting = message);
        return peer.send(`{"jsonrpc":"2.0","id":${String(message.id)},${rest}`);
      },
    });
    const other = client.call('other');
    await assert.rejects(client.call('t'), (error) => {
      assert.ok(error instanceof PeerError, String(error));
      assert.equal(error.code, 'invalid-answer');
      assert.match(error.message, new RegExp(`The answer to tools/call cannot be read: .*${problem}`));
      return true;
    });
    const id = String(waiting!.id);
    // None of these is an answer to it.
    for (const text of [
      `{"jsonrpc":"2.0","id":"${id}",${rest}`,
      `{"jsonrpc":"2.0","id":${id},"method":"x",${rest}`,
      `{"jsonrpc":"1.0","id":${id},${rest}`,
      `{"id":${id},${rest}`,
      `{"jsonrpc":"2.0","id":${id},"x":NaN}`,
      `{"jsonrpc":"2.0","x":{"id":${id}},${rest}`,
      `log: {"jsonrpc":"2.0","id":${id},${rest}`,
    ])
      await peer.send(text);
    await client.ping();
    await peer.respond(waiting!.id, { content: [{ type: 'text', text: 'here' }] });
    assert.equal(await other, 'here');
    await client.close();
  });

test('a list result without a list is an error', async () => {
  for (const result of [{}, { tools: {} }, { tools: 'x' }]) {
    const { client } = await modern({ 'tools/list': result });
    await assert.rejects(client.tools().all(), PeerError);
    await client.close();
  }
});

test('[LIFE-10] [PROMPT-11] requests for features that the server does not offer are not sent: their lists are empty, calls are refused', async () => {
  for (const revision of REVISIONS) {
    const { client, peer } = await connectScripted(agreesOn(revision), { revision });
    for (const list of [client.tools(), client.resources(), client.templates(), client.prompts()])
      assert.deepEqual(await list.all(), []);
    const refused = (error: unknown) => error instanceof ProtocolError && error.code === -32601;
    await assert.rejects(client.call('t'), refused);
    await assert.rejects(client.read('u:1'), refused);
    await assert.rejects(client.prompt('p'), refused);
    await client.ping();
    assert.ok(peer.received.every(({ method }) => !/^(?:tools|resources|prompts)/.test(String(method))));
    await client.close();
  }
});

test('a missing capability is reported once, as a warning if the server declares nothing at all', async () => {
  for (const [declared, level, what] of [
    [{}, 'warn', 'tools, prompts or resources'],
    [{ prompts: {} }, 'info', 'tools'],
  ] as const)
    for (const revision of REVISIONS) {
      const log: string[] = [];
      const { client, peer } = await connectScripted(
        { ...agreesOn(revision, { capabilities: declared }), 'tools/list': { tools: [tool('a')] } },
        { revision, log: ({ level, message }) => log.push(`${level}: ${message}`) },
      );
      assert.deepEqual(await client.tools().all(), []);
      assert.deepEqual(await client.tools().all(), []);
      await assert.rejects(client.call('a'), { code: CODE.methodNotFound });
      if (level === 'warn') assert.deepEqual(await client.prompts().all(), []);
      assert.deepEqual(log, [`${level}: The server does not declare ${what}. If it has any, they cannot be used`]);
      assert.deepEqual(peer.calls('tools/list'), []);
      await client.close();
    }
});

test('[COMP-2] completion is tried in revisions without a capability for it', async () => {
  const script = { 'completion/complete': { completion: { values: ['a'], total: 1, hasMore: false } } };
  const { client } = await connectScripted({ ...agreesOn('2024-11-05'), ...script }, { revision: '2024-11-05' });
  assert.deepEqual(await client.complete({ prompt: 'p' }, { argument: 'a', value: '' }), {
    values: ['a'],
    total: 1,
    hasMore: false,
  });
  await client.close();
  const { client: newer } = await connectScripted({ ...agreesOn('2025-03-26'), ...script }, { revision: '2025-03-26' });
  await assert.rejects(newer.complete({ prompt: 'p' }, { argument: 'a', value: '' }), ProtocolError);
  await newer.close();
});

test('[COMP-4] resolved arguments are sent in revisions that support them', async () => {
  for (const revision of REVISIONS) {
    const { client, peer } = await connectScripted(
      {
        ...agreesOn(revision, { capabilities: { completions: {} } }),
        'completion/complete': { completion: { values: [] } },
      },
      { revision },
    );
    await client.complete({ template: 'f:{a}/{b}' }, { argument: 'b', value: 'x', resolved: { a: '1' } });
    const { ref, argument, context } = peer.calls('completion/complete')[0]!.params!;
    assert.deepEqual(
      [ref, argument],
      [
        { type: 'ref/resource', uri: 'f:{a}/{b}' },
        { name: 'b', value: 'x' },
      ],
    );
    const old = revision === '2024-11-05' || revision === '2025-03-26';
    assert.deepEqual(context, old ? undefined : { arguments: { a: '1' } });
    await client.close();
  }
});

test('requests to a legacy server have no _meta unless it is needed', async () => {
  const { client, peer } = await connectScripted(
    {
      ...agreesOn('2025-11-25', { capabilities: { ...capabilities, logging: {} } }),
      'tools/call': { content: [] },
      'logging/setLevel': {},
    },
    { revision: '2025-11-25', logLevel: 'warning' },
  );
  await client.call('t', { a: 1 });
  await client.call('t', undefined, { _meta: { k: 1 }, onProgress() {} });
  await client.setLogLevel('error');
  assert.deepEqual(
    peer.calls('tools/call').map(({ params }) => params),
    [
      { name: 't', arguments: { a: 1 } },
      { name: 't', _meta: { k: 1, progressToken: peer.calls('tools/call')[1]!.id } },
    ],
  );
  assert.deepEqual(
    peer.calls('logging/setLevel').map(({ params }) => params?.['level']),
    ['warning', 'error'],
  );
  await client.close();
});

test('[CACHE-16] [CACHE-18] listing starts over if the server has forgotten the cursor of a cached page, and no entry is repeated', async () => {
  let generation = 1;
  const { client, peer } = await modern({
    'tools/list': ({ params }) => {
      const cursor = params?.['cursor'];
      if (cursor === undefined)
        return { tools: [tool('a'), tool('b')], nextCursor: `g${generation}`, ttlMs: 60_000, cacheScope: 'private' };
      if (cursor !== `g${generation}`) throw new ProtocolError(-32602, 'Invalid cursor');
      return { tools: [tool('c')], ttlMs: 0, cacheScope: 'private' };
    },
  });
  assert.deepEqual(names(await client.tools().all()), ['a', 'b', 'c']);
  generation = 2;
  assert.deepEqual(names(await client.tools().all()), ['a', 'b', 'c']);
  assert.deepEqual(
    peer.calls('tools/list').map(({ params }) => params!['cursor']),
    [undefined, 'g1', 'g1', undefined, 'g2'],
  );
  await client.close();
});

test('an invalid new cursor is an error of the server', async () => {
  const { client } = await modern({
    'tools/list': ({ params }) => {
      if (params?.['cursor'] === undefined) return { tools: [tool('a')], nextCursor: 'bad' };
      throw new ProtocolError(-32602, 'Invalid cursor');
    },
  });
  await assert.rejects(client.tools().all(), ProtocolError);
  await client.close();
});
