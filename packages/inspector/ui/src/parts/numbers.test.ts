import assert from 'node:assert/strict';
import { test } from 'node:test';
import { bytes, count, duration, plural, tokens } from './numbers.ts';

test('numbers are short, and their unit fits their size', () => {
  assert.deepEqual([0.44, 9.99, 35.4, 999.4, 2_450, 90_000].map(duration), [
    '0.4 ms',
    '10.0 ms',
    '35 ms',
    '999 ms',
    '2.45 s',
    '1.5 min',
  ]);
  assert.deepEqual([0, 310, 1_400, 2_000_000].map(bytes), ['0 B', '310 B', '1.4 kB', '2.0 MB']);
  assert.deepEqual([120, 2_100].map(tokens), ['~120 tokens', '~2.1k tokens']);
  assert.equal(count(12_345), '12,345');
});

test('one is singular', () => {
  assert.deepEqual(
    [0, 1, 2].map((n) => plural(n, 'error')),
    ['0 errors', '1 error', '2 errors'],
  );
  assert.equal(plural(2, 'entry', 'entries'), '2 entries');
});
