import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import type { JsonSchema } from '../protocol/entities.ts';
import type { JsonObject } from '../protocol/jsonrpc.ts';
import type { HeaderLookup } from './headers.ts';
import { checkParamHeaders, type MirroredParam, mirroredParams, paramHeaders } from './param-headers.ts';

function lookup(headers: Record<string, string>): HeaderLookup {
  const all = new Headers(headers);
  return (name) => all.get(name);
}

function object(properties: JsonObject, rest: JsonObject = {}): JsonSchema {
  return { type: 'object', properties, ...rest };
}
function mirror(name: unknown, type: unknown = 'string'): JsonObject {
  return { type, 'x-mcp-header': name };
}

function valid(schema: JsonSchema): readonly MirroredParam[] {
  const found = mirroredParams(schema);
  assert.ok(!('problem' in found), JSON.stringify(found));
  return found;
}
function problem(schema: JsonSchema): string {
  const found = mirroredParams(schema);
  assert.ok('problem' in found, 'the annotations were accepted');
  return found.problem;
}

test('[HTTP-43] [HTTP-45] arguments whose path consists of properties are found at any depth', () => {
  const schema = object({
    region: mirror('Region'),
    priority: mirror('Priority', 'integer'),
    plain: { type: 'string' },
    deep: object({ deeper: object({ dry: mirror('dry-run', 'boolean') }, { allOf: [{ required: ['dry'] }] }) }),
    'a.b': mirror("!#$%&'*+-.^_`|~09az"),
    any: true,
  });
  assert.deepEqual(valid(schema), [
    { name: 'Region', header: 'mcp-param-region', path: ['region'] },
    { name: 'Priority', header: 'mcp-param-priority', path: ['priority'] },
    { name: "!#$%&'*+-.^_`|~09az", header: "mcp-param-!#$%&'*+-.^_`|~09az", path: ['a.b'] },
    { name: 'dry-run', header: 'mcp-param-dry-run', path: ['deep', 'deeper', 'dry'] },
  ]);
  assert.deepEqual(valid(object({})), []);
  assert.deepEqual(valid({ type: 'object' }), []);
});

test('[HTTP-40] [HTTP-41] an annotation is a token', () => {
  for (const name of [
    '',
    'a b',
    'X\r\nEvil: 1',
    'Région',
    'Region:Primary',
    'Region\t1',
    '日本',
    'a/b',
    '(a)',
    '"a"',
    'a\u0000',
    5,
    null,
    true,
    {},
    ['a'],
  ]) {
    assert.match(problem(object({ region: mirror(name) })), /^x-mcp-header of 'region' must be an HTTP token/);
  }
});

test('[HTTP-42] an annotation is unique, whatever its letter case and depth', () => {
  for (const [one, other] of [
    ['Region', 'Region'],
    ['MyField', 'myfield'],
  ]) {
    assert.match(problem(object({ a: mirror(one), b: mirror(other) })), /used twice/);
    assert.match(problem(object({ a: object({ c: mirror(one) }), b: mirror(other) })), /used twice/);
  }
});

test('[HTTP-43] an annotation is on an integer, a string or a boolean', () => {
  for (const type of ['number', 'object', 'array', 'null', ['string', 'null'], ['string'], 'String', '__proto__']) {
    assert.match(
      problem(object({ a: mirror('A', type) })),
      /^x-mcp-header of 'a' must be on an integer, a string or a boolean, not on /,
    );
  }
  assert.match(problem(object({ a: { 'x-mcp-header': 'A' } })), /not on a schema without type$/);
});

const annotated = object({ a: mirror('A') });
const ELSEWHERE: readonly (readonly [where: string, schema: JsonSchema])[] = [
  ['the root', { ...object({}), 'x-mcp-header': 'A' }],
  ...[
    'items',
    'contains',
    'additionalProperties',
    'unevaluatedProperties',
    'unevaluatedItems',
    'propertyNames',
    'not',
    'if',
    'then',
    'else',
    'additionalItems',
    'x-anything',
  ].map((keyword) => [keyword, object({}, { [keyword]: annotated })] as const),
  ...['oneOf', 'anyOf', 'allOf', 'prefixItems', 'items'].map(
    (keyword) => [`${keyword}[]`, object({}, { [keyword]: [{}, annotated] })] as const,
  ),
  ...['$defs', 'definitions', 'patternProperties', 'dependentSchemas', 'dependencies'].map(
    (keyword) => [keyword, object({}, { [keyword]: { x: annotated } })] as const,
  ),
  ['properties, then items', object({ list: { type: 'array', items: annotated } })],
  ['properties, then anyOf', object({ a: { anyOf: [mirror('A'), { type: 'null' }] } })],
  ['a definition that a $ref leads to', object({ a: { $ref: '#/$defs/R' } }, { $defs: { R: mirror('A') } })],
];

test('[HTTP-45] [HTTP-46] an annotation on any other path makes the schema invalid', () => {
  for (const [where, schema] of ELSEWHERE) assert.match(problem(schema), /`properties` alone/, where);
});

