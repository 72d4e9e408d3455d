import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { assertLinear, withinCpuMs } from '../../../../scripts/lib/cpu-time.ts';
import type { Surface } from '../compare/surface.ts';
import { goodSurface, goodTool, withInput, withProperty, withTools } from './fixtures/good.ts';
import { lintSurface } from './lint-surface.ts';
import { LINT_RULES } from './table.ts';

/** The CPU time of a function, in milliseconds, which other work on the machine does not affect. */

test('a finding has a blame, a fix and a clause', () => {
  const [finding] = lintSurface(withProperty({ type: 'strin' }));
  assert.deepEqual(finding, {
    rule: 'schema-invalid',
    severity: 'error',
    clause: 'https://modelcontextprotocol.io/specification/2026-07-28/basic#schema-validation',
    blame: 'server',
    message: 'type "strin" is not one of "string", "number", "integer", "boolean", "object", "array", "null"',
    fix: 'The types are string, number, integer, boolean, object, array and null.',
    subject: 'tool find_train /inputSchema/properties/a/type',
    evidence: [],
  });
});

test('a violation of a MUST of a later revision is a warning in an earlier one, and cites the nearest page', () => {
  const found = (revision: string) =>
    lintSurface({ ...withProperty({ type: 'strin' }), revision }).find(({ rule }) => rule === 'schema-invalid')!;
  assert.deepEqual([found('2025-11-25').severity, found('2025-06-18').severity], ['error', 'warning']);
  assert.match(found('2025-11-25').clause!, /\/2025-11-25\/basic#schema-validation$/);
  assert.match(found('2025-06-18').clause!, /\/2025-11-25\/basic#schema-validation$/);
  assert.equal(found('someday').severity, 'error');
});

test('every error cites a page of the specification', () => {
  assert.deepEqual(
    LINT_RULES.filter(({ severity, clause }) => severity === 'error' && clause === undefined).map(({ id }) => id),
    [],
  );
});

test('invisible characters in names are shown in subjects', () => {
  const subjects = lintSurface(withTools({ name: 'a\u001b[2J\u202eb' })).map(({ subject }) => subject);
  assert.ok(subjects.includes('tool a\\u001b[2J\\u202eb /name'), subjects.join('\n'));
});

test('at most twenty findings of a rule about an entry are listed, and the others are counted', () => {
  const properties = Object.fromEntries(Array.from({ length: 50 }, (_, at) => [`p${at}`, { type: 'strin' }]));
  const findings = lintSurface(withInput({ properties }));
  assert.equal(findings.filter(({ rule }) => rule === 'schema-invalid').length, 20);
  assert.match(findings.at(-1)!.message, /^30 more findings/);
});

test('at most ten thousand findings are listed', () => {
  const tools = Array.from({ length: 15_000 }, (_, at) => ({ name: `t ${at}` }));
  const findings = lintSurface({ ...goodSurface, tools });
  assert.equal(findings.length, 10_001);
  assert.match(findings.at(-1)!.message, /^\d\d,\d{3} more findings are not listed/);
});

test('tools are checked in linear time', () => {
  const tools = Array.from({ length: 4_000 }, (_, at) => ({ ...goodTool, name: `tool_${at}` }));
  assertLinear(1_000, (count) => lintSurface({ ...goodSurface, tools: tools.slice(0, count) }));
});

test('texts, names and schemas built to be expensive are checked quickly', () => {
  const long = 'a'.repeat(1_000_000);
  const nested = (depth: number): Readonly<Record<string, unknown>> => {
    let schema: Readonly<Record<string, unknown>> = {};
    for (let level = 0; level < depth; level += 1) schema = { properties: { a: schema }, default: [schema] };
    return schema;
  };
  const hostile: Surface[] = [
    withTools({ description: `ignore ${'ignore the '.repeat(20_000)}` }),
    withTools({ description: '<important '.repeat(50_000) }),
    withTools({ description: `![${'!['.repeat(100_000)}` }),
    withTools({ description: '👩\u200d'.repeat(50_000) }),
    withTools({ name: long, title: long, description: long }),
    withTools({ name: '-'.repeat(500_000), _meta: { [`${'a-'.repeat(100_000)}/${'a.'.repeat(100_000)}`]: 1 } }),
    withTools({ icons: [{ src: `data:${';'.repeat(500_000)}` }], annotations: { title: '\u200b'.repeat(200_000) } }),
    withInput({
      required: Array.from({ length: 50_000 }, (_, at) => `r${at}`),
      anyOf: Array.from({ length: 5_000 }, () => ({})),
    }),
    withInput({ enum: Array.from({ length: 50_000 }, (_, at) => at) }),
    withInput({
      $defs: Object.fromEntries(Array.from({ length: 3_000 }, (_, at) => [`d${at}`, { $ref: `#/$defs/d${at + 1}` }])),
    }),
    withInput(Object.fromEntries(Array.from({ length: 20_000 }, (_, at) => [`keywrd${at}`, {}]))),
    withInput({
      properties: Object.fromEntries(
        Array.from({ length: 500 }, (_, at) => [`p${at}`, { pattern: `^(${'a?'.repeat(60)}${at})*$` }]),
      ),
    }),
    withInput(nested(18)),
    { ...goodSurface, resources: [{ name: 'a', uri: `a:${long}`, mimeType: `${'a/'.repeat(200_000)}` }] },
    {
      ...goodSurface,
      templates: Array.from({ length: 2_000 }, (_, at) => ({ name: 'a', uriTemplate: `a://{b${at}}/{+c*}` })),
    },
    { ...goodSurface, prompts: [{ name: 'p', arguments: Array.from({ length: 50_000 }, () => ({ name: 'a' })) }] },
  ];
  for (const [index, surface] of hostile.entries()) {
    withinCpuMs(15_000, () => lintSurface(surface), `number ${index}`);
  }
});

function deep(depth: number): unknown {
  let value: unknown = 1;
  for (let level = 0; level < depth; level += 1) value = level % 2 === 0 ? [value] : { properties: value, a: value };
  return value;
}

test('values nested too deeply for recursion cause no exception', () => {
  const value = JSON.parse(`${'{"a":['.repeat(20_000)}${']}'.repeat(20_000)}`) as object;
  const schema = JSON.parse(`${'{"items":'.repeat(20_000)}true${'}'.repeat(20_000)}`) as object;
  lintSurface(withTools({ inputSchema: { type: 'object', default: value, properties: { a: schema } }, _meta: value }));
  lintSurface({ ...goodSurface, tools: [value, deep(100)], capabilities: value as never });
});

const words = [
  ...[
    'name',
    'title',
    'description',
    'inputSchema',
    'outputSchema',
    'annotations',
    'icons',
    '_meta',
    'arguments',
    'uri',
    'uriTemplate',
  ],
  ...[
    'mimeType',
    'size',
    'execution',
    'src',
    'sizes',
    'type',
    'properties',
    'required',
    'enum',
    'items',
    '$ref',
    '$defs',
    'anyOf',
    'allOf',
  ],
  ...[
    'pattern',
    'default',
    'examples',
    'minimum',
    'maximum',
    'minLength',
    'format',
    'x-mcp-header',
    'not',
    'prefixItems',
    'const',
  ],
  ...['__proto__', 'constructor', 'toString', 'length', 'a'],
];
const { json } = fc.letrec<{ json: unknown }>((tie) => ({
  json: fc.oneof(
    { depthSize: 'medium', withCrossShrink: true },
    fc.constantFrom<unknown>(
      null,
      true,
      false,
      0,
      -1,
      1e300,
      '',
      'object',
      'string',
      '#/$defs/a',
      'a://{b}',
      '^(a+)+$',
      '\ud800',
    ),
    fc.string({ maxLength: 8 }),
    fc.array(tie('json'), { maxLength: 4 }),
    fc.dictionary(fc.constantFrom(...words), tie('json'), { maxKeys: 6 }),
    // Own members of these names, as JSON.parse makes them.
    tie('json').map((value) => JSON.parse(`{"__proto__":${JSON.stringify(value) ?? 1},"constructor":1}`) as unknown),
  ),
}));

test('property: any JSON as entries gives findings, and no exception', () => {
  let findings = 0;
  fc.assert(
    fc.property(
      fc.array(json, { maxLength: 3 }),
      json,
      json,
      fc.constantFrom('2026-07-28', '2025-06-18', ''),
      (entries, one, other, revision) => {
        const surface = {
          surface: 1,
          server: one,
          revision,
          capabilities: other,
          instructions: one,
          tools: [...entries, { ...goodTool, inputSchema: one }, { name: 'a', outputSchema: other }],
          resources: entries,
          templates: entries,
          prompts: [...entries, { name: 'p', arguments: one }],
        } as unknown as Surface;
        const found = lintSurface(surface);
        findings += found.length;
        for (const { rule, message, subject = '' } of found) {
          assert.ok(message.length < 1_000, message);
          assert.doesNotMatch(message + subject, /undefined|\[object|[\u0000-\u001f\u202a-\u202e]/, rule);
        }
      },
    ),
    { numRuns: 1_000 },
  );
  assert.ok(findings > 1_000, `${findings} findings`);
  for (const garbage of [null, 3, [], {}]) lintSurface(garbage as never);
});
