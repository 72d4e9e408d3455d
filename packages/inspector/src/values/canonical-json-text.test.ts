import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { canonicalJsonText } from './canonical-json-text.ts';

test('two ways to write a value are one', () => {
  const rows: [string, string][] = [
    ['{"a":1,"b":2}', ' { "b" : 2.0, "a":1e0 } '],
    ['"\\u00e9"', '"é"'],
    ['[1,[2,{}]]', '[ 1 , [ 2 , { } ] ]'],
    ['{"a":1,"a":2}', '{"a":2}'],
    ['100', '1e2'],
  ];
  for (const [a, b] of rows) assert.equal(canonicalJsonText(a), canonicalJsonText(b), a);
});

test('two values are never one', () => {
  const rows: [string, string][] = [
    ['9007199254740993', '9007199254740992'],
    ['"1"', '1'],
    ['[]', '{}'],
    ['[1,2]', '[2,1]'],
    ['null', 'false'],
    ['"a b"', '"a  b"'],
  ];
  for (const [a, b] of rows) assert.notEqual(canonicalJsonText(a), canonicalJsonText(b), a);
});

test('whatever its spaces and the order of its members, a value keeps its text', () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      assert.equal(canonicalJsonText(JSON.stringify(value)), canonicalJsonText(JSON.stringify(value, undefined, 3)));
    }),
  );
});
