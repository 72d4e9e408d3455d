import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Leaf, rewriteJson } from './rewrite-json.ts';

function leavesOf(text: string): (Leaf & { readonly at: string })[] {
  const found: (Leaf & { readonly at: string })[] = [];
  rewriteJson(text, (leaf) => {
    found.push({ ...leaf, at: leaf.path().join('.') });
    return undefined;
  });
  return found;
}

test('each value has the path of its members; arrays add no name', () => {
  const text = '{"a":1,"b":{"c":["x",{"d":[[true]]},"y"],"a":null},"e":[-1.5e3]}';
  assert.deepEqual(
    leavesOf(text)
      .filter(({ isName }) => !isName)
      .map(({ at, value, name }) => `${at} ${name} ${value}`),
    ['a a 1', 'b.c c x', 'b.c.d d true', 'b.c c y', 'b.a a null', 'e e -1.5e3'],
  );
});

test('names are distinguished from strings, and strings are decoded', () => {
  assert.deepEqual(
    leavesOf('{"\\u0061" : "\\"b\\\\", "":["\\ud83c\\udf89"]}').map(({ value, isName, type }) => [value, isName, type]),
    [
      ['a', true, 'string'],
      ['"b\\', false, 'string'],
      ['', true, 'string'],
      ['🎉', false, 'string'],
    ],
  );
});

test('replaced values are replaced, and everything else stays exactly the same', () => {
  const text = ' { "id" : 1.0 ,\n"x":{"id":2}, "y":[ "\\u0041" ]}\t';
  assert.equal(
    rewriteJson(text, ({ name, isName, path }) =>
      !isName && name === 'id' && path().length === 1 ? '"new"' : undefined,
    ),
    ' { "id" : "new" ,\n"x":{"id":2}, "y":[ "\\u0041" ]}\t',
  );
  assert.equal(
    rewriteJson('7', () => '8'),
    '8',
  );
});
