import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isBase64 } from './base64.ts';

test('base64 has complete groups of valid characters, with padding only at the end', () => {
  for (const text of ['aGk=', 'aGkh', 'aA==', '+/+/', 'a'.repeat(4_000_000)]) assert.equal(isBase64(text), true);
  for (const text of ['', 'aGk', 'aG=k', 'a===', '====', 'aG-_', 'aGk=\n', 'a Gk', 'é日\ud800x'])
    assert.equal(isBase64(text), false, text);
});
