import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { JsonObject } from '../../protocol/jsonrpc.ts';
import { ClientRequests } from './client-requests.ts';
import type { MessageWriter } from './server-call.ts';

interface Sent {
  readonly id?: number;
  readonly method: string;
  readonly params: JsonObject;
}

function stage({ maxMs = 60_000, ready = false } = {}) {
  const sent: Sent[] = [];
  let lastId = 0;
  const requests = new ClientRequests(() => ++lastId, maxMs, ready);
  const writer: MessageWriter = { send: (text) => void sent.push(JSON.parse(text) as Sent) };
  const ask = (method: string, params: JsonObject, signal: AbortSignal): Promise<JsonObject> =>
    requests.request(method, params, signal, writer);
  return { requests, sent, ask };
}

function never(): AbortSignal {
  return new AbortController().signal;
}

test('[LIFE-7] no question is sent before the client is ready, and then all are, in order', async () => {
  const { requests, sent, ask } = stage();
  const first = ask('roots/list', {}, never());
  const second = ask('ping', {}, never());
  assert.deepEqual(sent, []);
  requests.start();
  assert.deepEqual(
    sent.map(({ id, method }) => [id, method]),
    [
      [1, 'roots/list'],
      [2, 'ping'],
    ],
  );
  assert.equal(requests.settle({ jsonrpc: '2.0', id: 2, result: { b: 2 } }), true);
  assert.equal(requests.settle({ jsonrpc: '2.0', id: 1, result: { a: 1 } }), true);
  assert.deepEqual([await first, await second], [{ a: 1 }, { b: 2 }]);
});

test('a question to a client that never becomes ready ends with its call, and is not sent', async () => {
  const { requests, sent, ask } = stage();
  const controller = new AbortController();
  const asked = ask('roots/list', {}, controller.signal);
  controller.abort();
  await assert.rejects(asked, { name: 'AbortError' });
  requests.start();
  assert.deepEqual(sent, []);
});

test('a question to a client that never becomes ready ends in time', async () => {
  const { sent, ask } = stage({ maxMs: 10 });
  await assert.rejects(ask('roots/list', {}, never()), { name: 'TimeoutError' });
  assert.deepEqual(sent, []);
});

test('[CANC-5] a question is cancelled on the wire when its call is aborted or it takes too long', async () => {
  const { requests, sent, ask } = stage({ maxMs: 10 });
  requests.start();
  const controller = new AbortController();
  const aborted = ask('roots/list', {}, controller.signal);
  controller.abort(new DOMException('enough', 'AbortError'));
  await assert.rejects(aborted, { name: 'AbortError' });
  await assert.rejects(ask('roots/list', {}, never()), { name: 'TimeoutError' });
  const cancels = sent.filter(({ method }) => method === 'notifications/cancelled');
  assert.deepEqual(
    cancels.map(({ params }) => params['requestId']),
    [1, 2],
  );
  assert.equal(cancels[0]!.params['reason'], 'enough');
  await assert.rejects(ask('roots/list', {}, controller.signal), { name: 'AbortError' });
  assert.equal(sent.length, 4);
});

test('[CANC-7] a response without a waiting request is not accepted: late, repeated, or with another type of id', async () => {
  const { requests, ask } = stage();
  requests.start();
  const asked = ask('roots/list', {}, never());
  for (const id of ['1', 2, null, undefined])
    assert.equal(requests.settle({ jsonrpc: '2.0', ...(id === undefined ? {} : { id }), result: {} }), false);
  assert.equal(requests.settle({ jsonrpc: '2.0', id: 1, error: { code: -1, message: 'no' } }), true);
  assert.equal(requests.settle({ jsonrpc: '2.0', id: 1, result: {} }), false);
  await assert.rejects(asked, { name: 'ProtocolError', code: -1 });
});

test('closing rejects all waiting questions, sent or not, and all later ones', async () => {
  const { requests, ask } = stage();
  const early = ask('roots/list', {}, never());
  requests.close();
  await assert.rejects(early, { name: 'ConnectionError' });
  await assert.rejects(ask('roots/list', {}, never()), { name: 'ConnectionError' });
});
