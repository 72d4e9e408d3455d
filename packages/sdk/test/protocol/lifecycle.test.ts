import assert from 'node:assert/strict';
import { test } from 'node:test';
import { connect, TimeoutError } from '../../src/entries/client.ts';
import { resource, revisions, server, tool, type Revision } from '../../src/entries/index.ts';
import { agreesOn, connectScripted, fakeClock } from '../../src/entries/testing.ts';
import { makeApp, type Seen } from './app.ts';
import { claimed, dialog, type Message, MODERN, until } from './dialog.ts';

const LEGACY = revisions.filter((revision) => revision !== MODERN);
function initialize(protocolVersion: unknown, more: object = {}) {
  return {
    protocolVersion,
    capabilities: {},
    clientInfo: { name: 'c', version: '1' },
    ...more,
  };
}

for (const revision of LEGACY) {
  test(`[LIFE-4] [VERS-3] initialize is answered with the version, capabilities, name and instructions on ${revision}`, async (t) => {
    const it = dialog(t, makeApp());
    const { result } = await it.request('initialize', initialize(revision));
    assert.equal(result?.['protocolVersion'], revision);
    assert.deepEqual(result['serverInfo'], { name: 'protocol', version: '1.0.0' });
    assert.equal(result['instructions'], 'Try everything.');
    assert.ok(
      result['capabilities'].tools &&
        result['capabilities'].resources &&
        result['capabilities'].prompts &&
        result['capabilities'].logging,
    );
    assert.deepEqual(await it.remaining(), []);
  });

  test(`[LIFE-7] before notifications/initialized the server sends nothing of its own on ${revision}`, async (t) => {
    const app = makeApp();
    const it = dialog(t, app);
    await it.request('initialize', initialize(revision, { capabilities: { roots: {} } }));
    app.tools.set(
      'new',
      tool({}, () => 'new'),
    );
    app.changed('test://a');
    it.send({ jsonrpc: '2.0', id: 'early', method: 'tools/call', params: { name: 'roots' } });
    assert.deepEqual(await it.remaining(), []);
    it.notify('notifications/initialized');
    const asked = await it.next();
    assert.equal(asked.method, 'roots/list', 'a question waits until the client is ready');
    it.send({ jsonrpc: '2.0', id: asked.id, result: { roots: [] } });
    assert.equal((await it.next()).id, 'early');
    app.tools.delete('new');
    assert.equal((await it.next()).method, 'notifications/tools/list_changed', 'from now on changes are sent');
  });

  test(`[LIFE-10] [LIFE-9] capabilities that the client did not declare are not used on ${revision}`, async (t) => {
    const it = dialog(t, makeApp());
    await it.handshake(revision);
    for (const name of ['ask', 'roots']) {
      const { result } = await it.request('tools/call', { name });
      assert.equal(result?.['isError'], true);
      assert.match(result['content'][0].text, /capability|cannot be asked/);
    }
    assert.deepEqual(
      it.received.filter(({ method }) => method !== undefined),
      [],
    );
  });

  test(`[LIFE-10] [LIFE-9] features that the agreed version does not have are not used on ${revision}`, async (t) => {
    const it = dialog(t, makeApp());
    await it.handshake(revision, { elicitation: {}, sampling: {} });
    it.send({ jsonrpc: '2.0', id: 'call', method: 'tools/call', params: { name: 'ask' } });
    const first = await it.next();
    const knows = revision === '2025-06-18' || revision === '2025-11-25';
    assert.equal(first.method, knows ? 'elicitation/create' : undefined);
    if (!knows) assert.equal(first.result?.['isError'], true);
    for (const method of ['subscriptions/listen', 'server/discover'])
      assert.equal((await it.request(method)).error?.code, -32602, 'the error for a modern request');
    const { result } = await it.request('tools/call', { name: 'echo', arguments: { a: 1 } });
    assert.equal(Object.hasOwn(result!, 'structuredContent'), knows);
  });

  test(`[PING-1] ping is answered at once with an empty result on ${revision}: before, during and after the handshake, and during a call`, async (t) => {
    const it = dialog(t, makeApp());
    assert.deepEqual((await it.request('ping')).result, {});
    await it.request('initialize', initialize(revision));
    assert.deepEqual((await it.request('ping')).result, {});
    it.notify('notifications/initialized');
    it.send({ jsonrpc: '2.0', id: 'long', method: 'tools/call', params: { name: 'wait', arguments: { ms: 60 } } });
    it.send({ jsonrpc: '2.0', id: 'beside', method: 'ping', params: {} });
    const beside = await it.next();
    assert.deepEqual([beside.id, beside.result], ['beside', {}]);
    await it.next(({ id }) => id === 'long');
  });
}

