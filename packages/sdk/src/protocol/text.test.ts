import assert from 'node:assert/strict';
import { test } from 'node:test';
import { shown } from './text.ts';

test('a text is cut, and its control characters are made visible', () => {
  assert.equal(shown('abc', 2), 'ab…');
  assert.equal(shown('a\n\u001b[31m\u202e'), 'a\\u000a\\u001b[31m\\u202e');
});

test('what is shown is well-formed, also where a text is cut within a character', () => {
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

test('a value that is no text is named, whatever members it has', () => {
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
