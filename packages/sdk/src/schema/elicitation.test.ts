import assert from 'node:assert/strict';
import { test } from 'node:test';
import { z } from 'zod';
import { adaptSchema } from './adapt.ts';
import { applyDefaults, checkAnswer } from './elicitation-answer.ts';
import { toElicitationSchema } from './elicitation.ts';
import { formatIssues } from './issue.ts';
import { asSent } from '../../test/as-sent.ts';
import { SchemaError } from './schema-error.ts';

function formOf(schema: z.ZodType): Record<string, unknown> {
  return asSent(toElicitationSchema(adaptSchema(schema, 'input').json).properties);
}
function refusal(json: object): SchemaError {
  try {
    toElicitationSchema({ type: 'object', ...json });
  } catch (error) {
    assert.ok(error instanceof SchemaError);
    return error;
  }
  return assert.fail(`accepted ${JSON.stringify(json)}`);
}

const SUBSET = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  type: 'object',
  properties: {
    name: { type: 'string', title: 'Name', description: 'Who', minLength: 1, maxLength: 9, default: 'Ann' },
    mail: { type: 'string', format: 'email' },
    age: { type: 'integer', minimum: 0, maximum: 150, default: 30 },
    score: { type: 'number', default: 95.5 },
    sure: { type: 'boolean', default: true },
    plain: { type: 'string', enum: ['a', 'b'], default: 'a' },
    titled: {
      type: 'string',
      oneOf: [
        { const: 'a', title: 'A' },
        { const: 'b', title: 'B' },
      ],
      default: 'b',
    },
    legacy: { type: 'string', enum: ['a', 'b'], enumNames: ['A', 'B'] },
    many: { type: 'array', minItems: 1, maxItems: 2, items: { type: 'string', enum: ['a', 'b'] }, default: ['a'] },
    titledMany: { type: 'array', items: { anyOf: [{ const: 'a', title: 'A' }] } },
  },
  required: ['name'],
};

test('[ELIC-15] a form in the subset stays as it is', () => {
  assert.deepEqual(asSent(toElicitationSchema(SUBSET)), SUBSET);
  assert.deepEqual(asSent(toElicitationSchema({ type: 'object', properties: {}, required: [] })), {
    type: 'object',
    properties: {},
    required: [],
  });
  assert.deepEqual(asSent(toElicitationSchema({ type: 'object' })), { type: 'object', properties: {} });
});

test('[ELIC-15] schemas of zod become forms', () => {
  assert.deepEqual(
    formOf(
      z.object({
        text: z.string().min(2).describe('A text'),
        mail: z.email(),
        page: z.url(),
        day: z.iso.date(),
        at: z.iso.datetime(),
        id: z.uuid(),
        whole: z.int(),
        count: z.int().positive().lt(10),
        share: z.number().min(0).max(1).default(0.5),
        sure: z.boolean().optional(),
        color: z.enum(['red', 'green']),
        size: z.literal(['s', 'm']),
        one: z.literal('only'),
        either: z.union([z.literal('x'), z.literal('y')]),
        named: z.union([z.literal('x').meta({ title: 'X' }), z.literal('y')]),
        many: z.array(z.enum(['a', 'b'])).min(1),
      }),
    ),
    {
      text: { type: 'string', description: 'A text', minLength: 2 },
      mail: { type: 'string', format: 'email' },
      page: { type: 'string', format: 'uri' },
      day: { type: 'string', format: 'date' },
      at: { type: 'string', format: 'date-time' },
      id: { type: 'string' },
      whole: { type: 'integer' },
      count: { type: 'integer', minimum: 1, maximum: 9 },
      share: { type: 'number', minimum: 0, maximum: 1, default: 0.5 },
      sure: { type: 'boolean' },
      color: { type: 'string', enum: ['red', 'green'] },
      size: { type: 'string', enum: ['s', 'm'] },
      one: { type: 'string', enum: ['only'] },
      either: { type: 'string', enum: ['x', 'y'] },
      named: {
        type: 'string',
        oneOf: [
          { const: 'x', title: 'X' },
          { const: 'y', title: 'y' },
        ],
      },
      many: { type: 'array', minItems: 1, items: { type: 'string', enum: ['a', 'b'] } },
    },
  );
});

test('[ELIC-15] parts that are shared by reference are inlined', () => {
  const json = {
    type: 'object',
    $defs: { c: { type: 'string', enum: ['a'] } },
    properties: { x: { $ref: '#/$defs/c', title: 'X' } },
  };
  assert.deepEqual(toElicitationSchema(json).properties, { x: { type: 'string', title: 'X', enum: ['a'] } });
});

