import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isContractFile, type Offer, writeContract } from './write-contract.ts';

type Json = Record<string, unknown>;

function offer(more: Partial<Offer>): Offer {
  return { server: 'a', tools: [], prompts: [], templates: [], ...more };
}

function toolFile(schema: unknown, member: 'inputSchema' | 'outputSchema'): string {
  return writeContract(offer({ tools: [{ name: 't', inputSchema: {}, [member]: schema }] })).text;
}

/** The type that the pattern finds in a file, on one line, followed by the named types. */
function typesIn(text: string, pattern: RegExp): string {
  const flat = text.replaceAll(/\s+/g, ' ');
  const [, type = ''] = pattern.exec(flat) ?? [];
  const named = flat.split('export type Templates = {}; ')[1] ?? '';
  return [type, named.trim()].filter((part) => part !== '').join(' where ');
}

function inputOf(schema: unknown): string {
  return typesIn(toolFile(schema, 'inputSchema'), /readonly input: (.*); readonly output:/);
}

function outputOf(schema: unknown): string {
  return typesIn(
    toolFile(schema, 'outputSchema'),
    /readonly output: (.*); \}; \}; \/\*\* The arguments of each prompt/,
  );
}

const text = { type: 'string' };
const count = { type: 'integer' };

const INPUTS: readonly (readonly [schema: unknown, type: string])[] = [
  [{ type: 'object', properties: { a: text, b: count }, required: ['a'] }, '{ a: string; /** integer */ b?: number; }'],
  [{ type: 'object', properties: {} }, '{ [key: string]: never }'],
  [{ type: 'object' }, '{ [key: string]: unknown }'],
  [{}, 'unknown'],
  [true, 'unknown'],
  [false, 'never'],
  ['text', 'unknown /* not a schema */'],
  [{ type: 'object', properties: {}, additionalProperties: false }, '{ [key: string]: never }'],
  [{ type: 'object', properties: { a: text }, additionalProperties: false }, '{ a?: string; }'],
  [{ type: 'object', properties: { a: text }, additionalProperties: true }, '{ a?: string; [key: string]: unknown; }'],
  [
    { type: 'object', properties: { a: text }, additionalProperties: count },
    '{ a?: string; [key: string]: unknown /* the schema says more about members that are not listed */; }',
  ],
  [{ type: 'object', additionalProperties: count }, '{ [key: string]: number }'],
  [{ patternProperties: { '^x': text }, additionalProperties: false }, '{ [key: string]: string }'],
  [{ patternProperties: { '^x': text } }, '{ [key: string]: unknown }'],
  [{ required: ['a'] }, '{ a: unknown; }'],
  [{ type: 'array', items: text }, 'readonly string[]'],
  [{ items: { anyOf: [text, count] } }, 'readonly (string | number)[]'],
  [{ type: 'array', items: { type: 'array', items: text } }, 'readonly (readonly string[])[]'],
  [{ type: 'array' }, 'readonly unknown[]'],
  [{ prefixItems: [text, count], minItems: 1, items: false }, 'readonly [string, number?]'],
  [{ prefixItems: [text], items: { anyOf: [text, count] } }, 'readonly [string?, ...(string | number)[]]'],
  [{ type: 'array', items: [text, count], minItems: 2, additionalItems: false }, 'readonly [string, number]'],
  [{ prefixItems: [text], minItems: 1, maxItems: 1 }, 'readonly [string]'],
  [{ enum: ['a', 1, true, null, -1.5, 1e21] }, '"a" | 1 | true | null | -1.5 | 1e+21'],
  [{ const: 'a' }, '"a"'],
  [{ const: { a: [1, {}] } }, '{ a: readonly [1, { [key: string]: never }]; }'],
  [{ type: ['string', 'null'] }, 'string | null'],
  [{ type: 'string', nullable: true }, 'string | null'],
  [{ type: 'date' }, 'unknown /* JSON Schema has no type "date" */'],
  [{ anyOf: [text, count, text] }, 'string | number'],
  [{ oneOf: [text, {}] }, 'unknown'],
  [
    { allOf: [{ properties: { a: text } }, { properties: { b: count }, required: ['b'] }] },
    '{ a?: string; } & { /** integer */ b: number; }',
  ],
  [{ type: 'object', properties: {}, allOf: [{ properties: { a: text } }] }, '{ a?: string; }'],
  [
    { type: 'object', properties: { a: text, b: text }, anyOf: [{ required: ['a'] }, { required: ['b'] }] },
    '{ a?: string; b?: string; } & ({ a: unknown; } | { b: unknown; })',
  ],
  [{ type: 'string', not: { const: 'a' } }, 'string /* not in the type: not */'],
  [{ $ref: '#/$defs/a', $defs: { a: text } }, 'TInputA where export type TInputA = string;'],
  [{ $ref: '#/$defs/a%20b~1c', $defs: { 'a b/c': text } }, 'TInputA20b1c where export type TInputA20b1c = string;'],
  [{ type: 'array', items: { $ref: '#' } }, 'TInput where export type TInput = readonly TInput[];'],
  [{ anyOf: [text, { $ref: '#/anyOf/0' }] }, 'string | TInput0 where export type TInput0 = string;'],
  [{ $ref: '#/$defs/none' }, 'unknown /* the reference #/$defs/none names nothing in this schema */'],
  [
    { $ref: 'https://example.com/*/x' },
    String.raw`unknown /* the reference https://example.com/*\/x leads out of this schema */`,
  ],
  [
    { $ref: '#/$defs/constructor', $defs: {} },
    'unknown /* the reference #/$defs/constructor names nothing in this schema */',
  ],
  [
    { $ref: '#/$defs/node', $defs: { node: { type: 'object', properties: { next: { $ref: '#/$defs/node' } } } } },
    'TInputNode where export type TInputNode = { next?: TInputNode; };',
  ],
];

