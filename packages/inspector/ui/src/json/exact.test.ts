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

test('a number leaves as it was written, whatever JavaScript makes of it', () => {
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

test('every JSON comes back as the same values', () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      const text = JSON.stringify(value);
      if (text.includes(String.raw`\u0000`)) return;
      assert.equal(writeExact(readExact(text)), JSON.stringify(JSON.parse(text)));
      assert.equal(writeExact(readExact(text), '  '), JSON.stringify(JSON.parse(text), undefined, 2));
    }),
  );
});

test('every integer comes back digit by digit', () => {
  fc.assert(
    fc.property(fc.bigInt(), (number) => {
      assert.equal(writeExact(readExact(`[${number}]`)), `[${number}]`);
    }),
  );
});

test('digits inside strings and names are text', () => {
  const text = '{"9007199254740993":"9007199254740993 \\" 1.0","x":"\\\\"}';
  assert.equal(writeExact(readExact(text)), text);
});

test('a text that spells the mark is refused instead of becoming a number', () => {
  assert.throws(() => readExact(String.raw`{"a":"\u0000#9007199254740993"}`), UnmarkableError);
  assert.throws(() => readExact('{"a":}'), SyntaxError);
});

test('a marked text that is no number stays a string', () => {
  assert.equal(writeExact('\u0000#x"'), JSON.stringify('\u0000#x"'));
  assert.equal(numberText('\u0000#x'), undefined);
});

test('what is undefined is left out, and in a list keeps its place', () => {
  assert.equal(writeExact({ a: undefined, b: [undefined, 1] }), '{"b":[null,1]}');
  assert.deepEqual(plain({ a: undefined, b: [undefined, exactNumber('1.0')] }), { b: [null, 1] });
});

test('a member called __proto__ is a member', () => {
  assert.equal(writeExact(readExact('{"__proto__":{"a":1.0}}')), '{"__proto__":{"a":1.0}}');
});

test('a validator sees numbers', () => {
  assert.deepEqual(plain(readExact('{"a":9007199254740993,"b":["1.0",2.0]}')), { a: 9007199254740992, b: ['1.0', 2] });
});

test('a compact text has no spaces but those in strings', () => {
  assert.equal(compact('{\n  "a b": [ 1.0, "x  y\\" " ]\n}'), '{"a b":[1.0,"x  y\\" "]}');
  fc.assert(
    fc.property(fc.jsonValue(), (value) =>
      assert.equal(compact(JSON.stringify(value, undefined, 3)), JSON.stringify(value)),
    ),
  );
});

test('what is wrong with a JSON is said', () => {
  assert.equal(jsonProblem('{}'), undefined);
  assert.match(jsonProblem('{') ?? '', /JSON/);
});