test('[ELIC-15] a property that a form cannot ask for is a definition error that names it', () => {
  const faults: [unknown, RegExp][] = [
    [{ type: 'object', properties: {} }, /it is of type "object"/],
    [{ type: 'array', items: { type: 'string' } }, /list of something else than given strings/],
    [{ type: ['string', 'null'] }, /may be null; make it optional/],
    [{ anyOf: [{ type: 'string' }, { type: 'null' }] }, /choice of something else/],
    [{ enum: [1, 2] }, /choice of something else/],
    [{ type: 'number', enum: [1, 2] }, /choice of something else/],
    [{ oneOf: [{ const: 1 }] }, /choice of something else/],
    [{ type: 'number', exclusiveMinimum: 0 }, /open bound/],
    [{ type: 'integer', default: 'x' }, /its default must be an integer/],
    [{ type: 'string', enum: ['a'], default: 'b' }, /its default must be one of "a"/],
    [{}, /it has no type/],
    [true, /it may be anything/],
    [{ $ref: '#/$defs/none' }, /it refers to/],
    [{ $ref: '#/$defs/loop' }, /it refers to/],
  ];
  for (const [property, why] of faults) {
    const error = refusal({
      $defs: { loop: { $ref: '#/$defs/loop' } },
      properties: { fine: { type: 'string' }, odd: property },
    });
    assert.match(error.message, /The property "odd" can't be asked in a form/);
    assert.match(error.message, why);
    assert.equal(error.at, '/properties/odd');
  }
  assert.match(refusal({ required: ['x'] }).message, /requires "x", which is not one of its properties/);
  assert.throws(() => toElicitationSchema({ type: 'array' }), /must be an object/);
});

test('[ELIC-5] [ELIC-6] [ELIC-7] a text that sounds like a secret is refused: it belongs on a page', () => {
  for (const name of ['password', 'apiKey', 'access_token', 'clientSecret', 'passphrase', 'card-number', 'cvc', 'pin'])
    assert.throws(
      () => toElicitationSchema({ type: 'object', properties: { [name]: { type: 'string' } } }),
      { name: 'SchemaError', message: /it sounds like a secret.*on a page, with visit/ },
      name,
    );
  assert.throws(
    () => toElicitationSchema({ type: 'object', properties: { field: { type: 'string', title: 'Your password' } } }),
    /sounds like a secret/,
  );
  for (const field of [{ type: 'boolean' }, { type: 'integer' }, { type: 'string', enum: ['keep', 'reset'] }])
    toElicitationSchema({ type: 'object', properties: { password: field, shipping: { type: 'string' } } });
});

test('[ELIC-16] defaults fill in missing fields of an answer', () => {
  assert.deepEqual(applyDefaults(SUBSET, { name: 'Bob' }), {
    name: 'Bob',
    age: 30,
    score: 95.5,
    sure: true,
    plain: 'a',
    titled: 'b',
    many: ['a'],
  });
  const broken = { properties: { a: { type: 'string', default: { x: 1 } }, b: 'nonsense', c: { default: 'kept' } } };
  assert.deepEqual(applyDefaults(broken, { d: 1 }), { d: 1, c: 'kept' }, 'an invalid default is ignored');
  const named = applyDefaults({ properties: JSON.parse('{"__proto__":{"type":"string","default":"x"}}') }, {});
  assert.ok(Object.hasOwn(named, '__proto__'));
});

test('[ELIC-52] [ELIC-53] an answer is validated against its form', () => {
  const good = {
    name: 'Ann',
    mail: 'a@b.c',
    age: 3,
    score: 1.5,
    sure: false,
    plain: 'b',
    titled: 'a',
    legacy: 'b',
    many: ['a', 'b'],
    titledMany: [],
  };
  assert.deepEqual(checkAnswer(SUBSET, good), []);
  const faults: [object, string][] = [
    [{}, 'name: is required'],
    [{ name: '' }, 'name: must have at least 1 characters'],
    [{ name: '😀'.repeat(9) }, ''],
    [{ name: 'a'.repeat(10) }, 'name: must have at most 9 characters'],
    [{ name: 1 }, 'name: must be a string, got a number'],
    [{ name: 'a', mail: 'x' }, 'mail: must be an email address'],
    [{ name: 'a', age: 1.5 }, 'age: must be an integer, got 1.5'],
    [{ name: 'a', age: -1 }, 'age: must be >= 0'],
    [{ name: 'a', age: 200 }, 'age: must be <= 150'],
    [{ name: 'a', score: '1' }, 'score: must be a number, got a string'],
    [{ name: 'a', sure: 'yes' }, 'sure: must be a boolean, got a string'],
    [{ name: 'a', plain: 'c' }, 'plain: must be one of "a", "b"'],
    [{ name: 'a', titled: 'A' }, 'titled: must be one of "a", "b"'],
    [{ name: 'a', many: 'a' }, 'many: must be a list of strings, got a string'],
    [{ name: 'a', many: [] }, 'many: must have at least 1 items'],
    [{ name: 'a', many: ['c'] }, 'many: must have only items that are one of "a", "b"'],
    [{ name: 'a', titledMany: ['b'] }, 'titledMany: must have only items that are one of "a"'],
    [{ name: 'a', other: 'fine' }, ''],
    [
      { name: 'a', other: { deep: 1 } },
      'other: must be a string, a number, a boolean or a list of strings, got an object',
    ],
  ];
  for (const [content, text] of faults)
    assert.equal(formatIssues(checkAnswer(SUBSET, content)), text, JSON.stringify(content));
  assert.equal(formatIssues(checkAnswer(SUBSET, null)), 'must be an object, got null');
});

test('a pattern in a form is ignored on receipt', () => {
  assert.deepEqual(
    checkAnswer({ properties: { a: { type: 'string', pattern: '^(a+)+$' } } }, { a: `${'a'.repeat(100)}!` }),
    [],
  );
});

test('a contradictory form is validated as far as possible', () => {
  assert.deepEqual(
    checkAnswer({ properties: { a: { type: 'whatever' }, b: 7 }, required: [1, {}] }, { a: 'x', b: 'y' }),
    [],
  );
  assert.deepEqual(checkAnswer({ properties: { a: { type: 'string', minLength: 'x', enum: 7 } } }, { a: 'x' }), []);
  assert.equal(formatIssues(checkAnswer({ required: ['__proto__'] }, {})), '__proto__: is required');
});
