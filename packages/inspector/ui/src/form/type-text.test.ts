import assert from 'node:assert/strict';
import { test } from 'node:test';
import { typeText } from './type-text.ts';

test('the type of a field is described in a few words', () => {
  assert.equal(typeText({ type: 'integer', minimum: 1, maximum: 10 }), 'integer 1…10');
  assert.equal(typeText({ type: 'number', exclusiveMinimum: 0 }), 'number > 0');
  assert.equal(typeText({ type: 'string', maxLength: 20, format: 'email' }), 'string ≤ 20 characters email');
  assert.equal(typeText({ type: 'string', pattern: '^a$' }), 'string /^a$/');
  assert.equal(typeText({ type: 'array', minItems: 1 }), 'array ≥ 1 items');
  assert.equal(typeText({ const: 'a' }), 'always "a"');
  assert.equal(typeText({ enum: [1, 2] }), 'one of 2');
  assert.equal(typeText({ type: 'object', oneOf: [{}, {}, {}] }), 'one of 3');
  assert.equal(typeText({}), 'any');
});

test('invisible characters in it are shown', () => {
  assert.equal(typeText({ type: 'string', format: 'a\u202eb' }), 'string a\\u{202E}b');
});
