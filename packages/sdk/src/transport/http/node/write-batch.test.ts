import assert from 'node:assert/strict';
import { AsyncLocalStorage } from 'node:async_hooks';
import process from 'node:process';
import { test } from 'node:test';
import { setImmediate as nextIteration } from 'node:timers/promises';
import { until } from '../../../../../../scripts/lib/until.ts';
import { WriteBatch } from './write-batch.ts';

/** A batch with a clock of its own, what it has written, and a way to add several writes at the same time. */
function makeBatch() {
  const clock = { now: 0 };
  const batch = new WriteBatch(() => clock.now);
  const written: number[] = [];
  const add = (...values: readonly number[]): void => {
    for (const value of values) batch.add(() => void written.push(value));
  };
  return { batch, clock, written, add };
}

test('responses that come together are written when all of them are there, in their order', async () => {
  const { batch, written, add } = makeBatch();
  for (let round = 0; round < 3; round++) {
    add(1, 2);
    await Promise.resolve().then(() => add(3));
    assert.deepEqual(written, []);
    await batch.written();
    assert.deepEqual(written.splice(0), [1, 2, 3]);
  }
});

test('while responses are alone, only one of sixteen waits', async () => {
  const { written, add } = makeBatch();
  const waited: number[] = [];
  for (let value = 0; value < 48; value++) {
    add(value);
    if (written.length === value) waited.push(value);
    await nextIteration();
    assert.equal(written.length, value + 1);
  }
  assert.deepEqual(waited, [0, 16, 32]);
});

test('after responses that took long, the next ones do not wait', async () => {
  const { batch, clock, written, add } = makeBatch();
  const addTwo = async (ms: number): Promise<void> => {
    add(1);
    clock.now += ms;
    add(2);
    await batch.written();
  };
  await addTwo(0.4);
  assert.deepEqual(written, [1, 2]);
  add(3);
  assert.deepEqual(written, [1, 2], 'these were short');
  await addTwo(2);
  assert.deepEqual(written, [1, 2, 3, 1, 2]);
  add(...Array.from({ length: 63 }, () => 4));
  assert.equal(written.length, 68);
  add(5);
  assert.equal(written.length, 68, 'it is tried again');
});

test('a write has the asynchronous context of its response', async () => {
  const { batch } = makeBatch();
  const current = new AsyncLocalStorage<string>();
  const seen: unknown[] = [];
  for (const name of ['a', 'b']) current.run(name, () => batch.add(() => void seen.push(current.getStore())));
  await batch.written();
  assert.deepEqual(seen, ['a', 'b']);
});

test('a write that throws does not concern the others', async (t) => {
  const { batch, written, add } = makeBatch();
  const thrown: unknown[] = [];
  process.setUncaughtExceptionCaptureCallback((error) => void thrown.push(error.message));
  t.after(() => process.setUncaughtExceptionCaptureCallback(null));
  add(1);
  batch.add(() => {
    throw new Error('broken');
  });
  add(2);
  await batch.written();
  assert.deepEqual(written, [1, 2]);
  assert.deepEqual(thrown, ['broken']);
});

test('responses that are added while others are written do not make a batch endless', async () => {
  const { batch, clock } = makeBatch();
  let added = 0;
  let waited = 0;
  const addNext = (): void => {
    if (++added > 200) return;
    clock.now++;
    let isWritten = false;
    batch.add(() => {
      isWritten = true;
      // As the next request of a connection is served when the response before it is written.
      process.nextTick(addNext);
    });
    if (!isWritten) waited++;
  };
  for (let connection = 0; connection < 4; connection++) addNext();
  await until(() => added >= 200);
  assert.ok(waited < 20, `${waited} waited`);
});
