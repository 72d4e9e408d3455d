import assert from 'node:assert/strict';
import { test } from 'node:test';
import { viewsOf } from './result-views.ts';

function content(value: unknown) {
  return viewsOf(JSON.stringify(value)).content;
}

test('the content of tools, prompts and resources is shown in the same way', () => {
  assert.deepEqual(content({ content: [{ type: 'text', text: 'a' }] }), [{ type: 'text', text: 'a', about: {} }]);
  assert.deepEqual(content({ messages: [{ role: 'user', content: { type: 'text', text: 'a' } }] }), [
    { type: 'text', text: 'a', about: { role: 'user' } },
  ]);
  assert.deepEqual(content({ contents: [{ uri: 'x:1', mimeType: 'text/plain', text: 'a' }] }), [
    { type: 'text', text: 'a', about: { uri: 'x:1', mimeType: 'text/plain' } },
  ]);
});

test('binary data of a resource are an image, audio, or plain data', () => {
  const kinds = ['image/png', 'audio/wav', 'application/zip', undefined].map(
    (mimeType) => content({ contents: [{ uri: 'x:1', mimeType, blob: 'AA==' }] })?.[0]?.type,
  );
  assert.deepEqual(kinds, ['image', 'audio', 'blob', 'blob']);
});

test('embedded resources and links are recognized', () => {
  assert.deepEqual(content({ content: [{ type: 'resource', resource: { uri: 'x:1', text: 'a' } }] }), [
    { type: 'text', text: 'a', about: { uri: 'x:1', mimeType: undefined } },
  ]);
  assert.deepEqual(content({ content: [{ type: 'resource_link', uri: 'x:1', name: 'n' }] }), [
    { type: 'link', uri: 'x:1', name: 'n', description: undefined, about: {} },
  ]);
});

test('unknown content is shown unchanged, and breaks nothing', () => {
  for (const block of [
    null,
    1,
    'x',
    {},
    { type: 'text' },
    { type: 'image', data: 1 },
    { type: 'resource' },
    { type: 'new' },
  ])
    assert.equal(content({ content: [block] })?.[0]?.type, 'unknown', JSON.stringify(block));
  for (const result of ['null', '[]', '1', 'no JSON', '{}', '{"content":1}'])
    assert.equal(viewsOf(result).content, undefined);
  assert.equal(viewsOf(undefined).content, undefined);
});

test('structured content is as the server sent it', () => {
  assert.equal(viewsOf('{"structuredContent":{"n":9007199254740993}}').structured, '{"n":9007199254740993}');
});
