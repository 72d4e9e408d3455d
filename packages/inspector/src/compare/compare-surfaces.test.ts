import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { goodPrompt, goodResource, goodSurface, goodTemplate, goodTool } from '../lint/fixtures/good.ts';
import { CHANGE_KINDS, type ChangeKind, type Direction } from './change.ts';
import { compareSurfaces } from './compare-surfaces.ts';
import type { Surface } from './surface.ts';

type Json = Readonly<Record<string, unknown>>;

function toldOf(before: Surface, after: Surface): string[] {
  return compareSurfaces(before, after).map(({ level, kind, path }) => `${level} ${kind} ${path}`);
}

function withSchema(schema: unknown, direction: Direction): Surface {
  return {
    ...goodSurface,
    tools: [{ name: 't', inputSchema: { type: 'object' }, [`${direction}Schema`]: schema }],
  };
}

/** The reported changes of a schema, with paths inside the schema. */
function changed(before: unknown, after: unknown, direction: Direction = 'input'): string[] {
  return compareSurfaces(withSchema(before, direction), withSchema(after, direction)).map(({ kind, path }) =>
    `${kind} ${path.replace(`tool t /${direction}Schema`, '')}`.trim(),
  );
}

function property(schema: unknown, more: Json = {}): Json {
  return { type: 'object', properties: { a: schema }, ...more };
}
const A = '/properties/a';

/** The expected kind of change and its path, the schema before, and after. Empty: no change. */
type Row = readonly [expected: string, before: unknown, after: unknown];

const object = { type: 'object' };
const must = { required: ['a'] };
const node = { properties: { next: { $ref: '#/$defs/node' } } };

const DEFAULT_DIALECT = 'https://json-schema.org/draft/2020-12/schema';
const DRAFT_07 = 'http://json-schema.org/draft-07/schema#';
const DRAFT_2019 = 'https://json-schema.org/draft/2019-09/schema';

/** A schema with a `$ref`, and keywords beside it. */
function referring(beside: Json, more: Json = {}): Json {
  return property({ $ref: '#/$defs/a', ...beside }, { $defs: { a: { type: 'string' } }, ...more });
}

