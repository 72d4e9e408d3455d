import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { JsonObject } from '../protocol/jsonrpc.ts';
import { DEFAULT_LIMITS } from '../protocol/limits.ts';
import { connect, type ConnectOptions } from '../open/connect.ts';
import { server } from '../server/define.ts';
import { resource } from '../server/resource.ts';
import { tool } from '../server/tool.ts';
import { connectScripted } from '../testing/connect-scripted.ts';
import { type FakeClock, fakeClock } from '../testing/fake-clock.ts';
import { agreesOn, type Script } from '../testing/scripted-peer.ts';
import { memoryPair } from '../transport/memory.ts';
import { scriptedPeer } from '../testing/scripted-peer.ts';
import { openClient } from './client.ts';
import { channelTransport } from './client-transport.ts';
import { type Cache, createCache } from './cache.ts';
import { type CacheStore, createCacheStore } from './cache-store.ts';
import { createReport } from './report.ts';

const capabilities = { tools: { listChanged: true }, resources: { subscribe: true, listChanged: true }, prompts: {} };
const hour = 3_600_000;

function cacheIn(store: CacheStore, partition = '', clock = fakeClock()): Cache {
  return createCache({ store, clock, limits: DEFAULT_LIMITS, server: 's', partition, report: createReport(() => {}) });
}

async function reading(ttl: JsonObject, clock: FakeClock = fakeClock()) {
  let count = 0;
  const made = await connectScripted(
    {
      ...agreesOn('2026-07-28', { capabilities }),
      'resources/read': ({ params }) => ({ contents: [{ uri: String(params!['uri']), text: `${++count}` }], ...ttl }),
    },
    { clock },
  );
  const read = async (uri = 'u:1', options = {}): Promise<string | undefined> =>
    (await made.client.read(uri, options)).contents[0]!.text;
  return { ...made, clock, read };
}

test('[CACHE-8] [CACHE-11] [CACHE-12] a result is cached for as long as the server says, and fetched again only when it is needed', async () => {
  const { client, clock, read, peer } = await reading({ ttlMs: 1_000, cacheScope: 'private' });
  assert.deepEqual([await read(), await read()], ['1', '1']);
  clock.tick(999);
  assert.equal(await read(), '1');
  clock.tick(1);
  assert.equal(peer.calls('resources/read').length, 1);
  assert.equal(await read(), '2');
  await client.close();
});

test('[CACHE-7] [CACHE-9] [CACHE-10] a result with a zero, missing, negative or invalid ttlMs is not cached', async () => {
  for (const ttl of [{ ttlMs: 0 }, {}, { ttlMs: -5 }, { ttlMs: '1000' }, { ttlMs: null }, { ttlMs: 0.9 }]) {
    const { client, read } = await reading({ ...ttl, cacheScope: 'public' });
    assert.deepEqual([await read(), await read()], ['1', '2'], JSON.stringify(ttl));
    await client.close();
  }
});

test('[A-57] no result is cached for longer than a day', async () => {
  const { client, clock, read } = await reading({ ttlMs: 1e300 });
  await read();
  clock.tick(24 * hour - 1);
  assert.equal(await read(), '1');
  clock.tick(1);
  assert.equal(await read(), '2');
  await client.close();
});

