import assert from 'node:assert/strict';
import { test } from 'node:test';
import { revisions, server, tool, type Revision } from '../../src/entries/index.ts';
import { agreesOn, connectScripted } from '../../src/entries/testing.ts';
import { makeApp, type Seen } from './app.ts';
import { claimed, dialog, type Dialog, type Message, MODERN, until } from './dialog.ts';

const BATCHED: Revision = '2025-03-26';
function request(id: string | number, method: string, params?: object) {
  return {
    jsonrpc: '2.0',
    id,
    method,
    params,
  };
}
function add(id: string | number, a: number, b: number) {
  return request(id, 'tools/call', { name: 'add', arguments: { a, b } });
}

/** Sends a batch and returns the array that answers it. */
async function batch(it: Dialog, messages: readonly unknown[]): Promise<Message[]> {
  const before = it.texts.length;
  it.send(messages);
  await until(() => it.texts.length > before);
  const answer = JSON.parse(it.texts.at(-1)!) as Message[];
  assert.ok(Array.isArray(answer), 'an array answers an array');
  it.untaken();
  return answer;
}

test('[BASE-16] [BASE-17] the requests of a batch are answered by one array, each by its id', async (t) => {
  const it = dialog(t, makeApp());
  await it.handshake(BATCHED);
  const answers = await batch(it, [
    add(1, 1, 2),
    request('two', 'ping'),
    { jsonrpc: '2.0', method: 'notifications/unknown' },
    request(3, 'no/such'),
    request(4, 'tools/call', { name: 'wait', arguments: { ms: 20 } }),
  ]);
  const byId = new Map(answers.map((answer) => [answer.id, answer]));
  assert.equal(answers.length, 4);
  assert.equal(byId.get(1)?.result?.['content'][0].text, '3');
  assert.deepEqual(byId.get('two')?.result, {});
  assert.equal(byId.get(3)?.error?.code, -32601);
  assert.equal(byId.get(4)?.result?.['content'][0].text, 'waited');
  assert.equal(it.texts.length, 2, 'the handshake, and one array');
});

test('answers in a batch may be long', async (t) => {
  const it = dialog(t, makeApp());
  await it.handshake(BATCHED);
  const text = 'é'.repeat(70_000);
  const answers = await batch(it, [add(1, 1, 2), request(2, 'tools/call', { name: 'echo', arguments: { text } })]);
  assert.deepEqual(
    answers.map(({ id }) => id),
    [1, 2],
  );
  assert.ok(answers[1]!.result!['content'][0].text.includes(text));
});

test('[BASE-16] one request in an array is answered by an array, and one outside by an object', async (t) => {
  const it = dialog(t, makeApp());
  await it.handshake(BATCHED);
  assert.equal((await batch(it, [add(1, 1, 2)])).length, 1);
  assert.deepEqual((await it.request('ping')).result, {});
});

test('[BASE-15] a batch without requests is not answered', async (t) => {
  const it = dialog(t, makeApp());
  await it.handshake(BATCHED);
  it.send([
    { jsonrpc: '2.0', method: 'notifications/unknown' },
    { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 7 } },
  ]);
  assert.deepEqual((await it.request('ping')).result, {});
  assert.deepEqual(await it.remaining(), []);
});

test('an invalid message in a batch is refused separately, and the rest is answered', async (t) => {
  const it = dialog(t, makeApp());
  await it.handshake(BATCHED);
  const answers = await batch(it, [1, null, [], 'x', {}, { jsonrpc: '2.0', id: 'a', method: 1 }, add(9, 1, 1)]);
  assert.deepEqual(
    answers.map(({ id, error }) => [id, error?.code]),
    [...Array.from({ length: 5 }, () => [undefined, -32600]), ['a', -32600], [9, undefined]],
  );
});

test('the responses to questions of the server may come in a batch', async (t) => {
  const it = dialog(t, makeApp());
  await it.handshake(BATCHED, { roots: {} });
  for (const id of ['a', 'b']) it.send(request(id, 'tools/call', { name: 'roots' }));
  const asked = [
    await it.next(({ method }) => method === 'roots/list'),
    await it.next(({ method }) => method === 'roots/list'),
  ];
  it.send(asked.map(({ id }, at) => ({ jsonrpc: '2.0', id, result: { roots: [{ uri: `file:///${at}` }] } })));
  for (const [at, id] of ['a', 'b'].entries()) {
    const answer = await it.next((message) => message.id === id);
    assert.equal(answer.result?.['content'][0].text, `[{"uri":"file:///${at}"}]`);
  }
});

