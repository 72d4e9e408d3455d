import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Ajv2020 } from 'ajv/dist/2020.js';
import fc from 'fast-check';
import type { JsonSchema } from '../protocol/entities.ts';
import { featuresOf, REVISIONS } from '../protocol/revision.ts';
import { asSent } from '../../test/as-sent.ts';
import { frozen } from '../../test/frozen.ts';
import { withObjectProperties, wrapSchema, wrapsOutput } from './output.ts';
import { wrapValue } from './read-output.ts';

function validates(schema: JsonSchema, value: unknown): boolean {
  return new Ajv2020({ strict: false, logger: false }).validate(schema, value);
}

for (const revision of REVISIONS) {
  test(`${revision}: only roots that are not objects are wrapped, and only if objects are required`, () => {
    const needed = featuresOf(revision).structured === 'object';
    const roots: JsonSchema[] = [
      { type: 'array' },
      { type: ['object', 'null'] },
      { anyOf: [] },
      { $ref: '#/$defs/a' },
      {},
    ];
    for (const schema of roots) assert.equal(wrapsOutput(schema, revision), needed);
    assert.equal(wrapsOutput({ type: 'object' }, revision), false);
  });
}

const SCHEMAS: readonly {
  readonly name: string;
  readonly schema: JsonSchema;
  readonly good: unknown[];
  readonly bad: unknown[];
}[] = [
  { name: 'a plain array', schema: { type: 'array', items: { type: 'number' } }, good: [[], [1]], bad: [['a'], {}] },
  {
    name: 'a reference to a definition',
    schema: { $ref: '#/$defs/n', $defs: { n: { type: 'number' } } },
    good: [1],
    bad: ['a', null],
  },
  {
    name: 'a recursive root',
    schema: { type: 'array', items: { anyOf: [{ type: 'number' }, { $ref: '#' }] } },
    good: [[1, [2, [[]]]]],
    bad: [[1, ['a']]],
  },
  {
    name: 'a pointer deep into the schema, with escapes',
    schema: {
      anyOf: [{ type: 'array', items: { $ref: '#/$defs/a~1b/properties/x%25' } }, { type: 'null' }],
      $defs: { 'a/b': { properties: { 'x%': { type: 'boolean' } } } },
    },
    good: [[true], null],
    bad: [[1], {}],
  },
  {
    name: 'an anchor, whose name does not move',
    schema: { type: 'array', items: { $ref: '#item' }, $defs: { i: { $anchor: 'item', type: 'string' } } },
    good: [['a']],
    bad: [[1]],
  },
  {
    name: 'a root with an $id, which its references start from',
    schema: {
      $id: 'https://example.com/list',
      type: 'array',
      items: { $ref: '#/$defs/i' },
      $defs: { i: { type: 'string' } },
    },
    good: [['a']],
    bad: [[1]],
  },
  {
    name: 'a part with an $id, whose own references start there',
    schema: {
      type: 'array',
      items: { $ref: '#/$defs/part' },
      $defs: {
        part: { $id: 'https://example.com/part', allOf: [{ $ref: '#/$defs/n' }], $defs: { n: { type: 'number' } } },
        n: { type: 'string' },
      },
    },
    good: [[1]],
    bad: [['a']],
  },
  {
    name: 'properties named like keywords',
    schema: {
      type: 'array',
      items: {
        type: 'object',
        properties: { $ref: { $ref: '#/$defs/n' }, const: { $ref: '#/$defs/n' }, enum: { type: 'string' } },
      },
      $defs: { n: { type: 'number' } },
    },
    good: [[{ $ref: 1, const: 2, enum: 'a' }]],
    bad: [[{ $ref: 'a' }], [{ const: 'a' }]],
  },
  {
    name: 'constants that look like references',
    schema: { enum: [{ $ref: '#/$defs/n' }], $defs: { n: {} } },
    good: [{ $ref: '#/$defs/n' }],
    bad: [{ $ref: '#/properties/result/$defs/n' }],
  },
];

for (const { name, schema, good, bad } of SCHEMAS) {
  test(`a wrapped schema accepts exactly the wrapped values: ${name}`, () => {
    const wrapped = wrapSchema(frozen(schema));
    assert.equal(wrapped['type'], 'object');
    for (const value of good) {
      assert.ok(validates(schema, value), 'the schema itself');
      assert.ok(validates(wrapped, wrapValue(value)), JSON.stringify(wrapped));
    }
    for (const value of bad) {
      assert.ok(!validates(schema, value), 'the schema itself');
      assert.ok(!validates(wrapped, wrapValue(value)), JSON.stringify(wrapped));
    }
    assert.ok(!validates(wrapped, {}));
  });
}

test('the dialect moves to the root of a wrapped schema', () => {
  const dialect = 'http://json-schema.org/draft-07/schema#';
  const wrapped = wrapSchema({ $schema: dialect, type: 'array' });
  assert.deepEqual(asSent(wrapped), {
    $schema: dialect,
    type: 'object',
    properties: { result: { type: 'array' } },
    required: ['result'],
  });
});

test('a recursive reference of 2019-09 becomes a plain one, because the root has moved', () => {
  const wrapped = wrapSchema({ type: 'array', items: { $recursiveRef: '#' } });
  assert.deepEqual(wrapped['properties'], { result: { type: 'array', items: { $ref: '#/properties/result' } } });
});

test('references to other documents stay unchanged', () => {
  const schema = { type: 'array', items: { $ref: 'other.json#/a' }, contains: { $dynamicRef: '#node' } };
  assert.deepEqual(wrapSchema(schema)['properties'], { result: schema });
});

test('a definition named __proto__ keeps its name', () => {
  const schema = JSON.parse(
    '{"type":"array","items":{"$ref":"#/$defs/__proto__"},"$defs":{"__proto__":{"type":"number"}}}',
  ) as JsonSchema;
  const text = JSON.stringify(wrapSchema(schema));
  assert.ok(text.includes('"$defs":{"__proto__":{"type":"number"}}'), text);
  assert.ok(text.includes('"#/properties/result/$defs/__proto__"'), text);
});

test('wrapping keeps all other schema-like JSON in place', () => {
  fc.assert(
    fc.property(fc.dictionary(fc.string(), fc.jsonValue()), (schema) => {
      fc.pre(
        !JSON.stringify(schema).includes('Ref"') &&
          !JSON.stringify(schema).includes('$ref"') &&
          !Object.hasOwn(schema, '$schema'),
      );
      const inner = (wrapSchema(schema)['properties'] as { result: unknown }).result;
      assert.equal(JSON.stringify(inner), JSON.stringify(schema));
    }),
  );
});

test('true and false under properties become equivalent objects', () => {
  const schema = frozen({ type: 'object', properties: { any: true, none: false, text: { type: 'string' } } });
  const out = withObjectProperties(schema);
  assert.deepEqual(out, { type: 'object', properties: { any: {}, none: { not: {} }, text: { type: 'string' } } });
  for (const value of [{ any: 1 }, { none: 1 }, { text: 1 }, { text: 'a' }])
    assert.equal(validates(out, value), validates(schema, value));
});

test('a schema without such properties is returned itself', () => {
  for (const schema of [{ type: 'object' }, { type: 'object', properties: { a: {} } }])
    assert.equal(withObjectProperties(schema), schema);
});
