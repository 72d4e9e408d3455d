import assert from 'node:assert/strict';
import { test } from 'node:test';
import { toStandardJsonSchema } from '@valibot/to-json-schema';
import { type } from 'arktype';
import * as v from 'valibot';
import { z } from 'zod';
import { adaptSchema, assertObjectRoot } from './adapt.ts';
import type { CheckResult } from './adapt.ts';
import { SchemaError } from './schema-error.ts';
import { isStandardSchema } from './standard-schema.ts';
import type { StandardSchema } from './standard-schema.ts';

function problems(checked: CheckResult): unknown {
  return 'issues' in checked ? checked.issues.map(({ path }) => path.join('.')) : checked;
}

const LIBRARIES: Record<string, StandardSchema> = {
  zod: z.object({ city: z.string().min(1), days: z.int().max(14).default(3) }),
  arktype: type({ city: 'string>0', days: 'number.integer<=14=3' }),
  valibot: toStandardJsonSchema(
    v.object({
      city: v.pipe(v.string(), v.minLength(1)),
      days: v.optional(v.pipe(v.number(), v.integer(), v.maxValue(14)), 3),
    }),
  ),
};

for (const [library, schema] of Object.entries(LIBRARIES)) {
  test(`[TOOL-8] [TOOL-9] ${library}: JSON Schema of the input, where a default is not required, and its own checks`, async () => {
    const { json, check, prepare } = adaptSchema(schema, 'input');
    await prepare();
    assertObjectRoot(json);
    assert.equal(json.$schema, undefined, 'it is the default dialect');
    assert.deepEqual(json.required, ['city']);
    const { city, days } = json.properties as Record<string, Record<string, unknown>>;
    assert.equal(city!.type, 'string');
    assert.equal(city!.minLength, 1);
    assert.equal(days!.maximum, 14);
    assert.deepEqual(await check({ city: 'Oslo' }), { value: { city: 'Oslo', days: 3 } });
    assert.deepEqual(problems(await check({ city: '', days: 99 })), ['city', 'days']);
  });

  test(`${library}: JSON Schema of the output`, () => {
    const { json } = adaptSchema(schema, 'output');
    assert.equal(json.type, 'object');
    assert.ok((json.required as string[]).includes('city'));
  });
}

test('zod and arktype require properties in the output that have a default in the input', () => {
  for (const library of ['zod', 'arktype']) {
    const { json } = adaptSchema(LIBRARIES[library]!, 'output');
    assert.deepEqual((json.required as string[]).toSorted(), ['city', 'days']);
  }
});

test('a schema returns the parsed value', async () => {
  const schema = z.object({ n: z.string().transform(Number).pipe(z.number()) });
  const input = adaptSchema(schema, 'input');
  assert.deepEqual((input.json.properties as { n: unknown }).n, { type: 'string' });
  assert.deepEqual(await input.check({ n: '7' }), { value: { n: 7 } });
  assert.deepEqual((adaptSchema(schema, 'output').json.properties as { n: unknown }).n, { type: 'number' });
});

test('a check may be asynchronous', async () => {
  const schema = z.object({ n: z.number().refine((n) => Promise.resolve(n > 1), 'too small') });
  const { check } = adaptSchema(schema, 'input');
  assert.deepEqual(await check({ n: 2 }), { value: { n: 2 } });
  assert.deepEqual(await check({ n: 1 }), { issues: [{ path: ['n'], message: 'too small' }] });
});

test('paths of any kind become names and indexes', async () => {
  const schema: StandardSchema = {
    '~standard': {
      version: 1,
      vendor: 'mine',
      validate: () => ({ issues: [{ message: 'bad\u0000', path: [{ key: 'a' }, 0, Symbol('s')] }] }),
      jsonSchema: { input: () => ({ type: 'object' }), output: () => ({}) },
    },
  };
  assert.deepEqual(await adaptSchema(schema, 'input').check(1), {
    issues: [{ path: ['a', 0, 'Symbol(s)'], message: 'bad\\u0000' }],
  });
});

