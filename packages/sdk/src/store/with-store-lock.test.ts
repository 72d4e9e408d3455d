import assert from 'node:assert/strict';
import { test } from 'node:test';
import { stopTime } from '../../../../scripts/lib/test-time.ts';
import { turns } from '../../../../scripts/lib/until.ts';
import { memoryStore } from './memory.ts';
import type { Store } from './store.ts';
import { keepInStore, withStoreLock } from './with-store-lock.ts';

test('of several runs that want the same lock, one works at a time, and all of them finish', async () => {
  const store = memoryStore();
  let working = 0;
  let most = 0;
  const work = async (): Promise<void> => {
    most = Math.max(most, ++working);
    await turns(3);
    working--;
  };
  await Promise.all(Array.from({ length: 8 }, () => withStoreLock(store, 'lock', work)));
  assert.equal(most, 1);
  await Promise.all(['a', 'b'].map((key) => withStoreLock(store, key, work)));
  assert.equal(most, 2, 'other locks are free');
});

test('a lock is released when the work fails, and the caller gets the error', async () => {
  const store = memoryStore();
  await assert.rejects(
    withStoreLock(store, 'lock', () => Promise.reject(new Error('no luck'))),
    /no luck/,
  );
  assert.equal(await withStoreLock(store, 'lock', async () => 'again'), 'again');
});

test('the lock of a process that died is free after a while, the lock of a running one is not', async (t) => {
  const time = stopTime(t);
  const store = memoryStore();
  await store.add('dead', 'another process', 10_000);
  const next = withStoreLock(store, 'dead', async () => time.now());
  await time.pass(11_000);
  assert.ok((await next) >= 10_000);

  let finish!: () => void;
  const long = withStoreLock(store, 'long', () => new Promise<void>((resolve) => (finish = resolve)));
  await turns();
  const waiting = assert.rejects(
    withStoreLock(store, 'long', async () => {}),
    /is held by another process for longer than a minute/,
  );
  await time.pass(61_000);
  await waiting;
  finish();
  await long;
});

test('a lock that another process has taken over is not released', async () => {
  const store = memoryStore();
  await withStoreLock(store, 'lock', async () => {
    await store.set('lock', 'another process', 60_000);
  });
  assert.equal(await store.get('lock'), 'another process');
});

test('a kept value replaces the previous one, and concurrent writers lose nothing', async () => {
  const inner = memoryStore();
  let other = true;
  const store: Store = {
    ...inner,
    async add(key, value, lifeMs) {
      // Another process is faster, the first time.
      if (other) await inner.add(key, 'other', lifeMs);
      other = false;
      return inner.add(key, value, lifeMs);
    },
  };
  await keepInStore(store, 'key', 'first');
  assert.equal(await store.get('key'), 'first');
  await keepInStore(store, 'key', 'second');
  assert.equal(await store.get('key'), 'second');
});

test('work under a lock ends with its result, although the store throws at once when the lock is released', async () => {
  const store = memoryStore();
  const throwing: Store = {
    ...store,
    swap: () => {
      throw Object.assign(new Error('away'), { code: 'unavailable' });
    },
  };
  assert.equal(await withStoreLock(throwing, 'lock', async () => 'done'), 'done');
});
