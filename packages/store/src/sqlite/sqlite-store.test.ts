import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as sqlite from 'node:sqlite';
import { after, test } from 'node:test';
import fc from 'fast-check';
import { endOfPrefix, keyBytes, keyOf } from '../key-bytes.ts';
import { DEFAULTS } from '../options.ts';
import { SqliteStore } from './sqlite-store.ts';
import { StoreFile } from './store-file.ts';

const folder = mkdtempSync(join(tmpdir(), 'tenon-store-'));
after(() => rmSync(folder, { recursive: true, force: true }));

let files = 0;
async function stage() {
  const clock = { now: 1_764_000_000_000 };
  const file = await StoreFile.open(sqlite, join(folder, `${++files}.db`), 5_000);
  const store = new SqliteStore(file, { ...DEFAULTS, now: () => clock.now });
  const count = (table: string): number => file.prepare(`SELECT count(*) AS n FROM ${table}`).get()!['n'] as number;
  return { file, store, clock, count };
}

test('keys become bytes in the order of their code units, and are decoded again', () => {
  // Any code units, including lone surrogates.
  const text = fc.array(fc.nat(0xffff), { maxLength: 6 }).map((units) => String.fromCharCode(...units));
  const key = fc.oneof(text, fc.string({ unit: 'grapheme' }));
  const isLess = (a: Uint8Array, b: Uint8Array): boolean => Buffer.compare(a, b) < 0;
  fc.assert(
    fc.property(key, key, (a, b) => {
      assert.equal(keyOf(keyBytes(a)), a);
      assert.equal(isLess(keyBytes(a), keyBytes(b)), a < b);
      const begins = !isLess(keyBytes(b), keyBytes(a)) && isLess(keyBytes(b), endOfPrefix(a));
      assert.equal(begins, b.startsWith(a));
    }),
    { numRuns: 2_000 },
  );
});

test('a full disk is a RangeError, and all previous values are kept', async () => {
  const { file, store, count } = await stage();
  await store.set('kept', 'kept', 1e9);
  file.prepare('PRAGMA max_page_count = 40').get();
  const fill = async (): Promise<void> => {
    for (let n = 0; n < 1_000; n++) await store.add(`a ${n}`, 'x'.repeat(1_000), 1e9, 'me');
  };
  await assert.rejects(fill, (error: Error) => {
    assert.ok(error instanceof RangeError, String(error));
    assert.match(error.message, /disk is full: .*\.db cannot grow/);
    return true;
  });
  const before = await store.keys('', undefined, 1_000);
  assert.equal(before.length, count('entries'));
  await assert.rejects(async () => store.append('log', 'x'.repeat(100_000), 1e9), RangeError);
  await assert.rejects(async () => store.swap('kept', 'kept', 'x'.repeat(100_000), 1e9), RangeError);
  assert.equal(await store.get('kept'), 'kept');
  assert.deepEqual(await store.keys('', undefined, 1_000), before);
  // Removing values makes room.
  for (const key of before) await store.delete(key);
  assert.equal(await store.add('again', 'x'.repeat(1_000), 1e9, 'me'), true);
  await store.close();
});

test('expired values are removed in limited steps, however many there are', async () => {
  const { store, clock, count } = await stage();
  for (let n = 0; n < 400; n++) await store.set(`old ${n}`, n, 1_000);
  for (let n = 0; n < 400; n++) await store.append('old log', n, 1_000);
  clock.now += 1_000;
  let left = count('entries') + count('log_values');
  for (let writes = 0; left > 1; writes++) {
    await store.set('new', writes, 1e9);
    const now = count('entries') + count('log_values');
    assert.ok(left - now <= 100, `${left - now} at once`);
    assert.ok(writes < 40);
    left = now;
  }
  await store.set('new', 1, 1e9);
  assert.equal(count('removed_logs'), 0);
  await store.close();
});

test('the totals equal the contents after any operations', async () => {
  const { file, store, clock } = await stage();
  const step = fc.record({
    act: fc.constantFrom('set', 'add', 'append', 'delete', 'wait'),
    key: fc.constantFrom('a', 'b', 'c', 'd'),
    owner: fc.constantFrom(undefined, 'ann', 'bob'),
    value: fc.string(),
  });
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 40 }), async (steps) => {
      for (const { act, key, owner, value } of steps)
        if (act === 'wait') clock.now += 60;
        else if (act === 'delete') await store.delete(key);
        else if (act === 'add') await store.add(key, value, 100, owner);
        else await store[act](key, value, 100);
      const sums = file.prepare(
        'SELECT count(*) AS entries, coalesce(sum(size), 0) AS characters, coalesce(sum(added), 0) AS added_entries, coalesce(sum(added * size), 0) AS added_characters FROM entries',
      );
      const totals = file.prepare('SELECT entries, characters, added_entries, added_characters FROM totals');
      assert.deepEqual(totals.get(), sums.get());
      assert.deepEqual(
        file.prepare('SELECT owner, entries, characters FROM owners ORDER BY owner').all(),
        file
          .prepare(
            'SELECT owner, count(*) AS entries, sum(size) AS characters FROM entries WHERE owner IS NOT NULL GROUP BY owner ORDER BY owner',
          )
          .all(),
      );
    }),
    { numRuns: 50 },
  );
  await store.close();
});

test('keys are found by their index, in its order', async () => {
  const { file, store } = await stage();
  const plan = file
    .prepare(
      `EXPLAIN QUERY PLAN SELECT key FROM entries WHERE key >= ? AND key < ? AND +expires > ? AND json IS NOT NULL ORDER BY key LIMIT ?`,
    )
    .all()
    .map(({ detail }) => detail);
  assert.deepEqual(plan, ['SEARCH entries USING INDEX sqlite_autoindex_entries_1 (key>? AND key<?)']);
  await store.close();
});

test('values stored with add, and their replacement and removal, wait for the disk; other changes do not', async () => {
  const { file, store } = await stage();
  const FULL = 2;
  const NORMAL = 1;
  const waits = async (act: () => unknown): Promise<unknown> => {
    await act();
    return file.prepare('PRAGMA synchronous').get()!['synchronous'];
  };
  assert.equal(await waits(() => store.set('session', 1, 1e9)), NORMAL);
  assert.equal(await waits(() => store.swap('session', 1, 2, 1e9)), NORMAL);
  assert.equal(await waits(() => store.append('log', 1, 1e9)), NORMAL);
  assert.equal(await waits(() => store.delete('session')), NORMAL);
  assert.equal(await waits(() => store.add('task', 1, 1e9)), FULL);
  assert.equal(await waits(() => store.append('log', 1, 1e9)), NORMAL);
  assert.equal(await waits(() => store.swap('task', 1, 2, 1e9)), FULL);
  await store.append('log', 1, 1e9);
  assert.equal(await waits(() => store.set('task', 3, 1e9)), FULL);
  assert.equal(await store.get('task'), 3);
  await store.append('log', 1, 1e9);
  assert.equal(await waits(() => store.delete('task')), FULL);
  await store.close();
});
