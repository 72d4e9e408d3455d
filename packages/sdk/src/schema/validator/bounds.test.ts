import assert from 'node:assert/strict';
import { test } from 'node:test';
import { withinCpuMs } from '../../../../../scripts/lib/cpu-time.ts';
import type { JsonSchema } from '../../protocol/entities.ts';
import { SchemaError } from '../schema-error.ts';
import { compileSchema } from './compile.ts';

// Schemas and values that are made to be expensive. All end within about 100 ms; this limit only distinguishes slow from endless.
const CAP_MS = 2_000;

function compile(schema: unknown) {
  return withinCpuMs(CAP_MS, () => compileSchema(schema as JsonSchema, { untrusted: true }));
}
function check(schema: unknown, value: unknown): string {
  const { validate } = compile(schema);
  return withinCpuMs(CAP_MS, () => validate(value))[0]?.message ?? 'valid';
}
function refuses(schema: unknown, reason: RegExp): void {
  assert.throws(
    () => compile(schema),
    (error) => error instanceof SchemaError && reason.test(error.message),
  );
}

function times<T>(count: number, make: (index: number) => T): T[] {
  return Array.from({ length: count }, (_, index) => make(index));
}
function nested(depth: number, keyword: string): unknown {
  let schema: unknown = { type: 'number' };
  for (let level = 0; level < depth; level += 1)
    schema = keyword === 'properties' ? { properties: { a: schema } } : { [keyword]: schema };
  return schema;
}
function chainOf(depth: number): unknown {
  let value: unknown = {};
  for (let level = 0; level < depth; level += 1) value = { a: value };
  return value;
}
/** Each definition applies the next one twice. */
function nestedSchema(height: number, keyword: string): unknown {
  return {
    $defs: Object.fromEntries(
      times(height + 1, (at) => [
        `d${at}`,
        at === height
          ? { type: 'number' }
          : { [keyword]: [{ $ref: `#/$defs/d${at + 1}` }, { $ref: `#/$defs/d${at + 1}` }] },
      ]),
    ),
    $ref: '#/$defs/d0',
  };
}

const TOO_MUCH = /could not be checked against its schema: it takes too much work/;
const TOO_DEEP = /could not be checked against its schema: it is nested too deep/;

test('[BASE-68] a pattern that backtracks exponentially in other engines ends at once', () => {
  assert.match(check({ pattern: '^(a+)+$' }, `${'a'.repeat(30)}!`), /must match the pattern/);
  assert.match(check({ pattern: '^(a+)+$' }, `${'a'.repeat(1_000_000)}!`), /must match the pattern/);
  assert.match(check({ patternProperties: { '^(a|a)*$': false } }, { [`${'a'.repeat(100_000)}!`]: 1 }), /valid/);
  assert.match(check({ pattern: '(a|b)*a(a|b){300}c' }, 'ab'.repeat(200_000)), TOO_MUCH);
});

test('[BASE-68] too many or too large patterns are refused', () => {
  refuses({ allOf: times(9_000, (at) => ({ pattern: `^(a|b)*a(a|b){9}${at}$` })) }, /too much work/);
  refuses({ pattern: '((){999999999}){999999999}' }, /too much work/);
  assert.match(compile({ pattern: '(((a{30}){30}){30}){30}' }).warnings.join(), /too large/);
});

test('[BASE-68] a $ref cycle without progress is refused', () => {
  const endless = /refers to itself without going into a property or an item/;
  refuses({ $ref: '#' }, endless);
  refuses({ $defs: { a: { $ref: '#/$defs/b' }, b: { $ref: '#/$defs/a' } }, $ref: '#/$defs/a' }, endless);
  refuses({ $defs: { a: { $ref: '#/$defs/b' }, b: { $ref: '#/$defs/a' } } }, endless);
  for (const keyword of ['allOf', 'anyOf', 'oneOf'])
    refuses({ [keyword]: [{ type: 'string' }, { $ref: '#' }] }, endless);
  for (const keyword of ['not', 'if']) refuses({ [keyword]: { $ref: '#' } }, endless);
  refuses({ dependentSchemas: { a: { $ref: '#' } } }, endless);
  refuses({ $dynamicAnchor: 'a', $dynamicRef: '#a' }, endless);
  refuses({ $schema: 'https://json-schema.org/draft/2019-09/schema', $recursiveRef: '#' }, endless);
  refuses(
    { $schema: 'http://json-schema.org/draft-07/schema#', definitions: { a: { $ref: '#/definitions/a' } } },
    endless,
  );
});

test('[BASE-68] recursion that makes progress is legal and ends with the data', () => {
  const tree = { properties: { a: { $ref: '#' } }, additionalProperties: false };
  assert.equal(check(tree, chainOf(100)), 'valid');
  assert.match(check(tree, { a: { a: { b: 1 } } }), /is not allowed/);
  assert.match(check(tree, chainOf(100_000)), TOO_DEEP);
  const list = { anyOf: [{ type: 'null' }, { type: 'array', items: { $ref: '#' } }] };
  assert.equal(check(list, [[null], [[null]]]), 'valid');
});

