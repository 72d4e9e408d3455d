import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { canonicalJsonText } from './canonical-json-text.ts';

test('two ways to write a value have the same text', () => {
  const rows: [string, string][] = [
    ['{"a":1,"b":2}', ' { "b" : 2.0, "a":1e0 } '],
    ['"\\u00e9"', '"é"'],
    ['[1,[2,{}]]', '[ 1 , [ 2 , { } ] ]'],
    ['{"a":1,"a":2}', '{"a":2}'],
    ['100', '1e2'],
  ];
  for (const [a, b] of rows) assert.equal(canonicalJsonText(a), canonicalJsonText(b), a);
});

test('different values have different texts', () => {
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

test('spaces and the order of members do not change the text of a value', () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      assert.equal(canonicalJsonText(JSON.stringify(value)), canonicalJsonText(JSON.stringify(value, undefined, 3)));
    }),
  );
});