test('a library without JSON Schema is a definition error that says what to do', () => {
  const plain = (vendor: string): StandardSchema => ({
    '~standard': { version: 1, vendor, validate: (value) => ({ value }) },
  });
  const advice: [StandardSchema, RegExp][] = [
    [v.object({ a: v.string() }), /wrap it: toStandardJsonSchema\(schema\), from @valibot\/to-json-schema/],
    [plain('zod'), /use zod 4\.2 or later/],
    [plain('arktype'), /use arktype 2\.1\.28 or later/],
    [plain('mine'), /This mine schema .*standardschema\.dev/],
  ];
  for (const [schema, message] of advice) {
    assert.throws(
      () => adaptSchema(schema, 'input'),
      (error) => error instanceof SchemaError && message.test(error.message),
    );
  }
  assert.throws(
    () => adaptSchema(z.object({ d: z.date() }), 'input'),
    /This zod schema has no JSON Schema for its input: Date/,
  );
  assert.throws(() => adaptSchema(z.string().transform(Number), 'output'), /no JSON Schema for its output/);
});

test('a library that supports only draft-07 declares it on the wire', () => {
  const $schema = 'http://json-schema.org/draft-07/schema#';
  const convert = ({ target }: { target: string }): Record<string, unknown> => {
    if (target !== 'draft-07') throw new Error('unsupported');
    return { $schema, type: 'object' };
  };
  const schema: StandardSchema = {
    '~standard': {
      version: 1,
      vendor: 'mine',
      validate: (value) => ({ value }),
      jsonSchema: { input: convert, output: convert },
    },
  };
  assert.deepEqual(adaptSchema(schema, 'input').json, { $schema, type: 'object' });
});

test('[TOOL-10] plain JSON Schema is sent unchanged', () => {
  const schema = {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    type: 'object',
    $defs: { a: { $anchor: 'x' } },
    additionalProperties: false,
  };
  assert.equal(adaptSchema(schema, 'input').json, schema);
  const list = { type: 'array', items: { type: 'number' } };
  assert.equal(adaptSchema(list, 'output').json, list);
});

test('plain JSON Schema is checked, on input with its defaults', async () => {
  const schema = {
    type: 'object',
    properties: { city: { type: 'string' }, days: { type: 'integer', default: 3 } },
    required: ['city', 'days'],
  };
  const input = adaptSchema(schema, 'input');
  assert.deepEqual(await input.check({ city: 'Oslo' }), { value: { city: 'Oslo', days: 3 } });
  assert.deepEqual(
    input.check({ city: 'Oslo', days: 1 }),
    { value: { city: 'Oslo', days: 1 } },
    'prepared: no promise',
  );
  assert.deepEqual(await input.check({}), { issues: [{ path: ['city'], message: 'is required' }] });
  const output = adaptSchema(schema, 'output');
  await output.prepare();
  assert.deepEqual(output.check({ city: 'Oslo' }), { issues: [{ path: ['days'], message: 'is required' }] });
});

test('[BASE-63] faults of plain JSON Schema are reported when it is prepared, and in every check', async () => {
  const { check, prepare } = adaptSchema({ type: 'object', properties: { a: { type: 'text' } } }, 'input');
  await assert.rejects(prepare(), SchemaError);
  await assert.rejects(async () => check({}), /"text" is not one of/);
});

test('a value that is not a schema is refused', () => {
  for (const schema of [null, 'string', [], 7]) assert.throws(() => adaptSchema(schema as never, 'input'), SchemaError);
  assert.ok(!isStandardSchema({ '~standard': {} }));
  assert.ok(!isStandardSchema({ type: 'object' }));
});

test('[TOOL-9] the root of a tool input must be an object', () => {
  assert.throws(() => assertObjectRoot({}), /must be an object \("type": "object"\), got no type/);
  assert.throws(() => assertObjectRoot({ type: ['object'] }), /got \["object"\]/);
  assert.throws(() => assertObjectRoot(adaptSchema(z.string(), 'input').json), /got "string"/);
});