test('[LIFE-1] [BASE-3] before the handshake requests are refused, with an error that says how to begin', async (t) => {
  const seen: Seen = { ran: [], aborted: [] };
  const it = dialog(t, makeApp(seen));
  for (const [method, params] of [
    ['tools/list', {}],
    ['tools/call', { name: 'add', arguments: { a: 1, b: 2 } }],
    ['logging/setLevel', { level: 'debug' }],
    ['no/such', {}],
  ] as const) {
    const { error } = await it.request(method, params);
    assert.equal(error?.code, -32602, method);
    assert.match(error.message, /initialize.*2025-11-25, 2025-06-18, 2025-03-26, 2024-11-05/);
    assert.match(error.message, /_meta.*2026-07-28/);
  }
  it.notify('notifications/initialized');
  assert.equal((await it.request('tools/list')).error?.code, -32602, 'initialized alone begins nothing');
  assert.deepEqual(seen.ran, []);
});

test('a second initialize is answered, and later requests are served as it agreed', async (t) => {
  const logged: string[] = [];
  const it = dialog(t, makeApp(), { log: ({ event }) => void logged.push(event), unchecked: true });
  await it.handshake('2025-03-26', { roots: {} });
  const second = await it.handshake('2025-11-25', { sampling: {} });
  assert.equal(second.result?.['protocolVersion'], '2025-11-25');
  assert.ok(logged.includes('initialized-again'));
  const { result } = await it.request('tools/call', { name: 'can' });
  assert.deepEqual(JSON.parse(result?.['content'][0].text), { name: 'dialog', can: ['sampling'] });
  it.send([{ jsonrpc: '2.0', id: 1, method: 'ping' }]);
  assert.equal((await it.next()).error?.code, -32600, 'arrays are no longer read');
});

test('a call that waits for the client at a second initialize ends with the response to its question', async (t) => {
  const app = server({
    name: 'asks',
    tools: { where: tool({}, async (_, ctx) => (await ctx.roots('roots')).map(({ uri }) => uri).join()) },
  });
  const it = dialog(t, app, { unchecked: true });
  await it.handshake('2025-06-18', { roots: {} });
  it.send({ jsonrpc: '2.0', id: 'call', method: 'tools/call', params: { name: 'where' } });
  const question = await it.next(({ method }) => method === 'roots/list');
  assert.ok((await it.handshake('2025-11-25')).result);
  it.send({ jsonrpc: '2.0', id: question.id!, result: { roots: [{ uri: 'file:///a' }] } });
  const answer = await it.next(({ id }) => id === 'call');
  assert.equal(answer.result?.['content'][0].text, 'file:///a');
});

test('a failed initialize does not change the session', async (t) => {
  const it = dialog(t, makeApp());
  await it.handshake('2025-03-26', { roots: {} });
  assert.equal((await it.request('initialize', { protocolVersion: 5 })).error?.code, -32602);
  it.send([{ jsonrpc: '2.0', id: 1, method: 'ping' }]);
  assert.ok((await it.next()).result, 'arrays are still read as 2025-03-26 does');
});

