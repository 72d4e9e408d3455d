import assert from 'node:assert/strict';
import { test } from 'node:test';
import { HIDDEN_SAMPLES } from '../../../values/src/fixtures/hidden-samples.ts';
import { HIDDEN, shown } from './text.ts';

test('a text is shortened, and its control characters are escaped', () => {
  assert.equal(shown('abc', 2), 'ab…');
  assert.equal(shown('a\n\u001b[31m\u202e'), 'a\\u000a\\u001b[31m\\u202e');
});

test('an invisible character is escaped', () => {
  for (const hidden of HIDDEN_SAMPLES) assert.match(shown(`a${hidden}b`), /^a\\u(?:[0-9a-f]{4}|\{[0-9a-f]{5}\})b$/);
  assert.equal(shown('\u{e0163}\u034f\u3164'), String.raw`\u{e0163}\u034f\u3164`);
});

test('every character that is invisible, acts on the display or changes the direction of writing counts as hidden', () => {
  // Written independently of the code, as ranges.
  const ranges = [
    [0x00, 0x1f],
    [0x7f, 0x9f],
    [0xad, 0xad],
    [0x034f, 0x034f],
    [0x061c, 0x061c],
    [0x115f, 0x1160],
    [0x17b4, 0x17b5],
    [0x180b, 0x180f],
    [0x200b, 0x200f],
    [0x2028, 0x202e],
    [0x2060, 0x206f],
    [0x3164, 0x3164],
    [0xd800, 0xdfff],
    [0xfe00, 0xfe0f],
    [0xfeff, 0xfeff],
    [0xffa0, 0xffa0],
    [0xfff0, 0xfffc],
    [0x1bca0, 0x1bca3],
    [0x1d173, 0x1d17a],
    [0xe0000, 0xe0fff],
  ] as const;
  const wanted = new Set(
    ranges.flatMap(([first, last]) => Array.from({ length: last - first + 1 }, (_, at) => first + at)),
  );
  const hidden = new RegExp(HIDDEN, 'u');
  const found = new Set<number>();
  for (let code = 0; code <= 0x10ffff; code++) if (hidden.test(String.fromCodePoint(code))) found.add(code);
  assert.deepEqual(found, wanted);
});

test('the result is well-formed, even where a text is cut within a character', () => {
  const cases: [text: string, max: number, text: string][] = [
    ['a\ud800b', 120, 'a\\ud800b'],
    ['\udc00', 120, '\\udc00'],
    ['\udc00\ud800', 120, '\\udc00\\ud800'],
    ['日😀', 120, '日😀'],
    ['a😀', 2, 'a…'],
    ['a😀', 3, 'a😀'],
    ['a\ud800\ud800', 2, 'a\\ud800…'],
  ];
  for (const [text, max, wanted] of cases) {
    assert.equal(shown(text, max), wanted);
    assert.ok(shown(text, max).isWellFormed());
  }
});

test('a value that is not text is shown as its type, whatever members it has', () => {
  const cases: [unknown, string][] = [
    [5, '5'],
    [null, 'null'],
    [undefined, 'undefined'],
    [true, 'true'],
    [JSON.parse('{"toString":1}'), '[object]'],
    [JSON.parse('[{"toString":1}]'), '[array]'],
    [Object.create(null), '[object]'],
  ];
  for (const [value, text] of cases) assert.equal(shown(value), text);
});
