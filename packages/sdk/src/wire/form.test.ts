import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { JsonObject } from '../protocol/jsonrpc.ts';
import { type Revision } from '../protocol/revision.ts';
import { asSent } from '../../test/as-sent.ts';
import { frozen } from '../../test/frozen.ts';
import { encodeForm } from './form.ts';
import { Inexpressible } from './inexpressible.ts';

/** The first revision with forms, and those with the full subset. */
const FIRST: Revision = '2025-06-18';
const FULL: readonly Revision[] = ['2025-11-25', '2026-07-28'];

const titled = [
  { const: 'r', title: 'Red' },
  { const: 'g', title: 'Green' },
];

/** A field, and its form in the first revision; `same`: unchanged; `none`: it cannot be represented. */
const FIELDS: readonly (readonly [string, JsonObject, JsonObject | 'same' | 'none'])[] = [
  ['a text', { type: 'string', title: 'T', description: 'D', minLength: 1, maxLength: 9, format: 'email' }, 'same'],
  ['a text with a default', { type: 'string', default: 'a' }, { type: 'string' }],
  ['a number', { type: 'number', minimum: 0.5, maximum: 1.5 }, 'same'],
  ['an integer with a default', { type: 'integer', default: 3 }, { type: 'integer' }],
  ['a boolean with a default', { type: 'boolean', default: false }, 'same'],
  ['a choice', { type: 'string', enum: ['r', 'g'] }, 'same'],
  ['a choice with a default', { type: 'string', enum: ['r', 'g'], default: 'g' }, { type: 'string', enum: ['r', 'g'] }],
  ['a choice with names beside it', { type: 'string', enum: ['r'], enumNames: ['Red'] }, 'same'],
  [
    'a choice with titles',
    { type: 'string', title: 'T', oneOf: titled, default: 'r' },
    { type: 'string', title: 'T', enum: ['r', 'g'], enumNames: ['Red', 'Green'] },
  ],
  [
    'several choices',
    { type: 'array', items: { type: 'string', enum: ['r'] }, minItems: 1, maxItems: 2, default: ['r'] },
    'none',
  ],
  ['several choices with titles', { type: 'array', items: { anyOf: titled } }, 'none'],
];

function form(field: JsonObject): JsonObject {
  return frozen({ type: 'object', properties: { field }, required: ['field'] });
}

for (const [name, field, first] of FIELDS) {
  test(`[ELIC-15] ${name} is written in the form of ${FIRST}`, () => {
    if (first === 'none') assert.throws(() => encodeForm(form(field), FIRST), Inexpressible);
    else assert.deepEqual(asSent(encodeForm(form(field), FIRST)), form(first === 'same' ? field : first));
  });
  for (const revision of FULL) {
    test(`[ELIC-15] ${name} is written unchanged in ${revision}`, () => {
      assert.deepEqual(asSent(encodeForm(form(field), revision)), form(field));
    });
  }
}

for (const revision of [FIRST, ...FULL]) {
  test(`[ELIC-15] ${revision}: keywords outside the subset are left out`, () => {
    const schema = frozen({
      $schema: 'https://json-schema.org/draft/2020-12/schema',
      type: 'object',
      title: 'Form',
      additionalProperties: false,
      properties: {
        text: { type: 'string', pattern: '^a', format: 'uuid' },
        number: { type: 'number', exclusiveMinimum: 0, multipleOf: 2, enum: [2, 4] },
        choice: { type: 'string', enum: ['a'], minLength: 1 },
      },
    });
    assert.deepEqual(asSent(encodeForm(schema, revision)), {
      ...(revision === FIRST ? {} : { $schema: schema.$schema }),
      type: 'object',
      properties: { text: { type: 'string' }, number: { type: 'number' }, choice: { type: 'string', enum: ['a'] } },
    });
  });

  test(`${revision}: a field that is not a string, number, boolean or choice is refused by name`, () => {
    for (const field of [{ type: 'object' }, { type: ['string', 'null'] }, {}, { enum: ['a'] }, null, true]) {
      assert.throws(
        () => encodeForm({ type: 'object', properties: { 'my\nfield': field } }, revision),
        (error) => error instanceof Inexpressible && error.message.includes("'my\\u000afield'"),
      );
    }
  });

  test(`${revision}: a field named __proto__ is an ordinary field`, () => {
    const schema = JSON.parse('{"type":"object","properties":{"__proto__":{"type":"string"}}}') as JsonObject;
    assert.equal(JSON.stringify(encodeForm(schema, revision)), JSON.stringify(schema));
  });

  test(`${revision}: a form may have no fields`, () => {
    assert.deepEqual(asSent(encodeForm({ type: 'object' }, revision)), { type: 'object', properties: {} });
  });
}
