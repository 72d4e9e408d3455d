import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { readSchema } from 'tenon/schema';
import { withinCpuMs } from '../../../../scripts/lib/cpu-time.ts';
import { goodSurface } from '../lint/fixtures/good.ts';
import { randomDocuments, type RandomSchema } from '../sample/fixtures/random-schemas.ts';
import { sampleOf } from '../sample/sample-of.ts';
import type { Change, Direction } from './change.ts';
import { compareSurfaces } from './compare-surfaces.ts';
import type { Surface } from './surface.ts';

const NUMBER_OF_RUNS = 1_000;
const seed = process.env['PROPERTY_SEED'] === undefined ? {} : { seed: Number(process.env['PROPERTY_SEED']) };

function withSchema(schema: unknown, direction: Direction): Surface {
  return {
    ...goodSurface,
    tools: [{ name: 't', inputSchema: { type: 'object' }, [`${direction}Schema`]: schema }],
  };
}
function changesOf(before: unknown, after: unknown, direction: Direction): readonly Change[] {
  return compareSurfaces(withSchema(before, direction), withSchema(after, direction));
}

/** All objects inside a value. */
function objectsIn(value: unknown, found: RandomSchema[] = []): RandomSchema[] {
  if (typeof value !== 'object' || value === null) return found;
  if (!Array.isArray(value)) found.push(value as RandomSchema);
  for (const inner of Object.values(value)) objectsIn(inner, found);
  return found;
}

const EDITS: readonly ((schema: RandomSchema, nth: number) => void)[] = [
  (schema, nth) => void delete schema[Object.keys(schema)[nth % Math.max(1, Object.keys(schema).length)] ?? ''],
  (schema, nth) =>
    Object.assign(schema, { type: ['string', 'number', 'integer', ['string', 'null'], 'object', 'array'][nth % 6] }),
  (schema, nth) =>
    Object.assign(schema, {
      [['minimum', 'maximum', 'minLength', 'maxLength', 'minItems', 'maxItems', 'minProperties'][nth % 7]!]: nth % 9,
    }),
  (schema, nth) =>
    Object.assign(schema, { required: Object.keys((schema['properties'] as object | undefined) ?? {}).slice(nth % 3) }),
  (schema, nth) => Object.assign(schema, { enum: ['a', 'b', 1, null].slice(nth % 4) }),
  (schema, nth) => Object.assign(schema, { additionalProperties: [true, false, { type: 'string' }][nth % 3] }),
  (schema, nth) =>
    Object.assign(schema, {
      properties: { ...(schema['properties'] as object | undefined), fresh: [{}, { type: 'string' }, false][nth % 3] },
    }),
  (schema) => Object.assign(schema, { allOf: [{ ...schema }] }),
  (schema) => Object.assign(schema, { anyOf: [{ ...schema }, { type: 'null' }] }),
  (schema, nth) => Object.assign(schema, { multipleOf: (nth % 4) + 1, uniqueItems: nth % 2 === 0 }),
  (schema, nth) => Object.assign(schema, { $ref: ['#/$defs/node', '#/$defs/word', '#/$defs/none'][nth % 3] }),
  (schema) => {
    for (const [from, to] of [
      ['anyOf', 'oneOf'],
      ['oneOf', 'anyOf'],
    ] as const)
      if (schema[from] !== undefined) {
        schema[to] = schema[from];
        delete schema[from];
      }
  },
];

/** A schema, and the same schema with one to three edits. */
const pairs = fc
  .tuple(
    randomDocuments,
    fc.array(fc.tuple(fc.nat(100), fc.nat(EDITS.length - 1), fc.nat(100)), { minLength: 1, maxLength: 3 }),
  )
  .map(([before, edits]) => {
    const after = structuredClone(before);
    for (const [where, which, nth] of edits) {
      const places = objectsIn(after);
      EDITS[which]!(places[where % places.length]!, nth);
    }
    return [before, JSON.parse(JSON.stringify(after)) as RandomSchema] as const;
  });

/** Different values that a schema allows, with and without optional properties. */
function samplesOf(schema: unknown): unknown[] {
  return [0, 1, 2, 3].flatMap((seed) =>
    [false, true].flatMap((optional) => {
      const { value, valid } = sampleOf(schema, { seed, optional });
      return valid ? [value] : [];
    }),
  );
}

function isSound(schema: unknown): boolean {
  return readSchema(schema).problems.length === 0;
}

test('property: a change that breaks nothing accepts everything that was accepted before', () => {
  let tried = 0;
  fc.assert(
    fc.property(pairs, ([before, after]) => {
      if (!isSound(before) || !isSound(after)) return;
      const changes = changesOf(before, after, 'input');
      if (changes.length === 0 || changes.some(({ level, kind }) => level === 'breaking' || kind === 'undecided'))
        return;
      const { check } = readSchema(after);
      for (const value of samplesOf(before)) {
        tried += 1;
        assert.deepEqual(
          check(value),
          [],
          JSON.stringify({ before, after, value, changes: changes.map(({ kind, path }) => `${kind} ${path}`) }),
        );
      }
    }),
    { numRuns: NUMBER_OF_RUNS, ...seed },
  );
  assert.ok(tried > 100, `${tried} values were tried`);
});