test('[CACHE-5] the cache key depends on the params and on the client data in _meta, but not on the order of members or on tracing', async () => {
  const cache = cacheIn(createCacheStore(10));
  const _meta = { 'io.modelcontextprotocol/clientCapabilities': { roots: {} }, 'com.example/tenant': 'a' };
  cache.storeLater('resources/read', { uri: 'a', x: { p: 1, q: [1, 2] }, _meta })({ n: 1, ttlMs: 9 });
  const same = { x: { q: [1, 2], p: 1 }, uri: 'a' };
  const tracing = { traceparent: 't', tracestate: 's', baggage: 'b', progressToken: 5 };
  assert.ok(cache.get('resources/read', { ...same, _meta }));
  assert.ok(cache.get('resources/read', { ...same, _meta: { ...tracing, ..._meta } }));
  for (const params of [
    { uri: 'a', _meta },
    { uri: 'a', x: { p: 1, q: [2, 1] }, _meta },
    { uri: 'A', x: { p: 1, q: [1, 2] }, _meta },
    same,
    { ...same, _meta: { ..._meta, 'com.example/tenant': 'b' } },
    { ...same, _meta: { ..._meta, 'io.modelcontextprotocol/clientCapabilities': {} } },
    undefined,
  ])
    assert.equal(cache.get('resources/read', params), undefined);
  assert.equal(cache.get('tools/list', { uri: 'a', x: { p: 1, q: [1, 2] }, _meta }), undefined);
  cache.storeLater('tools/call', { name: 'a' })({ ttlMs: 9 });
  assert.equal(cache.get('tools/call', { name: 'a' }), undefined);
});

