import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ConnectionError, ProtocolError } from '../protocol/errors.ts';
import type { JsonObject, RequestId } from '../protocol/jsonrpc.ts';
import { META } from '../protocol/meta.ts';
import { connectScripted } from '../testing/connect-scripted.ts';
import { fakeClock } from '../testing/fake-clock.ts';
import { agreesOn, type PeerMessage, type Rule, type Script, type ScriptedPeer } from '../testing/scripted-peer.ts';
import type { ConnectOptions } from '../open/connect.ts';
import type { Change, Client, Watch } from './types.ts';

const capabilities = {
  tools: { listChanged: true },
  prompts: { listChanged: true },
  resources: { subscribe: true, listChanged: true },
};
function tag(id: RequestId | undefined, params: JsonObject = {}): JsonObject {
  return {
    ...params,
    _meta: { [META.subscriptionId]: id },
  };
}
const acknowledge: Rule = ({ id, params }, peer) =>
  peer.notify('notifications/subscriptions/acknowledged', tag(id, { notifications: params!['notifications'] }));

function modern(script: Script = {}, options?: ConnectOptions) {
  return connectScripted(
    { ...agreesOn('2026-07-28', { capabilities }), 'subscriptions/listen': acknowledge, ...script },
    options,
  );
}
function legacy(script: Script = {}, offered: object = capabilities, options?: ConnectOptions) {
  return connectScripted(
    {
      ...agreesOn('2025-11-25', { capabilities: offered }),
      'resources/subscribe': {},
      'resources/unsubscribe': {},
      ...script,
    },
    { revision: '2025-11-25', ...options },
  );
}

async function take(watch: Watch, count: number): Promise<Change[]> {
  const iterator = watch[Symbol.asyncIterator]();
  const changes: Change[] = [];
  while (changes.length < count) {
    const { value, done } = await iterator.next();
    if (done === true) break;
    changes.push(value);
  }
  return changes;
}
function listens(peer: ScriptedPeer): PeerMessage[] {
  return peer.calls('subscriptions/listen');
}
function filters(peer: ScriptedPeer): unknown[] {
  return listens(peer).map(({ params }) => params!['notifications']);
}

test('[RES-5] legacy: all watches of a resource share one subscription, which ends with the last of them', async () => {
  const { client, peer } = await legacy();
  const [a, b] = [client.watch({ uri: 'u:1' }), client.watch({ uri: 'u:1' })];
  await Promise.all([a.ready, b.ready]);
  await peer.notify('notifications/resources/updated', { uri: 'u:1' });
  assert.deepEqual(await take(a, 1), [{ uri: 'u:1', missed: false }]);
  assert.deepEqual(await take(b, 1), [{ uri: 'u:1', missed: false }]);
  a.close();
  await client.ping();
  assert.equal(peer.calls('resources/unsubscribe').length, 0);
  b.close();
  b.close();
  await peer.next('resources/unsubscribe');
  assert.equal(peer.calls('resources/subscribe').length, 1);
  assert.equal(peer.calls('resources/unsubscribe').length, 1);
  await client.close();
});

test('legacy: nothing is sent to watch a list', async () => {
  const { client, peer } = await legacy();
  const watches = (['tools', 'prompts', 'resources'] as const).map((list) => client.watch({ list }));
  for (const [index, list] of (['tools', 'prompts', 'resources'] as const).entries()) {
    await watches[index]!.ready;
    await peer.notify(`notifications/${list}/list_changed`);
    assert.deepEqual(await take(watches[index]!, 1), [{ list, missed: false }]);
  }
  assert.equal(peer.received.filter(({ method }) => String(method).includes('subscribe')).length, 0);
  await client.close();
});

test('legacy: a change in the turn in which a watch is opened is not lost', async () => {
  const { client, peer } = await legacy();
  const watch = client.watch({ list: 'tools' });
  await peer.notify('notifications/tools/list_changed');
  assert.deepEqual(await take(watch, 1), [{ list: 'tools', missed: false }]);
  await client.close();
});

test('[LIFE-10] legacy: changes that the server does not announce cannot be watched, and nothing is sent', async () => {
  const { client, peer } = await legacy({}, { tools: {}, resources: {} });
  for (const what of [{ list: 'tools' }, { list: 'prompts' }, { uri: 'u:1' }] as const) {
    const watch = client.watch(what);
    await assert.rejects(watch.ready, ProtocolError);
    await assert.rejects(take(watch, 1), ProtocolError);
  }
  assert.equal(peer.calls('resources/subscribe').length, 0);
  await client.close();
});

