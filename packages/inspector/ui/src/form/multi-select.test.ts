import assert from 'node:assert/strict';
import { test } from 'node:test';
import { optionsOf } from './field-parts.ts';
import { choicesOf, chosenIn, isMultiSelect } from './multi-select.ts';

const days = { type: 'array', items: { type: 'string', enum: ['Monday', 'Tuesday', 'Friday'] } };

test('an array of enumerated values is a list of choices with titles', () => {
  assert.deepEqual(
    choicesOf(days)?.map(({ label }) => label),
    ['Monday', 'Tuesday', 'Friday'],
  );
  const sizes = { type: 'array', items: { anyOf: [{ const: 's', title: 'Small' }, { const: 'm' }] } };
  assert.deepEqual(
    choicesOf(sizes)?.map(({ label }) => label),
    ['Small (s)', 'm'],
  );
  assert.equal(choicesOf({ type: 'array', items: { type: 'string' } }), undefined);
  assert.equal(choicesOf({ type: 'string', enum: ['a'] }), undefined);
  assert.equal(choicesOf({ type: 'array', items: { enum: Array.from({ length: 200 }, (_, n) => n) } }), undefined);
});

test('an array that choices cannot represent is edited as a list', () => {
  const options = choicesOf(days)!;
  assert.deepEqual([...chosenIn(options, ['Friday', 'Monday'])!], [2, 0]);
  assert.deepEqual([...chosenIn(options, undefined)!], []);
  for (const list of [['Sunday'], ['Monday', 'Monday'], 'Monday', null])
    assert.equal(isMultiSelect(days, list), false, JSON.stringify(list));
  assert.equal(isMultiSelect(days, []), true);
});

test('the options of an enum have the titles of enumNames', () => {
  assert.deepEqual(
    optionsOf({ enum: ['a', 'b', 1], enumNames: ['The first', 'b'] })?.map(({ label }) => label),
    ['The first (a)', 'b', '1'],
  );
});
