import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { HIDDEN_SAMPLES } from '@tenon/values/fixtures/hidden-samples';
import { truncate, displayText } from './plain-text.ts';

test('invisible characters are escaped, and visible ones stay', () => {
  assert.equal(displayText('Grüße 日本 👍 a-b_c'), 'Grüße 日本 👍 a-b_c');
  assert.equal(displayText('\u001b[2J\u202e\u200b\ufe0f\u034f'), String.raw`\u001b[2J\u202e\u200b\ufe0f\u034f`);
  assert.equal(displayText('\u{e0041}\u{e0101}\ud800'), String.raw`\u{e0041}\u{e0101}\ud800`);
  for (const hidden of HIDDEN_SAMPLES) assert.ok(!displayText(`a${hidden}b`).includes(hidden));
});

test('a text is never longer than its limit, and no character is split', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), fc.integer({ min: 2, max: 20 }), (text, most) => {
      const cut = truncate(text, most);
      assert.ok(cut.length <= most && cut.isWellFormed());
      assert.ok(text.length > most ? cut.endsWith('…') : cut === text);
    }),
  );
});

test('a message for display keeps its lines, is short, and has invisible characters escaped', () => {
  assert.equal(displayText('one\ntwo \u001b[2J\ud800'), String.raw`one` + '\n' + String.raw`two \u001b[2J\ud800`);
  const long = displayText('\u0000'.repeat(1_000_000));
  assert.ok(long.length <= 2_000 && long.endsWith('…'));
});
