import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import fc from 'fast-check';
import { withinCpuMs } from '../../../../scripts/lib/cpu-time.ts';
import { randomDocuments } from './fixtures/random-schemas.ts';
import { sampleOf, type SampleOptions } from './sample-of.ts';

const node = {
  type: 'object',
  properties: { value: { type: 'string' }, next: { $ref: '#/$defs/node' } },
  required: ['value'],
};
const tree = { $ref: '#/$defs/node', $defs: { node } };

const rows: readonly (readonly [what: string, schema: unknown, expected: unknown, options?: SampleOptions])[] = [
  [
    'the default before examples, and those before an enum',
    { enum: ['a', 'b', 'c'], examples: ['b'], default: 'c' },
    'c',
  ],
  ['examples before an enum', { enum: ['a', 'b'], examples: ['b'] }, 'b'],
  ['a default that does not fit is not taken', { type: 'string', enum: ['a'], default: 1 }, 'a'],
  ['the constant', { const: { a: [1] } }, { a: [1] }],
  [
    'only what is required',
    { type: 'object', properties: { city: { type: 'string' }, q: { type: 'string' } }, required: ['city'] },
    { city: 'Zurich' },
  ],
  [
    'and what has a default',
    { type: 'object', properties: { q: { type: 'string' }, limit: { default: 3 } } },
    { limit: 3 },
  ],
  [
    'everything where it is wanted',
    { type: 'object', properties: { q: { type: 'string' }, limit: { type: 'integer' } } },
    { q: 'example', limit: 10 },
    { optional: true },
  ],
  ['numbers inside of their bounds', { type: 'integer', exclusiveMinimum: 5, exclusiveMaximum: 7 }, 6],
  ['a multiple', { type: 'number', multipleOf: 0.25, minimum: 0.3 }, 1],
  ['a text of a format', { type: 'string', format: 'date-time' }, '2026-01-31T12:00:00Z'],
  ['a text of a pattern', { type: 'string', pattern: '^[A-Z]{2}\\d$' }, 'AB3'],
  ['a text of a length', { type: 'string', minLength: 6, maxLength: 6 }, 'textxx'],
  [
    'a list with as many items as it needs',
    { type: 'array', items: { type: 'integer' }, minItems: 3, uniqueItems: true },
    [1, 2, 3],
  ],
  [
    'a list with an item of each place',
    { type: 'array', prefixItems: [{ type: 'string' }, { type: 'boolean' }], items: false },
    ['text', true],
  ],
  [
    'a list of draft-07',
    { $schema: 'http://json-schema.org/draft-07/schema#', items: [{ const: 1 }], minItems: 1 },
    [1],
  ],
  ['a list that contains what it must', { type: 'array', contains: { const: 7 }, minContains: 2 }, [7, 7]],
  ['the first form that fits', { oneOf: [{ type: 'string', const: 1 }, { type: 'boolean' }] }, false],
  ['a form that says more than null', { anyOf: [{ type: 'null' }, { type: 'boolean' }] }, false],
  ['a type that says more than null', { type: ['null', 'boolean'] }, false],
  [
    'what all of them want',
    {
      allOf: [
        { properties: { a: { const: 1 } }, required: ['a'] },
        { properties: { b: { const: 2 } }, required: ['b'] },
      ],
    },
    { a: 1, b: 2 },
  ],
  [
    'the branch of a condition',
    {
      properties: { a: { const: 1 }, b: { const: 2 } },
      required: ['a'],
      if: { required: ['a'] },
      then: { required: ['b'] },
    },
    { a: 1, b: 2 },
  ],
  [
    'the other branch of a condition',
    { type: 'object', properties: { a: false }, if: { required: ['a'] }, else: { required: ['b'] } },
    { b: 'text' },
  ],
  [
    'what a property brings with it',
    { type: 'object', properties: { a: { default: 1 }, b: { const: 2 } }, dependentRequired: { a: ['b'] } },
    { a: 1, b: 2 },
  ],
  [
    'schemas that a property brings with it',
    { type: 'object', properties: { a: { const: 1 } }, required: ['a'], dependentSchemas: { a: { required: ['b'] } } },
    { a: 1, b: 'text' },
  ],
  [
    'as many properties as it needs',
    { type: 'object', minProperties: 2, additionalProperties: { type: 'integer' } },
    { key: 1, key2: 1 },
  ],
  [
    'names that are allowed',
    { type: 'object', minProperties: 2, propertyNames: { pattern: '^x' } },
    { x: 'text', x1: 'text' },
  ],
  [
    'properties by pattern',
    { type: 'object', required: ['n1'], patternProperties: { '^n': { type: 'integer' } } },
    { n1: 1 },
  ],
  ['a schema that contains itself, once', tree, { value: 'text' }],
  ['the same with everything', tree, { value: 'text' }, { optional: true }],
  ['what is not excluded', { not: { type: 'string' } }, 1],
  [
    'what a condition brings with it, described nowhere else',
    { type: 'object', required: ['a'], if: { required: ['a'] }, then: { required: ['z'] } },
    { a: 'text', z: 'text' },
  ],
  ['an empty list where no item fits', { type: 'array', items: false }, []],
  ['an empty list where the items are such lists', { type: 'array', items: { $ref: '#' } }, []],
  [
    'such a list with an item where it needs one',
    { type: 'array', items: { anyOf: [{ $ref: '#' }, { const: 1 }] }, minItems: 1 },
    [1],
  ],
  ['a text of a pattern with enough of it', { type: 'string', pattern: 'ab', minLength: 5 }, 'abaaa'],
  ['numbers of two steps', { type: 'number', allOf: [{ multipleOf: 4 }, { multipleOf: 6 }], minimum: 1 }, 12],
  ['another form for another seed', { oneOf: [{ const: 'a' }, { const: 'b' }] }, 'b', { seed: 1 }],
  ['another value for another seed', { enum: [1, 2, 3] }, 3, { seed: 2 }],
  [
    'a part of a schema, with what it refers to',
    { $ref: '#/$defs/a' },
    'Lisbon',
    { root: { $defs: { a: { const: 'Lisbon' } } } },
  ],
];

