import assert from 'node:assert/strict';
import { test } from 'node:test';
import { memoryStore, type MemoryStoreOptions } from './memory.ts';

/** A store and its clock. */
function stage(options: MemoryStoreOptions = {}) {
  const clock = { now: 1_000 };
  return { clock, store: memoryStore({ ...options, now: () => clock.now }) };
}

test('a value is kept for its lifetime and no longer', async () => {
  const { clock, store } = stage();
  await store.set('a', { n: 1 }, 100);
  clock.now += 99;
  assert.deepEqual(await store.get('a'), { n: 1 });
  clock.now += 1;
  assert.equal(await store.get('a'), undefined);
  assert.equal(await store.get('never'), undefined);
});

test('add stores a value only if there is none, or it has expired', async () => {
  const { clock, store } = stage();
  assert.equal(await store.add('a', 1, 100), true);
  assert.equal(await store.add('a', 2, 100), false);
  assert.equal(await store.get('a'), 1);
  clock.now += 100;
  assert.equal(await store.add('a', 3, 100), true);
  await store.delete('a');
  assert.equal(await store.add('a', 4, 100), true);
});

test('no object is shared with the store', async () => {
  const { store } = stage();
  const value = { list: [1] };
  await store.set('a', value, 100);
  value.list.push(2);
  const read = (await store.get('a')) as typeof value;
  read.list.push(3);
  assert.deepEqual(await store.get('a'), { list: [1] });
});

test('keys of any name are keys', async () => {
  const { store } = stage();
  for (const key of ['__proto__', 'constructor', '']) {
    assert.equal(await store.get(key), undefined);
    await store.set(key, key, 100);
    assert.equal(await store.get(key), key);
  }
});

test('beyond the maximum number of values, the oldest are removed first; setting one again makes it the newest', async () => {
  const { store } = stage({ maxEntries: 3 });
  for (const key of ['a', 'b', 'c']) await store.set(key, key, 100);
  await store.set('a', 'a', 100);
  await store.set('d', 'd', 100);
  assert.deepEqual(await Promise.all(['a', 'b', 'c', 'd'].map((key) => store.get(key))), ['a', undefined, 'c', 'd']);
});

test('beyond the maximum number of characters, the oldest are removed first', async () => {
  const { store } = stage({ maxCharacters: 100 });
  await store.set('a', 'x'.repeat(40), 100);
  await store.set('b', 'x'.repeat(40), 100);
  assert.ok(await store.get('a'));
  await store.set('c', 'x'.repeat(40), 100);
  assert.equal(await store.get('a'), undefined);
  assert.ok(await store.get('b'));
  // Deleted, replaced and expired values no longer count.
  for (let n = 0; n < 100; n++) await store.set('c', 'x'.repeat(40), 100);
  assert.ok(await store.get('b'));
  await store.set('huge', 'x'.repeat(1_000), 100);
  for (const key of ['b', 'c', 'huge']) assert.equal(await store.get(key), undefined);
});

test('what was made by add outlives everything that is stored after it', async () => {
  const { clock, store } = stage({ maxEntries: 3, maxCharacters: 200 });
  await store.add('used', 1, 1_000);
  await store.set('used', { result: 'once' }, 1_000);
  for (let n = 0; n < 50; n++) {
    await store.set(`visitor ${n}`, 'x'.repeat(n), 1_000);
    void store.append(`events ${n}`, 'x'.repeat(n), 1_000);
  }
  assert.deepEqual(await store.get('used'), { result: 'once' });
  assert.equal(await store.add('used', 2, 1_000), false);
  assert.equal(await store.swap('used', { result: 'once' }, 3, 1_000), true);
  for (let n = 0; n < 50; n++) await store.set(`visitor ${n}`, n, 1_000);
  assert.equal(await store.get('used'), 3);
  // As before it ends with its life, or when it is deleted.
  clock.now += 1_000;
  assert.equal(await store.get('used'), undefined);
  await store.add('used', 1, 1_000);
  await store.delete('used');
  await store.set('used', 2, 1_000);
  for (let n = 0; n < 3; n++) await store.set(`visitor ${n}`, n, 1_000);
  assert.equal(await store.get('used'), undefined);
});

test('a log that is still written to outlives values that were stored after it', () => {
  const { store } = stage({ maxEntries: 3 });
  void store.append('active', 1, 100);
  for (let n = 0; n < 10; n++) {
    void store.set(`other ${n}`, n, 100);
    void store.append('active', n, 100);
  }
  assert.deepEqual(store.read('active', 10), { first: 11, values: [9] });
});

