import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Features, featuresOf, isRevision, LEGACY, MODERN, type Revision, REVISIONS } from './revision.ts';

/**
 * The value of each feature in 2024-11-05, 2025-03-26, 2025-06-18, 2025-11-25 and 2026-07-28, from the pages and schemas of the
 * specification.
 */
const TABLE: { readonly [F in keyof Features]: readonly Features[F][] } = {
  era: ['legacy', 'legacy', 'legacy', 'legacy', 'modern'],
  batch: [false, true, false, false, false],
  audio: [false, true, true, true, true],
  resourceLink: [false, false, true, true, true],
  title: [false, false, true, true, true],
  icons: [false, false, false, true, true],
  entityMeta: [false, false, true, true, true],
  lastModified: [false, false, true, true, true],
  toolAnnotations: [false, true, true, true, true],
  structured: ['none', 'none', 'object', 'object', 'any'],
  progressMessage: [false, true, true, true, true],
  completionsCapability: [false, true, true, true, true],
  completionContext: [false, false, true, true, true],
  elicitation: ['none', 'none', 'form', 'full', 'full'],
  elicitationId: [false, false, false, true, false],
  samplingTools: [false, false, false, true, true],
  rootsListChanged: [true, true, true, true, false],
  extensions: [false, false, false, false, true],
  inputMeta: [true, true, true, true, false],
  polling: [false, false, false, true, false],
  coreTasks: [false, false, false, true, false],
  resourceNotFound: [-32002, -32002, -32002, -32002, -32602],
};

const OLDEST_FIRST: readonly Revision[] = ['2024-11-05', '2025-03-26', '2025-06-18', '2025-11-25', '2026-07-28'];

for (const [index, revision] of OLDEST_FIRST.entries()) {
  test(`${revision} has the features the specification gives it`, () => {
    const expected = Object.fromEntries(Object.entries(TABLE).map(([feature, values]) => [feature, values[index]]));
    assert.deepEqual(featuresOf(revision), expected);
  });
}

test('revisions are listed newest first, and belong to one era', () => {
  assert.deepEqual(REVISIONS, OLDEST_FIRST.toReversed());
  assert.deepEqual([...MODERN, ...LEGACY], [...REVISIONS]);
});

test('only the name of a revision is a revision', () => {
  for (const revision of REVISIONS) assert.equal(isRevision(revision), true);
  for (const value of ['', '2025-11-26', '__proto__', 'constructor', 5, null, undefined, ['2025-11-25']])
    assert.equal(isRevision(value), false);
});
