import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Side, TraceLine } from './line.ts';
import { createTraceIndex } from './trace-index.ts';

/** A trace of messages: each with who wrote it, and perhaps its session. */
const indexed = (...messages: readonly (readonly [from: Side, message: unknown, session?: string])[]) => {
  const index = createTraceIndex();
  messages.forEach(([from, message, session = 's'], at) => {
    const text = typeof message === 'string' ? message : JSON.stringify(message);
    index.add({ n: at + 1, at: (at + 1) * 10, session, kind: 'message', from, text } satisfies TraceLine);
  });
  return index;
};

const request = (id: unknown, method = 'tools/call', params?: object): object => ({
  jsonrpc: '2.0',
  id,
  method,
  ...(params === undefined ? {} : { params }),
});
const result = (id: unknown, value: object = {}): object => ({ jsonrpc: '2.0', id, result: value });

test('an answer finds its request, of the other side, the same session and the same type of id', () => {
  const { all } = indexed(
    ['client', request(1)],
    ['client', request('1')],
    ['server', request(1, 'roots/list')],
    ['client', request(1), 'other'],
    ['server', result(1)],
    ['client', result(1)],
    ['server', result('1')],
  );
  assert.deepEqual(
    all.map(({ pair }) => pair),
    [5, 7, 6, undefined, 1, 3, 2],
  );
  assert.deepEqual([all[4]!.method, all[4]!.ms, all[0]!.ms, all[4]!.cause], ['tools/call', 40, 40, 1]);
});

test('an answer is given once, and an id that is used again belongs to who asked first', () => {
  const { all } = indexed(
    ['client', request(1)],
    ['client', request(1, 'ping')],
    ['server', result(1)],
    ['server', result(1)],
  );
  assert.deepEqual(
    all.map(({ pair }) => pair),
    [3, undefined, 1, undefined],
  );
});

test('how a request ended stands with both', () => {
  const { all } = indexed(
    ['client', request(1)],
    ['client', request(2)],
    ['client', request(3)],
    ['client', request(4)],
    ['client', request(5)],
    ['server', result(1)],
    ['server', { jsonrpc: '2.0', id: 2, error: { code: -32602, message: 'no' } }],
    ['server', result(3, { isError: true })],
    ['server', result(4, { resultType: 'input_required' })],
  );
  assert.deepEqual(
    all.map(({ outcome }) => outcome),
    ['ok', 'error', 'tool-error', 'input', 'pending', 'ok', 'error', 'tool-error', 'input'],
  );
  assert.equal(all[6]!.code, -32602);
});

test('a cancelled request is cancelled by the one who asked', () => {
  const cancel = { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 1 } };
  const byClient = indexed(['client', request(1)], ['client', cancel]);
  assert.deepEqual([byClient.at(1)!.outcome, byClient.at(2)!.cause], ['cancelled', 1]);
  const byServer = indexed(['client', request(1)], ['server', cancel]);
  assert.deepEqual([byServer.at(1)!.outcome, byServer.at(2)!.cause], ['pending', undefined]);
});

test('what a message is about, and what is none', () => {
  const { all } = indexed(
    ['client', request(1, 'tools/call', { name: 'add' })],
    ['client', request(2, 'resources/read', { uri: 'a://b' })],
    ['client', request(3, 'completion/complete', { ref: { type: 'ref/prompt', name: 'p' } })],
    ['client', '[1,2]'],
    ['client', '{"jsonrpc":"1.0"}'],
    ['client', '{"jsonrpc":"2.0","id":1'],
    ['client', { jsonrpc: '2.0', method: 'a' }],
    ['client', { jsonrpc: '2.0', id: 1, method: 'a', result: {} }],
  );
  assert.deepEqual(
    all.map(({ message, subject }) => [message, subject]),
    [
      ['request', 'add'],
      ['request', 'a://b'],
      ['request', 'p'],
      ['batch', undefined],
      ['invalid', undefined],
      ['invalid', undefined],
      ['notification', undefined],
      ['invalid', undefined],
    ],
  );
});
