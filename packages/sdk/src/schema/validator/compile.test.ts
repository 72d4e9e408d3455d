/* oxlint-disable unicorn/no-thenable -- `then` is a keyword of JSON Schema */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { JsonSchema } from '../../protocol/entities.ts';
import { formatIssues } from '../issue.ts';
import { SchemaError } from '../schema-error.ts';
import { compileSchema } from './compile.ts';

const D2019 = 'https://json-schema.org/draft/2019-09/schema';
const D07 = 'http://json-schema.org/draft-07/schema#';

function valid(schema: unknown, value: unknown): boolean {
  return compileSchema(schema as JsonSchema).validate(value).length === 0;
}
function messageOf(schema: unknown, value: unknown): string {
  return formatIssues(compileSchema(schema as JsonSchema).validate(value));
}
function fault(schema: unknown): SchemaError {
  try {
    compileSchema(schema as JsonSchema);
  } catch (error) {
    assert.ok(error instanceof SchemaError, String(error));
    return error;
  }
  return assert.fail(`no fault found in ${JSON.stringify(schema)}`);
}

/** Schema, values that pass, values that don't. */
const CASES: readonly (readonly [what: string, schema: unknown, good: readonly unknown[], bad: readonly unknown[]])[] =
  [
    ['true allows all', true, [1, null, {}], []],
    ['false allows nothing', false, [], [1, null, {}]],
    ['an empty schema allows all', {}, [1, null, [], 'a'], []],
    [
      'integer counts by value, not by spelling',
      { type: 'integer' },
      [1, 1.0, -0, 1e20],
      [1.5, '1', true, NaN, Infinity],
    ],
    ['number is finite', { type: 'number' }, [1.5, 0], [NaN, Infinity, '1', null]],
    ['a list of types', { type: ['string', 'null'] }, ['a', null], [1, {}]],
    ['object is neither null nor array', { type: 'object' }, [{}], [null, []]],
    [
      'const compares deeply, in any order of members',
      { const: { a: [1, { b: 2, c: 3 }] } },
      [{ a: [1, { c: 3, b: 2 }] }],
      [{ a: [1] }, {}, null],
    ],
    ['const null is a constant', { const: null }, [null], [0, false, '']],
    ['0 and false are different', { enum: [0] }, [0, -0], [false, '0', null]],
    ['enum of objects', { enum: [{ a: 1 }, [1, 2], 'x'] }, [{ a: 1 }, [1, 2], 'x'], [{ a: 2 }, [2, 1], '1,2']],
    ['bounds', { minimum: 1, exclusiveMaximum: 3 }, [1, 2.9, 'no number'], [0.9, 3]],
    ['open lower bound', { exclusiveMinimum: 1, maximum: 3 }, [1.1, 3], [1, 3.1]],
    ['multiples are decimal', { multipleOf: 0.01 }, [0, 0.07, 19.99, 1.1, -4.35, 1e22], [0.075, 1e-7]],
    ['multiples of tiny numbers', { multipleOf: 1e-8 }, [12391239123, 1.5e-8 * 2], [1.5e-8]],
    ['multiples beyond the safe integers', { multipleOf: 10 }, [1e23, 9007199254740990], [9007199254740992]],
    ['lengths count code points', { minLength: 2, maxLength: 2 }, ['ab', '😀😀', 'é😀'], ['a', '😀', 'abc', '😀😀😀']],
    ['a pattern is not anchored', { pattern: 'b+' }, ['abba', 'b', 1], ['a', '']],
    ['a pattern sees code points', { pattern: '^.$' }, ['😀'], ['😀😀']],
    [
      'items and prefixItems',
      { prefixItems: [{ type: 'string' }], items: { type: 'number' } },
      [[], ['a'], ['a', 1, 2]],
      [[1], ['a', 'b']],
    ],
    ['an empty prefix', { prefixItems: [], items: false }, [[]], [[1]]],
    ['sizes of arrays', { minItems: 1, maxItems: 2 }, [[1], [1, 2], {}], [[], [1, 2, 3]]],
    [
      'unique items',
      { uniqueItems: true },
      [[1, '1', true, null, [1], { a: 1 }, { a: 2 }], []],
      [
        [1, 1.0],
        [
          { a: 1, b: 2 },
          { b: 2, a: 1 },
        ],
        [[[]], [[]]],
        [0, -0],
      ],
    ],
    [
      'contains',
      { contains: { type: 'number' }, minContains: 2, maxContains: 3 },
      [
        [1, 2],
        [1, 'a', 2, 3],
      ],
      [[1], [], [1, 2, 3, 4]],
    ],
    ['contains nothing', { contains: { type: 'number' }, minContains: 0, maxContains: 0 }, [[], ['a']], [[1]]],
    ['required', { required: ['a'] }, [{ a: null }, 1], [{}, { a: undefined }]],
    [
      'sizes of objects',
      { minProperties: 1, maxProperties: 1 },
      [{ a: 1 }, { a: 1, b: undefined }],
      [{}, { a: 1, b: 2 }],
    ],
    [
      'properties, patterns and the rest',
      {
        properties: { a: true },
        patternProperties: { '^x': { type: 'number' } },
        additionalProperties: { type: 'string' },
      },
      [{ a: 1, x1: 1, b: 'b' }],
      [{ x1: 'a' }, { b: 1 }],
    ],
    ['a property may be forbidden', { properties: { a: false } }, [{}, { b: 1 }], [{ a: 1 }]],
    ['propertyNames', { propertyNames: { maxLength: 1 } }, [{ a: 1 }], [{ ab: 1 }]],
    [
      'dependent members',
      { dependentRequired: { a: ['b'] }, dependentSchemas: { c: { maxProperties: 1 } } },
      [{ a: 1, b: 1 }, { c: 1 }, { d: 1 }],
      [{ a: 1 }, { c: 1, d: 1 }],
    ],
    [
      'dependencies, as older schemas have it',
      { dependencies: { a: ['b'], c: { required: ['d'] } } },
      [
        { a: 1, b: 1 },
        { c: 1, d: 1 },
      ],
      [{ a: 1 }, { c: 1 }],
    ],
    [
      'allOf, anyOf, oneOf, not',
      {
        allOf: [{ type: 'number' }],
        anyOf: [{ minimum: 5 }, { maximum: 1 }],
        oneOf: [{ multipleOf: 2 }, { multipleOf: 3 }],
        not: { const: 8 },
      },
      [10, 9, -2],
      [3, 6, 8, 'a', 7],
    ],
    [
      'if, then, else',
      { if: { required: ['a'] }, then: { required: ['b'] }, else: { required: ['c'] } },
      [{ a: 1, b: 1 }, { c: 1 }],
      [{ a: 1 }, {}],
    ],
    ['then without if is a remark', { then: false }, [1], []],
    [
      'unevaluated members see through allOf, anyOf and $ref',
      {
        $defs: { base: { properties: { a: true } } },
        allOf: [{ $ref: '#/$defs/base' }],
        anyOf: [{ properties: { b: { type: 'string' } } }, true],
        unevaluatedProperties: false,
      },
      [{ a: 1 }, { a: 1, b: 'b' }],
      [{ c: 1 }, { b: 1 }],
    ],
    [
      'unevaluated items after a prefix and beside contains',
      { prefixItems: [true], contains: { type: 'string' }, unevaluatedItems: { type: 'number' } },
      [[null, 'a', 1], ['a']],
      [['a', null]],
    ],
    [
      'members evaluated by one kind of keyword are not evaluated for the other',
      { items: true, unevaluatedProperties: false },
      [{}, [1]],
      [{ a: 1 }],
    ],
    [
      'members evaluated by a failed branch do not count',
      { anyOf: [{ properties: { a: true }, required: ['b'] }, true], unevaluatedProperties: false },
      [{ a: 1, b: 1 }].slice(1),
      [{ a: 1 }],
    ],
    [
      'not never evaluates',
      { not: { not: { properties: { a: true } } }, unevaluatedProperties: false },
      [{}],
      [{ a: 1 }],
    ],
    [
      'references and pointers with escapes',
      { $defs: { 'a/b~c%': { type: 'number' } }, $ref: '#/$defs/a~1b~0c%25' },
      [1],
      ['a'],
    ],
    ['anchors', { $defs: { x: { $anchor: 'here', type: 'number' } }, $ref: '#here' }, [1], ['a']],
    [
      'embedded resources',
      {
        $id: 'https://example.com/root',
        $defs: { x: { $id: 'item', $defs: { n: { type: 'number' } }, $ref: '#/$defs/n' } },
        items: { $ref: 'item' },
      },
      [[1]],
      [['a']],
    ],
    [
      'a URN as base',
      { $id: 'urn:example:root', $defs: { n: { type: 'number' } }, $ref: 'urn:example:root#/$defs/n' },
      [1],
      ['a'],
    ],
    [
      'a reference below an unknown keyword',
      { components: { n: { type: 'number' } }, $ref: '#/components/n' },
      [1],
      ['a'],
    ],
    ['keywords beside $ref count', { $defs: { n: { type: 'number' } }, $ref: '#/$defs/n', minimum: 3 }, [3], [1, 'a']],
    [
      '$dynamicRef depends on the referring schema',
      {
        $id: 'https://example.com/strings',
        $defs: {
          list: { $id: 'list', items: { $dynamicRef: '#item' }, $defs: { any: { $dynamicAnchor: 'item' } } },
          string: { $dynamicAnchor: 'item', type: 'string' },
        },
        $ref: 'list',
      },
      [['a']],
      [[1]],
    ],
    [
      'names that objects inherit are plain names',
      {
        properties: JSON.parse(
          '{"__proto__":{"type":"number"},"constructor":{"type":"string"},"toString":{"type":"string"}}',
        ),
        required: ['__proto__'],
        additionalProperties: false,
      },
      [JSON.parse('{"__proto__":1}'), JSON.parse('{"__proto__":1,"constructor":"a"}')],
      [
        {},
        JSON.parse('{"__proto__":"a"}'),
        JSON.parse('{"__proto__":1,"valueOf":1}'),
        JSON.parse('{"__proto__":1,"constructor":1}'),
      ],
    ],
    ['inherited names are not members', { required: ['toString'] }, [{ toString: 1 }], [{}]],
    [
      'a schema may itself have such names',
      { dependentRequired: { constructor: ['a'] }, maxProperties: 3 },
      [{}, { constructor: 1, a: 1 }],
      [{ constructor: 1 }],
    ],
    [
      'unknown keywords are remarks',
      { type: 'string', example: 'a', 'x-mcp-header': 'Region', nullable: true, format: 'email' },
      ['not an email'],
      [null],
    ],
    [
      'content is not looked into',
      { contentMediaType: 'application/json', contentEncoding: 'base64', contentSchema: { type: 'number' } },
      ['%'],
      [],
    ],
  ];

