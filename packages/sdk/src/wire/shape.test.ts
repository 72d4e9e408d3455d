import assert from 'node:assert/strict';
import { test } from 'node:test';
import { frozen } from '../../test/frozen.ts';
import { flag, listOf, listOfSome, members, Mismatch, number, object, oneOf, type Shape, text } from './shape.ts';

function mismatch(shape: Shape, value: unknown, message: string): void {
  assert.throws(
    () => shape(frozen(value), 'it'),
    (error) => error instanceof Mismatch && error.message === message,
  );
}

test('a value of the right type is returned itself', () => {
  for (const [shape, value] of [
    [text, ''],
    [number, 0],
    [flag, false],
    [object, {}],
    [oneOf('a', 'b'), 'b'],
    [listOf(text), ['a']],
    [members({ a: text }, { b: number }), { a: '', b: 1, c: null }],
  ] as const) {
    assert.equal(shape(frozen(value), 'it'), value);
  }
});

test('a value of another type is an error with the path', () => {
  mismatch(text, 1, 'it must be a string');
  mismatch(number, '1', 'it must be a number');
  mismatch(flag, null, 'it must be a boolean');
  mismatch(object, [], 'it must be an object');
  mismatch(oneOf('a', 'b'), 'toString', 'it must be one of a, b');
  mismatch(listOf(text), { length: 0 }, 'it must be an array');
  mismatch(listOf(listOf(text)), [[], ['a', 1]], 'it[1][1] must be a string');
  mismatch(members({ a: members({ b: text }) }), { a: {} }, 'it.a.b must be a string');
  mismatch(members({}, { a: text }), { a: 1 }, 'it.a must be a string');
});

test('an inherited member does not count', () => {
  mismatch(members({ a: text }), Object.create({ a: 'x' }), 'it.a must be a string');
});

test('an optional member is left out if it is null, or malformed and reported', () => {
  const problems: string[] = [];
  const shape = listOfSome(members({ a: text }, { b: number, c: listOfSome(text) }));
  const value = frozen([{ a: '', b: null, c: ['x', 1] }, { a: 1 }, { a: '', b: 'y' }, { a: '', b: 2 }]);
  const out = shape(value, 'it', (problem) => problems.push(problem)) as unknown[];
  assert.deepEqual(out, [{ a: '', c: ['x'] }, { a: '' }, { a: '', b: 2 }]);
  assert.equal(out[2], value[3]);
  assert.deepEqual(problems, ['it[0].c[1] must be a string', 'it[1].a must be a string', 'it[2].b must be a number']);
});

test('an error that is not a mismatch is not swallowed', () => {
  const broken: Shape = () => {
    throw new TypeError('a bug');
  };
  assert.throws(() => listOfSome(broken)([1], 'it', () => {}), TypeError);
  assert.throws(() => members({}, { a: broken })({ a: 1 }, 'it', () => {}), TypeError);
});
