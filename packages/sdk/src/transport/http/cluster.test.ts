import assert from 'node:assert/strict';
import { test } from 'node:test';
import { turns, until } from '../../../../../scripts/lib/until.ts';
import type { Bus } from '../../store/bus.ts';
import { memoryBus } from '../../store/memory-bus.ts';
import { joinCluster } from './cluster.ts';
import { createNodeBus } from './node-bus.ts';

test('nodes find each other, also if the bus was away when one of them joined', async () => {
  const bus = memoryBus();
  let isAway = true;
  const late: Bus = {
    publish: (topic, message) => bus.publish(topic, message),
    subscribe(topic, listener) {
      if (isAway) throw Object.assign(new Error('away'), { code: 'unavailable' });
      return bus.subscribe(topic, listener);
    },
  };
  const first = joinCluster(
    createNodeBus(bus, () => {}),
    () => {},
  );
  let missed = 0;
  const second = joinCluster(
    createNodeBus(late, () => {}),
    () => {},
    () => missed++,
  );
  await until(() => isAway && !first.hasOthers && !second.hasOthers);
  isAway = false;
  await until(() => first.hasOthers && second.hasOthers);
  assert.equal(missed, 1, 'what was sent before it could listen');
  first.close();
  second.close();
});

/** Two nodes that know each other. Each counts how often it may have missed messages, and the first one can be cut off. */
async function pair() {
  const bus = memoryBus();
  const interruptions: (() => void)[] = [];
  let isAway = false;
  const breaking: Bus = {
    publish(topic, message) {
      if (isAway) throw Object.assign(new Error('away'), { code: 'unavailable' });
      return bus.publish(topic, message);
    },
    subscribe(topic, listener, missed) {
      if (missed !== undefined) interruptions.push(missed);
      return bus.subscribe(topic, listener);
    },
  };
  const missed = { first: 0, second: 0 };
  const nodeOf = (own: Bus, name: 'first' | 'second') =>
    joinCluster(
      createNodeBus(own, () => {}),
      () => {},
      () => missed[name]++,
    );
  const first = nodeOf(breaking, 'first');
  const second = nodeOf(bus, 'second');
  await until(() => first.hasOthers && second.hasOthers);
  return {
    first,
    missed,
    cutOff: () => (isAway = true),
    mend: () => (isAway = false),
    interrupt: () => interruptions.forEach((interruption) => interruption()),
    close: () => [first, second].forEach((node) => node.close()),
  };
}

test('after an interruption of one node, that node may have missed messages, and so may the others, of its own', async () => {
  const { missed, interrupt, close } = await pair();
  assert.deepEqual(missed, { first: 0, second: 0 });
  interrupt();
  await until(() => missed.second > 0);
  assert.deepEqual(missed, { first: 1, second: 1 });
  close();
});

test('a message to all nodes that the bus does not take is noticed by the others with the next one', async () => {
  const { first, missed, cutOff, mend, close } = await pair();
  const change = { kind: 'change', server: 'x', change: { list: 'tools' } } as const;
  cutOff();
  first.broadcast(change);
  await turns();
  mend();
  first.broadcast(change);
  await until(() => missed.second > 0);
  first.broadcast(change);
  await turns();
  assert.deepEqual(missed, { first: 0, second: 1 });
  close();
});
