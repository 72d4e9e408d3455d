import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Content } from '../protocol/content.ts';
import { featuresOf, REVISIONS } from '../protocol/revision.ts';
import { frozen } from '../../test/frozen.ts';
import { encodeBlocks, encodeContent } from './content.ts';

const annotations = { audience: ['user' as const], priority: 1, lastModified: '2025-01-01T00:00:00Z' };
const olderAnnotations = { audience: ['user'], priority: 1 };
const audio: Content = frozen({ type: 'audio', data: 'AA==', mimeType: 'audio/wav', annotations });
const link: Content = frozen({
  type: 'resource_link',
  uri: 'file:///report.pdf',
  name: 'report',
  title: 'The report',
  description: 'Of last year',
  mimeType: 'application/pdf',
  size: 12,
  annotations,
  icons: [{ src: 'https://example.com/i.png' }],
  _meta: { a: 1 },
});

for (const revision of REVISIONS) {
  const features = featuresOf(revision);

  test(`${revision}: audio is sent as ${features.audio ? 'audio' : 'an embedded resource, for the revision has no audio'}`, () => {
    const expected = features.audio
      ? { ...audio, annotations: features.lastModified ? annotations : olderAnnotations }
      : {
          type: 'resource',
          resource: { uri: 'embedded:audio/2', mimeType: 'audio/wav', blob: 'AA==' },
          annotations: olderAnnotations,
        };
    assert.deepEqual(encodeContent(audio, revision, 2), expected);
  });

  test(`${revision}: a resource link is sent as ${features.resourceLink ? 'a link' : 'text with its URI'}`, () => {
    const { icons: _icons, ...withoutIcons } = link;
    const expected = features.resourceLink
      ? features.icons
        ? link
        : withoutIcons
      : {
          type: 'text',
          text: 'Resource: The report (application/pdf)\nURI: file:///report.pdf\nOf last year',
          annotations: olderAnnotations,
        };
    assert.deepEqual(encodeContent(link, revision), expected);
  });

  test(`${revision}: _meta and lastModified ${features.entityMeta ? 'stay' : 'are left out'} wherever a block has them`, () => {
    const block: Content = frozen({
      type: 'resource',
      resource: { uri: 'a:b', text: 't', _meta: { a: 1 } },
      annotations,
      _meta: { b: 2 },
    });
    const expected = { type: 'resource', resource: { uri: 'a:b', text: 't' }, annotations: olderAnnotations };
    assert.deepEqual(encodeContent(block, revision), features.entityMeta ? block : expected);
  });

  test(`${revision}: blocks that every revision has are sent unchanged, without a copy`, () => {
    const blocks: Content[] = frozen([
      { type: 'text', text: 'a' },
      { type: 'image', data: 'AA==', mimeType: 'image/png' },
      { type: 'resource', resource: { uri: 'a:b', blob: 'AA==' } },
    ]);
    assert.equal(encodeBlocks(blocks, revision), blocks);
  });

  test(`${revision}: one block that changes leaves its siblings as they are`, () => {
    const plain: Content = frozen({ type: 'text', text: 'a' });
    const blocks = encodeBlocks(frozen([plain, audio, audio]), revision);
    assert.equal(blocks[0], plain);
    if (features.audio) return;
    assert.deepEqual(
      blocks.slice(1).map((block) => (block['resource'] as { uri: string }).uri),
      ['embedded:audio/1', 'embedded:audio/2'],
    );
  });
}

test('a link with only a URI and a name is still readable as text', () => {
  const bare: Content = { type: 'resource_link', uri: 'a:b', name: 'n' };
  assert.deepEqual(JSON.parse(JSON.stringify(encodeContent(bare, '2024-11-05'))), {
    type: 'text',
    text: 'Resource: n\nURI: a:b',
  });
});

test('a block of an unknown type is not changed', () => {
  const strange = frozen({ type: '__proto__', value: 1 });
  assert.equal(encodeContent(strange as unknown as Content, '2024-11-05'), strange);
});
