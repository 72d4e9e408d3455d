import assert from 'node:assert/strict';
import { test } from 'node:test';
import { HIDDEN_SAMPLES } from './fixtures/hidden-samples.ts';
import { escapeHidden, hiddenInText } from './hidden.ts';

function inText(text: string): string {
  return escapeHidden(text, hiddenInText());
}

test('a hidden character is escaped in a text, wherever it is', () => {
  for (const hidden of [...HIDDEN_SAMPLES, '\r', '\u001b', '\u202e', '\u2028', '\ud800', '\ufe01'])
    for (const text of [hidden, `a${hidden}b`, `👩${hidden}🚀`, `م${hidden}م`])
      assert.ok(!inText(text).includes(hidden), JSON.stringify(text));
});

test('emoji, line breaks and the spelling of any script are unchanged', () => {
  for (const text of ['👩‍💻 👩🏽‍🚀 👨‍👩‍👧 ❤️ ⚠️ 1️⃣ ❤️‍🔥 🏳️‍🌈', 'two\nlines\tand a tab', 'می‌خواهم', 'क्‍ष', '漢字 ü é שלום'])
    assert.equal(inText(text), text);
});

test('joiners and selectors that join nothing are escaped', () => {
  assert.equal(inText('igno\u200cre\u200d \ufe0f1\ufe0f'), String.raw`igno\u200cre\u200d \ufe0f1\ufe0f`);
  assert.equal(inText('👩\u200d\u200d🚀 م\u200c\u200cم'), String.raw`👩\u200d\u200d🚀 م\u200c\u200cم`);
  assert.equal(inText('❤\ufe0f\ufe0f'), '❤\ufe0f' + String.raw`\ufe0f`);
});
