import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { until } from '../../../../../scripts/lib/until.ts';
import { createTail } from './tail.ts';

test('everything is kept up to the limit', () => {
  const tail = createTail(10);
  assert.equal(tail.text(), '');
  tail.push(Buffer.from('abc'));
  tail.push(Buffer.from('defghij'));
  assert.equal(tail.text(), 'abcdefghij');
  tail.push(Buffer.from('k'));
  assert.equal(tail.text(), 'bcdefghijk');
  assert.equal(tail.text(), 'bcdefghijk');
});

test('the last bytes of a large output are kept, whatever the size of its pieces', () => {
  for (const size of [1, 3, 7, 64, 1000]) {
    const tail = createTail(10);
    const all = Buffer.from(Array.from({ length: 3000 }, (_, i) => 97 + (i % 26)));
    for (let from = 0; from < all.length; from += size) tail.push(all.subarray(from, from + size));
    assert.equal(tail.text(), all.subarray(-10).toString());
  }
});

test('a character that was split is left out', () => {
  const tail = createTail(5);
  tail.push(Buffer.from('€€€'));
  assert.equal(tail.text(), '€');
});

test('dropped bytes are released', async () => {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  const tail = createTail(1024);
  collect();
  const before = process.memoryUsage().arrayBuffers;
  for (let i = 0; i < 100; i++) tail.push(new Uint8Array(1024 * 1024));
  const grown = (): number => (process.memoryUsage().arrayBuffers - before) / 1024 / 1024;
  // Buffers are released asynchronously.
  await until(
    () => (collect(), grown() <= 10),
    () => `at most 10 MiB are kept; there are ${grown()}`,
  );
  assert.equal(tail.text().length, 1024);
});
