import assert from 'node:assert/strict';
import { test } from 'node:test';
import { z } from 'zod';
import { adaptSchema } from './adapt.ts';
import type { JsonSchema } from '../protocol/entities.ts';
import type { Schema } from './schema.ts';
import { acceptedTypes, withObjectRoot } from './accepted-types.ts';

function rootOf(schema: Schema): unknown {
  return withObjectRoot(adaptSchema(schema, 'input').json)?.['type'];
}

const cat = z.object({ kind: z.literal('cat'), lives: z.int() });
const dog = z.object({ kind: z.literal('dog'), name: z.string() });
const named = z.object({ kind: z.literal('bird') }).meta({ id: 'Bird' });

test('a union of objects, an intersection with one, and references to them have the root type `object`', () => {
  const object = { type: 'object' } as const;
  const accepted: readonly Schema[] = [
    cat,
    z.union([cat, dog]),
    z.discriminatedUnion('kind', [cat, dog]),
    z.union([cat, z.union([dog, named])]),
    z.intersection(cat, z.object({ more: z.boolean() })),
    z.record(z.string(), z.number()),
    { type: ['object'] },
    { enum: [{ a: 1 }] },
    { anyOf: [object] },
    { oneOf: [object, { allOf: [{}, object] }] },
    { $ref: '#/$defs/a', $defs: { a: { anyOf: [{ $ref: '#/$defs/b' }] }, b: object } },
    { oneOf: [{ $ref: '#/definitions/b' }], definitions: { b: object } },
  ];
  for (const schema of accepted) assert.equal(rootOf(schema), 'object', JSON.stringify(schema));
});

test('a schema that also accepts other values has no object root', () => {
  const object = { type: 'object' } as const;
  const refused: readonly Schema[] = [
    z.union([cat, z.string()]),
    z.string(),
    {},
    { type: ['object', 'null'] },
    { anyOf: [] },
    { anyOf: [object, true] },
    { anyOf: [object, {}] },
    { anyOf: [object, { type: ['object', 'null'] }] },
    { not: object },
    { $ref: '#/$defs/a', $defs: { a: { $ref: '#/$defs/a' } } },
    { $ref: '#/$defs/toString', $defs: {} },
    { $ref: 'https://example.com/schema' },
    { properties: { a: object } },
  ];
  for (const schema of refused) assert.equal(rootOf(schema), undefined, JSON.stringify(schema));
});

test('nothing else in the schema changes', () => {
  const { json } = adaptSchema(z.discriminatedUnion('kind', [cat, dog]), 'input');
  assert.deepEqual(withObjectRoot(json), { type: 'object', ...json });
  const plain = adaptSchema(cat, 'input').json;
  assert.equal(withObjectRoot(plain), plain);
});

test('the types that a schema accepts', () => {
  const types = (schema: unknown, root: object = {}): string => acceptedTypes(schema, root as JsonSchema).join(' ');
  const all = 'object array string number boolean null';
  for (const [schema, expected] of [
    [true, all],
    [{}, all],
    [{ pattern: 'x' }, all],
    [false, ''],
    [{ type: 'integer' }, 'number'],
    [{ type: ['string', 'null'] }, 'string null'],
    [{ const: null }, 'null'],
    [{ const: false }, 'boolean'],
    [{ enum: ['a', 1] }, 'string number'],
    [{ type: 'string', enum: ['a', 1] }, 'string'],
    [{ anyOf: [{ type: 'string' }, { type: 'array' }] }, 'array string'],
    [{ type: 'string', anyOf: [{}, { minLength: 1 }] }, 'string'],
    [{ allOf: [{ type: ['string', 'number'] }, { type: ['number', 'null'] }] }, 'number'],
  ] as const)
    assert.equal(types(schema), expected, JSON.stringify(schema));
  const $defs = { a: { anyOf: [{ $ref: '#/$defs/a' }, { type: 'null' }] }, b: { type: 'string' } };
  assert.equal(types({ $ref: '#/$defs/b' }, { $defs }), 'string');
  assert.equal(types({ $ref: '#/$defs/a' }, { $defs }), all);
});

test('definitions that refer to each other many times cost no more than once', () => {
  const $defs = Object.fromEntries(
    Array.from({ length: 200 }, (_, at) => [
      `d${at}`,
      { anyOf: Array.from({ length: 10 }, () => ({ $ref: `#/$defs/d${at + 1}` })) },
    ]),
  );
  assert.equal(acceptedTypes({ $ref: '#/$defs/d0' }, { $defs } as JsonSchema).length, 6);
});
