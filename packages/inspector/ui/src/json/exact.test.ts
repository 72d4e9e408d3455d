import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import {
  compact,
  exactNumber,
  jsonProblem,
  numberText,
  plain,
  readExact,
  UnmarkableError,
  writeExact,
} from './exact.ts';

test('a number is written as it was read, even if JavaScript would change it', () => {
  for (const number of [
    '9007199254740993',
    '-12345678901234567890',
    '0.10000000000000000001',
    '1.0',
    '1.50',
    '1e400',
    '1E5',
    '-0',
    '100000000000000000000000',
    '7',
  ]) {
    const text = `{"a":[${number}],"b":${number}}`;
    assert.equal(writeExact(readExact(text)), text);
    assert.equal(numberText(exactNumber(number)), number);
  }
});

test('any JSON keeps its values', () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      const text = JSON.stringify(value);
      if (text.includes(String.raw`\u0000`)) return;
      assert.equal(writeExact(readExact(text)), JSON.stringify(JSON.parse(text)));
      assert.equal(writeExact(readExact(text), '  '), JSON.stringify(JSON.parse(text), undefined, 2));
    }),
  );
});

test('every integer keeps all its digits', () => {
  fc.assert(
    fc.property(fc.bigInt(), (number) => {
      assert.equal(writeExact(readExact(`[${number}]`)), `[${number}]`);
    }),
  );
});

test('digits in strings and names are text', () => {
  const text = '{"9007199254740993":"9007199254740993 \\" 1.0","x":"\\\\"}';
  assert.equal(writeExact(readExact(text)), text);
});

test('a text that contains the mark is rejected, and does not become a number', () => {
  assert.throws(() => readExact(String.raw`{"a":"\u0000#9007199254740993"}`), UnmarkableError);
  assert.throws(() => readExact('{"a":}'), SyntaxError);
});

test('a marked text that is not a number stays a string', () => {
  assert.equal(writeExact('\u0000#x"'), JSON.stringify('\u0000#x"'));
  assert.equal(numberText('\u0000#x'), undefined);
});

test('undefined members are left out, and undefined items become null', () => {
  assert.equal(writeExact({ a: undefined, b: [undefined, 1] }), '{"b":[null,1]}');
  assert.deepEqual(plain({ a: undefined, b: [undefined, exactNumber('1.0')] }), { b: [null, 1] });
});

test('a member called __proto__ is a member', () => {
  assert.equal(writeExact(readExact('{"__proto__":{"a":1.0}}')), '{"__proto__":{"a":1.0}}');
});

test('a validator sees numbers', () => {
  assert.deepEqual(plain(readExact('{"a":9007199254740993,"b":["1.0",2.0]}')), { a: 9007199254740992, b: ['1.0', 2] });
});

test('a compact text has spaces only in strings', () => {
  assert.equal(compact('{\n  "a b": [ 1.0, "x  y\\" " ]\n}'), '{"a b":[1.0,"x  y\\" "]}');
  fc.assert(
    fc.property(fc.jsonValue(), (value) =>
      assert.equal(compact(JSON.stringify(value, undefined, 3)), JSON.stringify(value)),
    ),
  );
});

test('the error of invalid JSON is reported', () => {
  assert.equal(jsonProblem('{}'), undefined);
  assert.match(jsonProblem('{') ?? '', /JSON/);
});