describe('a sample is', () => {
  for (const [what, schema, expected, options] of rows) {
    test(what, () => {
      const { value, valid, issues } = sampleOf(schema, options);
      assert.deepEqual([value, valid, issues], [expected, true, []]);
    });
  }
});

test('texts match their formats, and differ for different seeds', () => {
  const ajv = new Ajv2020({ strict: false, logger: false });
  (addFormats as unknown as (ajv: Ajv2020) => void)(ajv);
  for (const format of [
    'email',
    'uri',
    'date',
    'date-time',
    'time',
    'duration',
    'hostname',
    'ipv4',
    'ipv6',
    'uuid',
    'json-pointer',
    'regex',
    'uri-reference',
    'uri-template',
  ]) {
    const schema = { type: 'string', format };
    const texts = [0, 1, 2, 5].map((seed) => sampleOf(schema, { seed }).value);
    for (const text of texts) assert.ok(ajv.validate(schema, text), `${format}: ${String(text)}`);
    assert.equal(new Set(texts).size, 4, `${format}: ${texts.join(', ')}`);
  }
});

test('names suggest plausible values', () => {
  const words: Record<string, unknown> = {
    email: 'ada@example.com',
    homepageUrl: 'https://example.com/',
    departure_city: 'Zurich',
    startDate: '2026-01-31',
    filePath: 'notes.txt',
    'search-query': 'example',
    tags: 'example',
    anything: 'text',
  };
  for (const [name, expected] of Object.entries(words))
    assert.deepEqual(sampleOf({ type: 'object', properties: { [name]: { type: 'string' } }, required: [name] }).value, {
      [name]: expected,
    });
  const numbers = { maxResults: 10, page: 1, lat: 47.37, other: 1 };
  for (const [name, expected] of Object.entries(numbers))
    assert.deepEqual(sampleOf({ properties: { [name]: { type: 'number' } }, required: [name] }).value, {
      [name]: expected,
    });
});

test('an unsatisfiable or invalid schema has no valid sample, and the issues say so', () => {
  for (const schema of [false, { type: 'string', const: 1 }, { type: 'number', minimum: 2, maximum: 1 }, { not: {} }]) {
    const { valid, issues } = sampleOf(schema);
    assert.equal(valid, false, JSON.stringify(schema));
    assert.ok(issues.length > 0);
  }
  const unusable = sampleOf({ $schema: 'https://example.com/own', type: 'string' });
  assert.equal(unusable.valid, false);
  assert.match(unusable.issues[0]!.message, /^The schema cannot be used: \$schema/);
});

test('names of inherited members are ordinary names', () => {
  const schema = JSON.parse(
    '{"properties":{"__proto__":{"const":1},"constructor":{"const":2}},"required":["__proto__","constructor"]}',
  ) as object;
  const { value, valid } = sampleOf(schema);
  assert.deepEqual([JSON.stringify(value), valid], ['{"__proto__":1,"constructor":2}', true]);
});