test('a value that was added stays for its whole life, whatever else is stored', () => {
  const { clock, store } = stage({ maxEntries: 10, maxCharacters: 1_000 });
  assert.equal(store.add('mark', 'used', 1_000), true);
  // In its place, another value stays as long.
  store.set('mark', { result: 1 }, 1_000);
  for (let n = 0; n < 100; n++) {
    store.set(`value ${n}`, 'x'.repeat(90), 1_000);
    void store.append(`log ${n}`, 'x'.repeat(90), 1_000);
  }
  assert.deepEqual(store.get('mark'), { result: 1 });
  assert.equal(store.add('mark', 'again', 1_000), false);
  clock.now += 1_000;
  assert.equal(store.add('mark', 'again', 1_000), true);
  store.delete('mark');
  assert.equal(store.get('mark'), undefined);
});

test('values that were added fill at most half of the store: there is no room for more before the life of one is over', () => {
  const { clock, store } = stage({ maxEntries: 6, maxCharacters: 1_000 });
  for (const key of ['a', 'b', 'c']) assert.equal(store.add(key, key, key === 'b' ? 100 : 1_000), true);
  assert.throws(() => store.add('d', 'd', 100), RangeError);
  assert.equal(store.get('d'), undefined);
  assert.equal(store.add('a', 'again', 100), false);
  clock.now += 100;
  assert.equal(store.add('d', 'd', 1_000), true);
  for (const [key, value] of [
    ['a', 'a'],
    ['b', undefined],
    ['c', 'c'],
    ['d', 'd'],
  ])
    assert.equal(store.get(key!), value);
  // Other values are not refused.
  store.set('e', 'e', 100);
  assert.equal(store.get('e'), 'e');
  assert.throws(() => store.set('a', 'x'.repeat(600), 1_000), RangeError);
  assert.equal(store.get('a'), 'a');
  store.set('a', 'smaller', 1_000);
  assert.throws(() => store.swap('a', 'smaller', 'x'.repeat(600), 1_000), RangeError);
  store.delete('c');
  assert.equal(store.add('f', 'x'.repeat(400), 100), true);
  assert.throws(() => store.add('g', 'x'.repeat(100), 100), RangeError);
});

test('of the room for values that were added one owner gets at most a tenth of what is free', () => {
  const { clock, store } = stage({ maxEntries: 200, maxCharacters: 20_000 });
  const addAll = (owner: string, characters = 0): number => {
    for (let n = 0; n < 1_000; n++)
      try {
        store.add(`${owner} ${n}`, 'x'.repeat(characters), 1_000, owner);
      } catch (error) {
        assert.ok(error instanceof RangeError && error.message.startsWith('One caller'), String(error));
        return n;
      }
    return assert.fail(`${owner} may add anything`);
  };
  const most = addAll('ann');
  assert.ok(most >= 9 && most <= 10, String(most));
  assert.throws(() => store.set('ann 0', 'x'.repeat(2_000), 1_000), RangeError);
  // Each further one has a smaller part, but all of them have one.
  for (let n = 0; n < 30; n++) assert.ok(addAll(`owner ${n}`) >= 1);
  assert.equal(store.get('ann 0'), '');
  // Values without an owner share what is left.
  assert.equal(store.add('own', 1, 1_000), true);
  store.delete('ann 0');
  clock.now += 1_000;
  assert.equal(addAll('ann'), most);
  // The same holds for characters, but whatever fits as the first one is accepted.
  assert.ok(addAll('bob', 300) <= 3);
  assert.equal(store.add('large', 'x'.repeat(5_000), 1_000, 'eve'), true);
  assert.throws(() => store.add('another', 1, 1_000, 'eve'), RangeError);
  store.delete('large');
  assert.equal(store.add('another', 1, 1_000, 'eve'), true);
});

test('expired values make room', async () => {
  const { clock, store } = stage({ maxEntries: 2 });
  await store.set('a', 1, 10);
  await store.set('b', 2, 1_000);
  clock.now += 10;
  await store.set('c', 3, 1_000);
  assert.deepEqual(await Promise.all(['a', 'b', 'c'].map((key) => store.get(key))), [undefined, 2, 3]);
});

test('a log beyond its maximum size keeps its last values, with their positions', async () => {
  const { store } = stage({ maxLogCharacters: 2_000 });
  const all: string[] = [];
  for (let n = 1; n <= 10_000; n++) {
    const value = `${n}`.padStart(1 + (n % 90), '.');
    all.push(value);
    assert.equal(await store.append('log', value, 60_000), n);
    if (n % 701 !== 0) continue;
    const kept = (await store.read('log', 0))!;
    assert.deepEqual(kept.values, all.slice(kept.first - 1));
    // As many values as fit: one more would be too many.
    const sizeOf = (values: readonly unknown[]) => JSON.stringify(values).length - values.length - 1 + 'log'.length;
    assert.ok(sizeOf(kept.values) <= 2_000 && sizeOf(all.slice(kept.first - 2)) > 2_000, `${kept.values.length} kept`);
    const middle = kept.first + 3;
    assert.deepEqual(await store.read('log', middle), { first: middle + 1, values: all.slice(middle) });
    assert.deepEqual(await store.read('log', n), { first: n + 1, values: [] });
  }
  await store.delete('log');
  assert.equal(await store.append('log', 'new', 60_000), 1);
});
