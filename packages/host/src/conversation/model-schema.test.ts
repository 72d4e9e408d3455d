import assert from 'node:assert/strict';
import { test } from 'node:test';
import { modelSchema } from './model-schema.ts';

test('a schema that every provider accepts is unchanged', () => {
  const schema = {
    type: 'object',
    description: 'd',
    properties: {
      city: { type: 'string', default: { $schema: 'kept', items: true }, enum: ['a'] },
      tags: { type: 'array', items: { $ref: '#/$defs/tag' }, minItems: 1 },
      any: { type: 'object', additionalProperties: true },
    },
    required: ['city'],
    additionalProperties: false,
    $defs: { tag: { type: 'string' } },
  };
  assert.deepEqual(modelSchema(schema), { schema, note: undefined });
});

test('parts that providers reject are removed, or converted to a form that they accept', () => {
  const { schema, note } = modelSchema({
    $schema: 'http://json-schema.org/draft-07/schema#',
    type: 'object',
    properties: {
      anything: true,
      pair: { type: 'array', items: [{ type: 'number' }, { type: 'string' }], additionalItems: false },
      list: { type: ['array', 'null'] },
      above: { type: 'number', minimum: 3, exclusiveMinimum: true, maximum: 9, exclusiveMaximum: false },
      inner: { $schema: 'x', type: 'string' },
    },
  });
  assert.deepEqual(schema, {
    type: 'object',
    properties: {
      anything: {},
      pair: { type: 'array', prefixItems: [{ type: 'number' }, { type: 'string' }], items: { not: {} } },
      list: { type: ['array', 'null'], items: {} },
      above: { type: 'number', exclusiveMinimum: 3, maximum: 9 },
      inner: { type: 'string' },
    },
  });
  assert.equal(note, undefined);
});

test('a schema without properties or type becomes one of an object', () => {
  assert.deepEqual(modelSchema({}).schema, { type: 'object', properties: {} });
  assert.deepEqual(modelSchema({ type: 'object' }).schema, { type: 'object', properties: {} });
  assert.deepEqual(modelSchema({ type: ['object', 'null'], required: 'x' }).schema, { type: 'object', properties: {} });
});

test('alternatives at the top level become properties, with a note that explains them', () => {
  const branch = (kind: string, extra: object, required: string[]) => ({
    type: 'object',
    properties: { kind: { const: kind }, ...extra },
    required,
  });
  const anyOf = [branch('a', { x: { type: 'number' } }, ['kind', 'x']), { $ref: '#/$defs/b' }];
  const $defs = { b: branch('b', { y: { type: 'string' } }, ['kind', 'y']) };
  const { schema, note } = modelSchema({ anyOf, $defs, properties: { z: {} }, required: ['z'] });
  assert.deepEqual(schema, {
    $defs,
    type: 'object',
    properties: {
      z: {},
      kind: { anyOf: [{ const: 'a' }, { const: 'b' }] },
      x: { type: 'number' },
      y: { type: 'string' },
    },
    required: ['z', 'kind'],
  });
  assert.equal(note, `The arguments must also fit this JSON Schema: ${JSON.stringify({ anyOf })}`);
  const all = modelSchema({ allOf: [branch('a', {}, ['kind']), { required: ['other'] }] });
  assert.deepEqual(all.schema.required, ['kind', 'other']);
});

test('a reference at the top level is resolved, even if it is circular', () => {
  const { schema } = modelSchema({ $ref: '#/$defs/a~1b', $defs: { 'a/b': { type: 'object', properties: { x: {} } } } });
  assert.deepEqual(schema.properties, { x: {} });
  assert.equal('$ref' in schema, false);
  const round = modelSchema({ $ref: '#/$defs/a', $defs: { a: { $ref: '#/$defs/a' } } });
  assert.equal(round.schema.type, 'object');
  assert.deepEqual(modelSchema({ $ref: '#/__proto__' }).schema.properties, {});
});

test('arguments with names that Anthropic rejects are described in a note', () => {
  const odd = { type: 'object', properties: { $filter: { type: 'string' } } };
  const { schema, note } = modelSchema(odd);
  assert.deepEqual(schema, { type: 'object', properties: {} });
  assert.match(note ?? '', /\$filter/);
  assert.deepEqual(modelSchema(odd, true), { schema: odd, note: undefined });
});

test('a property named __proto__ stays a property', () => {
  const odd = JSON.parse('{"type":"object","properties":{"__proto__":{"type":"array"}}}') as Record<string, unknown>;
  const text = JSON.stringify(modelSchema(odd, true).schema);
  assert.equal(text, '{"type":"object","properties":{"__proto__":{"type":"array","items":{}}}}');
});

test('a tool with an invalid schema does not make providers reject the tools of all servers', () => {
  const { schema, note } = modelSchema(
    JSON.parse(`{
      "type": "object",
      "required": "city",
      "properties": {
        "any": { "type": "any", "required": true, "description": 5, "minLength": -1, "title": "kept" },
        "text": "string",
        "none": null,
        "choice": { "enum": [], "anyOf": [], "items": [] },
        "types": { "type": ["string", "text"] },
        "several": { "type": ["string", "null"], "required": ["a", "a"] },
        "inner": { "type": "object", "properties": ["a"], "additionalProperties": "no" },
        "lost": { "$ref": "#/definitions/lost", "type": "string" },
        "far": { "$ref": "https://example.com/schema.json" },
        "near": { "$ref": "#/$defs/near" },
        "step": { "type": "number", "multipleOf": 0, "minimum": "1", "maximum": 2 },
        "half": { "description": "\\ud83d", "default": ["\\ud83d"], "type": "string" }
      },
      "$defs": { "near": { "type": "integer" } }
    }`),
  );
  assert.deepEqual(schema, {
    type: 'object',
    properties: {
      any: { title: 'kept' },
      text: {},
      none: {},
      choice: { items: {} },
      types: {},
      several: { type: ['string', 'null'] },
      inner: { type: 'object', additionalProperties: {} },
      lost: { type: 'string' },
      far: {},
      near: { $ref: '#/$defs/near' },
      step: { type: 'number', maximum: 2 },
      half: { description: '\ufffd', default: ['\ufffd'], type: 'string' },
    },
    $defs: { near: { type: 'integer' } },
  });
  assert.equal(note, undefined);
});

test('an argument whose name has a lone surrogate is described in a note', () => {
  for (const anyKeys of [true, false]) {
    const { schema, note } = modelSchema({ type: 'object', properties: { '\ud83d': {} } }, anyKeys);
    assert.deepEqual(schema, { type: 'object', properties: {} });
    assert.equal(note?.isWellFormed(), true);
  }
});
