import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import type { Endpoint } from './endpoint.ts';
import { MissedChanges } from './missed-changes.ts';

/** A node with so many subscriptions to the list of tools and to one resource. `told`: how many notifications they got. */
function makeNode(count: number) {
  const state = { told: 0, closed: false };
  const subscriptions = Array.from({ length: count }, () => ({
    principal: undefined,
    subscription: { uris: ['note://a'], taskIds: [] },
    wants: () => !state.closed,
    notify: () => void (state.told += 1),
  }));
  const engine = { capabilities: () => ({ tools: { listChanged: true } }), hasResource: () => true };
  const endpoint = { engine, subscriptions, sessions: { all: () => [] }, faults: () => {} };
  return { state, missed: new MissedChanges(endpoint as unknown as Endpoint) };
}

/** Stops the time. Clients are notified `DELAY_MS` after an interruption. */
function stop(t: TestContext) {
  t.mock.method(Math, 'random', () => 0.5);
  t.mock.timers.enable({ apis: ['setTimeout'] });
  return (ms: number): void => t.mock.timers.tick(ms);
}
const DELAY_MS = 2_000;

test('many clients are notified in several turns, so that requests are served between them', (t) => {
  const { state, missed } = makeNode(2_500);
  const pass = stop(t);
  missed.note();
  pass(DELAY_MS);
  const told = [state.told];
  while (told.at(-1) !== told.at(-2)) {
    pass(1);
    told.push(state.told);
  }
  // The last part of each list is smaller.
  assert.deepEqual(told, [1_000, 2_000, 3_500, 4_500, 5_000, 5_000]);
});

test('interruptions are announced once, and one that comes later is announced again', (t) => {
  const { state, missed } = makeNode(1_500);
  const pass = stop(t);
  for (let times = 1; times <= 2; times++) {
    missed.note();
    pass(DELAY_MS - 1);
    missed.note();
    pass(DELAY_MS);
    for (let turn = 0; turn < 5; turn++) pass(1);
    assert.equal(state.told, 3_000 * times);
  }
});

test('a closed node sends no more notifications', (t) => {
  const { state, missed } = makeNode(2_500);
  const pass = stop(t);
  missed.note();
  pass(DELAY_MS);
  missed.note();
  missed.close();
  pass(2 * DELAY_MS);
  assert.equal(state.told, 1_000);
});
