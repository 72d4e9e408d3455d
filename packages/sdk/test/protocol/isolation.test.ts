// One server value serves many clients at once: nothing leaks from one to another.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { rounds } from '../../../../scripts/lib/soak.ts';
import { connect } from '../../src/entries/client.ts';
import { resource, revisions, server, tool, type CallContext, type Revision } from '../../src/entries/index.ts';
import { SERVER } from '../../src/protocol/contract.ts';
import { makeApp, type Seen } from './app.ts';
import { claimed, dialog, startConversation, until } from './dialog.ts';

function tagged() {
  return server({
    name: 'tags',
    tools: {
      echo: tool({ input: { type: 'object' } }, async ({ tag, ms }, ctx) => {
        await ctx.progress({ progress: 1, total: 2, message: String(tag) });
        await new Promise((resolve) => setTimeout(resolve, Number(ms)));
        return String(tag);
      }),
      ask: tool({ input: { type: 'object' } }, async ({ tag }, ctx) => {
        const answer = await ctx.ask('who', `Who is ${String(tag)}?`, {
          type: 'object',
          properties: { who: { type: 'string' } },
        });
        return `${String(tag)} is ${(answer as { who: string }).who}`;
      }),
      who: tool({}, (_, { principal, client }: CallContext) => `${principal?.id} as ${client.name}`),
    },
    resources: { 'tag://a': resource({ name: 'a' }, () => 'a') },
  });
}

test('[A-12] the same ids of many clients on one server value, with slow handlers: every client gets its own results', async (t) => {
  const app = tagged();
  const peers = [dialog(t, app), dialog(t, app), dialog(t, app)];
  const ids = rounds(100, 1_000);
  for (let round = 0; round < rounds(5, 50); round++) {
    const sent = new Map<number, number>();
    for (let id = 0; id < ids; id++) {
      for (const [who, peer] of peers.entries()) {
        sent.set(who, id);
        peer.send({
          jsonrpc: '2.0',
          id,
          method: 'tools/call',
          params: claimed(
            { name: 'echo', arguments: { tag: `${who} ${id}`, ms: (id * 7 + who) % 5 } },
            { progressToken: id },
          ),
        });
      }
    }
    for (const [who, peer] of peers.entries()) {
      for (let id = 0; id < ids; id++) {
        const answer = await peer.next((message) => message.id === id);
        assert.equal(answer.result?.['content'][0].text, `${who} ${id}`);
      }
      const progress = peer.untaken();
      assert.equal(progress.length, ids);
      for (const { params } of progress) assert.equal(params?.['message'], `${who} ${params?.['progressToken']}`);
    }
  }
});

test('property: however the calls of clients of all eras interleave, no value reaches another client', async (t) => {
  const app = tagged();
  const peers = await Promise.all(
    revisions.map(async (revision) => {
      const it = dialog(t, app, { unchecked: true });
      return { it, peer: await startConversation(it, revision), revision };
    }),
  );
  let count = 0;
  const step = fc.record({ who: fc.nat(peers.length - 1), ms: fc.nat(3), cancel: fc.boolean() });
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 30 }), async (steps) => {
      const open: { who: number; id: number; tag: string }[] = [];
      for (const { who, ms, cancel } of steps) {
        // All clients use the same ids.
        const id = ++count;
        const tag = `${peers[who]!.revision} ${id}`;
        peers[who]!.peer.start(id, 'tools/call', { name: 'echo', arguments: { tag, ms } });
        if (!cancel) open.push({ who, id, tag });
        // Another client cancels this id, which is not its own.
        peers[(who + 1) % peers.length]!.it.notify('notifications/cancelled', { requestId: id });
        if (cancel) peers[who]!.it.notify('notifications/cancelled', { requestId: id });
      }
      for (const { who, id, tag } of open)
        assert.equal((await peers[who]!.it.next((message) => message.id === id)).result?.['content'][0].text, tag);
      for (const { it } of peers) assert.deepEqual(it.untaken(), []);
    }),
    { numRuns: 40 },
  );
});

