import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isDeeper } from './depth.ts';

test('values without members have no depth', () => {
  for (const value of [1, 'a', null, true, undefined]) assert.equal(isDeeper(value, 0), false);
});

test('each object and array is a level', () => {
  for (const [value, depth] of [
    [{}, 1],
    [[], 1],
    [{ a: 1 }, 1],
    [[1, { a: [] }], 3],
    [{ a: 1, b: { c: {} } }, 3],
  ] as const) {
    assert.equal(isDeeper(value, depth), false, JSON.stringify(value));
    assert.equal(isDeeper(value, depth - 1), true, JSON.stringify(value));
  }
});

test('a hundred thousand levels are measured without recursion', () => {
  const deep: unknown = JSON.parse(`${'['.repeat(5_000)}${']'.repeat(5_000)}`);
  assert.equal(isDeeper(deep, 4_999), true);
  assert.equal(isDeeper(deep, 5_000), false);
  let built: unknown[] = [];
  for (let level = 1; level < 100_000; level++) built = [built];
  assert.equal(isDeeper(built, 99_999), true);
  assert.equal(isDeeper(built, 100_000), false);
});
