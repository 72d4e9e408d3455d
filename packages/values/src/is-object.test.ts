import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isObject } from './is-object.ts';

test('an object has members, and is neither null nor an array', () => {
  for (const value of [{}, { a: 1 }, Object.create(null)]) assert.equal(isObject(value), true);
  for (const value of [null, undefined, [], 'text', 5, () => 1]) assert.equal(isObject(value), false);
});