const rows: readonly Row[] = [
  // No difference.
  [
    '',
    property({ type: 'string', minLength: 1 }),
    { properties: { a: { minLength: 1, type: 'string' } }, type: 'object' },
  ],
  ['', { ...object, required: ['a', 'b'] }, { ...object, required: ['b', 'a'] }],
  ['', property({ enum: [1, 2] }), property({ enum: [2, 1] })],
  ['', property({ type: ['string', 'null'] }), property({ type: ['null', 'string'] })],
  ['', property({ type: 'string' }), property({ type: ['string'] })],
  ['', property({ const: 1 }), property({ enum: [1] })],
  ['', property({ type: 'integer', minimum: 1 }), property({ type: 'integer', exclusiveMinimum: 0 })],
  ['', property({ type: 'string', minLength: 0 }), property({ type: 'string' })],
  ['', { ...object, additionalProperties: true }, object],
  ['', property({ type: 'string' }), property({ allOf: [{ type: 'string' }] })],
  ['', property({ type: 'string' }), property({ $ref: '#/$defs/a' }, { $defs: { a: { type: 'string' } } })],
  [
    '',
    property({ $ref: '#/$defs/a' }, { $defs: { a: { type: 'string' } } }),
    property({ $ref: '#/definitions/b' }, { definitions: { b: { type: 'string' } } }),
  ],
  [
    '',
    property({ $ref: '#/$defs/node' }, { $defs: { node } }),
    property({ $ref: '#/$defs/node' }, { $defs: { node, unused: {} } }),
  ],
  [
    '',
    property({ anyOf: [{ type: 'string' }, { type: 'null' }] }),
    property({ anyOf: [{ type: 'null' }, { type: 'string' }] }),
  ],
  ['', property({ type: ['string', 'null'] }), property({ anyOf: [{ type: 'string' }, { type: 'null' }] })],
  [
    '',
    property({ oneOf: [{ type: 'string' }, { type: 'null' }] }),
    property({ anyOf: [{ type: 'string' }, { type: 'null' }] }),
  ],
  ['', { ...object, $schema: 'https://json-schema.org/draft/2020-12/schema', $comment: 'x' }, object],
  ['', { ...object, $defs: { x: {} } }, object],

  // Properties.
  [`property-required ${A}`, { ...object }, property({ type: 'string' }, { required: ['a'] })],
  [`property-required ${A}`, property({}), property({}, { required: ['a'] })],
  [`property-optional ${A}`, property({}, { required: ['a'] }), property({})],
  [`property-added ${A}`, object, property({ type: 'string' })],
  [`property-removed ${A}`, property({ type: 'string' }), object],
  [`property-removed ${A}`, property({}, { required: ['a'] }), object],
  [
    `property-required ${A}/properties/b`,
    property(property({})),
    property({ ...object, properties: { a: {}, b: {} }, required: ['b'] }),
  ],
  [
    'property-required /properties/a~1b',
    { ...object, properties: { 'a/b': {} } },
    { ...object, properties: { 'a/b': {} }, required: ['a/b'] },
  ],
  [`property-required ${A}`, { allOf: [property({})] }, { allOf: [property({}), { required: ['a'] }] }],
  [`property-added ${A}; property-optional ${A}`, { ...object, required: ['a'] }, property({})],
  [`property-removed ${A}; property-required ${A}`, property({}), { ...object, required: ['a'] }],
  ['extra-refused /additionalProperties', object, { ...object, additionalProperties: false }],
  ['extra-allowed /additionalProperties', { ...object, additionalProperties: false }, object],
  ['type-narrowed /additionalProperties/type', object, { ...object, additionalProperties: { type: 'string' } }],
  ['type-widened /additionalProperties/type', { ...object, additionalProperties: { type: 'string' } }, object],
  ['undecided /patternProperties/^x', object, { ...object, patternProperties: { '^x': {} } }],
  [
    'type-narrowed /patternProperties/^x/type',
    { ...object, patternProperties: { '^x': {} } },
    { ...object, patternProperties: { '^x': { type: 'null' } } },
  ],

  // Types.
  [`type-changed ${A}/type`, property({ type: 'string' }), property({ type: 'number' })],
  [`type-narrowed ${A}/type`, property({ type: 'number' }), property({ type: 'integer' })],
  [`type-widened ${A}/type`, property({ type: 'integer' }), property({ type: 'number' })],
  [`type-narrowed ${A}/type`, property({}), property({ type: 'string' })],
  [`type-widened ${A}/type`, property({ type: 'string' }), property({ type: ['string', 'null'] })],
  [
    `alternatives-added ${A}/anyOf`,
    property({ type: 'string' }),
    property({ anyOf: [{ type: 'string' }, { type: 'null' }] }),
  ],
  [
    `alternatives-removed ${A}/anyOf`,
    property({ anyOf: [{ type: 'string' }, { type: 'null' }] }),
    property({ type: 'string' }),
  ],
  [`type-narrowed ${A}`, property({ type: 'string' }), property(false)],
  [`type-widened ${A}`, property(false), property({ type: 'string' })],

  // Values.
  [`values-removed ${A}/enum`, property({ enum: [1, 2] }), property({ enum: [1] })],
  [`values-added ${A}/enum`, property({ enum: [1] }), property({ enum: [1, { b: 2 }] })],
  [`values-removed ${A}/enum`, property({ type: 'string' }), property({ type: 'string', enum: ['a'] })],
  [`values-added ${A}/enum`, property({ type: 'string', enum: ['a'] }), property({ type: 'string' })],
  [`values-removed ${A}/enum; values-added ${A}/enum`, property({ const: 1 }), property({ const: 2 })],
  [`values-removed ${A}/enum; values-added ${A}/enum`, property({ enum: ['a', 1] }), property({ type: 'string' })],

  [`values-removed ${A}/enum; values-added ${A}/enum`, property({ type: 'string' }), property({ enum: ['a', 1] })],

  // Bounds.
  [`bounds-tightened ${A}/minimum`, property({ type: 'number' }), property({ type: 'number', minimum: 1 })],
  [
    `bounds-loosened ${A}/minimum`,
    property({ type: 'number', exclusiveMinimum: 1 }),
    property({ type: 'number', minimum: 1 }),
  ],
  [`bounds-tightened ${A}/maximum`, property({ type: 'number', maximum: 9 }), property({ type: 'number', maximum: 8 })],
  [`bounds-loosened ${A}/maximum`, property({ type: 'number', maximum: 9 }), property({ type: 'number' })],
  [
    `bounds-tightened ${A}/multipleOf`,
    property({ type: 'number', multipleOf: 2 }),
    property({ type: 'number', multipleOf: 4 }),
  ],
  [`bounds-loosened ${A}/multipleOf`, property({ type: 'number', multipleOf: 2 }), property({ type: 'number' })],
  [
    `bounds-changed ${A}/multipleOf`,
    property({ type: 'number', multipleOf: 2 }),
    property({ type: 'number', multipleOf: 3 }),
  ],
  [`bounds-tightened ${A}/minLength`, property({ type: 'string' }), property({ type: 'string', minLength: 1 })],
  [
    `bounds-loosened ${A}/maxLength`,
    property({ type: 'string', maxLength: 1 }),
    property({ type: 'string', maxLength: 2 }),
  ],
  [`bounds-tightened ${A}/minItems`, property({ type: 'array' }), property({ type: 'array', minItems: 1 })],
  [`bounds-tightened ${A}/uniqueItems`, property({ type: 'array' }), property({ type: 'array', uniqueItems: true })],
  ['bounds-tightened /maxProperties', object, { ...object, maxProperties: 3 }],
  [`bounds-tightened ${A}/pattern`, property({ type: 'string' }), property({ type: 'string', pattern: 'a' })],
  [`bounds-loosened ${A}/pattern`, property({ type: 'string', pattern: 'a' }), property({ type: 'string' })],
  [`undecided ${A}/pattern`, property({ type: 'string', pattern: 'a' }), property({ type: 'string', pattern: 'b' })],
  [`format-changed ${A}/format`, property({ type: 'string' }), property({ type: 'string', format: 'email' })],

  // Arrays.
  [
    `type-narrowed ${A}/items/type`,
    property({ type: 'array' }),
    property({ type: 'array', items: { type: 'string' } }),
  ],
  [
    `type-changed ${A}/prefixItems/0/type`,
    property({ prefixItems: [{ type: 'string' }] }),
    property({ prefixItems: [{ type: 'number' }] }),
  ],
  [
    `type-narrowed ${A}/prefixItems/1/type`,
    property({ prefixItems: [{}] }),
    property({ prefixItems: [{}, { type: 'number' }] }),
  ],
  [`extra-refused ${A}/items`, property({ prefixItems: [{}] }), property({ prefixItems: [{}], items: false })],

  // Forms, references, and undecidable changes.
  [
    `alternatives-removed ${A}/anyOf`,
    property({ anyOf: [{ const: 1 }, { const: 'a' }, { type: 'null' }] }),
    property({ anyOf: [{ const: 1 }, { type: 'null' }] }),
  ],
  // Where only the old form describes a property, the new form allows other values of it.
  [
    `alternatives-removed ${A}/anyOf; alternatives-added ${A}/anyOf`,
    property({ anyOf: [property({ const: 1 }, must), property({ const: 2 }, must)] }),
    property({ anyOf: [{ ...object, ...must }] }),
  ],
  [
    `alternatives-added ${A}/oneOf`,
    property({ oneOf: [{ type: 'string' }] }),
    property({ oneOf: [{ type: 'string' }, { type: 'null' }] }),
  ],
  [
    `undecided ${A}/oneOf; alternatives-added ${A}/oneOf`,
    property({ oneOf: [{ minLength: 1 }] }),
    property({ oneOf: [{ minLength: 1 }, { minimum: 1 }] }),
  ],
  [
    `property-required ${A}/oneOf/1/properties/x`,
    property({ oneOf: [property({ const: 1 }, must), property({ const: 2 }, must)] }),
    property({
      oneOf: [
        property({ const: 1 }, must),
        { ...object, properties: { a: { const: 2 }, x: {} }, required: ['a', 'x'] },
      ],
    }),
  ],
  ['alternatives-removed /anyOf', property({}), property({}, { anyOf: [{ required: ['a'] }, { required: ['b'] }] })],
  ['alternatives-added /anyOf', property({}, { anyOf: [{ required: ['a'] }, { required: ['b'] }] }), property({})],
  [
    `type-narrowed ${A}/type`,
    property({ $ref: '#/$defs/a' }, { $defs: { a: {} } }),
    property({ $ref: '#/$defs/a' }, { $defs: { a: { type: 'null' } } }),
  ],
  [
    `property-required ${A}/properties/next`,
    property({ $ref: '#/$defs/node' }, { $defs: { node } }),
    property({ $ref: '#/$defs/node' }, { $defs: { node: { ...node, required: ['next'] } } }),
  ],
  [`undecided ${A}/$ref`, property({ $ref: '#/$defs/a' }), property({ $ref: '#/$defs/b' })],
  [`undecided ${A}/not`, property({ not: { type: 'string' } }), property({ not: { type: 'null' } })],
  ['undecided /if; undecided /then', object, { ...object, if: {}, then: { required: ['a'] } }],
  ['undecided /dependentRequired', object, { ...object, dependentRequired: { a: ['b'] } }],
  [
    'undecided /additionalProperties',
    { allOf: [property({}), { additionalProperties: false }] },
    { allOf: [property({}), { additionalProperties: true }] },
  ],
  ['undecided', { ...object, allOf: Array.from({ length: 300 }, () => ({})) }, object],
  ['dialect-changed /$schema', object, { ...object, $schema: DRAFT_07 }],
  ['dialect-equivalent /$schema', { ...object, $schema: DRAFT_07 }, object],
  ['dialect-equivalent /$schema', { ...object, $schema: DRAFT_2019 }, { ...object, $schema: `${DEFAULT_DIALECT}#` }],
  ['', { ...object, $schema: `${DEFAULT_DIALECT}#` }, object],
  ['dialect-changed /$schema', { ...object, $schema: 'http://json-schema.org/draft-04/schema#' }, object],
  ['dialect-changed /$schema', { ...object, $schema: 'https://example.com/schema' }, object],
  ['dialect-changed /$schema', { ...object, $schema: 5 }, object],
  ['dialect-changed /$schema', { ...property({ items: [{}] }), $schema: DRAFT_07 }, property({ items: [{}] })],
  ['dialect-changed /$schema', property({ $id: 'x' }, { $schema: DRAFT_07 }), property({ $id: 'x' })],
  [
    `bounds-tightened ${A}/minLength; dialect-changed /$schema`,
    referring({ minLength: 1 }, { $schema: DRAFT_07 }),
    referring({ minLength: 1 }),
  ],
  [
    'dialect-changed /$schema',
    property({ $ref: '#/x/a' }, { x: { a: { items: [{}] } }, $schema: DRAFT_07 }),
    property({ $ref: '#/x/a' }, { x: { a: { items: [{}] } } }),
  ],
  ['dialect-equivalent /$schema', referring({}, { $schema: DRAFT_07 }), referring({})],

  // Annotations.
  [`schema-text-changed ${A}/description`, property({ description: 'x' }), property({ description: 'y' })],
  [`default-changed ${A}/default`, property({ default: 1 }), property({ default: 2 })],
  [`header-changed ${A}/x-mcp-header`, property({ type: 'string' }), property({ type: 'string', 'x-mcp-header': 'A' })],
  [`keyword-changed ${A}/unit`, property({ unit: 'm' }), property({ unit: 'km' })],
];

