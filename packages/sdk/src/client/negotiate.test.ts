import assert from 'node:assert/strict';
import { test } from 'node:test';
import { until } from '../../../../scripts/lib/until.ts';
import { ConnectionError, ProtocolError, TimeoutError } from '../protocol/errors.ts';
import { isObject, type JsonObject } from '../protocol/jsonrpc.ts';
import { DEFAULT_LIMITS } from '../protocol/limits.ts';
import { LEGACY, type Revision, REVISIONS } from '../protocol/revision.ts';
import { connectScripted } from '../testing/connect-scripted.ts';
import { fakeClock } from '../testing/fake-clock.ts';
import { agreesOn, type Script, type ScriptedPeer, scriptedPeer } from '../testing/scripted-peer.ts';
import { memoryPair } from '../transport/memory.ts';
import { openClient } from './client.ts';
import { createEraMemory } from './eras.ts';
import { channelTransport } from './client-transport.ts';
import type { ClientOptions } from './options.ts';

const MODERN = '2026-07-28';
function silent(): void {}
function methods(peer: ScriptedPeer): unknown[] {
  return peer.received.map(({ method }) => method);
}
function closesOnDiscover(): Script {
  return { 'server/discover': (_message, peer) => void peer.close() };
}

/** Connects to one scripted process after another. */
async function dial(scripts: readonly Script[], options: ClientOptions = {}, key?: string) {
  const peers: ScriptedPeer[] = [];
  const client = openClient(
    {
      open() {
        const [near, far] = memoryPair();
        peers.push(scriptedPeer(far, scripts[peers.length] ?? {}));
        return channelTransport(near, DEFAULT_LIMITS);
      },
      key,
      reopens: true,
      restarts: false,
      server: 'test',
      partition: '',
    },
    { eras: createEraMemory(), ...options },
  );
  client.catch(() => {});
  return { client, peers };
}

test('[VERS-19] [VERS-20] [VERS-24] the first message is server/discover in the newest revision, and a server that answers it is modern', async () => {
  const { client, peer } = await connectScripted(
    agreesOn(MODERN, { capabilities: { tools: {} }, instructions: 'be kind' }),
    {
      info: { name: 'me', version: '2' },
    },
  );
  assert.equal(client.revision, MODERN);
  assert.equal(client.era, 'modern');
  assert.deepEqual(client.server, { name: 'scripted', version: '1.0.0' });
  assert.equal(client.instructions, 'be kind');
  assert.deepEqual(methods(peer), ['server/discover']);
  assert.deepEqual((peer.received[0]!['params'] as JsonObject)['_meta'], {
    'io.modelcontextprotocol/protocolVersion': MODERN,
    'io.modelcontextprotocol/clientCapabilities': {},
    'io.modelcontextprotocol/clientInfo': { name: 'me', version: '2' },
  });
  assert.equal(typeof peer.received[0]!['id'], 'string');
  await client.close();
});

test('[VERS-37] unknown capabilities are ignored', async () => {
  const { client } = await connectScripted(
    agreesOn(MODERN, { capabilities: { tools: {}, teleport: { far: true } } as object }),
  );
  assert.deepEqual(client.capabilities, { tools: {}, teleport: { far: true } });
  await client.close();
});

for (const revision of LEGACY) {
  test(`[VERS-1] [VERS-2] [LIFE-1] [LIFE-2] [LIFE-3] [LIFE-5] [LIFE-6] a server that does not know server/discover gets initialize on the same pipe: ${revision}`, async () => {
    const { client, peer } = await connectScripted(agreesOn(revision, { instructions: 'x' }));
    assert.equal(client.revision, revision);
    assert.equal(client.era, 'legacy');
    assert.equal(client.instructions, 'x');
    assert.deepEqual(methods(peer), ['server/discover', 'initialize', 'notifications/initialized']);
    const params = peer.received[1]!['params'] as JsonObject;
    assert.equal(params['protocolVersion'], '2025-11-25');
    assert.ok(peer.texts.every((text) => text.startsWith('{')));
    assert.ok(isObject(params['capabilities']) && isObject(params['clientInfo']));
    await client.close();
  });

  test(`a client pinned to ${revision} begins with initialize in that revision`, async () => {
    const { client, peer } = await connectScripted(agreesOn(revision), { revision });
    assert.equal(client.revision, revision);
    assert.deepEqual(methods(peer), ['initialize', 'notifications/initialized']);
    assert.equal((peer.received[0]!['params'] as JsonObject)['protocolVersion'], revision);
    await client.close();
  });
}

