import assert from 'node:assert/strict';
import { test } from 'node:test';
import { contents, embed } from './content.ts';

test('contents without a media type have no member for it, so that they can be spread over other members', () => {
  assert.deepEqual(contents('note:///1', 'text'), { uri: 'note:///1', text: 'text' });
  assert.deepEqual(contents('note:///1', new Uint8Array([1])), { uri: 'note:///1', blob: 'AQ==' });
  assert.deepEqual(embed('note:///1', 'text'), { type: 'resource', resource: { uri: 'note:///1', text: 'text' } });
  assert.deepEqual(contents('note:///1', '{}', { mimeType: 'application/json' }), {
    uri: 'note:///1',
    mimeType: 'application/json',
    text: '{}',
  });
});
