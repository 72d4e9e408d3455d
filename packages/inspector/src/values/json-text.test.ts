import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { depthOf, memberText, numbersIn, prettyJson } from './json-text.ts';

function spaced(value: unknown): string {
  return JSON.stringify(value, undefined, 3);
}

test('formatting does not change the value', () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      assert.deepEqual(JSON.parse(prettyJson(spaced(value))), JSON.parse(JSON.stringify(value)));
      assert.equal(prettyJson(JSON.stringify(value)), JSON.stringify(JSON.parse(JSON.stringify(value)), undefined, 2));
    }),
  );
});

test('numbers and strings keep their spelling', () => {
  assert.equal(
    prettyJson('{"a":9007199254740993,"b":[1.10,-0,1E5],"c":"\\u0041","d":{},"e":[ ]}'),
    '{\n  "a": 9007199254740993,\n  "b": [\n    1.10,\n    -0,\n    1E5\n  ],\n  "c": "\\u0041",\n  "d": {},\n  "e": []\n}',
  );
});

test('a member is found by its name, whatever its value', () => {
  fc.assert(
    fc.property(fc.dictionary(fc.string(), fc.jsonValue()), fc.string(), fc.jsonValue(), (others, name, value) => {
      const object = { ...others, [name]: value };
      for (const text of [JSON.stringify(object), spaced(object)]) {
        assert.deepEqual(JSON.parse(memberText(text, name)!), JSON.parse(JSON.stringify(value)));
      }
    }),
  );
});

test('a member is text of the original', () => {
  assert.equal(memberText(' { "id" : 1 , "result" : { "n" : 1.10 } }', 'result'), '{ "n" : 1.10 }');
  assert.equal(memberText('{"a":1,"a":2}', 'a'), '2');
  assert.equal(memberText('{"__proto__":[1]}', '__proto__'), '[1]');
});

test('only objects have members, and a name inside a string does not count', () => {
  assert.equal(memberText('[{"a":1}]', 'a'), undefined);
  assert.equal(memberText('{"x":{"a":1},"y":"\\"a\\":2"}', 'a'), undefined);
  assert.equal(memberText('{}', 'a'), undefined);
});

test('numbers are found outside of strings only', () => {
  assert.deepEqual([...numbersIn('{"1":-2.5e3,"x":"7 \\" 8","y":[9,true]}')], ['-2.5e3', '9']);
});

test('a text of a hundred thousand brackets is formatted, and its depth measured', () => {
  const text = '['.repeat(100_000) + ']'.repeat(100_000);
  assert.ok(prettyJson(text).length < 100_000_000);
  assert.equal(depthOf(text), 100_000);
  assert.deepEqual(['1', '"[["', '{"a":[1,{}]}'].map(depthOf), [0, 0, 3]);
});
