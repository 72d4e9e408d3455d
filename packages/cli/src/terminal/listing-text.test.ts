import assert from 'node:assert/strict';
import { test } from 'node:test';
import { listingText } from './listing-text.ts';

function lines(kind: string, entry: object): string {
  return listingText(kind, [entry as Readonly<Record<string, unknown>>], 200).trim();
}

test('entries without a description are listed with their title, and resources with their title instead of their name', () => {
  const tool = { name: 'add', inputSchema: { type: 'object' } };
  for (const [entry, about] of [
    [{ title: 'Add' }, 'Add'],
    [{ annotations: { title: 'Add' } }, 'Add'],
    [{ title: 'Add', annotations: { title: 'Sum' } }, 'Add'],
    [{ title: ' ', annotations: { title: 'Sum' } }, 'Sum'],
    [{ title: 'Add', description: '\nAdds two numbers\nof any size' }, 'Adds two numbers'],
    [{ title: 7, annotations: [] }, ''],
  ] as const)
    assert.equal(lines('tools', { ...tool, ...entry }), `add()  ${about}`.trim());
  for (const [kind, address] of [
    ['resources', 'uri'],
    ['templates', 'uriTemplate'],
  ] as const) {
    const entry = { [address]: 'doc://a', name: 'a', mimeType: 'text/plain' };
    assert.equal(lines(kind, entry), 'doc://a  a  text/plain');
    assert.equal(lines(kind, { ...entry, title: 'The document' }), 'doc://a  The document  text/plain');
  }
  assert.equal(lines('prompts', { name: 'review', title: 'Review' }), 'review()  Review');
});

test('[A-85] a title of a server cannot control the terminal', () => {
  for (const entry of [{ title: '\u001b[2J' }, { annotations: { title: '\u001b[2J' } }])
    assert.match(lines('tools', { name: 'a', ...entry }), /\\u001b\[2J$/);
});

test('types behind references and alternatives are named', () => {
  const inputSchema = {
    $defs: {
      color: { enum: ['red', 'blue'], type: 'string' },
      tree: { anyOf: [{ $ref: '#/$defs/tree' }, { type: 'null' }] },
    },
    properties: {
      color: { $ref: '#/$defs/color' },
      limit: { anyOf: [{ type: 'integer' }, { type: 'null' }] },
      names: { type: 'array', items: { $ref: '#/$defs/color' } },
      tree: { $ref: '#/$defs/tree' },
      lost: { $ref: '#/$defs/none' },
      far: { $ref: 'https://example.com/schema' },
    },
    required: ['color'],
  };
  assert.equal(
    lines('tools', { name: 'paint', inputSchema }),
    'paint(color: string, limit?: integer|null, names?: string[], tree?: any|null, lost?: any, far?: any)',
  );
});
