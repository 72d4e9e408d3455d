import assert from 'node:assert/strict';
import { test } from 'node:test';
import { toStandardJsonSchema } from '@valibot/to-json-schema';
import { type } from 'arktype';
import * as v from 'valibot';
import { z } from 'zod';
import type { JsonSchema } from '../../protocol/entities.ts';
import { DEFAULT_LIMITS } from '../../protocol/limits.ts';
import { adaptSchema } from '../../schema/adapt.ts';
import type { Schema } from '../../schema/schema.ts';
import { readArguments } from './prompt-arguments.ts';

/** The value of an argument with this schema; a string if it is invalid. */
function read(property: object, text: string, root: object = {}, limits = DEFAULT_LIMITS): unknown {
  const schema = { type: 'object', properties: { a: property }, ...root } as JsonSchema;
  const checked = readArguments({ a: text }, schema, limits);
  return 'value' in checked ? (checked.value as { a: unknown }).a : `problem: ${checked.issues[0]?.message}`;
}

test('numbers, booleans and null are read as JSON writes them; any other text is left for the schema to refuse', () => {
  const number = { type: 'number' };
  for (const [text, value] of [
    ['5', 5],
    [' -1.5e2 ', -150],
    ['0', 0],
    ['1.0', 1],
    ['100000000000000000000', 1e20],
  ] as const)
    assert.equal(read(number, text), value, text);
  for (const text of ['', '05', '+5', '1,5', '5 apples', 'NaN', 'Infinity', '0x10', 'true', 'null', '[5]', '1-2'])
    assert.equal(read(number, text), text, text);
  const boolean = { type: 'boolean' };
  assert.deepEqual([read(boolean, 'true'), read(boolean, ' false ')], [true, false]);
  for (const text of ['yes', 'True', '1', '', 'null']) assert.equal(read(boolean, text), text, text);
  assert.equal(read({ type: ['number', 'null'] }, 'null'), null);
  assert.equal(read({ enum: [1, 2] }, '2'), 2);
  assert.equal(read({ const: false }, 'false'), false);
  assert.equal(read({ type: 'integer' }, '5.5'), 5.5);
});

test('a number that would lose its value is refused, not rounded', () => {
  for (const text of ['9007199254740993', '0.1000000000000000055511151231257827', '1e999'])
    assert.match(String(read({ type: 'number' }, text)), /^problem: the number .* would lose its value/, text);
  const list = { type: 'array', items: { type: 'number' } };
  for (const text of ['1,9007199254740993', '[1, 9007199254740993]', '[[9007199254740993]]'])
    assert.match(String(read(list, text)), /^problem: the number 9007199254740993 would/, text);
  assert.deepEqual(read(list, '["9007199254740993", 0.1]'), ['9007199254740993', 0.1]);
});

test('where text is allowed too, everything stays text', () => {
  const forms = [
    { type: 'string' },
    { type: ['string', 'number'] },
    {},
    true,
    { anyOf: [{ type: 'array' }, { type: 'string' }] },
  ];
  for (const property of forms as object[])
    for (const text of ['5', 'true', '[1]', 'a,b', ''])
      assert.equal(read(property, text), text, JSON.stringify(property));
});

test('a list is a JSON array, or its items with commas between them', () => {
  const strings = { type: 'array', items: { type: 'string' } };
  assert.deepEqual(read(strings, 'a, b,5'), ['a', 'b', '5']);
  assert.deepEqual(read(strings, ' ["a, b", "c"] '), ['a, b', 'c']);
  assert.deepEqual(read(strings, '[a'), ['[a']);
  assert.deepEqual(read(strings, ''), []);
  assert.deepEqual(read(strings, 'a,,b'), ['a', '', 'b']);
  const numbers = { type: 'array', items: { type: 'number' } };
  assert.deepEqual(read(numbers, '1, 2.5,x'), [1, 2.5, 'x']);
  assert.deepEqual(read(numbers, '[1, 2]'), [1, 2]);
  assert.deepEqual(read({ type: 'array' }, '1,true'), ['1', 'true']);
  assert.deepEqual(read({ type: 'array', items: { type: 'object' } }, '[{"a":1}]'), [{ a: 1 }]);
  assert.deepEqual(read({ anyOf: [{ type: 'number' }, numbers] }, '1'), 1);
  assert.deepEqual(read({ anyOf: [{ type: 'number' }, numbers] }, '1,2'), [1, 2]);
});

test('items are read by their own schema: of a tuple, of a reference, of a branch', () => {
  const pair = [{ type: 'string' }, { type: 'number' }];
  assert.deepEqual(read({ type: 'array', prefixItems: pair, items: { type: 'boolean' } }, '1,2,true'), ['1', 2, true]);
  assert.deepEqual(read({ type: 'array', items: pair, additionalItems: { type: 'null' } }, '1,2,null'), ['1', 2, null]);
  const $defs = { n: { type: 'number' }, list: { type: 'array', items: { $ref: '#/$defs/n' } } };
  assert.deepEqual(read({ $ref: '#/$defs/list' }, '1,2', { $defs }), [1, 2]);
  assert.deepEqual(read({ anyOf: [{ type: 'null' }, { $ref: '#/$defs/list' }] }, '1,2', { $defs }), [1, 2]);
  const loop = { list: { $ref: '#/$defs/list' } };
  assert.deepEqual(read({ type: 'array', $ref: '#/$defs/list' }, '1', { $defs: loop }), ['1']);
});

test('lists have the limits of messages', () => {
  const list = { type: 'array', items: { type: 'number' } };
  const limits = { ...DEFAULT_LIMITS, elements: 3, depth: 2 };
  assert.deepEqual(read(list, '1,2,3', {}, limits), [1, 2, 3]);
  assert.equal(read(list, '1,2,3,4', {}, limits), 'problem: it has more than 3 items');
  assert.deepEqual(read(list, '[[[1]]]', {}, limits), ['[[[1]]]']);
});

test('arguments that the schema does not name stay text', () => {
  const checked = readArguments(
    { __proto__: 'x', toString: '5' } as never,
    { type: 'object', properties: {} },
    DEFAULT_LIMITS,
  );
  assert.deepEqual(checked, { value: { toString: '5' } });
});

test('schemas of any library are read alike', async () => {
  const schemas: readonly Schema[] = [
    z.object({
      n: z.number(),
      on: z.boolean().optional(),
      tags: z.array(z.string()),
      of: z.array(z.number()).default([]),
    }),
    type({ n: 'number', 'on?': 'boolean', tags: 'string[]', of: type('number[]').default(() => []) }),
    toStandardJsonSchema(
      v.object({
        n: v.number(),
        on: v.optional(v.boolean()),
        tags: v.array(v.string()),
        of: v.optional(v.array(v.number()), []),
      }),
    ),
  ];
  for (const schema of schemas) {
    const { json, check } = adaptSchema(schema, 'input');
    const given = readArguments({ n: '1.5', on: 'false', tags: 'a,b', of: '[1, 2]' }, json, DEFAULT_LIMITS);
    assert.ok('value' in given);
    assert.deepEqual(await check(given.value), { value: { n: 1.5, on: false, tags: ['a', 'b'], of: [1, 2] } });
  }
});

test('a library that converts text itself gets the text that it declares', () => {
  const { json } = adaptSchema(
    z.object({ n: z.coerce.number(), yes: z.stringbool(), length: z.string().transform(Number) }),
    'input',
  );
  const read = readArguments({ n: '5', yes: 'true', length: '3' }, json, DEFAULT_LIMITS);
  assert.deepEqual(read, { value: { n: 5, yes: 'true', length: '3' } });
});