test('legacy: a refused subscription ends its watch with the error', async () => {
  const { client } = await legacy({
    'resources/subscribe': () => {
      throw new ProtocolError(-32002, 'no such resource');
    },
  });
  const watch = client.watch({ uri: 'u:1' });
  await assert.rejects(take(watch, 1), /no such resource/);
  await client.close();
});

test('[RES-6] [SUBS-7] [STDIO-10] modern: all watches share one subscription, which is identified by its id', async () => {
  const { client, peer } = await modern();
  const [tools, a, b] = [client.watch({ list: 'tools' }), client.watch({ uri: 'u:a' }), client.watch({ uri: 'u:b' })];
  await Promise.all([tools.ready, a.ready, b.ready]);
  assert.deepEqual(filters(peer), [{ toolsListChanged: true, resourceSubscriptions: ['u:a', 'u:b'] }]);
  const [{ id, params }] = listens(peer) as [PeerMessage];
  assert.ok((params!['_meta'] as JsonObject)[META.protocolVersion]);
  await peer.notify('notifications/resources/updated', tag(id, { uri: 'u:b' }));
  await peer.notify('notifications/tools/list_changed', tag(id));
  assert.deepEqual(await take(b, 1), [{ uri: 'u:b', missed: false }]);
  assert.deepEqual(await take(tools, 1), [{ list: 'tools', missed: false }]);
  await client.close();
});

test('[SUBS-8] [SUBS-12] modern: with another watch, a new subscription is acknowledged before the old one is cancelled', async () => {
  const { client, peer } = await modern();
  const a = client.watch({ uri: 'u:a' });
  await a.ready;
  const b = client.watch({ uri: 'u:b' });
  await b.ready;
  await peer.next('notifications/cancelled');
  assert.deepEqual(filters(peer), [{ resourceSubscriptions: ['u:a'] }, { resourceSubscriptions: ['u:a', 'u:b'] }]);
  const order = peer.received.map(({ method }) => method);
  assert.deepEqual(order.slice(1), ['subscriptions/listen', 'subscriptions/listen', 'notifications/cancelled']);
  assert.equal(peer.calls('notifications/cancelled')[0]!.params!['requestId'], listens(peer)[0]!.id);
  await peer.notify('notifications/resources/updated', tag(listens(peer)[1]!.id, { uri: 'u:a' }));
  assert.deepEqual(await take(a, 1), [{ uri: 'u:a', missed: false }]);
  a.close();
  b.close();
  await client.ping();
  const cancelled = peer.calls('notifications/cancelled').map(({ params }) => params!['requestId']);
  assert.equal(cancelled.includes(listens(peer).at(-1)!.id), true);
  await client.close();
});

test('[SUBS-5] modern: watches that are missing in the acknowledgement end with an error, the others continue', async () => {
  const { client, peer } = await modern({
    'subscriptions/listen': ({ id }, peer) =>
      peer.notify(
        'notifications/subscriptions/acknowledged',
        tag(id, { notifications: { toolsListChanged: true, resourceSubscriptions: ['u:a'] } }),
      ),
  });
  const [tools, prompts, a, b] = [
    client.watch({ list: 'tools' }),
    client.watch({ list: 'prompts' }),
    client.watch({ uri: 'u:a' }),
    client.watch({ uri: 'u:b' }),
  ];
  await Promise.all([tools.ready, a.ready]);
  await assert.rejects(prompts.ready, ProtocolError);
  await assert.rejects(take(b, 1), ProtocolError);
  await client.ping();
  assert.equal(listens(peer).length, 1);
  await client.close();
});

test('modern: the error of a server without subscriptions ends the watch', async () => {
  const { client } = await modern({
    'subscriptions/listen': () => {
      throw new ProtocolError(-32601, 'nothing to listen to');
    },
  });
  await assert.rejects(client.watch({ list: 'tools' }).ready, /nothing to listen to/);
  await client.close();
});

test('modern: a subscription that is never acknowledged fails and is cancelled', async () => {
  const clock = fakeClock();
  const { client, peer } = await modern({ 'subscriptions/listen': () => {} }, { clock });
  const watch = client.watch({ list: 'tools' });
  await clock.advance(60_000);
  await assert.rejects(watch.ready, { name: 'TimeoutError' });
  assert.equal(peer.calls('notifications/cancelled').length, 1);
  await client.close();
});