for (const [what, schema, good, bad] of CASES) {
  test(`[BASE-58] [BASE-59] 2020-12 without $schema: ${what}`, () => {
    for (const value of good) assert.equal(messageOf(schema, value), '', `${JSON.stringify(value)} passes`);
    for (const value of bad) assert.ok(!valid(schema, value), `${JSON.stringify(value)} does not pass`);
  });
}

test('[BASE-60] 2019-09 if it is declared: items lists, additionalItems, $recursiveRef, no prefixItems', () => {
  assert.ok(valid({ $schema: D2019, items: [{ type: 'string' }], additionalItems: false }, ['a']));
  assert.ok(!valid({ $schema: D2019, items: [{ type: 'string' }], additionalItems: false }, ['a', 1]));
  assert.ok(
    valid({ $schema: D2019, items: { type: 'string' }, additionalItems: false }, ['a', 'b']),
    'additionalItems counts beside a list only',
  );
  assert.ok(valid({ $schema: D2019, prefixItems: [false] }, [1]));
  assert.ok(
    !valid({ $schema: D2019, items: [true], contains: true, unevaluatedItems: false }, [1, 2]),
    'contains does not evaluate',
  );
  const tree = {
    $schema: D2019,
    $id: 'https://example.com/closed',
    $recursiveAnchor: true,
    $ref: 'open',
    unevaluatedProperties: false,
    $defs: { open: { $id: 'open', $recursiveAnchor: true, properties: { child: { $recursiveRef: '#' } } } },
  };
  assert.ok(valid(tree, { child: { child: {} } }));
  assert.ok(!valid(tree, { child: { other: 1 } }));
});