test('[CANC-5] a cancelled request of a batch is left out of its response; a batch with only cancelled requests gets none', async (t) => {
  const seen: Seen = { ran: [], aborted: [] };
  const it = dialog(t, makeApp(seen));
  await it.handshake(BATCHED);
  it.send([request(1, 'tools/call', { name: 'slow' }), add(2, 1, 2)]);
  it.send([request(3, 'tools/call', { name: 'slow' })]);
  await until(() => seen.ran.filter((name) => name === 'slow').length === 2);
  it.untaken();
  const before = it.texts.length;
  it.notify('notifications/cancelled', { requestId: 1 });
  it.notify('notifications/cancelled', { requestId: 3 });
  await it.remaining();
  assert.deepEqual(
    it.texts.slice(before).map((text) => (JSON.parse(text) as Message[]).map(({ id }) => id)),
    [[2]],
  );
});

test('[A-31] a batch has 1 to 100 messages', async (t) => {
  const it = dialog(t, makeApp());
  await it.handshake(BATCHED);
  assert.equal(
    (
      await batch(
        it,
        Array.from({ length: 100 }, (_, at) => request(at, 'ping')),
      )
    ).length,
    100,
  );
  for (const messages of [[], Array.from({ length: 101 }, (_, at) => request(at, 'ping'))]) {
    it.send(messages);
    const refusal = await it.next();
    assert.deepEqual([refusal.error?.code, 'id' in refusal], [-32600, false]);
  }
  assert.deepEqual((await it.request('ping')).result, {});
});

test('[LIFE-3] neither initialize nor a request of the modern era may be in a batch', async (t) => {
  const seen: Seen = { ran: [], aborted: [] };
  const it = dialog(t, makeApp(seen));
  await it.handshake(BATCHED);
  const answers = await batch(it, [
    request(1, 'initialize', { protocolVersion: BATCHED, capabilities: {} }),
    request(2, 'tools/call', claimed({ name: 'add', arguments: { a: 1, b: 1 } })),
    request(3, 'subscriptions/listen', claimed({ notifications: { toolsListChanged: true } })),
    request(4, 'ping'),
  ]);
  assert.deepEqual(
    answers.map(({ id, error }) => [id, error?.code]),
    [
      [1, -32600],
      [2, -32600],
      [3, -32600],
      [4, undefined],
    ],
  );
  assert.deepEqual(seen.ran, []);
});

test('[A-31] messages that may not be in a batch are refused separately', async (t) => {
  const app = server({
    name: 'doors',
    visibility: (principal) => (principal?.id === 'ann' ? 'inside' : 'outside'),
    tools: { open: tool({}, () => 'open'), secret: tool({ visible: ['inside'] }, () => 'secret') },
  });
  const it = dialog(t, app, { principal: { id: 'bob' } });
  await it.handshake(BATCHED);
  const answers = await batch(it, [
    request(1, 'tools/call', { name: 'open' }),
    request(2, 'tools/call', { name: 'secret' }),
  ]);
  const byId = new Map(answers.map((answer) => [answer.id, answer]));
  assert.equal(byId.get(1)?.result?.['content'][0].text, 'open');
  assert.equal(byId.get(2)?.error?.code, -32602);
  assert.doesNotMatch(JSON.stringify(answers), /"secret"/);
});

for (const revision of revisions) {
  if (revision === BATCHED) continue;
  test(`[BASE-18] [A-31] an array is one invalid request on ${revision}, and no part of it runs`, async (t) => {
    const seen: Seen = { ran: [], aborted: [] };
    const it = dialog(t, makeApp(seen));
    const modern = revision === MODERN;
    if (!modern) await it.handshake(revision);
    it.send([
      modern ? request(1, 'tools/call', claimed({ name: 'add', arguments: { a: 1, b: 2 } })) : add(1, 1, 2),
      add(2, 1, 2),
    ]);
    const refusal = await it.next();
    assert.deepEqual([refusal.error?.code, 'id' in refusal], [-32600, false]);
    assert.deepEqual(await it.remaining(), []);
    assert.deepEqual(seen.ran, []);
  });
}

test('[BASE-18] [LIFE-3] before the handshake an array is one invalid request', async (t) => {
  const it = dialog(t, makeApp());
  it.send([
    request(1, 'initialize', { protocolVersion: BATCHED, capabilities: {}, clientInfo: { name: 'x', version: '1' } }),
  ]);
  assert.equal((await it.next()).error?.code, -32600);
  assert.equal((await it.handshake(BATCHED)).result?.['protocolVersion'], BATCHED);
});

for (const revision of revisions) {
  test(`[BASE-18] [LIFE-3] a client sends each message separately on ${revision}, however many start at once`, async () => {
    const { client, peer } = await connectScripted({
      ...agreesOn(revision, { capabilities: { tools: {} } }),
      'tools/call': { content: [] },
    });
    await Promise.all(Array.from({ length: 20 }, (_, at) => client.call(`t${at}`)));
    assert.ok(peer.texts.length >= 21);
    for (const text of peer.texts) assert.match(text, /^\{/);
    await client.close();
  });
}