test('[A-58] changes that are unsolicited, of a wrong subscription, or before the acknowledgement are ignored and counted, and cause no request', async () => {
  const log: string[] = [];
  let ready: (() => void) | undefined;
  const { client, peer } = await modern(
    {
      'subscriptions/listen': async (message, peer) => {
        await peer.notify('notifications/tools/list_changed', tag(message.id));
        await new Promise<void>((resolve) => (ready = resolve));
        return acknowledgeNow(message, peer);
      },
    },
    { log: ({ event }) => log.push(event) },
  );
  const changes: Change[] = [];
  const watch = client.watch({ list: 'tools' });
  const reading = (async () => {
    for await (const change of watch) changes.push(change);
  })();
  const { id } = await peer.next('subscriptions/listen');
  await peer.notify('notifications/tools/list_changed');
  await peer.notify('notifications/tools/list_changed', tag('999'));
  await peer.notify('notifications/tools/list_changed', tag(String(id)));
  await client.ping();
  ready!();
  await watch.ready;
  await peer.notify('notifications/prompts/list_changed', tag(id));
  await peer.notify('notifications/resources/updated', tag(id, { uri: 'u:1' }));
  for (let n = 0; n < 100; n++) await peer.notify('notifications/tools/list_changed', tag(7777));
  await client.ping();
  assert.deepEqual(changes, []);
  assert.ok(log.filter((event) => event === 'unsolicited').length >= 6);
  assert.deepEqual(peer.calls('tools/list'), []);
  await peer.notify('notifications/tools/list_changed', tag(id));
  await client.ping();
  assert.deepEqual(changes, [{ list: 'tools', missed: false }]);
  await client.close();
  await reading;
});
const acknowledgeNow = acknowledge as (message: PeerMessage, peer: ScriptedPeer) => Promise<void>;

test('[SUBS-9] [SUBS-10] [SUBS-11] modern: a subscription that the server ends in any way is opened again after a pause, and the watch reports missed changes', async () => {
  const ways: ((peer: ScriptedPeer, id: RequestId | undefined) => Promise<void>)[] = [
    (peer, id) => peer.respond(id, { resultType: 'complete', _meta: { [META.subscriptionId]: id } }),
    (peer, id) => peer.notify('notifications/cancelled', { requestId: id }),
    (peer, id) => peer.fail(id, -32603, 'shutting down'),
  ];
  for (const end of ways) {
    const clock = fakeClock();
    const { client, peer } = await modern({}, { clock });
    const watch = client.watch({ uri: 'u:a' });
    await watch.ready;
    await end(peer, listens(peer)[0]!.id);
    await clock.advance(700);
    assert.equal(listens(peer).length, 1);
    await clock.advance(300);
    assert.equal(listens(peer).length, 2);
    assert.deepEqual(await take(watch, 1), [{ uri: 'u:a', missed: true }]);
    await peer.notify('notifications/resources/updated', tag(listens(peer)[1]!.id, { uri: 'u:a' }));
    assert.deepEqual(await take(watch, 1), [{ uri: 'u:a', missed: false }]);
    assert.equal(peer.calls('notifications/cancelled').length, 0);
    await client.close();
  }
});

test('modern: the pauses grow if the server ends every subscription', async () => {
  const clock = fakeClock();
  const { client, peer } = await modern(
    {
      'subscriptions/listen': async (message, peer) => (
        await acknowledgeNow(message, peer),
        { resultType: 'complete' }
      ),
    },
    { clock },
  );
  const watch = client.watch({ list: 'tools' });
  await watch.ready;
  await clock.advance(600_000);
  const count = listens(peer).length;
  assert.ok(count >= 10 && count <= 25, `${count} subscriptions in ten minutes`);
  watch.close();
  await clock.advance(120_000);
  assert.equal(listens(peer).length, count);
  await client.close();
});

test('modern: a subscription that was open for a while is opened again after a second, however often it ends', async () => {
  const clock = fakeClock();
  const { client, peer } = await modern({}, { clock });
  await client.watch({ list: 'tools' }).ready;
  for (let count = 1; count <= 10; count++) {
    await clock.advance(30_000);
    await peer.respond(listens(peer).at(-1)!.id, { resultType: 'complete' });
    await clock.advance(1_000);
    assert.equal(listens(peer).length, count + 1);
  }
  await client.close();
});

/** The URIs of a peer's open subscriptions, by their ids. */
function openUris(peer: ScriptedPeer): Map<unknown, readonly string[]> {
  const open = new Map<unknown, readonly string[]>();
  for (const { method, id, params } of peer.received as unknown as PeerMessage[]) {
    if (method === 'notifications/cancelled') open.delete(params!['requestId']);
    const filter = params?.['notifications'] as { resourceSubscriptions?: string[] } | undefined;
    if (method === 'subscriptions/listen') open.set(id, filter!.resourceSubscriptions ?? []);
  }
  return open;
}
function countUris(sets: Iterable<readonly string[]>): number {
  return [...sets].reduce((sum, uris) => sum + uris.length, 0);
}

