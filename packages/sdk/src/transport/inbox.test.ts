import assert from 'node:assert/strict';
import { test } from 'node:test';
import { turns } from '../../../../scripts/lib/until.ts';
import fc from 'fast-check';
import { takeEach } from '../protocol/channel.ts';
import { Inbox } from './inbox.ts';

function stage() {
  const events: string[] = [];
  const inbox = new Inbox<number>({
    start: () => void events.push('start'),
    empty: () => void events.push('empty'),
    stop: () => void events.push('stop'),
  });
  return { inbox, events };
}

/** A consumer that asks to wait after some items. */
function slow(when: (item: number) => boolean) {
  const taken: number[] = [];
  let go: (() => void) | undefined;
  return {
    taken,
    take: (item: number) => {
      taken.push(item);
      return when(item) ? new Promise<void>((resolve) => (go = resolve)) : undefined;
    },
    async go() {
      go!();
      await turns();
    },
  };
}

test('a received item is taken in the same turn, after those that waited', async () => {
  const { inbox, events } = stage();
  inbox.push(1);
  inbox.push(2);
  const taken: number[] = [];
  const reading = takeEach(inbox.items, (item) => void taken.push(item) as undefined);
  assert.deepEqual(
    [taken, events],
    [
      [1, 2],
      ['start', 'empty'],
    ],
  );
  inbox.push(3);
  assert.deepEqual([taken, inbox.waiting], [[1, 2, 3], 0]);
  inbox.end();
  inbox.push(4);
  await reading;
  assert.deepEqual(taken, [1, 2, 3]);
});

test('while a consumer waits, received items wait, too, and come in order', async () => {
  const { inbox, events } = stage();
  const consumer = slow((item) => item === 1 || item === 3);
  const reading = takeEach(inbox.items, consumer.take);
  for (const item of [1, 2, 3, 4]) inbox.push(item);
  assert.deepEqual([consumer.taken, inbox.waiting], [[1], 3]);
  await consumer.go();
  assert.deepEqual([consumer.taken, inbox.waiting], [[1, 2, 3], 1]);
  inbox.push(5);
  inbox.end();
  await consumer.go();
  await reading;
  assert.deepEqual(consumer.taken, [1, 2, 3, 4, 5]);
  assert.deepEqual(events, ['start', 'empty']);
});

test('an error comes after the items before it', async () => {
  const { inbox } = stage();
  const consumer = slow((item) => item === 1);
  const reading = takeEach(inbox.items, consumer.take);
  reading.catch(() => {});
  inbox.push(1);
  inbox.push(2);
  inbox.end(new Error('cut'));
  await consumer.go();
  await assert.rejects(reading, /cut/);
  assert.deepEqual(consumer.taken, [1, 2]);
});

test('a consumer that throws, or whose wait fails, is rejected with that, and reading stops', async () => {
  for (const take of [
    () => {
      throw new Error('no');
    },
    () => Promise.reject(new Error('no')),
  ]) {
    const { inbox, events } = stage();
    const reading = takeEach(inbox.items, take);
    inbox.push(1);
    inbox.push(2);
    await assert.rejects(reading, /no/);
    assert.deepEqual([inbox.waiting, events.at(-1)], [0, 'stop']);
  }
});

test('dropped items are not delivered, and a waiting consumer ends', async () => {
  const { inbox } = stage();
  const consumer = slow(() => true);
  const reading = takeEach(inbox.items, consumer.take);
  inbox.push(1);
  inbox.push(2);
  inbox.discard();
  await reading;
  await consumer.go();
  assert.deepEqual(consumer.taken, [1]);
});

test('a consumer may drop everything while it receives an item', async () => {
  const { inbox } = stage();
  inbox.push(1);
  inbox.push(2);
  const taken: number[] = [];
  await takeEach(inbox.items, (item) => {
    taken.push(item);
    inbox.discard();
    return undefined;
  });
  inbox.push(3);
  assert.deepEqual(taken, [1]);
});

test('directly or in a loop, every item comes once and in order, however the consumer waits', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.record({ wait: fc.boolean(), turn: fc.boolean() }), { maxLength: 40 }),
      fc.boolean(),
      async (plan, direct) => {
        const { inbox } = stage();
        const taken: number[] = [];
        const take = (item: number) => {
          taken.push(item);
          return plan[item]!.wait ? new Promise<void>((resolve) => queueMicrotask(resolve)) : undefined;
        };
        const items = direct ? inbox.items : { [Symbol.asyncIterator]: () => inbox.items[Symbol.asyncIterator]() };
        const reading = takeEach(items, take);
        for (const [item, { turn }] of plan.entries()) {
          inbox.push(item);
          if (turn) await Promise.resolve();
        }
        inbox.end();
        await reading;
        assert.deepEqual(
          taken,
          plan.map((_, at) => at),
        );
      },
    ),
  );
});