for (const code of [-32601, -32600, -32602, -32603, -32700, -32000, -32001, -32021, 0, 1, -32099, -32022]) {
  test(`[VERS-22] [VERS-23] [BASE-26] an old server may answer the probe with any error: ${code}`, async () => {
    const { client, peer } = await connectScripted({
      ...agreesOn('2025-06-18'),
      'server/discover': () => {
        throw new ProtocolError(code, 'no');
      },
    });
    assert.equal(client.revision, '2025-06-18');
    assert.equal(methods(peer).filter((method) => method === 'server/discover').length, 1);
    await client.close();
  });
}

test('[VERS-22] an error without an id is about the probe: nothing else was sent', async () => {
  const { client } = await connectScripted({
    ...agreesOn('2024-11-05'),
    'server/discover': (_message, peer) => peer.fail(undefined, -32600, 'what?'),
  });
  assert.equal(client.revision, '2024-11-05');
  await client.close();
});

test('[VERS-22] a result without versions does not prove a modern server', async () => {
  const { client } = await connectScripted({ ...agreesOn('2024-11-05'), 'server/discover': { ok: true } });
  assert.equal(client.revision, '2024-11-05');
  await client.close();
});

test('[VERS-22] if initialize fails too, the error names the malformed discover result', async () => {
  const cases: [revision: Revision | undefined, discovered: JsonObject, says: RegExp][] = [
    [undefined, { supportedVersions: MODERN, capabilities: {} }, /supportedVersions must be an array/],
    [undefined, { capabilities: {} }, /supportedVersions must be an array/],
    [undefined, { supportedVersions: null }, /supportedVersions must be an array/],
    [MODERN, { supportedVersions: MODERN, capabilities: {} }, /supportedVersions must be an array/],
  ];
  for (const [revision, discovered, says] of cases) {
    const script: Script = {
      'server/discover': discovered,
      initialize: ({ id }, peer) => peer.fail(id as number, -32601, 'Method not found'),
    };
    const { client, peers } = await dial([script], revision === undefined ? {} : { revision });
    await assert.rejects(client, (error: Error) => {
      assert.equal(error.name, revision === undefined ? 'ConnectionError' : 'PeerError');
      assert.match(error.message, /^The result of server\/discover is malformed: /);
      assert.match(error.message, says);
      if (revision === undefined)
        assert.match(error.message, /refused to initialize: Method not found \(error -32601\)$/);
      return true;
    });
    await peers[0]!.close();
  }
});

test('[VERS-22] a server that does not answer the probe gets initialize on the same pipe, and a late answer is dropped', async () => {
  const clock = fakeClock();
  let probeId: unknown;
  const log: string[] = [];
  const connecting = dial(
    [
      {
        ...agreesOn('2025-03-26'),
        'server/discover': ({ id }) => void (probeId = id),
        initialize: async (_message, peer) => {
          await peer.respond(probeId as string, { supportedVersions: [MODERN], capabilities: {} });
          return agreesOn('2025-03-26')['initialize'] as JsonObject;
        },
      },
    ],
    { clock, log: ({ level, event }) => log.push(`${level}: ${event}`) },
  );
  const { client, peers } = await connecting;
  await clock.advance(19_999);
  assert.equal(methods(peers[0]!).length, 1);
  await clock.advance(1);
  assert.equal((await client).revision, '2025-03-26');
  assert.equal(peers.length, 1);
  assert.equal(methods(peers[0]!).includes('notifications/cancelled'), false);
  assert.deepEqual(log, ['info: late-reply']);
  await (await client).close();
});

test('connecting to a silent server takes as long as the timeout, part of which is left for initialize', async () => {
  for (const timeout of [1_000, 30_000, 60_000, 600_000]) {
    const clock = fakeClock();
    const { client, peers } = await dial([{ 'server/discover': () => undefined, initialize: () => undefined }], {
      clock,
      timeout,
    });
    let ended = false;
    const rejected = assert.rejects(client, TimeoutError).finally(() => (ended = true));
    await clock.advance(timeout / 2);
    assert.deepEqual(methods(peers[0]!), ['server/discover', 'initialize']);
    await clock.advance(timeout / 2 - 1);
    assert.equal(ended, false);
    await clock.advance(1);
    await rejected;
    assert.equal(clock.timers, 0);
  }
});

