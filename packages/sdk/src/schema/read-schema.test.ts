import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Ajv2020 } from 'ajv/dist/2020.js';
import fc from 'fast-check';
import { readSchema } from './read-schema.ts';

function faultsOf(schema: unknown): string[] {
  return readSchema(schema).problems.map(({ kind, at }) => `${kind} ${at}`);
}

test('all faults of a schema are found, each with its location and kind', () => {
  assert.deepEqual(
    faultsOf({
      type: 'object',
      properties: {
        a: { type: 'strin' },
        'b/c': { minLength: -1 },
        d: { pattern: '(' },
        e: { $ref: '#/$defs/no' },
        f: 3,
        g: { items: { anyOf: [{ type: 'string' }, 'x'] } },
        h: { allOf: [] },
        i: { $ref: 'https://example.com/x.json' },
      },
      required: ['a', 'a'],
    }),
    [
      'keyword /properties/f',
      'keyword /properties/g/items/anyOf/1',
      'reference /properties/e/$ref',
      'reference /properties/i/$ref',
      'keyword /required',
      'keyword /properties/a/type',
      'keyword /properties/b~1c/minLength',
      'pattern /properties/d/pattern',
      'keyword /properties/h/allOf',
    ],
  );
  assert.deepEqual(readSchema({ type: 'strin' }).problems[0], {
    kind: 'keyword',
    at: '/type',
    message: 'type "strin" is not one of "string", "number", "integer", "boolean", "object", "array", "null"',
  });
});

test('a schema that cannot be read at all has a problem and no dialect, and reports no issues', () => {
  const cycle: { items?: unknown } = {};
  cycle.items = cycle;
  for (const [schema, kind] of [
    [3, 'keyword'],
    [null, 'keyword'],
    [[], 'keyword'],
    [{ $schema: 'http://json-schema.org/draft-04/schema#' }, 'dialect'],
    [{ $ref: '#' }, 'reference'],
    [cycle, 'size'],
    [{ allOf: Array.from({ length: 20_000 }, () => ({})) }, 'size'],
  ] as const) {
    const read = readSchema(schema);
    assert.equal(read.problems.at(-1)?.kind, kind);
    assert.equal(read.dialect, undefined);
    assert.deepEqual(read.check({}), []);
  }
});

test('a valid schema has a dialect and no problems, and validates values', () => {
  const read = readSchema({ type: 'object', properties: { a: { type: 'number' } }, required: ['a'] });
  assert.equal(read.dialect, '2020-12');
  assert.deepEqual(read.problems, []);
  assert.deepEqual(read.check({ a: 1 }), []);
  assert.deepEqual(read.check({ a: '1' }), [{ path: ['a'], message: 'must be a number, got a string' }]);
  assert.equal(readSchema({ $schema: 'http://json-schema.org/draft-07/schema#' }).dialect, 'draft-07');
});

test('faulty parts of a schema cause no issues, even where they are negated; the other parts do', () => {
  const { check } = readSchema({
    type: 'object',
    properties: {
      a: { type: 'strin' },
      b: { type: 'number' },
      c: { not: { pattern: '(' } },
      d: { not: { type: 'x' } },
    },
  });
  assert.deepEqual(check({ a: 1, c: 'x', d: 1 }), []);
  assert.equal(check({ a: 1, b: 'x' }).length, 1);
});

test('a fault is reported once, and the schemas around it cause no issues', () => {
  assert.deepEqual(readSchema({ allOf: 'x' }).problems, [
    { kind: 'keyword', at: '/allOf', message: 'allOf must be an array of schemas, got a string' },
  ]);
  assert.deepEqual(readSchema({ not: { $ref: '#/$defs/none' } }).check(1), []);
  assert.deepEqual(readSchema({ properties: 'x', additionalProperties: false }).check({ a: 1 }), []);
  assert.deepEqual(faultsOf({ prefixItems: [] }), ['keyword /prefixItems']);
});

test('a value can be checked against a part of the schema, by its pointer', () => {
  const { check } = readSchema({
    properties: { 'a/b': { $ref: '#/$defs/n' }, list: { items: { enum: [1] } } },
    $defs: { n: { type: 'number' } },
  });
  assert.equal(check('x', '/properties/a~1b').length, 1);
  assert.deepEqual(check(1, '/properties/a~1b'), []);
  assert.equal(check(2, '/properties/list/items').length, 1);
  assert.deepEqual(check(2, '/properties/none'), []);
});

test('formats are checked only on request', () => {
  assert.deepEqual(readSchema({ format: 'email' }).check('x'), []);
  assert.equal(readSchema({ format: 'email' }, { formats: true }).check('x').length, 1);
});

test('at most a hundred problems are reported', () => {
  const properties = Object.fromEntries(Array.from({ length: 300 }, (_, at) => [`p${at}`, { type: 'no' }]));
  assert.equal(readSchema({ properties }).problems.length, 100);
});

test('property: any input is read without an exception, and a fault is found where the meta-schema finds one', () => {
  const ajv = new Ajv2020({ strict: false, logger: false, validateFormats: false });
  const keyword = fc.constantFrom(
    'type',
    'properties',
    'items',
    'required',
    'enum',
    'minimum',
    'multipleOf',
    'minLength',
    'allOf',
    'anyOf',
    'not',
    'uniqueItems',
    'additionalProperties',
    'dependentRequired',
    'prefixItems',
    'maxContains',
    '$defs',
  );
  const { json } = fc.letrec<{ json: unknown }>((tie) => ({
    json: fc.oneof(
      { depthSize: 'small' },
      fc.constantFrom<unknown>(null, true, false, 0, -1, 1.5, 3, 'string', 'object', 'x', ''),
      fc.array(tie('json'), { maxLength: 3 }),
      fc.dictionary(fc.oneof(keyword, fc.constantFrom('a', '__proto__', 'constructor')), tie('json'), { maxKeys: 4 }),
    ),
  }));
  let wrong = 0;
  fc.assert(
    fc.property(json, json, (schema, value) => {
      const read = readSchema(schema);
      read.check(value);
      read.check(value, '/properties/a');
      if (typeof schema !== 'object' || schema === null || Array.isArray(schema)) return;
      const expected = ajv.validateSchema(schema) as boolean;
      if (!expected) wrong += 1;
      assert.equal(read.problems.length === 0, expected, JSON.stringify([schema, read.problems, ajv.errors]));
    }),
    { numRuns: 2_000 },
  );
  assert.ok(wrong > 200, `${wrong} were wrong`);
});