test('[A-13] a second client does not disturb the first, nor does its end', async (t) => {
  const seen: Seen = { ran: [], aborted: [] };
  const app = makeApp(seen);
  const [ann, bob] = [dialog(t, app), dialog(t, app)];
  await ann.handshake('2025-06-18', { roots: {} });
  await bob.handshake('2024-11-05', { sampling: {} });
  const can = async (it: typeof ann): Promise<unknown> =>
    JSON.parse((await it.request('tools/call', { name: 'can' })).result?.['content'][0].text);
  assert.deepEqual(
    [await can(ann), await can(bob)],
    [
      { name: 'dialog', can: ['roots'] },
      { name: 'dialog', can: ['sampling'] },
    ],
  );
  bob.send({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'slow' } });
  ann.send({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'slow' } });
  await until(() => seen.ran.length === 2);
  await bob.served.close();
  await until(() => seen.aborted.length > 0);
  assert.ok((await ann.request('ping')).result);
  assert.equal(seen.aborted.length, 1, 'the call of the other client goes on');
  ann.notify('notifications/cancelled', { requestId: 1 });
  await until(() => seen.aborted.length === 2);
});

test('log level, subscriptions and readiness belong to one session', async (t) => {
  const app = makeApp();
  const [ann, bob, eve] = [dialog(t, app), dialog(t, app), dialog(t, app)];
  await ann.handshake('2025-11-25');
  await bob.handshake('2025-11-25');
  await eve.request('initialize', {
    protocolVersion: '2025-11-25',
    capabilities: {},
    clientInfo: { name: 'eve', version: '1' },
  });
  assert.ok((await ann.request('resources/subscribe', { uri: 'test://a' })).result);
  assert.ok((await ann.request('logging/setLevel', { level: 'emergency' })).result);
  app.changed('test://a');
  app.tools.set(
    'new',
    tool({}, () => ''),
  );
  assert.deepEqual((await ann.remaining()).map(({ method }) => method).toSorted(), [
    'notifications/resources/updated',
    'notifications/tools/list_changed',
  ]);
  assert.deepEqual(
    (await bob.remaining()).map(({ method }) => method),
    ['notifications/tools/list_changed'],
  );
  assert.deepEqual(await eve.remaining(), []);
  const logged = async (it: typeof ann) => {
    await it.request('tools/call', { name: 'work' });
    return (await it.remaining()).map(({ method }) => method);
  };
  assert.deepEqual([await logged(ann), await logged(bob)], [[], ['notifications/message']]);
});

test('[LOG-8] log messages of a call reach no other client, and no subscription', async (t) => {
  const app = makeApp();
  const [ann, bob] = [dialog(t, app), dialog(t, app)];
  for (const it of [ann, bob]) {
    it.send({
      jsonrpc: '2.0',
      id: 'sub',
      method: 'subscriptions/listen',
      params: claimed({ notifications: { toolsListChanged: true } }),
    });
    await it.next();
  }
  await ann.request('tools/call', claimed({ name: 'work' }, { 'io.modelcontextprotocol/logLevel': 'debug' }), 'loud');
  await ann.request('tools/call', claimed({ name: 'work' }), 'silent');
  assert.deepEqual(
    (await ann.remaining()).map(({ method, params }) => [method, params?.['_meta']]),
    [['notifications/message', undefined]],
  );
  assert.deepEqual(await bob.remaining(), []);
});

for (const revision of revisions)
  test(`a change of a resource is announced to a client of a channel only while it may see the resource, on ${revision}`, async (t) => {
    let audience = ['staff'];
    const app = server({
      name: 'papers',
      visibility: (principal) => (audience.includes(String(principal?.claims?.['group'])) ? 'in' : 'out'),
      resources: {
        'paper:plan': resource({ name: 'plan', visible: ['in'] }, () => 'secret'),
        'paper:news': resource({ name: 'news' }, () => 'open'),
      },
    });
    const it = dialog(t, app, { principal: { id: 'ann', claims: { group: 'staff' } } });
    const peer = await startConversation(it, revision);
    const uris = ['paper:plan', 'paper:news'];
    if (peer.modern) {
      peer.start('sub', 'subscriptions/listen', { notifications: { resourceSubscriptions: uris } });
      await it.next(({ method }) => method === 'notifications/subscriptions/acknowledged');
    } else for (const uri of uris) await peer.ask('resources/subscribe', { uri });
    const announced = async () => {
      for (const uri of uris) app.changed(uri);
      await until(async () => {
        await peer.alive();
        return seen().includes('paper:news');
      });
      return seen().splice(0);
    };
    const all: string[] = [];
    const seen = (): string[] => {
      for (const { method, params } of it.untaken())
        if (method === 'notifications/resources/updated') all.push(String(params?.['uri']));
      return all;
    };
    assert.deepEqual(await announced(), uris);
    audience = [];
    assert.deepEqual(await announced(), ['paper:news']);
  });