test('after the first message of the server, the probe waits 4 seconds, not 20', async () => {
  const clock = fakeClock();
  const { client, peers } = await dial(
    [
      {
        ...agreesOn('2025-03-26'),
        'server/discover': (_message, peer) =>
          peer.notify('notifications/message', { level: 'info', data: 'starting' }),
      },
    ],
    { clock },
  );
  await clock.advance(4_000);
  assert.equal((await client).revision, '2025-03-26');
  assert.equal(peers.length, 1);
  await (await client).close();
});

test('the handshake may take longer than other requests', async () => {
  for (const [connectTimeout, name] of [
    [undefined, 'TimeoutError'],
    [5_000, undefined],
  ] as const) {
    const clock = fakeClock();
    let answer!: () => void;
    const { client, peers } = await dial(
      [
        {
          ...agreesOn('2025-06-18'),
          initialize: () =>
            new Promise((resolve) => (answer = () => resolve(agreesOn('2025-06-18')['initialize'] as JsonObject))),
        },
      ],
      { clock, timeout: 100, connectTimeout, revision: '2025-06-18' },
    );
    await until(() => methods(peers[0]!).includes('initialize'));
    await clock.advance(4_000);
    answer();
    const end = await client.then(
      (connected) => connected.close(),
      (error: unknown) => error,
    );
    assert.equal((end as Error | undefined)?.name, name);
  }
  await assert.rejects(
    dial([{}], { connectTimeout: 0 }).then(({ client }) => client),
    /connectTimeout must be/,
  );
});

test('while probing, everything else is ignored: requests of the server get no answer', async () => {
  const { client, peer } = await connectScripted({
    ...agreesOn('2025-06-18'),
    async 'server/discover'(_message, peer) {
      await peer.send({ jsonrpc: '2.0', id: 5, method: 'ping' });
      await peer.send({ jsonrpc: '2.0', id: 6, method: 'roots/list' });
      await peer.send('[]');
      await peer.send('junk');
      throw new ProtocolError(-32601, 'no');
    },
  });
  assert.deepEqual(methods(peer), ['server/discover', 'initialize', 'notifications/initialized']);
  await client.close();
});

test('[VERS-21] [VERS-8] error -32022 proves a modern server: a listed version is used, initialize never', async () => {
  let asked = 0;
  const { client, peer } = await connectScripted({
    ...agreesOn(MODERN),
    'server/discover': () => {
      if (asked++ === 0)
        throw new ProtocolError(-32022, 'unsupported', { supported: ['2031-01-01', MODERN], requested: MODERN });
      return agreesOn(MODERN)['server/discover'] as JsonObject;
    },
  });
  assert.equal(client.revision, MODERN);
  assert.deepEqual(methods(peer), ['server/discover', 'server/discover']);
  await client.close();
});

test('[VERS-8] [VERS-21] a modern server without a common version is an error that lists its versions, and initialize is not tried', async () => {
  const error = new ProtocolError(-32022, 'unsupported', { supported: ['2031-01-01'], requested: MODERN });
  const { client, peers } = await dial([
    {
      'server/discover': () => {
        throw error;
      },
    },
  ]);
  await assert.rejects(
    client,
    (thrown) =>
      thrown instanceof ConnectionError &&
      /2031-01-01/.test(thrown.message) &&
      (thrown.cause as ProtocolError).code === -32022,
  );
  assert.deepEqual(methods(peers[0]!), ['server/discover']);
});

test('[VERS-20] a server that only lists legacy versions gets initialize', async () => {
  const { client, peer } = await connectScripted({
    ...agreesOn('2025-06-18'),
    'server/discover': { supportedVersions: ['2025-06-18'], capabilities: {} },
  });
  assert.equal(client.revision, '2025-06-18');
  assert.equal((peer.calls('initialize')[0]!.params as JsonObject)['protocolVersion'], '2025-06-18');
  await client.close();
});

for (const [code, data] of [
  [-32020, undefined],
  [-32021, { requiredCapabilities: { sampling: {} } }],
] as const) {
  test(`[VERS-21] a modern server that refuses the probe with ${code} is asked once more, and never gets initialize`, async () => {
    const { client, peers } = await dial([
      {
        'server/discover': () => {
          throw new ProtocolError(code, 'refused', data);
        },
      },
    ]);
    await assert.rejects(client, /refuses server\/discover/);
    assert.deepEqual(methods(peers[0]!), ['server/discover', 'server/discover']);
  });
}

