import assert from 'node:assert/strict';
import { test } from 'node:test';
import { compareOpenApi } from './compare-openapi.ts';
import { integer, listOf, object, oneOf, text, writeOpenApi } from './write-openapi.ts';

const published = writeOpenApi({
  'GET /v1/cups/{cup_id}': {
    query: { size: integer, names: listOf(text), lang: text },
    needed: 'lang',
    replies: {
      200: object({ name: text, state: oneOf('full', 'empty'), parts: listOf(object({ id: integer }, 'id')) }),
    },
  },
  'POST /v1/cups': { body: object({ name: text }, 'name'), replies: { 201: object({ name: text }) } },
});

test('what a published description does not say is named, and the rest is not', () => {
  const same = writeOpenApi({
    'GET /cups/{id}': {
      query: { size: integer, names: text, lang: text },
      needed: 'lang',
      replies: { 200: object({ state: oneOf('full'), parts: listOf(object({ id: integer }, 'id')) }) },
    },
    'POST /cups': { body: object({ name: text }, 'name'), replies: { 201: null } },
  });
  assert.deepEqual(compareOpenApi(same, published, '/v1'), []);
  const other = writeOpenApi({
    'GET /cups/{id}': {
      query: { size: text, color: text },
      replies: {
        200: object({ state: oneOf('cold'), parts: listOf(object({ id: text, lid: text })), name: text }, 'name'),
      },
    },
    'POST /cups': { body: object({ title: text }), replies: { 201: null } },
    'GET /pots': { replies: { 200: null } },
  });
  assert.deepEqual(compareOpenApi(other, published, '/v1'), [
    'GET /cups/{id} query size: string, published: number',
    'GET /cups/{id} query color: is not described',
    'GET /cups/{id} query lang: is needed',
    'GET /cups/{id} 200.state: cold is not described',
    'GET /cups/{id} 200.parts[].id: string, published: number',
    'GET /cups/{id} 200.parts[].lid: is not described',
    'GET /cups/{id} 200.name: may be missing',
    'POST /cups body.title: is not described',
    'GET /pots: is not described',
  ]);
});