function within<T>(most: number, what: unknown, act: () => T): T {
  return withinCpuMs(most, act, JSON.stringify(what)?.slice(0, 200));
}

test('schemas built to be expensive end quickly', () => {
  const fan = (depth: number): object => ({
    $defs: Object.fromEntries(
      Array.from({ length: depth }, (_, at) => [
        `d${at}`,
        at === depth - 1
          ? { const: 1 }
          : {
              type: 'object',
              properties: { a: { $ref: `#/$defs/d${at + 1}` }, b: { $ref: `#/$defs/d${at + 1}` } },
              required: ['a', 'b'],
            },
      ]),
    ),
    $ref: '#/$defs/d0',
  });
  const wide = {
    anyOf: Array.from({ length: 500 }, () => ({
      anyOf: Array.from({ length: 20 }, () => ({ type: 'string', pattern: '^(?!a)a$' })),
    })),
  };
  for (const schema of [
    fan(40),
    wide,
    { type: 'array', minItems: 1e9 },
    { type: 'array', minItems: 5_000, uniqueItems: true, items: { type: 'boolean' } },
    { type: 'string', minLength: 1e9 },
    { type: 'object', minProperties: 1e9 },
    { type: 'object', required: ['a'], properties: { a: { $ref: '#' } } },
    {
      allOf: Array.from({ length: 2_000 }, () => ({ $ref: '#/$defs/a' })),
      $defs: { a: { allOf: Array.from({ length: 50 }, () => ({})) } },
    },
    { type: 'number', multipleOf: 1e-9, exclusiveMinimum: 1, exclusiveMaximum: 1.000_000_000_5 },
  ])
    within(3_000, schema, () => sampleOf(schema, { optional: true }));
});

test('property: for schemas like those of tools, at least 95 of 100 samples are valid, also for another validator', () => {
  const ajv = new Ajv2020({ strict: false, logger: false, ownProperties: true });
  // The types declare a default export, but the module is a function.
  (addFormats as unknown as (ajv: Ajv2020, formats: string[]) => void)(ajv, ['email', 'uri', 'date', 'date-time']);
  let [valid, all] = [0, 0];
  fc.assert(
    fc.property(randomDocuments, fc.boolean(), fc.nat(5), (schema, optional, seed) => {
      const sample = within(1_500, schema, () => sampleOf(schema, { optional, seed }));
      all += 1;
      if (!sample.valid) return;
      valid += 1;
      assert.ok(ajv.validate(schema, sample.value), `${JSON.stringify([schema, sample.value])} ${ajv.errorsText()}`);
      ajv.removeSchema();
    }),
    { numRuns: 1_000 },
  );
  assert.ok(valid / all >= 0.95, `${valid} of ${all}`);
});

test('property: any input ends without an exception', () => {
  const { json } = fc.letrec<{ json: unknown }>((tie) => ({
    json: fc.oneof(
      { depthSize: 'medium' },
      fc.constantFrom<unknown>(
        null,
        true,
        false,
        -1,
        3,
        1e308,
        'string',
        'object',
        'array',
        '#',
        '#/$defs/a',
        '(',
        '^(a+)+$',
      ),
      fc.array(tie('json'), { maxLength: 3 }),
      fc.dictionary(
        fc.constantFrom(
          'type',
          'properties',
          'required',
          'items',
          'prefixItems',
          'anyOf',
          'oneOf',
          'allOf',
          '$ref',
          '$defs',
          'a',
          'enum',
          'const',
          'default',
          'examples',
          'minimum',
          'maximum',
          'multipleOf',
          'minLength',
          'maxLength',
          'pattern',
          'format',
          'if',
          'then',
          'else',
          'not',
          'minItems',
          'contains',
          'minContains',
          'uniqueItems',
          'propertyNames',
          'minProperties',
          'maxProperties',
          'additionalProperties',
          'patternProperties',
          'dependentRequired',
          'dependentSchemas',
          '__proto__',
        ),
        tie('json'),
        { maxKeys: 5 },
      ),
    ),
  }));
  fc.assert(
    fc.property(json, fc.boolean(), fc.integer(), json, (schema, optional, seed, root) => {
      within(3_000, schema, () => sampleOf(schema, { optional, seed }));
      within(3_000, schema, () => sampleOf(schema, { root }));
    }),
    { numRuns: 1_000 },
  );
});