test('[BASE-60] draft-07 if it is declared: $ref ignores its siblings, definitions, dependencies, no newer keywords', () => {
  assert.ok(valid({ $schema: D07, definitions: { n: { type: 'number' } }, $ref: '#/definitions/n', minimum: 3 }, 1));
  assert.ok(!valid({ $schema: D07, definitions: { n: { type: 'number' } }, $ref: '#/definitions/n' }, 'a'));
  assert.ok(
    !valid({ $schema: D07, definitions: { n: { $id: '#name', type: 'number' } }, items: { $ref: '#name' } }, ['a']),
  );
  assert.ok(!valid({ $schema: D07, dependencies: { a: ['b'] } }, { a: 1 }));
  assert.ok(!valid({ $schema: D07, items: [{ type: 'string' }], additionalItems: { type: 'number' } }, ['a', 'b']));
  assert.ok(
    valid(
      { $schema: D07, unevaluatedProperties: false, dependentRequired: { a: ['b'] }, contains: true, minContains: 2 },
      { a: 1 },
    ),
  );
  assert.ok(valid({ $schema: D07, contains: true, minContains: 2 }, [1]));
});

test('[BASE-60] a subschema with its own $schema is read in that dialect', () => {
  const definitions = { n: { type: 'number' }, m: { $ref: '#/definitions/n', minimum: 3 } };
  const old = { $schema: D07, $id: 'https://example.com/old', definitions, allOf: [{ $ref: '#/definitions/m' }] };
  assert.ok(valid({ items: old }, [1]));
  assert.ok(!valid({ items: old }, ['a']));
});

