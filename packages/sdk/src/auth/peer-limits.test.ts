import assert from 'node:assert/strict';
import { test } from 'node:test';
import { jumpingTime } from '../../../../scripts/lib/test-time.ts';
import { PeerQueue, PeerRate, PeerSlots } from './peer-limits.ts';

test('the rate of one peer does not affect another, and is reset with its time window', (t) => {
  const time = jumpingTime(t, [performance]);
  const rate = new PeerRate(2, 1_000);
  assert.deepEqual(
    ['a', 'a', 'a', 'b', 'a'].map((peer) => rate.take(peer)),
    [true, true, false, true, false],
  );
  // Peers that cannot be told apart share a greater limit.
  assert.equal(Array.from({ length: 21 }, () => rate.take(undefined)).filter(Boolean).length, 20);
  time.jump(1_000);
  assert.equal(rate.take('a'), true);
});

test('peers beyond the maximum number share a count', () => {
  const rate = new PeerRate(1, 60_000);
  for (let peer = 0; peer < 10_000; peer++) assert.equal(rate.take(`peer ${peer}`), true);
  const more = Array.from({ length: 100 }, (_, peer) => rate.take(`more ${peer}`));
  assert.ok(more.filter(Boolean).length <= 10);
  assert.equal(rate.take('peer 0'), false);
});

test('the number of concurrent runs is limited, for each peer and in total', async () => {
  const slots = new PeerSlots(2, 3);
  const ends: (() => void)[] = [];
  const act = (): Promise<void> => new Promise((resolve) => void ends.push(resolve));
  const running = ['a', 'a', 'a', 'b', 'c'].map((peer) => slots.run(peer, act));
  assert.deepEqual(
    running.map((one) => one !== undefined),
    [true, true, false, true, false],
  );
  for (const end of ends) end();
  await Promise.all(running);
  await assert.rejects(
    slots.run('c', () => Promise.reject(new Error('failed')))!,
    /failed/,
  );
  assert.deepEqual(await Promise.all(['c', 'c'].map((peer) => slots.run(peer, async () => peer))), ['c', 'c']);
});

test('a peer beyond its limit evicts its own entries, never those of another', (t) => {
  const time = jumpingTime(t, [performance]);
  const queue = new PeerQueue(3, 5, 1_000);
  const kept = new Set<string>();
  const add = (peer: string | undefined, key: string): void => {
    const gone = queue.add(peer, key);
    if (gone !== undefined) kept.delete(gone);
    kept.add(key);
  };
  add('victim', 'v');
  for (let count = 0; count < 10; count++) add('greedy', `g${count}`);
  assert.deepEqual([...kept], ['v', 'g7', 'g8', 'g9']);
  // Beyond the total limit, the oldest entry of the peer with the most entries is evicted.
  for (const peer of ['x', 'y', 'z']) add(peer, peer);
  assert.deepEqual([...kept], ['v', 'g9', 'x', 'y', 'z']);
  queue.delete('z');
  queue.delete('z');
  assert.equal(queue.add('z', 'z2'), undefined);
  time.jump(1_000);
  for (const peer of ['a', 'b', 'c', 'd', 'e']) assert.equal(queue.add(peer, peer), undefined);
  // Peers that cannot be told apart have only the total limit.
  const unknown = new PeerQueue(1, 3, 1_000);
  assert.deepEqual(
    ['1', '2', '3', '4'].map((key) => unknown.add(undefined, key)),
    [undefined, undefined, undefined, '1'],
  );
});
