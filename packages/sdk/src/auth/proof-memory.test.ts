import assert from 'node:assert/strict';
import { test } from 'node:test';
import { jumpingTime } from '../../../../scripts/lib/test-time.ts';
import { ProofMemory } from './proof-memory.ts';

test('a proof is accepted once for its key, until it expires', (t) => {
  const time = jumpingTime(t);
  const memory = new ProofMemory(100, 1_000);
  assert.deepEqual([memory.add('a', '1'), memory.add('a', '1'), memory.add('b', '1')], [true, false, true]);
  time.jump(900);
  assert.equal(memory.add('a', '1'), false);
  time.jump(100);
  assert.equal(memory.add('a', '1'), true);
});

test('a key with many proofs evicts only its own proofs', () => {
  const memory = new ProofMemory(10, 60_000);
  for (const key of ['a', 'b', 'c']) memory.add(key, 'first');
  for (let count = 0; count < 100; count++) assert.equal(memory.add('greedy', String(count)), true);
  for (const key of ['a', 'b', 'c']) assert.equal(memory.add(key, 'first'), false);
  assert.equal(memory.add('greedy', '99'), false);
  assert.equal(memory.add('greedy', '0'), true);
});

test('a proof is accepted once even if the system clock is set ahead and back', (t) => {
  const day = jumpingTime(t, [Date]);
  const memory = new ProofMemory(1_000, 60_000);
  assert.equal(memory.add('a', '1'), true);
  day.jump(3_600_000);
  for (let count = 0; count < 200; count++) memory.add(`b${count}`, '1');
  day.jump(-3_600_000);
  assert.equal(memory.add('a', '1'), false);
});
