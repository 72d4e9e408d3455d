import assert from 'node:assert/strict';
import { test } from 'node:test';
import { requirementIds } from './lib/requirement-ids.ts';

function idsIn(source: string) {
  return [...requirementIds(source)].sort();
}

test('ids are read from test names, also several in one bracket, and from tables', () => {
  const source = `
    test('[BASE-4, BASE-5] a request has an id', () => {});
    for (const revision of revisions) test(\`[LIFE-1] starts with initialize on \${revision}\`, () => {});
    const rows = [{ name: '[PING-1] answers ping' }];
  `;
  assert.deepEqual(idsIn(source), ['BASE-4', 'BASE-5', 'LIFE-1', 'PING-1']);
});

test('a comment, a skipped test and a planned test do not count', () => {
  const source = `
    // [BASE-1] would be nice
    test.skip('[BASE-2] later', () => {});
    test.todo('[BASE-3] later');
    test('[BASE-4] later', { skip: true }, () => {});
    test('[BASE-5] now', { timeout: 5 }, () => {});
  `;
  assert.deepEqual(idsIn(source), ['BASE-5']);
});
