import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { JsonObject, Request } from '../protocol/jsonrpc.ts';
import { messageText } from './encoded-meta.ts';
import { JsonError } from './json.ts';

const _meta = { 'a/b': '"}', c: { d: [] } };
const META = { revision: '2026-07-28', value: _meta, text: JSON.stringify(_meta) } as const;

function request(params: JsonObject | undefined, id: Request['id'] = 1): Request {
  return { jsonrpc: '2.0', id, method: 'm', params: params as JsonObject };
}

test('encoded _meta is in the params of a request, whatever they are', () => {
  for (const params of [
    {},
    { gone: undefined },
    { arguments: {} },
    { name: 'echo', arguments: { text: '{}}' } },
    { list: [{}] },
  ])
    for (const id of [0, 'a', '{}}'])
      assert.deepEqual(JSON.parse(messageText(request(params, id), META)), {
        ...request(undefined, id),
        params: { ...JSON.parse(JSON.stringify(params)), _meta },
      });
});

test('without it a message is sent as it is', () => {
  const message = request({ _meta: { own: 1 } });
  assert.equal(messageText(message, undefined), JSON.stringify(message));
  assert.throws(() => messageText(request({ big: 1n }), META), JsonError);
});

test('what a method toJSON of the params gives is sent, with it if that is an object', () => {
  for (const given of [{ inner: 1, _meta: {} }, {}]) {
    const text = messageText(request({ toJSON: () => given }), META);
    assert.deepEqual(JSON.parse(text), request({ ...given, _meta }));
  }
  for (const given of [[1], [{}], 'text', '}', 5]) {
    const text = messageText(request({ toJSON: () => given }), META);
    assert.equal(text, JSON.stringify(request(given as never)));
  }
});