for (const [schema, type] of INPUTS)
  test(`the input type of ${JSON.stringify(schema)} is ${type}`, () => assert.equal(inputOf(schema), type));

const OUTPUTS: readonly (readonly [schema: unknown, type: string])[] = [
  [{ type: 'object', properties: { a: { type: 'array', items: text } } }, '{ a?: string[]; }'],
  [{ type: 'object', properties: {} }, '{ [key: string]: unknown }'],
  [{ prefixItems: [text], items: false }, '[string?]'],
];

for (const [schema, type] of OUTPUTS)
  test(`the output type of ${JSON.stringify(schema)} is ${type}`, () => assert.equal(outputOf(schema), type));

test('a type that would be a part of itself is cut, however many names are in between', () => {
  const $defs = { a: { anyOf: [{ $ref: '#/$defs/b' }, text] }, b: { allOf: [{ $ref: '#/$defs/a' }] } };
  assert.equal(
    inputOf({ $ref: '#/$defs/a', $defs }),
    'TInputA where export type TInputA = TInputB | string; export type TInputB = unknown /* it would be a part of itself */;',
  );
  assert.equal(inputOf({ $ref: '#' }), 'TInput where export type TInput = unknown /* it would be a part of itself */;');
});

test('types that are too large or too deep are unknown, with the reason', () => {
  let deep: unknown = text;
  for (let depth = 0; depth < 100; depth++) deep = { type: 'object', properties: { a: deep } };
  assert.match(inputOf(deep), /unknown \/\* nested too deeply \*\//);
  const choices = { enum: Array.from({ length: 5_000 }, (_, at) => `v${at}`) };
  assert.equal(inputOf(choices), 'string /* one of 5000 values */');
  const choice = { enum: Array.from({ length: 500 }, (_, at) => at) };
  assert.equal(inputOf({ allOf: [choice, { ...choice }] }), 'unknown /* too many alternatives */');
  assert.equal(inputOf({ enum: ['x'.repeat(501)] }), 'string /* a text of more than 500 characters */');
  const properties = Object.fromEntries(Array.from({ length: 10_001 }, (_, at) => [`p${at}`, text]));
  assert.equal(inputOf({ type: 'object', properties }), 'unknown /* the schema is too large */');
  assert.equal(inputOf({ anyOf: Array.from({ length: 501 }, () => text) }), 'unknown /* more than 500 branches */');
});

test('a long chain of references is followed without recursion, and cut for the compiler', () => {
  const $defs: Json = Object.fromEntries(
    Array.from({ length: 3_000 }, (_, at) => [`d${at}`, at === 2_999 ? text : { $ref: `#/$defs/d${at + 1}` }]),
  );
  const file = toolFile({ $ref: '#/$defs/d0', $defs }, 'inputSchema');
  assert.match(file, /export type TInputD2999 = string;/);
  assert.equal(file.match(/unknown \/\* too many references \*\//g)?.length, 3_000 / 50 - 1);
});

test('the size of the file is limited, however many references repeat parts of the schemas', () => {
  const parts = Array.from(
    { length: 120 },
    (_, at) => `#/${Array.from({ length: at + 1 }, () => 'properties/a').join('/')}`,
  );
  let nested: Json = { type: 'object', properties: {} };
  for (let depth = 0; depth < 120; depth++) nested = { description: 'x'.repeat(2_000), properties: { a: nested } };
  const inputSchema = { ...nested, anyOf: parts.map(($ref) => ({ $ref })) };
  const tools = Array.from({ length: 1_000 }, (_, at) => ({ name: `t${at}`, inputSchema }));
  assert.ok(writeContract(offer({ tools })).text.length < 60_000_000);
});

test('the same lists in another order produce the same bytes', () => {
  const one = writeContract(
    offer({
      tools: [
        { name: 'b', inputSchema: { properties: { x: text, y: { $ref: '#/$defs/z' } }, $defs: { z: text, w: text } } },
        { name: 'B', inputSchema: { properties: { y: { $ref: '#/$defs/z' } }, $defs: { z: count } } },
      ],
      prompts: [{ name: 'p', arguments: [{ name: 'a', required: true }, { name: 'b' }] }, { name: 'q' }],
      templates: [{ uriTemplate: 'x://{a}{?c,b}' }, { uriTemplate: 'y://{a' }],
    }),
  );
  const other = writeContract(
    offer({
      tools: [
        { inputSchema: { $defs: { z: count }, properties: { y: { $ref: '#/$defs/z' } } }, name: 'B' },
        { inputSchema: { $defs: { w: text, z: text }, properties: { y: { $ref: '#/$defs/z' }, x: text } }, name: 'b' },
      ],
      prompts: [{ name: 'q' }, { name: 'p', arguments: [{ name: 'b' }, { name: 'a', required: true }] }],
      templates: [{ uriTemplate: 'y://{a' }, { uriTemplate: 'x://{a}{?c,b}' }],
    }),
  );
  assert.equal(one.text, other.text);
  assert.match(
    one.text,
    /readonly p: \{\n {4}a: string;\n {4}b\?: string;\n {2}\};\n {2}readonly q: \{ \[name: string\]: never \};/,
  );
  assert.match(one.text, /readonly "x:\/\/\{a\}\{\?c,b\}": "a" \| "b" \| "c";/);
  assert.match(one.text, /readonly "y:\/\/\{a": string \/\* not a template of RFC 6570 \*\/;/);
  assert.match(one.text, /export type BInputZ = number;\n\nexport type BInputZ2 = string;/);
});

test('descriptions, constraints and deprecation are in doc comments', () => {
  const inputSchema = {
    properties: {
      size: { type: 'integer', description: 'How many', minimum: 1, default: 20 },
      since: { title: 'Since', type: 'string', format: 'date-time', deprecated: true },
    },
  };
  const { text: file } = writeContract(
    offer({ server: 'x */ y', tools: [{ name: 't', title: 'T', description: 'One.\n\nTwo.', inputSchema }] }),
  );
  assert.match(file, /What the server x \*\\\/ y offers/);
  assert.match(file, / {2}\/\*\*\n {3}\* One\.\n {3}\*\n {3}\* Two\.\n {3}\*\/\n {2}readonly t: \{/);
  assert.match(file, /\/\*\*\n +\* How many\n +\* integer, minimum: 1, default: 20\n +\*\/\n +size\?: number;/);
  assert.match(file, /\* Since\n +\* format: date-time\n +\* @deprecated\n/);
  assert.ok(isContractFile(file));
});

test('a name that is listed twice is reported, and types that are wider than their schemas are counted', () => {
  const file = writeContract(
    offer({
      tools: [
        { name: 't', inputSchema: { type: 'date' } },
        { name: 't', inputSchema: { type: 'object' } },
      ],
    }),
  );
  assert.deepEqual([file.repeated, file.wider], [['t'], 1]);
});