/** A server that acknowledges a subscription only if this holds for its URIs, and for the number of URIs of all open subscriptions. */
function refusing(isFine: (uris: readonly string[], open: number) => boolean) {
  const refused = new Set<unknown>();
  return modern({
    'subscriptions/listen': (message, peer) => {
      const open = openUris(peer);
      for (const id of refused) open.delete(id);
      if (isFine(open.get(message.id)!, countUris(open.values()))) return acknowledgeNow(message, peer);
      refused.add(message.id);
      throw new ProtocolError(-32603, 'too many');
    },
  });
}

function watchMany(client: Client, from: number, to: number): Watch[] {
  return Array.from({ length: to - from }, (_, index) => client.watch({ uri: `u:${from + index}` }));
}
async function allReady(watches: readonly Watch[]): Promise<void> {
  await Promise.all(watches.map(({ ready }) => ready));
}

test('modern: a watch that the server refuses ends alone', async () => {
  const { client, peer } = await refusing((uris) => !uris.includes('u:bad'));
  for (const count of [1, 100]) {
    const watches = watchMany(client, 0, count);
    await allReady(watches);
    await assert.rejects(client.watch({ uri: 'u:bad' }).ready, /too many/);
    const more = client.watch({ uri: 'u:more' });
    await more.ready;
    for (const [id, uris] of openUris(peer))
      for (const uri of ['u:0', 'u:more'])
        if (uris.includes(uri)) await peer.notify('notifications/resources/updated', tag(id as RequestId, { uri }));
    assert.deepEqual(await take(watches[0]!, 1), [{ uri: 'u:0', missed: false }]);
    assert.deepEqual(await take(more, 1), [{ uri: 'u:more', missed: false }]);
    for (const watch of [...watches, more]) watch.close();
  }
  await client.close();
});

test('modern: watches continue, and further ones begin, while all their subscriptions together are within the limit of the server', async () => {
  const { client, peer } = await refusing((_uris, open) => open <= 1_000);
  const many = watchMany(client, 0, 600);
  await allReady(many);
  for (let next = 600; next < 700; next++) await client.watch({ uri: `u:${next}` }).ready;
  const { id } = listens(peer)[0]!;
  await peer.notify('notifications/resources/updated', tag(id, { uri: 'u:599' }));
  assert.deepEqual(await take(many[599]!, 1), [{ uri: 'u:599', missed: false }]);
  await client.close();
});

test('modern: however many resources are watched, adding or removing one names few of them, in few subscriptions', async () => {
  const { client, peer } = await modern();
  const watches: Watch[] = [];
  const named = (): number =>
    countUris(listens(peer).map(({ params }) => (params!['notifications'] as any).resourceSubscriptions ?? []));
  for (let next = 0; next < 500; next++) {
    const [watch] = watchMany(client, next, next + 1);
    watches.push(watch!);
    await watch!.ready;
    assert.ok(openUris(peer).size <= 3);
  }
  assert.ok(named() < 500 * 40, `${named()} URIs were named to add 500`);
  const before = named();
  for (const watch of watches) {
    watch.close();
    await client.ping();
  }
  assert.ok(named() - before < 500 * 20, `${named() - before} URIs were named to remove 500`);
  assert.equal(openUris(peer).size, 0);
  await client.close();
});

test('modern: a watch that is closed and opened again is ready, and gets its changes', async () => {
  const { client, peer } = await modern();
  const many = watchMany(client, 0, 100);
  await allReady(many);
  many[7]!.close();
  const [again] = watchMany(client, 7, 8);
  await again!.ready;
  again!.close();
  await client.ping();
  const [third] = watchMany(client, 7, 8);
  await third!.ready;
  await peer.notify('notifications/resources/updated', tag(listens(peer)[0]!.id, { uri: 'u:7' }));
  assert.deepEqual(await take(third!, 1), [{ uri: 'u:7', missed: false }]);
  await client.close();
});

