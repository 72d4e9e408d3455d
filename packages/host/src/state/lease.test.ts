import assert from 'node:assert/strict';
import process from 'node:process';
import { test } from 'node:test';
import { createMemoryStore } from './state-store.ts';
import { createLease } from './lease.ts';

const HOUR = 3_600_000;

test('[F-80] after a suspension of the machine, hosts do not consider each other ended', async () => {
  const store = createMemoryStore();
  let time = 1_000_000;
  const lease = createLease(store, () => time);
  await lease.begin();
  // A process in another namespace, so that only its heartbeats count.
  const other = { at: time, pid: process.pid, where: 'another machine' };
  await store.put('owners/other', other);
  assert.equal(await lease.isGone('other'), false);
  time += HOUR;
  assert.equal(await lease.isGone('other'), false);
  time += 3_000;
  await store.put('owners/other', { ...other, at: time });
  for (let seconds = 0; seconds < 30; seconds += 3) {
    time += 3_000;
    await store.put('owners/other', { ...other, at: time });
    assert.equal(await lease.isGone('other'), false);
  }
  // It sends no more heartbeats, and this process was not suspended.
  for (let seconds = 0; seconds < 18; seconds += 3) {
    time += 3_000;
    await lease.isGone('other');
  }
  assert.equal(await lease.isGone('other'), true);
  await lease.close();
});

test('a host that starts late does not assume that the others were suspended', async () => {
  const store = createMemoryStore();
  let time = 1_000_000;
  const lease = createLease(store, () => time);
  await store.put('owners/other', { at: time, pid: process.pid, where: 'another machine' });
  time += HOUR;
  assert.equal(await lease.isGone('other'), true);
  await lease.begin();
  assert.equal(await lease.isGone('other'), true);
  await lease.close();
});