test('[CACHE-5] a client does not get cached results of a client with other capabilities or other _meta', async () => {
  const cache = createCacheStore(10);
  const app = server({
    name: 'app',
    cache: { ttlMs: hour, scope: 'public' },
    tools: { any: tool({}, () => 'x') },
    resources: { 'u:1': resource({ name: 'u', cache: { ttlMs: hour, scope: 'public' } }, () => 'x') },
  });
  const requests = async (options: ConnectOptions, _meta = {}): Promise<number> => {
    let sent = 0;
    await using client = await connect(app, {
      ...options,
      cache,
      onTrace: ({ kind }) => void (kind === 'sent' && sent++),
    });
    sent = 0;
    await client.tools({ _meta }).all();
    await client.read('u:1', { _meta });
    return sent;
  };
  assert.equal(await requests({}), 2);
  assert.equal(await requests({}), 0);
  assert.equal(await requests({ info: { name: 'other', version: '2' } }), 0);
  assert.equal(await requests({ roots: [] }), 2);
  assert.equal(await requests({ roots: [] }), 0);
  assert.equal(await requests({ extensions: { 'com.example/x': {} } }), 2);
  assert.equal(await requests({}, { 'com.example/tenant': 'a' }), 2);
  assert.equal(await requests({}, { traceparent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01' }), 0);
});

test('[CACHE-14] [CACHE-19] if any page of a list is private, none is shared', () => {
  for (const [first, second] of [
    ['public', 'private'],
    ['private', 'public'],
  ] as const) {
    const store = createCacheStore(10);
    const [alice, bob] = [cacheIn(store, 'alice'), cacheIn(store, 'bob')];
    const page = (cacheScope: string): JsonObject => ({ tools: [], ttlMs: hour, cacheScope });
    alice.storeLater('tools/list', {})(page(first));
    alice.storeLater('prompts/list', {})(page('public'));
    alice.storeLater('tools/list', { cursor: '2' })(page(second));
    for (const params of [{}, { cursor: '2' }]) assert.equal(bob.get('tools/list', params), undefined);
    assert.ok(alice.get('tools/list', { cursor: '2' }));
    assert.ok(bob.get('prompts/list', {}));
  }
  // A page that is not cached counts, too.
  const store = createCacheStore(10);
  const [alice, bob] = [cacheIn(store, 'alice'), cacheIn(store, 'bob')];
  alice.storeLater('tools/list', {})({ tools: [], ttlMs: hour, cacheScope: 'public' });
  alice.storeLater('tools/list', { cursor: '2' })({ tools: [], ttlMs: 0, cacheScope: 'private' });
  assert.equal(bob.get('tools/list', {}), undefined);
});

test('a cached result is not given to a call that was aborted', async () => {
  const { client, read } = await reading({ ttlMs: hour });
  assert.equal(await read(), '1');
  const reason = new Error('mine');
  await assert.rejects(read('u:1', { signal: AbortSignal.abort(reason) }), { name: 'AbortError', cause: reason });
  await client.close();
});

test('a cache store that fails does not make a call fail, and is reported', async () => {
  const broken = (...names: (keyof CacheStore)[]): CacheStore => {
    const fail = (): never => {
      throw new Error('disk full');
    };
    return { ...createCacheStore(10), ...Object.fromEntries(names.map((name) => [name, fail])) };
  };
  for (const cache of [
    broken('get'),
    broken('set'),
    broken('delete'),
    broken('keys'),
    broken('get', 'set', 'delete', 'keys'),
  ]) {
    const log: string[] = [];
    const clock = fakeClock();
    const { client, peer } = await connectScripted(
      {
        ...agreesOn('2026-07-28', { capabilities }),
        'resources/read': { contents: [{ uri: 'u:1', text: 'x' }], ttlMs: hour },
        'subscriptions/listen': ({ id, params }, to) =>
          to.notify('notifications/subscriptions/acknowledged', {
            notifications: params!['notifications'],
            _meta: { 'io.modelcontextprotocol/subscriptionId': id },
          }),
      },
      { cache, clock, log: ({ level, event }) => log.push(`${level} ${event}`) },
    );
    await client.read('u:1');
    const watch = client.watch({ uri: 'u:1' });
    await watch.ready;
    await peer.notify('notifications/resources/updated', {
      uri: 'u:1',
      _meta: { 'io.modelcontextprotocol/subscriptionId': peer.calls('subscriptions/listen')[0]!.id },
    });
    assert.deepEqual((await watch[Symbol.asyncIterator]().next()).value, { uri: 'u:1', missed: false });
    // A result that could not be removed after the change is not used.
    await client.read('u:1');
    assert.equal(peer.calls('resources/read').length, 2);
    assert.ok(log.includes('warn cache-failed'), String(log));
    await client.close();
  }
});

test('an entry of a cache store that is not a result is not used', async () => {
  for (const text of ['{', '7', 'null', '[]', 7, undefined]) {
    const store = createCacheStore(10);
    const cache = cacheIn(store);
    cache.storeLater('resources/read', { uri: 'a' })({ ttlMs: 9 });
    const [key] = store.keys('');
    store.set(key!, { ...store.get(key!)!, text: text as string });
    assert.equal(cache.get('resources/read', { uri: 'a' }), undefined);
  }
});

test('a cached result is returned as a copy', async () => {
  const { client } = await reading({ ttlMs: hour });
  const first = await client.read('u:1');
  first.contents[0]!.text = 'mine';
  const second = await client.read('u:1');
  assert.equal(second.contents[0]!.text, '1');
  second.contents.length = 0;
  assert.equal((await client.read('u:1')).contents.length, 1);
  await client.close();
});

test('a fresh result can be requested and replaces the cached one', async () => {
  const { client, read } = await reading({ ttlMs: hour });
  assert.deepEqual([await read(), await read('u:1', { fresh: true }), await read()], ['1', '2', '2']);
  await client.close();
});

test('[CACHE-6] [A-56] results that depend on answers to questions are never cached', async () => {
  let count = 0;
  const { client } = await connectScripted(
    {
      ...agreesOn('2026-07-28', { capabilities }),
      'resources/read': ({ params }) =>
        params!['inputResponses'] === undefined
          ? {
              resultType: 'input_required',
              inputRequests: {
                a: {
                  method: 'elicitation/create',
                  params: { message: 'm', requestedSchema: { type: 'object', properties: {} } },
                },
              },
            }
          : { contents: [{ uri: 'u:1', text: `${++count}` }], ttlMs: hour, cacheScope: 'public' },
    },
    { answers: { a: {} } },
  );
  assert.equal((await client.read('u:1')).contents[0]!.text, '1');
  assert.equal((await client.read('u:1')).contents[0]!.text, '2');
  await client.close();
  const cache = cacheIn(createCacheStore(10));
  cache.storeLater('resources/read', { uri: 'a', requestState: 's' })({ ttlMs: 9 });
  assert.equal(cache.get('resources/read', { uri: 'a', requestState: 's' }), undefined);
});

test('[CACHE-14] [A-56] [A-57] private results and those without a scope are not shown to another principal; public ones are shared by clients of one server', async () => {
  const store = createCacheStore(100);
  const clock = fakeClock();
  const connectAs = async (partition: string, server: string, script: Script) => {
    const [near, far] = memoryPair();
    scriptedPeer(far, { ...agreesOn('2026-07-28', { capabilities }), ...script });
    return openClient(
      {
        open: () => channelTransport(near, DEFAULT_LIMITS),
        key: undefined,
        reopens: false,
        restarts: false,
        server,
        partition,
      },
      { cache: store, clock },
    );
  };
  for (const [cacheScope, shared] of [
    ['private', false],
    [undefined, false],
    ['PUBLIC', false],
    [7, false],
    ['public', true],
  ] as const) {
    const answer = (text: string): Script => ({
      'resources/read': {
        contents: [{ uri: 'u', text }],
        ttlMs: hour,
        ...(cacheScope === undefined ? {} : { cacheScope }),
      },
    });
    const server = `server ${String(cacheScope)}`;
    const clients = [
      await connectAs('alice', server, answer('a')),
      await connectAs('bob', server, answer('b')),
      await connectAs('alice', server, answer('c')),
      await connectAs('alice', 'other', answer('d')),
    ];
    const read: unknown[] = [];
    for (const client of clients) read.push((await client.read('u')).contents[0]!.text);
    assert.deepEqual(read, ['a', shared ? 'a' : 'b', 'a', 'd'], String(cacheScope));
    for (const client of clients) await client.close();
    store.delete([...store.keys('')].find((key) => key.includes('other'))!);
  }
});

test('[CACHE-15] an announced change invalidates cached results before they expire', async () => {
  const cache = cacheIn(createCacheStore(10), 'p');
  const keep = (method: string, params: JsonObject): void =>
    cache.storeLater(method, params)({ ttlMs: hour, cacheScope: 'public' });
  const has = (method: string, params: JsonObject): boolean => cache.get(method, params) !== undefined;
  keep('tools/list', {});
  keep('tools/list', { cursor: 'x' });
  keep('prompts/list', {});
  keep('resources/list', {});
  keep('resources/templates/list', {});
  for (const uri of ['f:a', 'f:a/b', 'f:ab']) keep('resources/read', { uri });
  cache.listChanged('tools');
  assert.deepEqual(
    [has('tools/list', {}), has('tools/list', { cursor: 'x' }), has('prompts/list', {})],
    [false, false, true],
  );
  cache.listChanged('resources');
  assert.deepEqual(
    [has('resources/list', {}), has('resources/templates/list', {}), has('resources/read', { uri: 'f:a' })],
    [false, false, true],
  );
  cache.updated('f:a/b');
  assert.deepEqual(
    ['f:a', 'f:a/b', 'f:ab'].map((uri) => has('resources/read', { uri })),
    [false, false, true],
  );
  cache.clear();
  assert.equal(has('resources/read', { uri: 'f:ab' }), false);
});

test('[CACHE-15] a result that was requested before a change is not cached after it', () => {
  const cache = cacheIn(createCacheStore(10));
  const keep = cache.storeLater('tools/list', {});
  cache.listChanged('tools');
  keep({ ttlMs: hour });
  assert.equal(cache.get('tools/list', {}), undefined);
});

test('[CACHE-15] changes reach the cache through a watch', async () => {
  let version = 0;
  const { client, peer } = await connectScripted({
    ...agreesOn('2026-07-28', { capabilities }),
    'tools/list': () => ({
      tools: [{ name: `v${++version}`, inputSchema: { type: 'object' } }],
      ttlMs: hour,
      cacheScope: 'public',
    }),
    'subscriptions/listen': ({ id, params }, peer) =>
      peer.notify('notifications/subscriptions/acknowledged', {
        notifications: params!['notifications'],
        _meta: { 'io.modelcontextprotocol/subscriptionId': id },
      }),
  });
  const watch = client.watch({ list: 'tools' });
  await watch.ready;
  const name = async () => (await client.tools().all())[0]!.name;
  assert.deepEqual([await name(), await name()], ['v1', 'v1']);
  await peer.notify('notifications/tools/list_changed', {
    _meta: { 'io.modelcontextprotocol/subscriptionId': peer.calls('subscriptions/listen')[0]!.id },
  });
  await client.ping();
  assert.equal(await name(), 'v2');
  // Spoofed: there is no such subscription.
  await peer.notify('notifications/tools/list_changed');
  await peer.notify('notifications/tools/list_changed', { _meta: { 'io.modelcontextprotocol/subscriptionId': 999 } });
  await client.ping();
  assert.equal(await name(), 'v2');
  await client.close();
});

test('nothing is cached in the legacy era, nor with the cache off', async () => {
  const script = { 'resources/read': { contents: [], ttlMs: hour, cacheScope: 'public' } };
  for (const [revision, cache] of [
    ['2025-11-25', undefined],
    ['2026-07-28', false],
  ] as const) {
    const { client, peer } = await connectScripted(
      { ...agreesOn(revision, { capabilities }), ...script },
      { revision, ...(cache === undefined ? {} : { cache }) },
    );
    await client.read('u');
    await client.read('u');
    assert.equal(peer.calls('resources/read').length, 2);
    await client.close();
  }
});

test('the cache store has a maximum size and evicts the least recently used entries', () => {
  const store = createCacheStore(2);
  const entry = { text: '{}', until: 1, method: 'm', uri: undefined };
  store.set('a', entry);
  store.set('b', entry);
  store.get('a');
  store.set('c', entry);
  assert.deepEqual([...store.keys('')], ['a', 'c']);
});

test('property 8: the cache behaves like a simple model of times, scopes and changes', () => {
  const uri = fc.constantFrom('a', 'b', 'a/x');
  const step = fc.oneof(
    fc.record({
      do: fc.constant('keep' as const),
      uri,
      ttl: fc.integer({ min: -1, max: 50 }),
      scope: fc.constantFrom('public', 'private', undefined),
      who: fc.constantFrom(0, 1),
    }),
    fc.record({ do: fc.constant('get' as const), uri, who: fc.constantFrom(0, 1) }),
    fc.record({ do: fc.constant('updated' as const), uri, who: fc.constantFrom(0, 1) }),
    fc.record({ do: fc.constant('tick' as const), ms: fc.integer({ min: 1, max: 30 }) }),
  );
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
      const clock = fakeClock();
      const store = createCacheStore(1_000);
      const caches = ['alice', 'bob'].map((who) => cacheIn(store, who, clock));
      let entries: { uri: string; owner: number | undefined; until: number; n: number }[] = [];
      let n = 0;
      for (const one of steps) {
        if (one.do === 'tick') clock.tick(one.ms);
        else if (one.do === 'updated') {
          caches[one.who]!.updated(one.uri);
          const hit = (kept: string): boolean => kept === one.uri || one.uri.startsWith(`${kept}/`);
          entries = entries.filter(
            (entry) => !(hit(entry.uri) && (entry.owner === undefined || entry.owner === one.who)),
          );
        } else if (one.do === 'keep') {
          caches[one.who]!.storeLater('resources/read', { uri: one.uri })({
            n: ++n,
            ttlMs: one.ttl,
            ...(one.scope === undefined ? {} : { cacheScope: one.scope }),
          });
          if (one.ttl <= 0) continue;
          const owner = one.scope === 'public' ? undefined : one.who;
          entries = entries.filter((entry) => !(entry.uri === one.uri && entry.owner === owner));
          entries.push({ uri: one.uri, owner, until: clock.now() + one.ttl, n });
        } else {
          const fresh = entries.filter(
            (entry) =>
              entry.uri === one.uri &&
              clock.now() < entry.until &&
              (entry.owner === undefined || entry.owner === one.who),
          );
          const expected = fresh.find(({ owner }) => owner !== undefined) ?? fresh[0];
          assert.equal(caches[one.who]!.get('resources/read', { uri: one.uri })?.['n'], expected?.n);
        }
      }
    }),
    { numRuns: 500 },
  );
});
