import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { compareOpenApi } from './compare-openapi.ts';
import { assertCompared, explainDifferences, runComparison } from './comparison.ts';
import type { OpenApi } from './openapi.ts';
import { flag, integer, listOf, object, oneOf, text, time, writeOpenApi } from './write-openapi.ts';

const published = writeOpenApi({
  'GET /v1/cups/{cup_id}': {
    query: { size: integer, names: listOf(text), lang: text },
    needed: 'lang',
    replies: {
      200: object({
        name: text,
        state: oneOf('full', 'empty'),
        parts: listOf(object({ id: integer }, 'id')),
        made: { type: 'string', format: 'date' },
      }),
    },
  },
  'POST /v1/cups': {
    body: object({ name: text, size: integer }, 'name size'),
    replies: { 201: object({ name: text }) },
  },
});

const same = writeOpenApi({
  'GET /cups/{id}': {
    query: { size: integer, names: text, lang: text },
    needed: 'lang',
    replies: { 200: object({ state: oneOf('full'), parts: listOf(object({ id: integer }, 'id')) }) },
  },
  'POST /cups': { body: object({ name: text, size: integer }, 'name size'), replies: { 201: null } },
});

test('what a published description does not say is named, and the rest is not', () => {
  assert.deepEqual(compareOpenApi(same, published, { base: '/v1' }).differences, []);
  const other = writeOpenApi({
    'GET /cups/{id}': {
      query: { size: text, color: text },
      replies: {
        200: object(
          { state: oneOf('cold'), parts: listOf(object({ id: text, lid: text })), name: text, made: time },
          'name',
        ),
      },
    },
    'POST /cups': { body: object({ title: text, name: text }), replies: { 200: object({ name: flag }) } },
    'GET /pots': { replies: { 200: null } },
  });
  assert.deepEqual(compareOpenApi(other, published, { base: '/v1' }).differences, [
    'GET /cups/{id} query size: string, published: number',
    'GET /cups/{id} query color: is not described',
    'GET /cups/{id} query lang: is needed',
    'GET /cups/{id} 200.state: cold is not described',
    'GET /cups/{id} 200.parts[].id: string, published: number',
    'GET /cups/{id} 200.parts[].lid: is not described',
    'GET /cups/{id} 200.made: date-time, published: date',
    'GET /cups/{id} 200.name: may be missing',
    'POST /cups body.title: is not described',
    'POST /cups body.name: is needed',
    'POST /cups body.size: is needed',
    'POST /cups 200: published: 201',
    'POST /cups 200.name: boolean, published: string',
    'GET /pots: is not described',
  ]);
});

test('a published description may name items in place of lists, describe bodies as forms, and not say what is always there', () => {
  const cup = object({ id: integer, tags: listOf(text) }, 'id');
  const ours = writeOpenApi({
    'GET /cups': { replies: { 200: listOf(cup) } },
    'PUT /cups': { body: object({ id: integer }), replies: { 200: null } },
    'HEAD /cups': { query: { id: text }, replies: { 200: null } },
  });
  const theirs: OpenApi = {
    ...ours,
    paths: {
      '/cups': {
        get: {
          responses: { 200: { content: { 'application/json': { schema: object({ id: integer, tags: text }) } } } },
        },
        put: {
          requestBody: { content: { 'multipart/form-data': { schema: object({ id: text }) } } },
          responses: { 200: {} },
        },
        head: {
          requestBody: { content: { 'application/json': { schema: object({ id: text }, 'id') } } },
          responses: { 200: {} },
        },
      },
    },
  };
  assert.deepEqual(compareOpenApi(ours, theirs, { itemsForLists: true, saysRequired: false }).differences, [
    'PUT /cups body.id: number, published: string',
    'HEAD /cups query id: is not described',
    'HEAD /cups body: is not ours',
  ]);
  assert.deepEqual(compareOpenApi(ours, theirs).differences[0], 'GET /cups 200: array, published: object');
});

test('limits that differ are named, and those that only one description has are not', () => {
  const limited = (limits: object) =>
    writeOpenApi({ 'POST /v1/cups': { body: object({ name: { ...text, ...limits } }), replies: { 201: null } } });
  const theirs = limited({ minLength: 1, maxLength: 10, pattern: '^a' });
  assert.deepEqual(compareOpenApi(limited({ maxLength: 20, pattern: '^b', minimum: 1 }), theirs).differences, [
    'POST /v1/cups body.name: maxLength 20, published: 10',
    'POST /v1/cups body.name: pattern ^b, published: ^a',
  ]);
  assert.deepEqual(compareOpenApi(limited({}), theirs).differences, []);
});

test('differences that are not known fail, and so do known ones that are gone', () => {
  const known = [
    [/^a/, 'it is so'],
    [/^c/, 'it was so'],
  ] as const;
  assert.deepEqual(explainDifferences(['a1', 'a2', 'b'], known), {
    failures: ['b', 'no difference is like /^c/'],
    explained: ['2 known: it is so', '0 known: it was so'],
  });
});

test('a comparison is recorded, and a description that changes afterwards is noticed', (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'comparison-'));
  const [argv, exitCode] = [process.argv, process.exitCode];
  t.after(() => {
    process.argv = argv;
    process.exitCode = exitCode;
    rmSync(folder, { recursive: true });
  });
  const file = join(folder, 'published.json');
  writeFileSync(file, JSON.stringify({ ...published, info: { title: 'Cups', version: '1' } }));
  const record = pathToFileURL(join(folder, 'comparison.json'));
  process.argv = [...argv.slice(0, 2), file];
  const wrong = writeOpenApi({ 'GET /pots': { replies: { 200: null } } });
  assert.deepEqual(runComparison({ document: wrong, record, base: '/v1' }), [
    'FAIL GET /pots: is not described',
    '1 operations compared: 1 unknown differences',
  ]);
  assert.equal(process.exitCode, 1);
  assert.throws(() => assertCompared(wrong, record), { code: 'ENOENT' });
  runComparison({ document: same, record, base: '/v1' });
  assert.equal(process.exitCode, 0);
  assertCompared(same, record);
  const { '/cups': kept } = same.paths;
  assert.throws(
    () => assertCompared({ ...same, paths: { '/cups': kept! } }, record),
    /compare it with the published one/,
  );
});