describe('a change of a schema is reported with its kind and path', () => {
  for (const [expected, before, after] of rows) {
    test(`${expected || 'no change'}: ${JSON.stringify(before)} → ${JSON.stringify(after)}`, () => {
      assert.deepEqual(changed(before, after).join('; '), expected);
    });
  }
});

test('a change of the dialect says which it was and which it is, with both values', () => {
  const [change] = compareSurfaces(withSchema({ ...object, $schema: DRAFT_07 }, 'input'), withSchema(object, 'input'));
  assert.deepEqual(change, {
    level: 'compatible',
    kind: 'dialect-equivalent',
    path: 'tool t /inputSchema/$schema',
    message: 'The dialect was draft-07, and is 2020-12 (the default): this schema means the same in both',
    before: DRAFT_07,
    after: DEFAULT_DIALECT,
  });
});

test('narrowing an input breaks clients, widening does not; for outputs it is the opposite', () => {
  const narrow = [property({ type: 'number' }), property({ type: 'integer' })] as const;
  const levels = (before: unknown, after: unknown) =>
    (['input', 'output'] as const).map(
      (direction) => compareSurfaces(withSchema(before, direction), withSchema(after, direction))[0]?.level,
    );
  assert.deepEqual(levels(...narrow), ['breaking', 'compatible']);
  assert.deepEqual(levels(narrow[1], narrow[0]), ['compatible', 'breaking']);
  assert.deepEqual(levels(property({}), object), ['breaking', 'breaking']);
  assert.deepEqual(levels(object, property({})), ['compatible', 'compatible']);
});

