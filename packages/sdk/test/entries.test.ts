// The public API, and the exports that are not part of it.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as auth from '../src/entries/auth.ts';
import * as client from '../src/entries/client.ts';
import * as forms from '../src/entries/forms.ts';
import * as http from '../src/entries/http.ts';
import * as author from '../src/entries/index.ts';
import * as internal from '../src/entries/internal.ts';
import * as middleware from '../src/entries/middleware.ts';
import * as node from '../src/entries/node.ts';
import * as otel from '../src/entries/otel.ts';
import * as schema from '../src/entries/schema.ts';
import * as testing from '../src/entries/testing.ts';

test('internal exports are not in any other entry point', () => {
  const isPublic = new Set(
    [author, auth, client, forms, http, middleware, node, otel, schema, testing].flatMap(Object.keys),
  );
  // Programs compare the codes of errors, too.
  assert.deepEqual(
    Object.keys(internal).filter((name) => isPublic.has(name)),
    ['CODE'],
  );
});