test('a member that only looks like an annotation is ignored', () => {
  assert.deepEqual(valid(object({ 'x-mcp-header': { type: 'string' } })), []);
  assert.deepEqual(valid(object({ 'x-mcp-header': mirror('A') })), [
    { name: 'A', header: 'mcp-param-a', path: ['x-mcp-header'] },
  ]);
  assert.deepEqual(
    valid(object({}, { $defs: { 'x-mcp-header': { type: 'string' } }, dependentRequired: { 'x-mcp-header': ['a'] } })),
    [],
  );
  const data = [{ 'x-mcp-header': 'A' }];
  for (const [keyword, value] of [
    ['enum', data],
    ['const', data[0]],
    ['default', data[0]],
    ['examples', data],
    ['example', data[0]],
  ] as const)
    assert.deepEqual(valid(object({ a: { [keyword]: value } })), [], keyword);
});

test('an endless or nearly endless schema is refused in bounded time', () => {
  const loop: Record<string, unknown> = { type: 'object' };
  loop['properties'] = { loop };
  assert.match(problem(loop), /too large/);
  let deep: JsonObject = mirror('A');
  for (let depth = 0; depth < 2000; depth++) deep = object({ a: deep });
  assert.equal(valid(deep)[0]?.path.length, 2000);
  const wide = object(Object.fromEntries(Array.from({ length: 250_000 }, (_, index) => [`p${index}`, {}])));
  assert.match(problem(wide), /too large/);
});

const MIRRORED = valid(
  object({
    region: mirror('Region'),
    priority: mirror('Priority', 'integer'),
    verbose: mirror('Verbose', 'boolean'),
    options: object({ method: mirror('Method') }),
  }),
);

test('[HTTP-50] [HTTP-54] arguments are sent as text; those that are missing or null are not sent', () => {
  const cases: readonly (readonly [JsonObject | undefined, Record<string, string>])[] = [
    [undefined, {}],
    [{}, {}],
    [{ region: null, priority: null, verbose: null, options: null }, {}],
    [
      { region: 'us-west1', priority: 42, verbose: false, options: { method: 'm' } },
      { region: 'us-west1', priority: '42', verbose: 'false', method: 'm' },
    ],
    [
      { region: '', priority: -7, verbose: true },
      { region: '', priority: '-7', verbose: 'true' },
    ],
    [
      { region: 'Hello, 世界', priority: -0 },
      { region: '=?base64?SGVsbG8sIOS4lueVjA==?=', priority: '0' },
    ],
    [{ region: 'a\r\nX-Evil: 1' }, { region: '=?base64?YQ0KWC1FdmlsOiAx?=' }],
    [{ region: { a: 1 }, priority: [1], verbose: Number.NaN, options: 'text' }, {}],
    [{ priority: 1.5 }, { priority: '1.5' }],
  ];
  for (const [args, headers] of cases) {
    const expected = Object.fromEntries(Object.entries(headers).map(([name, value]) => [`mcp-param-${name}`, value]));
    assert.deepEqual(paramHeaders(MIRRORED, args), expected);
  }
});

test('only own members of the arguments are sent', () => {
  const inherited = valid(object({ toString: mirror('A'), __proto__x: mirror('B') }));
  assert.deepEqual(paramHeaders(inherited, {}), {});
  assert.equal(checkParamHeaders(inherited, {}, lookup({})), undefined);
  const proto = valid(
    JSON.parse('{"type":"object","properties":{"__proto__":{"type":"string","x-mcp-header":"P"}}}') as JsonSchema,
  );
  assert.deepEqual(paramHeaders(proto, JSON.parse('{"__proto__":"p"}') as JsonObject), { 'mcp-param-p': 'p' });
  assert.deepEqual(paramHeaders(proto, {}), {});
});

test('[HTTP-44] an integer that is not exact is neither sent nor accepted', () => {
  for (const priority of [2 ** 53, -(2 ** 53), 1e300]) {
    assert.throws(() => paramHeaders(MIRRORED, { priority }), { name: 'RangeError', message: /'priority' is beyond/ });
    assert.match(
      checkParamHeaders(MIRRORED, { priority }, lookup({ 'Mcp-Param-Priority': String(priority) })) ?? '',
      /Priority/,
    );
  }
  const priority = Number.MAX_SAFE_INTEGER;
  assert.deepEqual(paramHeaders(MIRRORED, { priority }), { 'mcp-param-priority': '9007199254740991' });
});

function check(args: JsonObject | undefined, headers: Record<string, string>): string | undefined {
  return checkParamHeaders(MIRRORED, args, lookup(headers));
}