function tools(...entries: readonly unknown[]): Surface {
  return { ...goodSurface, tools: entries };
}
function capable(capabilities: Json): Surface {
  return { ...goodSurface, capabilities };
}
function prompt(...given: readonly Json[]): Surface {
  return {
    ...goodSurface,
    prompts: [{ ...goodPrompt, arguments: given }],
  };
}
const TOOL = 'tool find_train';

const surfaces: readonly (readonly [expected: string, before: Surface, after: Surface])[] = [
  ['', tools(goodTool, { ...goodTool, name: 'b' }), tools({ ...goodTool, name: 'b' }, goodTool)],
  [`breaking tool-removed ${TOOL}`, tools(goodTool), tools()],
  [`compatible tool-added ${TOOL}`, tools(), tools(goodTool)],
  [`breaking tool-renamed ${TOOL}`, tools(goodTool), tools({ ...goodTool, name: 'search_train' })],
  [
    `breaking tool-removed ${TOOL}; compatible tool-added tool x`,
    tools(goodTool),
    tools({ ...goodTool, name: 'x', description: 'Other' }),
  ],
  [`breaking tool-removed ${TOOL} #2`, tools(goodTool, goodTool), tools(goodTool)],
  ['risky entry-unusable tool #1', tools(), tools(null)],
  [`risky description-changed ${TOOL} /description`, tools(goodTool), tools({ ...goodTool, description: 'Other' })],
  [`compatible title-changed ${TOOL} /title`, tools(goodTool), tools({ ...goodTool, title: 'Other' })],
  [
    `risky annotations-changed ${TOOL} /annotations`,
    tools(goodTool),
    tools({ ...goodTool, annotations: { readOnlyHint: false } }),
  ],
  [`compatible icons-changed ${TOOL} /icons`, tools(goodTool), tools({ ...goodTool, icons: [] })],
  [`risky meta-changed ${TOOL} /_meta`, tools(goodTool), tools({ ...goodTool, _meta: {} })],
  [`risky member-changed ${TOOL} /extra`, tools(goodTool), tools({ ...goodTool, extra: 1 })],
  [
    `breaking output-schema-removed ${TOOL} /outputSchema`,
    tools(goodTool),
    tools({ ...goodTool, outputSchema: undefined }),
  ],
  [
    `compatible output-schema-added ${TOOL} /outputSchema`,
    tools({ ...goodTool, outputSchema: undefined }),
    tools(goodTool),
  ],
  [`risky undecided ${TOOL} /inputSchema`, tools(goodTool), tools({ ...goodTool, inputSchema: null })],
  [`risky undecided ${TOOL} /outputSchema`, tools(goodTool), tools({ ...goodTool, outputSchema: true })],
  [
    `breaking task-required ${TOOL} /execution/taskSupport`,
    tools(goodTool),
    tools({ ...goodTool, execution: { taskSupport: 'required' } }),
  ],
  [
    `breaking task-forbidden ${TOOL} /execution/taskSupport`,
    tools({ ...goodTool, execution: { taskSupport: 'optional' } }),
    tools(goodTool),
  ],
  [
    `compatible task-allowed ${TOOL} /execution/taskSupport`,
    tools(goodTool),
    tools({ ...goodTool, execution: { taskSupport: 'optional' } }),
  ],
  ['breaking resource-removed resource timetable://bern/today', goodSurface, { ...goodSurface, resources: [] }],
  ['compatible resource-added resource timetable://bern/today', { ...goodSurface, resources: [] }, goodSurface],
  [
    'risky mime-type-changed resource timetable://bern/today /mimeType',
    goodSurface,
    { ...goodSurface, resources: [{ ...goodResource, mimeType: 'text/plain' }] },
  ],
  [
    'compatible title-changed resource timetable://bern/today /name',
    goodSurface,
    { ...goodSurface, resources: [{ ...goodResource, name: 'x' }] },
  ],
  [
    '',
    goodSurface,
    {
      ...goodSurface,
      resources: [
        { ...goodResource, size: 1, annotations: { ...(goodResource['annotations'] as Json), lastModified: '2027' } },
      ],
    },
  ],
  ['breaking template-removed template timetable://{station}/{day}', goodSurface, { ...goodSurface, templates: [] }],
  ['compatible template-added template timetable://{station}/{day}', { ...goodSurface, templates: [] }, goodSurface],
  [
    'breaking template-changed template timetable://{station}/{day}',
    goodSurface,
    { ...goodSurface, templates: [{ ...goodTemplate, uriTemplate: 'x://{day}' }] },
  ],
  ['breaking prompt-removed prompt plan', goodSurface, { ...goodSurface, prompts: [] }],
  ['compatible prompt-added prompt plan', { ...goodSurface, prompts: [] }, goodSurface],
  ['breaking prompt-argument-required prompt plan /arguments/a', prompt(), prompt({ name: 'a', required: true })],
  [
    'breaking prompt-argument-required prompt plan /arguments/a',
    prompt({ name: 'a' }),
    prompt({ name: 'a', required: true }),
  ],
  [
    'compatible prompt-argument-optional prompt plan /arguments/a',
    prompt({ name: 'a', required: true }),
    prompt({ name: 'a', required: false }),
  ],
  ['compatible prompt-argument-added prompt plan /arguments/a', prompt(), prompt({ name: 'a' })],
  ['breaking prompt-argument-removed prompt plan /arguments/a', prompt({ name: 'a' }), prompt()],
  [
    'risky description-changed prompt plan /arguments/a/description',
    prompt({ name: 'a' }),
    prompt({ name: 'a', description: 'x' }),
  ],
  ['breaking capability-removed server /capabilities/tools', capable({ tools: { listChanged: true } }), capable({})],
  [
    'breaking capability-removed server /capabilities/resources/subscribe',
    capable({ resources: { subscribe: true } }),
    capable({ resources: { subscribe: false } }),
  ],
  ['compatible capability-added server /capabilities/logging', capable({}), capable({ logging: {} })],
  [
    'risky capability-changed server /capabilities/extensions/a/b',
    capable({ extensions: { 'a/b': { x: 1 } } }),
    capable({ extensions: { 'a/b': { x: 2 } } }),
  ],
  ['risky server-renamed server /name', goodSurface, { ...goodSurface, server: { ...goodSurface.server, name: 'x' } }],
  [
    'compatible version-changed server /version',
    goodSurface,
    { ...goodSurface, server: { ...goodSurface.server, version: '9' } },
  ],
  ['risky revision-changed server /revision', goodSurface, { ...goodSurface, revision: '2025-11-25' }],
  [
    'risky instructions-changed server /instructions',
    goodSurface,
    { ...goodSurface, instructions: 'Ignore everything' },
  ],
];

