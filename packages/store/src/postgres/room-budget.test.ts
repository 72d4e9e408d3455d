import assert from 'node:assert/strict';
import { test } from 'node:test';
import { AddedEstimates, WriteBudget } from './room-budget.ts';

const NOTHING = { entries: 0, characters: 0 };

test('sizes are counted again after 1 % of a limit was written, in entries or characters', () => {
  const budget = new WriteBudget({ entries: 1_000, characters: 1_000_000 });
  assert.ok(budget.isSpent, 'nothing was counted yet');
  budget.reset();
  for (let n = 0; n < 9; n++) budget.spend({ entries: 1, characters: 10 });
  assert.ok(!budget.isSpent);
  budget.spend({ entries: 1, characters: 10 });
  assert.ok(budget.isSpent);
  budget.reset();
  budget.spend({ entries: 0, characters: 9_000 });
  assert.ok(!budget.isSpent);
  budget.spend({ entries: 0, characters: 1 });
  assert.ok(budget.isSpent);
  budget.reset();
  budget.exhaust();
  assert.ok(budget.isSpent, 'counting failed');
});

test('with limits so small that one entry matters, sizes are counted every time', () => {
  for (const most of [
    { entries: 3, characters: 1e9 },
    { entries: 1e9, characters: 1_000 },
  ]) {
    const budget = new WriteBudget(most);
    budget.reset();
    assert.ok(budget.isSpent);
  }
});

test('what this process adds is included in the estimates, until all or one owner has to be counted again', () => {
  const most = { entries: 10_000, characters: 1e9 };
  const estimates = new AddedEstimates(most, { entries: 1_000, characters: 1e8 });
  assert.equal(estimates.of('ann'), undefined);
  estimates.counted('ann', { entries: 7, characters: 70 }, { entries: 2, characters: 20 });
  estimates.add('ann', { entries: 1, characters: 10 });
  const added = { entries: 8, characters: 80 };
  assert.deepEqual(estimates.of('ann'), { added, own: { entries: 3, characters: 30 } });
  assert.deepEqual(estimates.of(undefined), { added, own: undefined });
  assert.equal(estimates.of('bob'), undefined, 'bob was not counted');
  for (let n = 0; n < 9; n++) estimates.add('ann', { entries: 1, characters: 10 });
  assert.equal(estimates.of('ann'), undefined);
  assert.ok(estimates.of(undefined));
  estimates.counted('bob', NOTHING, NOTHING);
  assert.deepEqual(estimates.of('bob'), { added: NOTHING, own: undefined });
});

test('the number of owners that are remembered is limited', () => {
  const most = { entries: 1e6, characters: 1e9 };
  const estimates = new AddedEstimates(most, most);
  for (let n = 0; n <= 10_000; n++) estimates.counted(`owner ${n}`, NOTHING, NOTHING);
  assert.equal(estimates.of('owner 0'), undefined);
  assert.ok(estimates.of('owner 1'));
});