test('[BASE-68] a cycle through $dynamicRef that only appears during checking is stopped', () => {
  const schema = {
    $id: 'https://example.com/a',
    $dynamicAnchor: 'x',
    $ref: 'b',
    $defs: { b: { $id: 'b', allOf: [{ $dynamicRef: '#x' }], $defs: { x: { $dynamicAnchor: 'x' } } } },
  };
  assert.match(check(schema, 1), TOO_DEEP);
});

test('[BASE-68] chains of definitions that double the work are stopped', () => {
  for (const keyword of ['allOf', 'anyOf', 'oneOf'])
    assert.match(check(nestedSchema(40, keyword), keyword === 'anyOf' ? 'a' : 1), TOO_MUCH);
  assert.equal(check(nestedSchema(8, 'allOf'), 1), 'valid');
});

test('[BASE-68] a schema nested too deep or with too many subschemas is refused, one at the limit is not', () => {
  refuses(nested(3_000, 'properties'), /nested more than 64 schemas deep/);
  refuses(nested(65, 'not'), /nested more than 64 schemas deep/);
  assert.equal(check(nested(64, 'properties'), {}), 'valid');
  refuses({ allOf: times(50_000, () => ({ type: 'number' })) }, /more than 10000 subschemas/);
  assert.equal(check({ allOf: times(9_999, () => ({ type: 'number' })) }, 1), 'valid');
  let shared: unknown = { type: 'number' };
  for (let level = 0; level < 40; level += 1) shared = { allOf: [shared, shared] };
  refuses(shared, /more than 10000 subschemas/);
  const own: { items?: unknown } = {};
  own.items = own;
  refuses(own, /nested more than 64 schemas deep/);
});

test('[BASE-68] a long chain of references is stopped', () => {
  const length = 4_000;
  const $defs = Object.fromEntries(
    times(length, (at) => [`d${at}`, at === length - 1 ? {} : { $ref: `#/$defs/d${at + 1}` }]),
  );
  assert.match(check({ $defs, $ref: '#/$defs/d0' }, 1), TOO_DEEP);
});

test('[BASE-68] large arrays are compared in linear time', () => {
  assert.equal(
    check(
      { uniqueItems: true },
      times(100_000, (at) => at),
    ),
    'valid',
  );
  assert.equal(
    check(
      { uniqueItems: true },
      times(100_000, (at) => `s${at}`),
    ),
    'valid',
  );
  assert.match(
    check({ uniqueItems: true }, [...times(50_000, (at) => ({ a: at })), { a: 7 }]),
    /items 7 and 50000 are equal/,
  );
  assert.match(
    check(
      { items: { uniqueItems: true } },
      times(2_000, () => times(200, (at) => ({ a: [at] }))),
    ),
    TOO_MUCH,
  );
});

test('[BASE-68] large enums are looked up, too large ones refused', () => {
  const values = times(50_000, (at) => `v${at}`);
  assert.equal(check({ items: { enum: values } }, values), 'valid');
  assert.match(check({ enum: times(10_000, (at) => ({ a: at })) }, { a: -1 }), /must be one of/);
  refuses({ enum: times(1_000_000, (at) => at) }, /too much work/);
});

test('[BASE-68] deep values are compared up to a limit', () => {
  assert.match(check({ uniqueItems: true }, [chainOf(100_000)]), TOO_DEEP);
  assert.equal(check({ const: chainOf(100) }, chainOf(100)), 'valid');
  assert.match(check({ const: chainOf(1_000) }, chainOf(1_000)), TOO_DEEP);
});

test('[BASE-68] excessive work with members, names and unevaluated parts is stopped', () => {
  const wide = Object.fromEntries(times(5_000, (at) => [`p${at}`, 1]));
  assert.match(
    check({ anyOf: times(200, () => ({ patternProperties: { '.': true } })), unevaluatedProperties: false }, wide),
    TOO_MUCH,
  );
  assert.match(
    check(
      { items: { multipleOf: 1e-300 } },
      times(60_000, () => 1e300),
    ),
    TOO_MUCH,
  );
  const needs = Object.fromEntries(times(5_000, (at) => [`p${at}`, times(50, (other) => `q${other}`)]));
  assert.match(
    check(
      { items: { dependentRequired: needs } },
      times(1_000, () => ({})),
    ),
    TOO_MUCH,
  );
  assert.match(
    check(
      { items: { required: times(5_000, (at) => `k${at}`), type: 'array' } },
      times(5_000, () => ({})),
    ),
    /must be an array/,
  );
});

test('[BASE-68] long names in a schema do not add up', () => {
  const long = 'x'.repeat(200_000);
  const inner = Object.fromEntries(times(100, (at) => [`${long}${at}`, { $ref: '#/$defs/n' }]));
  assert.equal(check({ $defs: { n: {} }, properties: { [long]: { properties: inner } } }, {}), 'valid');
  refuses({ properties: { [long]: { $ref: '#/nowhere' } } }, /leads to nothing.{0,400}$/);
});