test('a server that exits on the probe is started again, once, and gets initialize', async () => {
  const { client, peers } = await dial([closesOnDiscover(), agreesOn('2024-11-05')]);
  assert.equal((await client).revision, '2024-11-05');
  assert.deepEqual(peers.map(methods), [['server/discover'], ['initialize', 'notifications/initialized']]);
  await (await client).close();
});

test('a server that answers the probe and then exits is started again, once, and gets initialize', async () => {
  const answersAndDies = (): Script => ({
    'server/discover': async (message, peer) => {
      await peer.fail(message.id, -32600, 'Expected initialize');
      await peer.close();
    },
  });
  const { client, peers } = await dial([answersAndDies(), agreesOn('2025-06-18')]);
  assert.equal((await client).revision, '2025-06-18');
  assert.deepEqual(peers.map(methods).at(-1), ['initialize', 'notifications/initialized']);
  assert.equal(peers.length, 2);
  const again = await dial([answersAndDies(), { initialize: (_message, peer) => void peer.close() }, agreesOn(MODERN)]);
  await assert.rejects(again.client, ConnectionError);
  assert.equal(again.peers.length, 2);
});

test('a server that exits again causes an error', async () => {
  const { client, peers } = await dial([
    closesOnDiscover(),
    { initialize: (_message, peer) => void peer.close() },
    agreesOn('2024-11-05'),
  ]);
  await assert.rejects(client, ConnectionError);
  assert.equal(peers.length, 2);
});

test('[VERS-31] [VERS-32] a legacy server is not probed again, and the era memory can be stored', async () => {
  const eras = createEraMemory();
  const first = await dial([agreesOn('2025-06-18')], { eras }, 'k');
  await (await first.client).close();
  assert.equal(eras.get('k'), 'legacy');
  const second = await dial([agreesOn('2025-06-18')], { eras }, 'k');
  await (await second.client).close();
  assert.deepEqual(methods(second.peers[0]!), ['initialize', 'notifications/initialized']);
});

test('a client pinned to a legacy revision does not make the next one believe that the server has no other', async () => {
  const eras = createEraMemory();
  const pinned = await dial([agreesOn('2025-11-25')], { eras, revision: '2025-11-25' }, 'k');
  await (await pinned.client).close();
  assert.equal(eras.get('k'), undefined);
});

test('[VERS-32] a server remembered as legacy that has become modern is probed again, once', async () => {
  const eras = createEraMemory();
  eras.set('k', 'legacy');
  const { client, peers } = await dial(
    [
      {
        ...agreesOn(MODERN),
        initialize: () => {
          throw new ProtocolError(-32022, 'modern only', { supported: [MODERN], requested: '2025-11-25' });
        },
      },
    ],
    { eras },
    'k',
  );
  assert.equal((await client).revision, MODERN);
  assert.deepEqual(methods(peers[0]!), ['initialize', 'server/discover']);
  assert.equal(eras.get('k'), 'modern');
  await (await client).close();
});

test('[VERS-33] a modern-only server that did not answer the probe is recognised by its answer to initialize', async () => {
  const clock = fakeClock();
  let probes = 0;
  const { client } = await dial(
    [
      {
        'server/discover': () => (probes++ === 0 ? undefined : (agreesOn(MODERN)['server/discover'] as JsonObject)),
        initialize: () => {
          throw new ProtocolError(-32022, 'modern only', { supported: [MODERN] });
        },
      },
    ],
    { clock },
  );
  await clock.advance(20_000);
  assert.equal((await client).revision, MODERN);
  await (await client).close();
});

test('[VERS-6] [LIFE-11] an unsupported version ends the connection', async () => {
  for (const protocolVersion of ['2023-01-01', MODERN, 7]) {
    const { client, peers } = await dial([
      {
        ...agreesOn('2025-11-25'),
        initialize: { protocolVersion, capabilities: {}, serverInfo: { name: 'a', version: '1' } },
      },
    ]);
    await assert.rejects(client, ConnectionError);
    await peers[0]!.done;
    assert.equal(methods(peers[0]!).includes('notifications/initialized'), false);
  }
});

test('a server that rejects initialize with a list of older versions gets the newest of them', async () => {
  const { client, peers } = await dial([
    {
      ...agreesOn('2024-11-05'),
      initialize: ({ params }) => {
        if (params?.['protocolVersion'] === '2024-11-05') return agreesOn('2024-11-05')['initialize'] as JsonObject;
        throw new ProtocolError(-32602, 'Unsupported protocol version', {
          supported: ['2024-11-05'],
          requested: params?.['protocolVersion'],
        });
      },
    },
  ]);
  assert.equal((await client).revision, '2024-11-05');
  assert.deepEqual(methods(peers[0]!), ['server/discover', 'initialize', 'initialize', 'notifications/initialized']);
  await (await client).close();
});