test('property: a change of an output that breaks nothing accepts nothing new', () => {
  let tried = 0;
  fc.assert(
    fc.property(pairs, ([before, after]) => {
      if (!isSound(before) || !isSound(after)) return;
      const changes = changesOf(before, after, 'output');
      // New properties do not affect clients that ignore them.
      const isNew = ({ kind, message }: Change): boolean =>
        ['undecided', 'extra-allowed', 'property-added'].includes(kind) || message.includes('is new, and required');
      if (changes.some((change) => change.level === 'breaking' || isNew(change))) return;
      const { check } = readSchema(before);
      for (const value of samplesOf(after)) {
        tried += 1;
        assert.deepEqual(
          check(value),
          [],
          JSON.stringify({ before, after, value, changes: changes.map(({ kind, path }) => `${kind} ${path}`) }),
        );
      }
    }),
    { numRuns: NUMBER_OF_RUNS, ...seed },
  );
  assert.ok(tried > 100, `${tried} values were tried`);
});

test('property: if no change is reported, the same values are accepted', () => {
  let same = 0;
  fc.assert(
    fc.property(pairs, ([before, after]) => {
      if (!isSound(before) || !isSound(after) || changesOf(before, after, 'input').length > 0) return;
      same += 1;
      const [first, second] = [readSchema(before), readSchema(after)];
      for (const value of [...samplesOf(before), ...samplesOf(after)])
        assert.deepEqual([first.check(value), second.check(value)], [[], []], JSON.stringify({ before, after, value }));
    }),
    { numRuns: NUMBER_OF_RUNS, ...seed },
  );
  assert.ok(same > 50, `${same} were the same`);
});

function shuffled(value: unknown, turn: number): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map((each) => shuffled(each, turn));
  const entries = Object.entries(value).map(([name, inner]) => [name, shuffled(inner, turn)] as const);
  return Object.fromEntries(
    entries.slice(turn % Math.max(1, entries.length)).concat(entries.slice(0, turn % Math.max(1, entries.length))),
  );
}

test('property: the order of members makes no difference', () => {
  fc.assert(
    fc.property(randomDocuments, fc.nat(5), (schema, turn) => {
      assert.deepEqual(changesOf(schema, shuffled(schema, turn), 'input'), []);
    }),
    { numRuns: 500, ...seed },
  );
});

test('property: any JSON as entries is compared without an exception, and equals itself', () => {
  const { json } = fc.letrec<{ json: unknown }>((tie) => ({
    json: fc.oneof(
      { depthSize: 'medium' },
      fc.constantFrom<unknown>(null, true, false, 0, 1, 'string', 'object', '#/$defs/a', '#', ''),
      fc.array(tie('json'), { maxLength: 3 }),
      fc.dictionary(
        fc.constantFrom(
          'name',
          'uri',
          'uriTemplate',
          'inputSchema',
          'outputSchema',
          'description',
          'arguments',
          'required',
          'type',
          'properties',
          'items',
          'prefixItems',
          'enum',
          'anyOf',
          'oneOf',
          'allOf',
          '$ref',
          '$defs',
          'additionalProperties',
          'patternProperties',
          'minimum',
          'multipleOf',
          'pattern',
          'a',
          '__proto__',
          'constructor',
        ),
        tie('json'),
        { maxKeys: 5 },
      ),
    ),
  }));
  const surface = fc.tuple(json, fc.array(json, { maxLength: 3 })).map(
    ([one, entries]) =>
      ({
        surface: 1,
        server: one,
        revision: '2026-07-28',
        capabilities: one,
        instructions: one,
        tools: [...entries, { name: 't', inputSchema: one }],
        resources: entries,
        templates: entries,
        prompts: [{ name: 'p', arguments: one }],
      }) as unknown as Surface,
  );
  fc.assert(
    fc.property(surface, surface, (a, b) => {
      for (const { path, message } of compareSurfaces(a, b))
        assert.doesNotMatch(path + message, /undefined|\[object|[\u0000-\u001f]/);
      const own = compareSurfaces(a, structuredClone(a)).filter(({ kind }) => kind !== 'entry-unusable');
      assert.deepEqual(own, []);
    }),
    { numRuns: 1_000, ...seed },
  );
});

test('schemas built to be expensive are compared quickly', () => {
  const tower = (height: number, keyword: string, last: object): object => ({
    $defs: Object.fromEntries(
      Array.from({ length: height + 1 }, (_, at) => [
        `d${at}`,
        at === height ? last : { [keyword]: [{ $ref: `#/$defs/d${at + 1}` }, { $ref: `#/$defs/d${at + 1}` }] },
      ]),
    ),
    $ref: '#/$defs/d0',
  });
  const nested = (depth: number, last: object): object =>
    Array.from({ length: depth }).reduce<object>(
      (inner) => ({ anyOf: [{ properties: { a: inner } }, { type: 'null' }] }),
      last,
    );
  const wide = (type: string): object => ({
    anyOf: Array.from({ length: 200 }, (_, at) => ({ properties: { a: { const: at }, b: { type } } })),
  });
  for (const [before, after] of [
    [tower(40, 'allOf', { type: 'string' }), tower(40, 'allOf', { type: 'number' })],
    [tower(40, 'anyOf', { type: 'string' }), tower(40, 'anyOf', { type: 'number' })],
    [nested(30, { type: 'string' }), nested(30, { type: 'number' })],
    [wide('string'), wide('number')],
    [
      { enum: Array.from({ length: 20_000 }, (_, at) => at) },
      { enum: Array.from({ length: 20_000 }, (_, at) => at + 1) },
    ],
    [
      JSON.parse(`${'{"items":'.repeat(150)}{}${'}'.repeat(150)}`),
      JSON.parse(`${'{"items":'.repeat(150)}{"type":"null"}${'}'.repeat(150)}`),
    ],
  ] as const) {
    assert.ok(withinCpuMs(4_000, () => changesOf(before, after, 'input')).length > 0);
  }
});
