import assert from 'node:assert/strict';
import { test } from 'node:test';
import { shown } from './text.ts';

test('a text is cut, and its control characters are made visible', () => {
  assert.equal(shown('abc', 2), 'ab…');
  assert.equal(shown('a\n\u001b[31m\u202e'), 'a\\u000a\\u001b[31m\\u202e');
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