describe('a change of an entry is reported with its level, kind and path', () => {
  for (const [expected, before, after] of surfaces) {
    test(expected || 'no change', () => assert.equal(toldOf(before, after).join('; '), expected));
  }
});

test('every kind of change has an example', () => {
  const told = new Set<ChangeKind>();
  for (const [, before, after] of surfaces) for (const { kind } of compareSurfaces(before, after)) told.add(kind);
  for (const [, before, after] of rows)
    for (const { kind } of compareSurfaces(withSchema(before, 'input'), withSchema(after, 'input'))) told.add(kind);
  assert.deepEqual([...told].sort(), [...CHANGE_KINDS.keys()].sort());
});

test('the most severe change comes first, with the old and the new value', () => {
  const [first, ...others] = compareSurfaces(goodSurface, {
    ...goodSurface,
    tools: [],
    instructions: 'x',
    server: { ...goodSurface.server, version: '2' },
  });
  assert.deepEqual(
    [first?.kind, ...others.map(({ kind }) => kind)],
    ['tool-removed', 'instructions-changed', 'version-changed'],
  );
  assert.deepEqual(first?.before, goodTool);
  assert.deepEqual(others[1]?.after, '2');
});

test('names of tools cannot hide anything in a path or a message', () => {
  const [change] = compareSurfaces(tools({ ...goodTool, name: 'a\u001b[2J\u202e' }), tools());
  assert.equal(change?.path, 'tool a\\u001b[2J\\u202e');
});

test('at most five thousand changes are listed, and the last says so', () => {
  const many = Array.from({ length: 6_000 }, (_, at) => ({ ...goodTool, name: `t${at}` }));
  const changes = compareSurfaces(tools(...many), tools());
  assert.equal(changes.length, 5_001);
  assert.ok(changes.some(({ message }) => message.includes('more than 5,000 changes')));
});
