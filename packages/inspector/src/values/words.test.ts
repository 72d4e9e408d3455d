import assert from 'node:assert/strict';
import { test } from 'node:test';
import { HIDDEN_SAMPLES } from '@tenon/values/fixtures/hidden-samples';
import { listed, quoted, shown } from './words.ts';

test('a text is cut between characters', () => {
  assert.equal(shown('日😀日', 2), '日…');
  assert.equal(quoted('日😀日', 3), '"日😀…"');
});

test('an invisible character is shown as an escape sequence', () => {
  for (const hidden of HIDDEN_SAMPLES)
    for (const text of [shown(`a${hidden}b`), quoted(`a${hidden}b`), listed([`a${hidden}b`])])
      assert.match(text, /a\\u(?:[0-9a-f]{4}|\{[0-9a-f]{5}\})b/);
  assert.equal(shown('a\n\u{e0041}日本'), String.raw`a\u000a\u{e0041}日本`);
});