test('an invalid initialize begins nothing, and a valid one may follow', async (t) => {
  const it = dialog(t, makeApp());
  const bad = [
    undefined,
    {},
    { protocolVersion: 20250618, capabilities: {} },
    { protocolVersion: '2025-06-18' },
    { protocolVersion: '2025-06-18', capabilities: [] },
    { protocolVersion: '2025-06-18', capabilities: { roots: 'yes' } },
  ];
  for (const params of bad)
    assert.equal((await it.request('initialize', params)).error?.code, -32602, JSON.stringify(params));
  assert.equal((await it.request('tools/list')).error?.code, -32602);
  assert.ok((await it.handshake('2025-06-18')).result);
});

test('a client that omits its name, or sends unknown capabilities, is served', async (t) => {
  const it = dialog(t, makeApp());
  await it.request('initialize', {
    protocolVersion: '2025-06-18',
    capabilities: { teleport: { far: true }, roots: null },
    clientInfo: 'me',
  });
  const { result } = await it.request('tools/call', { name: 'can' });
  assert.deepEqual(result?.['structuredContent'], { name: null, can: [] });
});

test('[LIFE-12] [LIFE-13] [LIFE-14] [CANC-3] a question that the client does not answer in time is cancelled on the wire, and the call continues', async (t) => {
  const it = dialog(t, makeApp(), { limits: { requestMaxMs: 40 } });
  await it.handshake('2025-11-25', { elicitation: {} });
  it.send({ jsonrpc: '2.0', id: 'call', method: 'tools/call', params: { name: 'ask' } });
  const question = await it.next(({ method }) => method === 'elicitation/create');
  const cancelled = await it.next(({ method }) => method === 'notifications/cancelled');
  assert.equal(cancelled.params?.['requestId'], question.id);
  const { result } = await it.next(({ id }) => id === 'call');
  assert.equal(result?.['isError'], true);
  it.send({ jsonrpc: '2.0', id: question.id, result: { action: 'accept', content: { color: 'late' } } });
  assert.deepEqual((await it.request('ping')).result, {});
  assert.deepEqual(await it.remaining(), []);
});

test('[LIFE-13] a question to a client that never becomes ready times out, and was never sent', async (t) => {
  const it = dialog(t, makeApp(), { limits: { requestMaxMs: 40 } });
  await it.request('initialize', initialize('2025-11-25', { capabilities: { elicitation: {} } }));
  const answer = await it.request('tools/call', { name: 'ask' });
  assert.equal(answer.result?.['isError'], true);
  it.notify('notifications/initialized');
  assert.deepEqual(await it.remaining(), []);
});

test('[BASE-6] the server never uses an id twice, and responses are matched in any order', async (t) => {
  const it = dialog(t, makeApp());
  await it.handshake('2025-11-25', { elicitation: {} });
  for (let at = 0; at < 50; at++)
    it.send({ jsonrpc: '2.0', id: `call ${at}`, method: 'tools/call', params: { name: 'ask' } });
  const asked: Message[] = [];
  while (asked.length < 50) asked.push(await it.next(({ method }) => method === 'elicitation/create'));
  assert.equal(new Set(asked.map(({ id }) => id)).size, 50);
  for (const { id } of asked.toReversed())
    it.send({ jsonrpc: '2.0', id, result: { action: 'accept', content: { color: `for ${String(id)}` } } });
  const texts = new Set<string>();
  for (let at = 0; at < 50; at++)
    texts.add((await it.next(({ id }) => id === `call ${at}`)).result?.['content'][0].text as string);
  assert.deepEqual(texts, new Set(asked.map(({ id }) => `for ${String(id)}`)));
});