test('[HTTP-35] [HTTP-36] [HTTP-38] [HTTP-55] [HTTP-58] headers that repeat the arguments are accepted', () => {
  const accepted: readonly (readonly [JsonObject | undefined, Record<string, string>])[] = [
    [undefined, {}],
    [{ region: null, priority: null }, {}],
    [{ region: 'Hello' }, { 'Mcp-Param-Region': 'Hello' }],
    [{ region: 'Hello' }, { 'Mcp-Param-Region': '=?base64?SGVsbG8=?=' }],
    [{ region: 'Hello' }, { 'MCP-PARAM-REGION': '  Hello  ' }],
    [{ region: 'SGVsbG8=' }, { 'Mcp-Param-Region': 'SGVsbG8=' }],
    [{ region: '=?base64?SGVsbG8=' }, { 'Mcp-Param-Region': '=?base64?SGVsbG8=' }],
    [{ region: '=?BASE64?SGVsbG8=?=' }, { 'Mcp-Param-Region': '=?BASE64?SGVsbG8=?=' }],
    [{ region: '' }, { 'Mcp-Param-Region': '' }],
    [{ region: '' }, { 'Mcp-Param-Region': '=?base64??=' }],
    [{ priority: 42 }, { 'Mcp-Param-Priority': '42' }],
    [{ priority: 42 }, { 'Mcp-Param-Priority': '42.0' }],
    [{ priority: 42 }, { 'Mcp-Param-Priority': '042' }],
    [{ priority: -7 }, { 'Mcp-Param-Priority': '=?base64?LTc=?=' }],
    [{ verbose: false }, { 'Mcp-Param-Verbose': 'false' }],
    [{}, { 'Mcp-Param-Unknown': 'stray', 'Mcp-Name': 'x' }],
  ];
  for (const [args, headers] of accepted) assert.equal(check(args, headers), undefined, JSON.stringify(headers));
});

test('[HTTP-56] [HTTP-57] [HTTP-58] headers that contradict the arguments are refused, with the name of the header', () => {
  const refused: readonly (readonly [JsonObject | undefined, Record<string, string>, RegExp])[] = [
    [{ region: 'Hello' }, {}, /^The Mcp-Param-Region header is missing \(argument 'region'\)$/],
    [{ region: 'Hello' }, { 'Mcp-Param-Region': 'hello' }, /says 'hello', unlike the body/],
    [{ region: 'Hello' }, { 'Mcp-Param-Region': 'Hello, Hello' }, /says/],
    [{ region: 'Hello' }, { 'Mcp-Param-Region': '=?base64?SGVsbG8?=' }, /invalid Base64/],
    [{ region: 'Hello' }, { 'Mcp-Param-Region': '=?base64?SGVs!!!bG8=?=' }, /invalid Base64/],
    [{ region: 'é' }, { 'Mcp-Param-Region': 'é' }, /invalid characters/],
    [{ region: '=?base64?SGVsbG8=?=' }, { 'Mcp-Param-Region': '=?base64?SGVsbG8=?=' }, /says 'Hello'/],
    [{ region: '' }, {}, /missing/],
    [{ region: 'a' }, { 'Mcp-Param-Region': '' }, /says/],
    [{ priority: 42 }, { 'Mcp-Param-Priority': '43' }, /Priority/],
    [{ priority: 42 }, { 'Mcp-Param-Priority': '42.5' }, /Priority/],
    [{ priority: 42 }, { 'Mcp-Param-Priority': '0x2a' }, /Priority/],
    [{ priority: 42 }, { 'Mcp-Param-Priority': '4.2e1' }, /Priority/],
    [{ priority: 42 }, { 'Mcp-Param-Priority': '' }, /Priority/],
    [{ priority: 0 }, { 'Mcp-Param-Priority': '' }, /Priority/],
    [{ priority: 42 }, { 'Mcp-Param-Priority': '42.00000000000000000001' }, /Priority/],
    [{ region: '42' }, { 'Mcp-Param-Region': '42.0' }, /Region/],
    [{ verbose: true }, { 'Mcp-Param-Verbose': 'True' }, /Verbose/],
    [{ verbose: true }, { 'Mcp-Param-Verbose': '1' }, /Verbose/],
    [{ options: { method: 'm' } }, { 'Mcp-Param-Method': 'n' }, /argument 'options\.method'/],
    [{ region: { a: 1 } }, {}, /missing/],
    [{ region: { a: 1 } }, { 'Mcp-Param-Region': '[object Object]' }, /Region/],
    [{}, { 'Mcp-Param-Region': 'Hello' }, /repeats a value that the body does not have/],
    [{ region: null }, { 'Mcp-Param-Region': '' }, /repeats a value that the body does not have/],
    [undefined, { 'Mcp-Param-Region': 'null' }, /repeats a value that the body does not have/],
  ];
  for (const [args, headers, message] of refused)
    assert.match(check(args, headers) ?? '', message, JSON.stringify([args, headers]));
});

test('a server accepts what a client sends', () => {
  const args = fc.record(
    {
      region: fc.option(fc.string({ unit: 'binary' })),
      priority: fc.option(fc.maxSafeInteger()),
      verbose: fc.option(fc.boolean()),
      options: fc.record({ method: fc.string() }),
    },
    { requiredKeys: [] },
  );
  fc.assert(
    fc.property(args, (given) => {
      const sent = JSON.parse(JSON.stringify(given)) as JsonObject;
      assert.equal(checkParamHeaders(MIRRORED, sent, lookup(paramHeaders(MIRRORED, given))), undefined);
    }),
    { numRuns: 2000 },
  );
});