test('the response to a question of one client is not accepted from another', async (t) => {
  const app = tagged();
  const [ann, bob] = [dialog(t, app), dialog(t, app)];
  for (const it of [ann, bob]) await it.handshake('2025-11-25', { elicitation: {} });
  ann.send({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'ask', arguments: { tag: 'ann' } } });
  bob.send({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'ask', arguments: { tag: 'bob' } } });
  const [toAnn, toBob] = [await ann.next(), await bob.next()];
  assert.equal(toAnn.id, toBob.id, 'both sessions count from the same number');
  bob.send({ jsonrpc: '2.0', id: toBob.id, result: { action: 'accept', content: { who: 'Robert' } } });
  assert.equal((await bob.next()).result?.['content'][0].text, 'bob is Robert');
  assert.deepEqual(await ann.remaining(), []);
  ann.send({ jsonrpc: '2.0', id: toAnn.id, result: { action: 'accept', content: { who: 'Anna' } } });
  assert.equal((await ann.next()).result?.['content'][0].text, 'ann is Anna');
});

test('[MRTR-10] a value sealed for one principal opens for no other, on a shared server', async (t) => {
  const app = tagged();
  const keys = ['the same key for both of them'];
  const peers = ['ann', 'bob'].map((id) => dialog(t, app, { keys, principal: { id } }));
  const [ann, bob] = peers as [(typeof peers)[0], (typeof peers)[0]];
  const ask = (more: object = {}) =>
    claimed({ name: 'ask', arguments: { tag: 'x' }, ...more }, {}, { elicitation: {} });
  const { result } = await ann.request('tools/call', ask());
  const retry = ask({
    requestState: result?.['requestState'],
    inputResponses: { who: { action: 'accept', content: { who: 'y' } } },
  });
  assert.equal((await bob.request('tools/call', retry)).error?.code, -32602);
  assert.equal((await ann.request('tools/call', retry)).result?.['content'][0].text, 'x is y');
});

test('each client is served as the principal it was connected with', async () => {
  const app = tagged();
  const revision: Revision = '2025-11-25';
  await using ann = await connect(app, { principal: { id: 'ann' }, info: { name: 'a', version: '1' } });
  await using bob = await connect(app, { principal: { id: 'bob' }, info: { name: 'b', version: '1' }, revision });
  const calls = Array.from({ length: 40 }, (_, at) => (at % 2 === 0 ? ann : bob).call('who'));
  for (const [at, text] of (await Promise.all(calls)).entries())
    assert.equal(text, at % 2 === 0 ? 'ann as a' : 'bob as b');
});

test('a connection that ends leaves nothing behind: no listener, no subscription, no running call', async (t) => {
  let aborted = 0;
  const app = server({
    name: 'leaves',
    tools: {
      wait: tool({}, async (_, { signal }) => {
        await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()));
        aborted++;
        return '';
      }),
    },
  });
  let listeners = 0;
  const { changes } = app[SERVER];
  const { subscribe } = changes;
  changes.subscribe = (listener) => {
    const end = subscribe(listener);
    listeners++;
    return () => {
      listeners--;
      end();
    };
  };
  for (let at = 0; at < 20; at++) {
    const it = dialog(t, app, { drainMs: 1 });
    it.send({
      jsonrpc: '2.0',
      id: 1,
      method: 'subscriptions/listen',
      params: claimed({ notifications: { toolsListChanged: true } }),
    });
    it.send({ jsonrpc: '2.0', id: 2, method: 'tools/call', params: claimed({ name: 'wait' }) });
    await it.next();
    await it.end();
  }
  await until(() => aborted === 20);
  assert.equal(listeners, 0);
  const last = dialog(t, app);
  last.send({
    jsonrpc: '2.0',
    id: 1,
    method: 'subscriptions/listen',
    params: claimed({ notifications: { toolsListChanged: true } }),
  });
  await last.next();
  app.tools.set(
    'new',
    tool({}, () => ''),
  );
  assert.equal((await last.remaining()).length, 1);
});
