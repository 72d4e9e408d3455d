import assert from 'node:assert/strict';
import { test } from 'node:test';
import { formSchemaOf } from './form-schema.ts';
import { sampler, sampleText } from './sample.ts';
import { createFormCheck } from './schema-check.ts';

const SHAPES: Readonly<Record<string, object>> = {
  $ref: {
    type: 'object',
    properties: { home: { $ref: '#/$defs/address' } },
    required: ['home'],
    $defs: {
      address: { type: 'object', properties: { zip: { type: 'string', pattern: '^\\d{5}$' } }, required: ['zip'] },
    },
  },
  allOf: {
    type: 'object',
    allOf: [
      { properties: { a: { type: 'string', minLength: 3 } }, required: ['a'] },
      { properties: { b: { type: 'integer', minimum: 7 } }, required: ['b'] },
    ],
  },
  oneOf: {
    type: 'object',
    properties: {
      shape: {
        oneOf: [
          { type: 'object', properties: { kind: { const: 'circle' }, r: { type: 'number' } }, required: ['kind', 'r'] },
          { type: 'object', properties: { kind: { const: 'box' }, w: { type: 'number' } }, required: ['kind', 'w'] },
        ],
      },
    },
    required: ['shape'],
  },
  recursion: {
    type: 'object',
    properties: { node: { $ref: '#/$defs/node' } },
    required: ['node'],
    $defs: {
      node: {
        type: 'object',
        properties: { name: { type: 'string' }, children: { type: 'array', items: { $ref: '#/$defs/node' } } },
        required: ['name'],
      },
    },
  },
  'string[]': {
    type: 'object',
    properties: { tags: { type: 'array', items: { type: 'string' }, minItems: 2 } },
    required: ['tags'],
  },
  map: {
    type: 'object',
    properties: { env: { type: 'object', additionalProperties: { type: 'string' } } },
    required: ['env'],
  },
  'if/then': {
    type: 'object',
    properties: { country: { enum: ['US', 'DE'] } },
    required: ['country'],
    if: { properties: { country: { const: 'US' } } },
    then: { properties: { state: { type: 'string', minLength: 2 } }, required: ['state'] },
  },
  tuple: {
    type: 'object',
    properties: {
      point: { type: 'array', prefixItems: [{ type: 'number' }, { type: 'string' }], items: false, minItems: 2 },
    },
    required: ['point'],
  },
};

for (const [shape, schema] of Object.entries(SHAPES)) {
  test(`the form of ${shape} begins with arguments that the schema allows`, () => {
    const check = createFormCheck(schema, formSchemaOf(schema, sampler(schema)));
    assert.deepEqual(check.issues(JSON.parse(sampleText(JSON.stringify(schema)))), []);
    assert.deepEqual(check.issues(JSON.parse(sampleText(JSON.stringify(schema), { optional: true }))), []);
  });
}

test('a new row and a new choice have valid values', () => {
  const schema = SHAPES['oneOf']!;
  const form = formSchemaOf(schema, sampler(schema)) as { properties: { shape: { oneOf: { default: object }[] } } };
  assert.deepEqual(
    form.properties.shape.oneOf.map((option) => (option.default as { kind: string }).kind),
    ['circle', 'box'],
  );
  const list = SHAPES['recursion']!;
  const node = formSchemaOf(list, sampler(list)) as unknown as {
    $defs: { node: { properties: { children: { items: { default: { name: unknown } } } } } };
  };
  assert.equal(typeof node.$defs.node.properties.children.items.default.name, 'string');
});

test('numbers of the schema keep their spelling in the sample', () => {
  const text = sampleText('{"type":"object","properties":{"n":{"const":9007199254740993}},"required":["n"]}');
  assert.equal(text, '{\n  "n": 9007199254740993\n}');
});

test('a tool whose schema is not an object begins with an empty object', () => {
  assert.equal(sampleText('{"type":"string"}'), '{}');
});