test('a client with a fixed revision accepts no other', async () => {
  const cases: [Revision, Script][] = [
    ['2025-03-26', agreesOn('2025-06-18')],
    [MODERN, agreesOn('2025-11-25')],
    [MODERN, { 'server/discover': { supportedVersions: ['2025-11-25'], capabilities: {} } }],
    [MODERN, closesOnDiscover()],
  ];
  for (const [revision, script] of cases) {
    const { client, peers } = await dial([script, script], { revision });
    await assert.rejects(client, ConnectionError);
    assert.equal(peers.length, 1);
  }
});

test('a malformed answer to initialize is an error', async () => {
  const { client } = await dial([{ initialize: { protocolVersion: '2025-06-18' } }]);
  await assert.rejects(client, { name: 'PeerError' });
});

test('[LIFE-11] [LIFE-8] connecting fails if the server does not answer initialize, which is not cancelled on the wire', async () => {
  const clock = fakeClock();
  const { client, peers } = await dial([{ initialize: () => undefined }], { clock, timeout: 3_000 });
  await clock.advance(3_000);
  await assert.rejects(client, TimeoutError);
  assert.deepEqual(methods(peers[0]!), ['server/discover', 'initialize']);
  await peers[0]!.done;
});

test('messages right after the answer to initialize are not lost, and an earlier ping is answered', async () => {
  const logs: unknown[] = [];
  let answered!: (response: JsonObject) => void;
  const soon = new Promise<JsonObject>((resolve) => (answered = resolve));
  const { client, peer } = await connectScripted(
    {
      ...agreesOn('2025-06-18', { capabilities: { logging: {} } }),
      async initialize({ id }, peer) {
        await peer.send({ jsonrpc: '2.0', id: 'early', method: 'ping' });
        await peer.notify('notifications/message', { level: 'info', data: 'before' });
        await peer.respond(id, agreesOn('2025-06-18', { capabilities: { logging: {} } })['initialize'] as JsonObject);
        await peer.notify('notifications/message', { level: 'info', data: 'behind' });
        answered(await peer.request('roots/list'));
      },
    },
    { onLog: ({ data }) => logs.push(data), roots: ['file:///a'] },
  );
  await client.ping();
  assert.deepEqual(logs, ['before', 'behind']);
  assert.deepEqual(
    peer.received.find(({ id }) => id === 'early'),
    { jsonrpc: '2.0', id: 'early', result: {} },
  );
  assert.deepEqual((await soon)['result'], { roots: [{ uri: 'file:///a' }] });
  await client.close();
});

test('connecting can be aborted at any time, and leaves nothing open', async () => {
  for (const script of [{ 'server/discover': silent }, { initialize: silent }] as Script[]) {
    const controller = new AbortController();
    const { client, peers } = await dial([script], { signal: controller.signal });
    await until(() => peers[0]?.received.some(({ method }) => method === Object.keys(script)[0]) === true);
    controller.abort();
    await assert.rejects(client, { name: 'AbortError' });
    await peers[0]!.done;
    assert.equal(peers.length, 1);
  }
  const { client, peers } = await dial([agreesOn(MODERN)], { signal: AbortSignal.abort() });
  await assert.rejects(client, { name: 'AbortError' });
  assert.equal(peers.length, 0);
});

test('property 12: every pair of a legacy, dual or modern server and a pinned or free client ends as the specification says', async () => {
  const legacy = agreesOn('2025-11-25');
  const servers: Record<string, Script> = {
    legacy,
    modern: agreesOn(MODERN),
    dual: { ...legacy, ...agreesOn(MODERN) },
  };
  for (const [kind, script] of Object.entries(servers)) {
    for (const revision of [undefined, ...REVISIONS]) {
      const { client } = await dial([script], revision === undefined ? {} : { revision });
      const speaks = [...(kind === 'legacy' ? [] : [MODERN]), ...(kind === 'modern' ? [] : ['2025-11-25'])];
      const expected = revision === undefined ? speaks[0] : speaks.find((known) => known === revision);
      if (expected === undefined) await assert.rejects(client, ConnectionError, `${kind} ${revision}`);
      else assert.equal((await client).revision, expected);
      await client.then((one) => one.close(), silent);
    }
  }
});
