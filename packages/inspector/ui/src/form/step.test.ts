import assert from 'node:assert/strict';
import { test } from 'node:test';
import { stepped, stepsOf } from './step.ts';

test('a step follows the schema, and stays within its bounds', () => {
  for (const [schema, text, by, next] of [
    [{ type: 'integer' }, '4', 1, '5'],
    [{ type: 'integer' }, '-1', 1, '0'],
    [{ type: 'integer', minimum: 1, maximum: 3 }, '3', 1, '3'],
    [{ type: 'integer', minimum: 1, maximum: 3 }, '9', -1, '3'],
    [{ type: 'integer', exclusiveMinimum: 0 }, '1', -1, '1'],
    [{ type: 'integer', minimum: 5 }, '', 1, '5'],
    [{ type: 'integer' }, '', -1, '0'],
    [{ type: 'number', multipleOf: 0.1 }, '0.2', 1, '0.3'],
    [{ type: 'number', maximum: 0.75 }, '0.5', 1, '0.75'],
    [{ type: 'number' }, '1.25', -1, '0.25'],
    [{ type: 'integer' }, '9007199254740993', 1, '9007199254740994'],
    [{ type: 'integer', multipleOf: 10 }, '-90071992547409930', -1, '-90071992547409940'],
  ] as const)
    assert.equal(stepped(text, by, stepsOf(schema)), next, `${JSON.stringify(schema)} ${text}`);
});

test('text that is not a number stays as typed', () => {
  for (const text of ['forty', '1e', ' 1']) assert.equal(stepped(text, 1, stepsOf({ type: 'number' })), text);
});
