// The official schemas that the inspector ships.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { definitionsOf, type Schema } from '../packages/sdk/test/oracle/bundle.ts';
import { documentOf, revisions } from '../packages/sdk/test/oracle/documents.ts';
import { wireSchemaFiles, withoutDescriptions } from './lib/wire-schemas.ts';

test('there is a schema of each revision, the licence, and a notice of the changes', () => {
  const files = wireSchemaFiles();
  assert.deepEqual([...files.keys()], [...revisions.map((revision) => `${revision}.json`), 'NOTICE', 'LICENSE']);
  assert.match(files.get('NOTICE')!, /conformance 0\.2\.0-alpha\.12\b[^]*They were changed:\n- Descriptions/);
  assert.match(files.get('LICENSE')!, /Apache License[^]*MIT License/);
  assert.deepEqual([...wireSchemaFiles()], [...files]);
});

test('every definition is kept, without descriptions', () => {
  const files = wireSchemaFiles();
  for (const revision of revisions) {
    const shipped = JSON.parse(files.get(`${revision}.json`)!) as Schema;
    assert.deepEqual(Object.keys(definitionsOf(shipped)!), Object.keys(definitionsOf(documentOf(revision))!));
    assert.doesNotMatch(files.get(`${revision}.json`)!, /"description":"/);
  }
});

test('only the keyword is removed, not a property of that name or anything in data', () => {
  const kept = {
    properties: { description: { type: 'string' } },
    enum: [{ description: 'a' }],
    items: [{ type: 'null' }],
  };
  const given = {
    ...kept,
    description: 'gone',
    properties: { description: { type: 'string', description: 'gone' } },
    items: [{ type: 'null', description: 'gone' }],
  };
  assert.deepEqual(withoutDescriptions(given), kept);
});
