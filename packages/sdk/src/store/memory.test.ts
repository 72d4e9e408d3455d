import assert from 'node:assert/strict';
import process from 'node:process';
import { test } from 'node:test';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { rounds } from '../../../../scripts/lib/soak.ts';
import { storeContract } from '../../../../scripts/lib/store-contract.ts';
import { memoryStore } from './memory.ts';
import type { Store } from './store.ts';

storeContract('in memory', rounds(60, 2_000), (limits) => {
  const clock = { now: 1_000 };
  return { clock, store: memoryStore({ ...limits, now: () => clock.now }) };
});

/** The memory that a store uses for long texts, in bytes, after `use` has added 10,000 of 8,000 characters. */
function bytesForTexts(use: (value: readonly unknown[], round: number) => void): number {
  setFlagsFromString('--expose-gc');
  // Otherwise a thread frees the memory of earlier tests, at a time of its own.
  setFlagsFromString('--no-concurrent-array-buffer-sweeping');
  const collectGarbage = runInNewContext('gc') as () => void;
  const bytes = (): number => {
    collectGarbage();
    // Ends what that thread may have begun before.
    collectGarbage();
    return process.memoryUsage().arrayBuffers;
  };
  const before = bytes();
  const useAt = (round: number): void => use([`${round}`.padEnd(8_000, '.'), 1], round);
  for (let round = 0; round < 10_000; round++) useAt(round);
  const used = bytes() - before;
  // The store is used once more, or it would be collected itself.
  useAt(10_000);
  return used;
}

for (const [what, maxLogCharacters, use] of [
  [
    'of logs that are removed',
    undefined,
    (store: Store, value: readonly unknown[], round: number) => {
      void store.append(`log ${round}`, value, 60_000);
      void store.delete(`log ${round - 64}`);
    },
  ],
  [
    'that a full log removes',
    500_000,
    (store: Store, value: readonly unknown[]) => void store.append('log', value, 60_000),
  ],
] as const)
  test(`the memory of long texts ${what} is used for the next ones`, () => {
    const store = memoryStore({ maxCharacters: 1_500_000, maxLogCharacters });
    const bytes = bytesForTexts((value, round) => void use(store, value, round));
    // About 64 texts are left.
    assert.ok(bytes > 400_000 && bytes < 2_000_000, `${bytes} bytes`);
  });

test('long texts that were added one by one, among short ones, are read as they were', async () => {
  const store = memoryStore();
  const values = Array.from({ length: 40 }, (_, index) => [`${index} é`.repeat(index % 3 === 0 ? 1 : 1_000), index]);
  for (const value of values) await store.append('log', value, 60_000);
  assert.deepEqual((await store.read('log', 0))?.values, values);
  assert.deepEqual((await store.read('log', 30))?.values, values.slice(30));
});

test('a full store removes the oldest entries, a few more than it has to, and never the newest one if that fits', async () => {
  const store = memoryStore({ maxEntries: 10_000, maxCharacters: 1_000_000 });
  for (let n = 0; n < 10_001; n++) void store.set(`key ${n}`, n, 60_000);
  const isKept = (n: number): boolean => store.get(`key ${n}`) !== undefined;
  const oldest = Array.from({ length: 10_001 }, (_, n) => n).findIndex(isKept);
  // At most one percent.
  assert.ok(oldest >= 1 && oldest <= 100, `${oldest} were removed`);
  assert.ok(Array.from({ length: 10_001 - oldest }, (_, n) => oldest + n).every(isKept));
  // Nearly as large as the store.
  void store.append('log', 'x'.repeat(997_000), 60_000);
  const log = await store.read('log', 0);
  assert.deepEqual([isKept(10_000), log?.values.length], [false, 1]);
});