test('[BASE-68] the limits can be set', () => {
  assert.throws(() => compileSchema({ items: { items: {} } }, { limits: { depth: 1 } }), SchemaError);
  assert.throws(() => compileSchema({ items: {} }, { limits: { subschemas: 1 } }), SchemaError);
  assert.throws(() => compileSchema({ items: {} }, { limits: { compileSteps: 5 } }), SchemaError);
  for (const depth of [0, -1, NaN, Infinity]) assert.throws(() => compileSchema({}, { limits: { depth } }), TypeError);
  const { validate } = compileSchema({ items: { type: 'number' } }, { limits: { validateSteps: 100 } });
  assert.deepEqual(validate([1, 2, 3]), []);
  assert.match(validate(times(1_000, (at) => at))[0]!.message, TOO_MUCH);
});

test('[BASE-64] [BASE-65] [BASE-67] references that leave the schema are refused, and nothing is fetched', (context) => {
  const fetched = context.mock.method(globalThis, 'fetch', () => Promise.reject(new Error('no')));
  for (const $ref of [
    'http://127.0.0.1:9/',
    'https://example.com/#/x',
    'file:///etc/passwd',
    'other.json',
    'https://json-schema.org/draft/2020-12/schema',
  ]) {
    refuses({ $ref }, /leads out of this schema, and nothing is fetched/);
    refuses({ properties: { a: { anyOf: [true, { $ref }] } } }, /leads out of this schema/);
    refuses({ $dynamicRef: $ref }, /leads out of this schema/);
  }
  refuses({ $schema: 'http://127.0.0.1:9/' }, /is not supported/);
  assert.equal(check({ $id: 'http://127.0.0.1:9/', properties: { a: { $ref: '#' } } }, {}), 'valid');
  assert.equal(fetched.mock.callCount(), 0);
});

test('[BASE-68] a check that starts with little stack left reports it', () => {
  const { validate } = compileSchema({ properties: { a: { $ref: '#' } } });
  const value = chainOf(150);
  const results = new Set<string>();
  const fill = (): void => {
    try {
      fill();
    } catch {
      // Every frame on the way out tries, with a little more stack each time.
    }
    if (results.size < 2) results.add(validate(value)[0]?.message ?? 'valid');
  };
  fill();
  assert.ok(results.has('valid'));
});

/** An object with `count` members, as it is parsed from a message: `k0: 0`, `k1: 1`, … */
function manyMembers(count: number): object {
  return JSON.parse(`{${Array.from({ length: count }, (_, at) => `"k${at}":${at}`).join()}}`) as object;
}

test('checking a large object against many schemas costs little more than against one', () => {
  const value = manyMembers(20_000);
  const some = Array.from({ length: 200 }, (_, at) => ({ properties: { [`k${at}`]: { type: 'number' } } }));
  const every = { patternProperties: { '^k': { type: 'number' } } };
  const nest = (wrap: (inner: object) => object): object =>
    Array.from({ length: 40 }).reduce<object>((inner) => wrap(inner), every);
  for (const schema of [
    { allOf: some, unevaluatedProperties: { type: 'number' } },
    { allOf: some, unevaluatedProperties: { type: 'number' }, minProperties: 1 },
    { allOf: Array.from({ length: 200 }, () => ({ minProperties: 20_000 })) },
    nest((inner) => ({ allOf: [inner], unevaluatedProperties: false })),
    { ...nest((inner) => ({ anyOf: [inner] })), unevaluatedProperties: false },
  ])
    assert.deepEqual(compileSchema(schema as JsonSchema, { untrusted: true }).validate(value), []);
});

test('a large object is checked like a small one', () => {
  const named = (...names: string[]) => ({
    properties: Object.fromEntries(names.map((name) => [name, { maximum: 5 }])),
  });
  const schemas: Record<string, JsonSchema> = {
    named: named('k1', 'k2', 'k6', 'none', '__proto__'),
    unevaluated: { ...named('k1'), allOf: [named('k2'), named('k3', 'none')], unevaluatedProperties: false },
    'unevaluated in one of several': {
      anyOf: [named('k1'), { ...named('k2'), required: ['none'] }],
      unevaluatedProperties: false,
    },
    'all are evaluated': { anyOf: [{ patternProperties: { '^k': {} } }, named('k1')], unevaluatedProperties: false },
    'those of a pattern are': { patternProperties: { '[1-5]$': {} }, unevaluatedProperties: { maximum: 6 } },
  };
  const wrongOf = (schema: JsonSchema, count: number): unknown =>
    compileSchema(schema, { limits: { issues: 1_000 } })
      .validate(manyMembers(count))
      .filter(({ path }) => Number(String(path[0]).slice(1)) < 9);
  for (const [what, schema] of Object.entries(schemas))
    assert.deepEqual(wrongOf(schema, 300), wrongOf(schema, 9), what);
});