test('modern: if one of two subscriptions ends, only its watches report that changes may have been missed', async () => {
  const clock = fakeClock();
  const { client, peer } = await modern({}, { clock });
  const many = watchMany(client, 0, 100);
  await allReady(many);
  const [added] = watchMany(client, 100, 101);
  await added!.ready;
  const [first, second] = listens(peer);
  await peer.respond(second!.id, { resultType: 'complete' });
  await clock.advance(1_000);
  assert.deepEqual(await take(added!, 1), [{ uri: 'u:100', missed: true }]);
  assert.equal(openUris(peer).get(listens(peer).at(-1)!.id)!.length, 1);
  await peer.respond(first!.id, { resultType: 'complete' });
  await clock.advance(2_000);
  assert.deepEqual(await take(many[0]!, 1), [{ uri: 'u:0', missed: true }]);
  added!.close();
  assert.deepEqual(await take(added!, 1), []);
  await client.close();
});

for (const [era, start] of [
  ['legacy', legacy],
  ['modern', modern],
] as const) {
  const push = (peer: ScriptedPeer, method: string, params: JsonObject = {}) =>
    peer.notify(method, era === 'modern' ? tag(listens(peer).at(-1)!.id, params) : params);

  test(`unread changes of the same URI are merged; those of different parts are kept, up to a limit: ${era}`, async () => {
    const { client, peer } = await start();
    const watch = client.watch({ uri: 'dir:/' });
    await watch.ready;
    for (let n = 0; n < 50; n++) await push(peer, 'notifications/resources/updated', { uri: 'dir:/a' });
    await push(peer, 'notifications/resources/updated', { uri: 'dir:/b' });
    await push(peer, 'notifications/resources/updated', { uri: 'other:/b' });
    await client.ping();
    assert.deepEqual(await take(watch, 2), [
      { uri: 'dir:/a', missed: false },
      { uri: 'dir:/b', missed: false },
    ]);
    for (let n = 0; n < 1_500; n++) await push(peer, 'notifications/resources/updated', { uri: `dir:/${n}` });
    await client.ping();
    const changes = await take(watch, 500);
    assert.deepEqual(changes[0], { uri: 'dir:/', missed: true });
    await client.close();
  });

  test(`a watch ends with its signal, with its loop and with the client: ${era}`, async () => {
    const { client, peer } = await start();
    const controller = new AbortController();
    const aborted = client.watch({ uri: 'u:1' }, { signal: controller.signal });
    await aborted.ready;
    controller.abort();
    assert.deepEqual(await take(aborted, 1), []);
    const broken = client.watch({ uri: 'u:2' });
    await broken.ready;
    await push(peer, 'notifications/resources/updated', { uri: 'u:2' });
    for await (const _ of broken) break;
    assert.deepEqual(await take(broken, 1), []);
    assert.deepEqual(await take(client.watch({ uri: 'u:3' }, { signal: AbortSignal.abort() }), 1), []);
    const open = client.watch({ uri: 'u:4' });
    await open.ready;
    const waiting = take(open, 1);
    await client.close();
    assert.deepEqual(await waiting, []);
    await assert.rejects(take(client.watch({ uri: 'u:5' }), 1), ConnectionError);
  });

  test(`a watch throws when its connection breaks: ${era}`, async () => {
    const { client, peer } = await start();
    const watch = client.watch({ uri: 'u:1' });
    await watch.ready;
    const waiting = take(watch, 1);
    await peer.close();
    await assert.rejects(waiting, ConnectionError);
    assert.ok((await client.closed) instanceof ConnectionError);
  });

  test(`the number of watched lists and resources is limited: ${era}`, async () => {
    const { client } = await start(
      {},
      ...((era === 'legacy'
        ? [capabilities, { limits: { subscriptionUris: 3 } }]
        : [{ limits: { subscriptionUris: 3 } }]) as never[]),
    );
    const watches = ['u:1', 'u:2', 'u:3'].map((uri) => client.watch({ uri }));
    await assert.rejects(client.watch({ uri: 'u:4' }).ready, ProtocolError);
    watches[0]!.close();
    await client.watch({ uri: 'u:4' }).ready;
    await client.close();
  });
}

test('[ELIC-22] the completion of an unknown URL question is ignored', async () => {
  const { client, peer } = await legacy();
  await peer.notify('notifications/elicitation/complete', { elicitationId: 'x' });
  await client.ping();
  await client.close();
});

test('notifications of extensions go to onNotification', async () => {
  const seen: unknown[] = [];
  for (const start of [legacy, modern]) {
    const options: ConnectOptions = { onNotification: (method, params) => seen.push([method, params]) };
    const { client, peer } = start === legacy ? await legacy({}, capabilities, options) : await modern({}, options);
    await peer.notify('notifications/vendor/thing', { a: 1 });
    await client.ping();
    await client.close();
  }
  assert.deepEqual(seen, [
    ['notifications/vendor/thing', { a: 1 }],
    ['notifications/vendor/thing', { a: 1 }],
  ]);
});