test('[LIFE-16] each call may have its own time limit', async () => {
  const clock = fakeClock();
  const { client, peer } = await connectScripted(
    { ...agreesOn('2025-11-25', { capabilities: { tools: {} } }), 'tools/call': () => undefined },
    { clock, timeout: 1_000 },
  );
  const order: string[] = [];
  const call = (name: string, timeout?: number) =>
    assert.rejects(client.call(name, {}, timeout === undefined ? {} : { timeout }), (error: unknown) => {
      order.push(`${name} ${clock.now()}`);
      return error instanceof TimeoutError;
    });
  const calls = [call('long', 5_000), call('short', 100), call('default')];
  await peer.next('tools/call');
  for (const ms of [100, 900, 4_000]) await clock.advance(ms);
  await Promise.all(calls);
  assert.deepEqual(order, ['short 100', 'default 1000', 'long 5000']);
  assert.equal(peer.calls('notifications/cancelled').length, 3);
  await client.close();
});

test('[BASE-81] [BASE-82] a custom transport with only three members carries every era', async () => {
  for (const revision of revisions) {
    const { near, far, crossed } = customChannel();
    const { serve } = await import('../../src/entries/index.ts');
    const served = serve(makeApp(), far);
    const client = await connect(near, { revision, elicit: () => ({ action: 'accept', content: { color: 'green' } }) });
    assert.equal(client.revision, revision);
    assert.equal(await client.call('add', { a: 1, b: 2 }), '3');
    if (revision === '2025-11-25' || revision === MODERN) assert.equal(await client.call('ask'), 'green');
    await client.close();
    await served.closed;
    const methods = crossed
      .map((text) => (JSON.parse(text) as Message).method)
      .filter((method) => method !== undefined);
    if (revision === MODERN) assert.equal(methods[0], 'server/discover');
    else assert.deepEqual(methods.slice(0, 2), ['initialize', 'notifications/initialized']);
    const requests = crossed
      .map((text) => JSON.parse(text) as Message)
      .filter(({ id, method }) => id !== undefined && method !== undefined);
    for (const { params } of requests)
      assert.equal(
        params?.['_meta']?.['io.modelcontextprotocol/protocolVersion'],
        revision === MODERN ? MODERN : undefined,
      );
  }
});

/** Exactly the three members that the author of a custom transport writes. */
function customChannel() {
  const crossed: string[] = [];
  const half = () => {
    const queue: string[] = [];
    let wake = (): void => {};
    let open = true;
    return {
      put(text: string) {
        crossed.push(text);
        queue.push(text);
        wake();
      },
      end() {
        open = false;
        wake();
      },
      async *take() {
        for (;;) {
          while (queue.length > 0) yield queue.shift()!;
          if (!open) return;
          await new Promise<void>((resolve) => (wake = resolve));
        }
      },
    };
  };
  const [up, down] = [half(), half()];
  const close = (): void => (up.end(), down.end());
  return {
    crossed,
    near: { send: (text: string) => up.put(text), incoming: down.take(), close },
    far: { send: (text: string) => down.put(text), incoming: up.take(), close },
  };
}

test('servers without items, and servers that get their first tool later, declare the right capabilities', async (t) => {
  const app = server({ name: 'late' });
  const it = dialog(t, app);
  const { result } = await it.handshake('2025-11-25');
  assert.deepEqual(result?.['capabilities'], { logging: {} });
  app.resources.set(
    'late://a',
    resource({ name: 'a' }, () => 'a'),
  );
  const { result: now } = await it.request('server/discover', claimed());
  assert.deepEqual(now?.['capabilities'], { resources: { subscribe: true, listChanged: true }, logging: {} });
});

test('[LIFE-5] [LIFE-1] the handshake of our client and our server is three messages, in order', async () => {
  const revision: Revision = '2025-06-18';
  const seen: string[] = [];
  await using client = await connect(makeApp(), {
    revision,
    onTrace: ({ kind, text }) => {
      if (kind === 'sent' || kind === 'received')
        seen.push(`${kind} ${(JSON.parse(text) as Message).method ?? 'answer'}`);
    },
  });
  assert.equal(client.revision, revision);
  await until(() => seen.length >= 3);
  assert.deepEqual(seen.slice(0, 3), ['sent initialize', 'received answer', 'sent notifications/initialized']);
});
