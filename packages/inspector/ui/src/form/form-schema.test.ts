import assert from 'node:assert/strict';
import { test } from 'node:test';
import { formSchemaOf, NoFormError, OPTION } from './form-schema.ts';
import { createFormCheck } from './schema-check.ts';

function none(): undefined {
  return undefined;
}
function formOf(schema: unknown): Record<string, unknown> {
  return formSchemaOf(schema, none);
}

test('a tuple of 2020-12 becomes a tuple of draft 7, closed or open', () => {
  assert.deepEqual(formOf({ type: 'array', prefixItems: [{ type: 'string' }, { type: 'number' }], items: false }), {
    type: 'array',
    items: [{ type: 'string' }, { type: 'number' }],
    additionalItems: false,
  });
  const open = formOf({ prefixItems: [{ type: 'string' }], items: { type: 'integer' } });
  assert.deepEqual(open['additionalItems'], { type: 'integer' });
  assert.equal(open['type'], 'array');
});

test('an unrestricted value is still shown as a field', () => {
  assert.deepEqual(formOf({ type: 'object', properties: { a: {}, b: true, c: false } })['properties'], {
    a: { $comment: 'any value' },
    b: { $comment: 'any value' },
  });
  assert.deepEqual(formOf({ type: 'object' })['additionalProperties'], { $comment: 'any value' });
  assert.equal(formOf({ type: 'object', additionalProperties: false })['additionalProperties'], false);
  assert.deepEqual(formOf({ type: 'array' })['items'], { $comment: 'any value' });
});

test('several types are choices, each with its name', () => {
  const { anyOf, description } = formOf({ type: ['string', 'null'], description: 'x', maxLength: 3 });
  assert.equal(description, 'x');
  assert.deepEqual(anyOf, [
    { type: 'string', maxLength: 3, title: 'string', [OPTION]: true },
    { const: null, title: 'null', [OPTION]: true },
  ]);
});

test('choices are named by their differences', () => {
  const { oneOf } = formOf({
    oneOf: [
      { title: 'A' },
      { $ref: '#/$defs/Cat' },
      { properties: { kind: { const: 'dog' } } },
      { type: 'object', required: ['x'] },
      { type: 'boolean' },
    ],
  }) as { oneOf: { title: string }[] };
  assert.deepEqual(
    oneOf.map(({ title }) => title),
    ['A', 'Cat', 'kind: "dog"', 'with x', 'boolean'],
  );
});

test('a new row and a new choice begin with a sample', () => {
  const sample = (): unknown => 'sample';
  const list = formSchemaOf({ type: 'array', items: { type: 'string' } }, sample);
  assert.deepEqual(list['items'], { type: 'string', default: 'sample' });
  const map = formSchemaOf({ type: 'object', additionalProperties: { type: 'string', default: 'own' } }, sample);
  assert.deepEqual(map['additionalProperties'], { type: 'string', default: 'own' });
  const { anyOf } = formSchemaOf({ anyOf: [{ type: 'string' }] }, sample) as { anyOf: { default: unknown }[] };
  assert.equal(anyOf[0]!.default, 'sample');
});

test('no keyword locks a field, and dependencies use the keywords of draft 7', () => {
  const { properties, dependencies } = formOf({
    type: 'object',
    properties: { a: { type: 'string', readOnly: true } },
    dependentRequired: { a: ['b'] },
  }) as { properties: { a: object }; dependencies: object };
  assert.deepEqual(properties.a, { type: 'string' });
  assert.deepEqual(dependencies, { a: ['b'] });
});

test('a schema that is too large, or not an object, has no form', () => {
  assert.throws(() => formOf('x'), NoFormError);
  const properties = Object.fromEntries(Array.from({ length: 6_000 }, (_, n) => [`p${n}`, { type: 'string' }]));
  assert.throws(() => formOf({ type: 'object', properties }), NoFormError);
});

test('a value is validated against the schema of the server, a choice against its branch', () => {
  const server = {
    type: 'object',
    properties: { pair: { prefixItems: [{ type: 'string' }, { $ref: '#/$defs/n' }], items: false } },
    required: ['pair'],
    $defs: { n: { type: 'integer', minimum: 2 } },
  };
  const form = formOf(server);
  const check = createFormCheck(server, form);
  assert.deepEqual(check.issues({ pair: ['a', 2] }), []);
  assert.equal(check.issues({}).length, 1);
  assert.equal(check.issues({ pair: ['a', 1] }).length, 1);
  const part = (form['properties'] as Record<string, unknown>)['pair'];
  assert.equal(check.allows(part, ['a', 3]), true);
  assert.equal(check.allows(part, ['a', 1]), false);
  assert.equal(check.allows(part, ['a', 3, 4]), false);
  assert.equal(check.allows({ $ref: '#/$defs/n' }, 1), false);
});

test('a schema that refers to itself is checked', () => {
  const server = {
    type: 'object',
    properties: { name: { type: 'string' }, children: { type: 'array', items: { $ref: '#' } } },
    required: ['name'],
  };
  const check = createFormCheck(server, formOf(server));
  assert.equal(check.allows({ $ref: '#' }, { name: 'a', children: [{ name: 'b' }] }), true);
  assert.equal(check.allows({ $ref: '#' }, { name: 'a', children: [{}] }), false);
});

test('a number that is too large for JavaScript is still a number for the schema', () => {
  const server = { type: 'object', properties: { n: { type: 'integer' } } };
  const check = createFormCheck(server, formOf(server));
  assert.deepEqual(check.issues({ n: '\u0000#9007199254740993' }), []);
  assert.equal(check.issues({ n: '12x' }).length, 1);
});
