import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { JsonObject } from '../protocol/jsonrpc.ts';
import { type Revision, REVISIONS } from '../protocol/revision.ts';
import { frozen } from '../../test/frozen.ts';
import { type Kind, mapSame, restrict } from './fields.ts';

const icons = [{ src: 'data:image/png;base64,AA==' }];
const annotations = { audience: ['user'], priority: 0.5, lastModified: '2025-01-01T00:00:00Z' };
const meta = { 'com.example/a': 1 };

interface Row {
  readonly kind: Kind;
  readonly value: JsonObject;
  /** Members by the first revision that has them; the others are in all. A list: in these alone. `null`: in none. */
  readonly since: Readonly<Record<string, Revision | readonly Revision[] | null>>;
}

const ROWS: readonly Row[] = [
  {
    kind: 'implementation',
    value: {
      name: 'n',
      version: '1',
      title: 'T',
      description: 'd',
      websiteUrl: 'https://example.com',
      icons,
      other: 1,
    },
    since: {
      title: '2025-06-18',
      description: '2025-11-25',
      websiteUrl: '2025-11-25',
      icons: '2025-11-25',
      other: null,
    },
  },
  {
    kind: 'tool',
    value: {
      name: 'n',
      title: 'T',
      description: 'd',
      inputSchema: {},
      outputSchema: {},
      annotations: {},
      icons,
      _meta: meta,
      execution: {},
    },
    since: {
      title: '2025-06-18',
      outputSchema: '2025-06-18',
      annotations: '2025-03-26',
      icons: '2025-11-25',
      _meta: '2025-06-18',
      // Later, the server decides for each call.
      execution: ['2025-11-25'],
    },
  },
  {
    kind: 'resource',
    value: { uri: 'a:b', name: 'n', title: 'T', description: 'd', mimeType: 'text/plain', size: 3, icons, _meta: meta },
    since: { title: '2025-06-18', icons: '2025-11-25', _meta: '2025-06-18' },
  },
  {
    kind: 'template',
    value: {
      uriTemplate: 'a:{b}',
      name: 'n',
      title: 'T',
      description: 'd',
      mimeType: 'text/plain',
      icons,
      _meta: meta,
      size: 3,
    },
    since: { title: '2025-06-18', icons: '2025-11-25', _meta: '2025-06-18', size: null },
  },
  {
    kind: 'prompt',
    value: { name: 'n', title: 'T', description: 'd', icons, _meta: meta },
    since: { title: '2025-06-18', icons: '2025-11-25', _meta: '2025-06-18' },
  },
  {
    kind: 'argument',
    value: { name: 'n', title: 'T', description: 'd', required: true },
    since: { title: '2025-06-18' },
  },
  { kind: 'annotations', value: annotations, since: { lastModified: '2025-06-18' } },
  { kind: 'text', value: { type: 'text', text: 't', _meta: meta }, since: { _meta: '2025-06-18' } },
  {
    kind: 'image',
    value: { type: 'image', data: 'AA==', mimeType: 'image/png', _meta: meta },
    since: { _meta: '2025-06-18' },
  },
  {
    kind: 'contents',
    value: { uri: 'a:b', mimeType: 'text/plain', text: 't', _meta: meta },
    since: { _meta: '2025-06-18' },
  },
  { kind: 'root', value: { uri: 'file:///a', name: 'a', _meta: meta }, since: { _meta: '2025-06-18' } },
  {
    kind: 'progress',
    value: { progressToken: 1, progress: 1, total: 2, message: 'm' },
    since: { message: '2025-03-26' },
  },
  {
    kind: 'completeParams',
    value: { ref: { type: 'ref/prompt', name: 'p' }, argument: { name: 'a', value: '' }, context: { arguments: {} } },
    since: { context: '2025-06-18' },
  },
  { kind: 'reference', value: { type: 'ref/prompt', name: 'p', title: 'T' }, since: { title: '2025-06-18' } },
  {
    kind: 'sampleParams',
    value: { messages: [], maxTokens: 1, systemPrompt: 's', tools: [], toolChoice: { mode: 'auto' } },
    since: { tools: '2025-11-25', toolChoice: '2025-11-25' },
  },
];

// REVISIONS is sorted, newest first.
function atLeast(revision: Revision, first: Revision): boolean {
  return REVISIONS.indexOf(revision) <= REVISIONS.indexOf(first);
}

for (const revision of REVISIONS) {
  for (const { kind, value, since } of ROWS) {
    test(`${revision}: ${kind} has the members this revision knows and no others`, () => {
      const expected = Object.keys(value).filter((name) => {
        const first = since[name];
        if (typeof first === 'object' && first !== null) return first.includes(revision);
        return first === undefined || (first !== null && atLeast(revision, first));
      });
      assert.deepEqual(Object.keys(restrict(kind, frozen(value), revision)), expected);
    });
  }

  test(`${revision}: nested objects are restricted, too, and a value that loses nothing is returned itself`, () => {
    const block = frozen({ type: 'text', text: 'a', annotations });
    const prompt = frozen({ name: 'p', arguments: [{ name: 'plain' }, { name: 'a', title: 'A' }] });
    const plain = frozen({ type: 'text', text: 'a', annotations: { priority: 1 } });
    const modern = atLeast(revision, '2025-06-18');
    assert.equal(restrict('text', plain, revision), plain);
    assert.equal(restrict('text', block, revision) === block, modern);
    assert.deepEqual(
      restrict('text', block, revision)['annotations'],
      modern ? annotations : { audience: ['user'], priority: 0.5 },
    );
    assert.deepEqual(
      restrict('prompt', prompt, revision)['arguments'],
      modern ? prompt.arguments : [{ name: 'plain' }, { name: 'a' }],
    );
  });
}

test('a member named __proto__ is unknown to all revisions, and changes no prototype', () => {
  const value = JSON.parse('{"type":"text","text":"a","__proto__":{"polluted":true},"constructor":1}') as object;
  const out = restrict('text', value, '2026-07-28');
  assert.equal(JSON.stringify(out), '{"type":"text","text":"a"}');
  assert.equal(Object.getPrototypeOf(out), Object.prototype);
});

test('a nested value of the wrong type is not changed', () => {
  assert.deepEqual(restrict('text', { type: 'text', text: 'a', annotations: 'none' }, '2024-11-05'), {
    type: 'text',
    text: 'a',
    annotations: 'none',
  });
});

test('mapSame returns the list itself until an element changes', () => {
  const list = frozen([1, 2, 3]);
  assert.equal(
    mapSame(list, (item) => item),
    list,
  );
  assert.deepEqual(
    mapSame(list, (item, index) => (index === 1 ? 9 : item)),
    [1, 9, 3],
  );
});
