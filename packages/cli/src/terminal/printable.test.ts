import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { HIDDEN_SAMPLES } from '@tenon/values/fixtures/hidden-samples';
import { oneLine, printable, printableJson } from './printable.ts';
import { fitted, table, width } from './table.ts';

// Independent of the implementation: characters that a terminal acts on, and those that hide or reverse text.
function acts(text: string): boolean {
  return [...text].some((sign) => {
    const code = sign.codePointAt(0)!;
    return (
      (code < 0x20 && sign !== '\n' && sign !== '\t') ||
      (code >= 0x7f && code < 0xa0) ||
      (code >= 0x202a && code <= 0x202e) ||
      (code >= 0xe0000 && code < 0xe0080)
    );
  });
}

const hostile = fc.string({
  unit: fc.oneof(
    fc.constantFrom('\u001b', '\u0007', '\0', '\r', '\u009b', '\u202e', '\u{e0041}', '\u200b', '\n'),
    fc.string({ unit: 'binary', maxLength: 1 }),
  ),
});

test('[A-85] no characters that a terminal acts on are left', () => {
  fc.assert(
    fc.property(hostile, (text) => {
      assert.equal(acts(printable(text)), false);
      assert.doesNotMatch(oneLine(text), /[\n\t]/);
    }),
  );
  assert.equal(printable('\u001b[2J\u0007\u0000'), '\\u001b[2J\\u0007\\u0000');
  assert.equal(printable('a\u202Eb\u{E0041}'), 'a\\u202eb\\u{e0041}');
});

test('an invisible character is shown as an escape', () => {
  for (const hidden of HIDDEN_SAMPLES)
    for (const show of [printable, oneLine, printableJson]) assert.ok(!show(`"a${hidden}b"`).includes(hidden));
  assert.equal(printable('notes\u{e0163}\u034f\u3164\uffa0.txt'), String.raw`notes\u{e0163}\u034f\u3164\uffa0.txt`);
});

test('plain text of any language is unchanged', () => {
  const text = 'Grüße, 世界 שלום 👩‍💻\n\ttab';
  assert.equal(printable(text), text);
  assert.equal(printable('a\r\nb'), 'a\nb');
});

test('[A-85] JSON on a terminal keeps its meaning and has no control characters', () => {
  fc.assert(
    fc.property(hostile, (text) => {
      const shown = printableJson(JSON.stringify({ [text]: text }));
      assert.equal(acts(shown), false);
      assert.deepEqual(JSON.parse(shown), { [text]: text });
    }),
  );
});

test('a line is shortened to its maximum length', () => {
  assert.equal(oneLine('abcdef', 4), 'abc…');
  assert.equal(oneLine('abcd', 4), 'abcd');
  assert.ok(oneLine('x'.repeat(10_000), 80).length === 80);
});

test('columns are aligned by their width on a terminal', () => {
  assert.equal(width('世界'), 4);
  assert.equal(width('e\u0301'), 1);
  assert.equal(fitted('世界世界', 5), '世界…');
  const lines = table(
    [
      ['a', 'first'],
      ['世界', 'second'],
    ],
    80,
  );
  assert.deepEqual(lines, ['  a     first', '  世界  second']);
});

test('a long first column moves the second to its own line', () => {
  const lines = table(
    [
      ['short', 'one'],
      ['x'.repeat(50), 'two'],
      ['y', ''],
    ],
    60,
  );
  assert.deepEqual(lines, ['  short  one', `  ${'x'.repeat(50)}`, '         two', '  y']);
});

test('rows are not wider than the terminal', () => {
  for (const line of table([['name', 'z'.repeat(500)]], 60)) assert.ok(width(line) <= 60);
});
