import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { stopTime } from '../../../scripts/lib/test-time.ts';
import { createSlots } from './slots.ts';

const never = new AbortController().signal;
function full(): Error {
  return new Error('full');
}

test('at most the given number of callers have a slot, first come, first served', async () => {
  const slots = createSlots(2, { maxWaiting: 10, maxWaitMs: 60_000 }, full);
  const order: number[] = [];
  let inside = 0;
  let most = 0;
  await Promise.all(
    Array.from({ length: 8 }, async (_, index) => {
      const release = await slots(never);
      order.push(index);
      most = Math.max(most, ++inside);
      await turn();
      inside--;
      release();
      release();
    }),
  );
  assert.equal(most, 2);
  assert.deepEqual(order, [0, 1, 2, 3, 4, 5, 6, 7]);
});

test('a caller is rejected at once if too many wait', async () => {
  const slots = createSlots(1, { maxWaiting: 1, maxWaitMs: 60_000 }, full);
  const release = await slots(never);
  const waiting = slots(never);
  await assert.rejects(slots(never), /full/);
  release();
  (await waiting)();
  (await slots(never))();
});

test('a caller cancelled while waiting leaves the queue, and takes no slot', async () => {
  const slots = createSlots(1, { maxWaiting: 1, maxWaitMs: 60_000 }, full);
  const release = await slots(never);
  const abort = new AbortController();
  const cancelled = slots(abort.signal);
  abort.abort();
  await assert.rejects(cancelled, { name: 'AbortError' });
  const next = slots(never);
  release();
  (await next)();
  await assert.rejects(slots(abort.signal), { name: 'AbortError' });
  (await slots(never))();
});

test('a caller that has waited for too long is rejected, and takes no slot', async (t) => {
  const time = stopTime(t);
  const slots = createSlots(1, { maxWaiting: 2, maxWaitMs: 10_000 }, full);
  const release = await slots(never);
  const late = slots(never);
  const settled = late.then(
    () => 'a slot',
    (error: Error) => error.message,
  );
  await time.pass(9_999);
  const next = slots(never);
  await time.pass(1);
  assert.equal(await settled, 'full');
  release();
  (await next)();
});
