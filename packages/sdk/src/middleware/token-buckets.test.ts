import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { TokenBuckets } from './token-buckets.ts';

test('a burst passes at once, then one call per interval', () => {
  const buckets = new TokenBuckets(60, 3);
  assert.deepEqual(
    [0, 0, 0, 0].map((now) => buckets.take('a', now)),
    [0, 0, 0, 1_000],
  );
  assert.equal(buckets.take('a', 400), 600);
  assert.equal(buckets.take('a', 1_000), 0);
  assert.equal(buckets.take('a', 1_000), 1_000);
});

test('each key has its own bucket', () => {
  const buckets = new TokenBuckets(1);
  assert.equal(buckets.take('a', 0), 0);
  assert.equal(buckets.take('b', 0), 0);
  assert.equal(buckets.take('a', 0), 60_000);
});

test('at any times, no more calls pass than burst and rate allow, and one passes after the reported delay', () => {
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

test('a large bucket lets no more calls pass either, except those taken out together', () => {
  const buckets = new TokenBuckets(60_000, 2_000);
  let passed = 0;
  for (let now = 0; now < 3_000; now += 0.25) if (buckets.take('a', now) === 0) passed++;
  assert.ok(passed > 4_900 && passed <= 5_002, String(passed));
  assert.ok(buckets.take('a', 3_000) <= 2);
});

test('memory is bounded for any number of keys, and a key in use is kept', () => {
  const buckets = new TokenBuckets(1);
  buckets.take('mine', 0);
  for (let key = 0; key < 50_000; key++) {
    buckets.take(`other ${key}`, 0);
    if (key % 1_000 === 0) assert.equal(buckets.take('mine', 0), 60_000);
  }
});
