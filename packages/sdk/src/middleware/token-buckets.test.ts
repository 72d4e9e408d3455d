import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { TokenBuckets } from './token-buckets.ts';

test('a burst passes at once, then one for each part of the minute', () => {
  const buckets = new TokenBuckets(60, 3);
  assert.deepEqual(
    [0, 0, 0, 0].map((now) => buckets.take('a', now)),
    [0, 0, 0, 1_000],
  );
  assert.equal(buckets.take('a', 400), 600);
  assert.equal(buckets.take('a', 1_000), 0);
  assert.equal(buckets.take('a', 1_000), 1_000);
});

test('keys do not share', () => {
  const buckets = new TokenBuckets(1);
  assert.equal(buckets.take('a', 0), 0);
  assert.equal(buckets.take('b', 0), 0);
  assert.equal(buckets.take('a', 0), 60_000);
});

test('whatever the times, no more pass than the burst and the rate allow, and after the time to wait one passes', () => {
  const steps = fc.array(fc.tuple(fc.nat(5_000), fc.constantFrom('a', 'b')), { maxLength: 300 });
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 200 }), fc.integer({ min: 1, max: 20 }), steps, (perMinute, burst, given) => {
      const buckets = new TokenBuckets(perMinute, burst);
      const passed = { a: 0, b: 0 };
      let now = 0;
      for (const [after, key] of given) {
        now += after;
        const wait = buckets.take(key as 'a', now);
        if (wait === 0) passed[key as 'a']++;
        assert.ok(passed[key as 'a'] <= burst + (now * perMinute) / 60_000 + 1e-6);
        if (wait > 0) assert.ok(wait <= 60_000 / perMinute + 1);
      }
      const wait = buckets.take('a', now);
      if (wait > 0) assert.equal(buckets.take('a', now + wait), 0);
    }),
  );
});

test('of a large bucket no more pass either, but for those taken out together', () => {
  const buckets = new TokenBuckets(60_000, 2_000);
  let passed = 0;
  for (let now = 0; now < 3_000; now += 0.25) if (buckets.take('a', now) === 0) passed++;
  assert.ok(passed > 4_900 && passed <= 5_002, String(passed));
  assert.ok(buckets.take('a', 3_000) <= 2);
});

test('any number of keys needs a bounded amount of memory, and one that is used stays', () => {
  const buckets = new TokenBuckets(1);
  buckets.take('mine', 0);
  for (let key = 0; key < 50_000; key++) {
    buckets.take(`other ${key}`, 0);
    if (key % 1_000 === 0) assert.equal(buckets.take('mine', 0), 60_000);
  }
});