test('[BASE-58] the dialect may be written with http or https, with or without the empty fragment', () => {
  for (const $schema of [
    'https://json-schema.org/draft/2020-12/schema',
    'http://json-schema.org/draft/2020-12/schema#',
  ]) {
    assert.ok(!valid({ $schema, prefixItems: [false] }, [1]), $schema);
  }
  for (const $schema of ['http://json-schema.org/draft-07/schema', 'https://json-schema.org/draft-07/schema#']) {
    assert.ok(valid({ $schema, prefixItems: [false] }, [1]), $schema);
  }
});

test('[BASE-61] an unsupported dialect is an error, at the root and inside', () => {
  for (const $schema of ['http://json-schema.org/draft-04/schema#', 'https://example.com/mine', '', 7]) {
    assert.match(
      fault({ $schema }).message,
      /\$schema .* is not supported: use JSON Schema 2020-12, 2019-09 or draft-07/,
    );
    assert.equal(fault({ properties: { a: { $schema } } }).at, '/properties/a/$schema');
  }
});

test('[BASE-63] [TOOL-8] a schema that is invalid in its dialect is refused, with the location', () => {
  const faults: [unknown, RegExp, string][] = [
    [null, /must be an object or a boolean, got null/, ''],
    [{ properties: { a: 'string' } }, /must be an object or a boolean, got a string/, '/properties/a'],
    [{ properties: [] }, /must be an object of schemas/, '/properties'],
    [{ type: 'text' }, /"text" is not one of/, '/type'],
    [{ type: [] }, /list of different types/, '/type'],
    [{ type: ['string', 'string'] }, /list of different types/, '/type'],
    [{ items: { minimum: '1' } }, /minimum must be a number, got a string/, '/items/minimum'],
    [{ maxLength: -1 }, /whole number >= 0/, '/maxLength'],
    [{ minItems: 1.5 }, /whole number >= 0/, '/minItems'],
    [{ multipleOf: 0 }, /must be > 0/, '/multipleOf'],
    [{ required: 'a' }, /array of property names/, '/required'],
    [{ required: ['a', 'a'] }, /twice/, '/required'],
    [{ enum: 'a' }, /enum must be an array/, '/enum'],
    [{ allOf: [] }, /must not be empty/, '/allOf'],
    [{ anyOf: {} }, /must be an array of schemas/, '/anyOf'],
    [{ items: [true] }, /must be an object or a boolean, got an array/, '/items'],
    [{ uniqueItems: 'yes' }, /must be a boolean/, '/uniqueItems'],
    [{ pattern: 7 }, /must be a string/, '/pattern'],
    [{ pattern: '(' }, /can't be used: it has a '\(' without '\)'/, '/pattern'],
    [{ patternProperties: { '(?<=a)': true } }, /can't be used: it looks behind/, '/patternProperties/(?<=a)'],
    [{ dependentRequired: { a: 'b' } }, /array of property names/, '/dependentRequired'],
    [{ $ref: 7 }, /\$ref must be a string/, '/$ref'],
    [{ $ref: '#/$defs/no' }, /leads to nothing/, '/$ref'],
    [{ $ref: '#no' }, /leads to nothing/, '/$ref'],
    [{ $ref: '#/%' }, /not encoded/, '/$ref'],
    [{ $ref: '#/type', type: 'string' }, /must be an object or a boolean/, '/type'],
    [{ $id: 'http://[' }, /not a URI/, '/$id'],
    [{ $id: 'https://example.com/#x' }, /use \$anchor/, '/$id'],
    [{ $anchor: 'a b' }, /not a name/, '/$anchor'],
    [{ $defs: { a: { $id: 'x' }, b: { $id: 'x' } } }, /Two schemas have the \$id/, '/$defs/b/$id'],
    [{ $defs: { a: { $anchor: 'x' }, b: { $anchor: 'x' } } }, /Two schemas have the anchor/, '/$defs/b'],
  ];
  for (const [schema, message, at] of faults) {
    const error = fault(schema);
    assert.match(error.message, message);
    assert.equal(error.at, at, error.message);
  }
});

test("a peer's schema may have small faults, and unsafe patterns are left out with a warning", () => {
  const { validate, warnings } = compileSchema(
    {
      required: ['a', 'a'],
      properties: { a: { pattern: '(?<=x)y', minLength: 2 } },
      patternProperties: { '(?P<n>b)': false },
      additionalProperties: false,
    },
    { untrusted: true },
  );
  assert.equal(warnings.length, 2);
  assert.match(warnings.join('\n'), /it looks behind \(at \/properties\/a\/pattern\)/);
  assert.deepEqual(validate({ a: 'ab' }), []);
  assert.equal(formatIssues(validate({ a: 'a' })), 'a: must have at least 2 characters');
  assert.deepEqual(validate({ a: 'ab', b: 1 }), [], 'b may match the pattern that was left out');
  assert.throws(
    () => compileSchema({ pattern: '(?<=x)y' }, { untrusted: true, onUnsafePattern: 'error' }),
    SchemaError,
  );
  assert.deepEqual(compileSchema({ pattern: '(?<=x)y' }, { onUnsafePattern: 'skip' }).validate(''), []);
});

test('a keyword that was left out counts as passed, even where it is negated', () => {
  const unsafe = { pattern: '(?<=x)y' };
  const accepts: [schema: JsonSchema, value: unknown][] = [
    [{ not: unsafe }, 'a'],
    [{ not: { allOf: [{ anyOf: [unsafe] }] } }, 'a'],
    [{ not: { not: { not: unsafe } } }, 'a'],
    [{ not: { patternProperties: { '(?<=x)y': false }, minProperties: 1 } }, { xy: 1 }],
    [{ oneOf: [unsafe, { type: 'string' }] }, 'a'],
    [{ oneOf: [unsafe, unsafe] }, 'xy'],
    [{ if: unsafe, then: false }, 'a'],
    [{ if: unsafe, else: false }, 'xy'],
    [{ contains: unsafe, maxContains: 1 }, ['a', 'b']],
    [{ contains: unsafe, minContains: 2 }, ['xy', 'xy']],
    [
      { if: { properties: { k: unsafe } }, then: { properties: { a: true } }, unevaluatedProperties: false },
      { k: 'xy', a: 1 },
    ],
    [{ patternProperties: { '(?<=x)y': true }, unevaluatedProperties: false }, { xy: 1 }],
  ];
  const refuses: typeof accepts = [
    [{ not: { ...unsafe, type: 'number' } }, 7],
    [{ oneOf: [unsafe, { type: 'string' }, { minLength: 1 }] }, 'a'],
    [{ oneOf: [{ ...unsafe, minLength: 2 }, { type: 'number' }] }, 'a'],
    [{ contains: { ...unsafe, minLength: 2 } }, ['a']],
    [{ contains: { type: ['string', 'number'], ...unsafe }, maxContains: 1 }, [1, 2]],
  ];
  for (const [schema, value] of accepts)
    assert.deepEqual(compileSchema(schema, { untrusted: true }).validate(value), [], JSON.stringify(schema));
  for (const [schema, value] of refuses)
    assert.notDeepEqual(compileSchema(schema, { untrusted: true }).validate(value), [], JSON.stringify(schema));
});

test('a location that is not a schema of any keyword may be referred to more than once', () => {
  const schema = {
    components: { deep: { n: { $id: 'n', type: 'number' } } },
    properties: { a: { $ref: '#/components/deep/n' }, b: { $ref: '#/components/deep/n' } },
  };
  assert.ok(valid(schema, { a: 1, b: 1 }));
  assert.equal(messageOf(schema, { a: 1, b: 'x' }), 'b: must be a number, got a string');
});

test('issues give the location and the problem, in words for a model', () => {
  const schema = {
    type: 'object',
    properties: {
      name: { type: 'string', minLength: 2 },
      age: { type: 'integer', minimum: 0 },
      kind: { enum: ['a', 'b'] },
      tags: { type: 'array', items: { type: 'string' }, uniqueItems: true },
      at: { anyOf: [{ type: 'string' }, { type: 'null' }] },
      shape: {
        oneOf: [
          { properties: { type: { const: 'circle' }, r: { type: 'number' } }, required: ['type', 'r'] },
          { properties: { type: { const: 'square' }, side: { type: 'number' } }, required: ['type', 'side'] },
        ],
      },
    },
    required: ['name', 'id'],
    additionalProperties: false,
  };
  const texts: [unknown, string][] = [
    [[], 'must be an object, got an array'],
    [
      { id: 1 },
      'name: is required; id: is not allowed; the known properties are "name", "age", "kind", "tags", "at", "shape"',
    ],
    [{ name: 'x' }, 'id: is required; name: must have at least 2 characters'],
  ];
  for (const [value, text] of texts) assert.equal(messageOf(schema, value), text);
  const of = (property: string, value: unknown): string =>
    messageOf({ properties: schema.properties }, { [property]: value });
  assert.equal(of('age', 1.5), 'age: must be an integer, got 1.5');
  assert.equal(of('age', -1), 'age: must be >= 0');
  assert.equal(of('kind', 'c'), 'kind: must be one of "a", "b"');
  assert.equal(
    of('tags', ['a', 1, 'a']),
    'tags[1]: must be a string, got a number; tags: must have no equal items, but items 0 and 2 are equal',
  );
  assert.equal(of('at', 1), 'at: must be a string or must be null, got a number');
  assert.equal(
    of('shape', { type: 'circle' }),
    'shape: must match one of 2 allowed forms; the nearest one says: r: is required',
  );
  assert.equal(
    messageOf({ patternProperties: { '': { type: 'string' } } }, { 'odd name\u0007': 1 }),
    '["odd name\\u0007"]: must be a string, got a number',
  );
  assert.equal(
    messageOf({ additionalProperties: { minimum: 1 } }, JSON.parse('{"__proto__":0}')),
    '__proto__: must be >= 1',
  );
});

test('at most 20 issues are reported, or as many as requested', () => {
  const many = Array.from({ length: 100 }, () => 'a');
  assert.equal(compileSchema({ items: { type: 'number' } }).validate(many).length, 20);
  assert.equal(compileSchema({ items: { type: 'number' } }, { limits: { issues: 3 } }).validate(many).length, 3);
});

test('formats are checked only on request, and only those of elicitation', () => {
  const schema = { properties: { a: { format: 'email' }, b: { format: 'ipv4' } } };
  assert.deepEqual(compileSchema(schema).validate({ a: 'x', b: 'x' }), []);
  const checking = compileSchema(schema, { formats: true });
  assert.equal(formatIssues(checking.validate({ a: 'x', b: 'x' })), 'a: must be an email address');
  assert.deepEqual(checking.validate({ a: 7 }), []);
});

test('a compiled schema gives the same result every time', () => {
  const { validate } = compileSchema({
    $defs: { n: { anyOf: [{ type: 'number' }, { type: 'array', items: { $ref: '#/$defs/n' } }] } },
    $ref: '#/$defs/n',
  });
  for (let round = 0; round < 3; round += 1) {
    assert.deepEqual(validate([1, [2, [3]]]), []);
    assert.equal(validate([1, ['a']]).length, 1);
  }
});
