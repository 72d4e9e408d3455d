import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { MessageParts, partsOf } from './message-parts.ts';

test('a message of any size arrives whole, also among the parts of others', () => {
  const property = fc.property(
    fc.array(fc.json(), { maxLength: 5 }),
    fc.integer({ min: 65, max: 200 }),
    (texts, most) => {
      const parts = new MessageParts();
      const queues = texts.map((json) => [...partsOf(json, most)]);
      for (const part of queues.flat()) assert.ok(part.length <= most);
      const arrived: string[] = [];
      while (queues.some(({ length }) => length > 0))
        for (const queue of queues) {
          const part = queue.shift();
          const json = part === undefined ? undefined : parts.add(part);
          if (json !== undefined) arrived.push(json);
        }
      assert.deepEqual(arrived.toSorted(), texts.toSorted());
    },
  );
  fc.assert(property);
});

test('a message of which a part is missing, comes twice or comes too early, does not arrive, and harms no other', () => {
  const parts = new MessageParts();
  const json = JSON.stringify('x'.repeat(300));
  const add = (order: readonly number[]): (string | undefined)[] => {
    const all = partsOf(json, 164);
    assert.equal(all.length, 4);
    return order.map((at) => parts.add(all[at]!));
  };
  for (const order of [
    [1, 2, 3],
    [0, 2, 3],
    [0, 0, 1, 2, 3],
    [0, 2, 1, 3],
  ])
    assert.ok(
      add(order).every((result) => result === undefined),
      String(order),
    );
  assert.equal(add([0, 1, 2, 3]).at(-1), json);
});

test('text that only resembles a part of a message is ignored', () => {
  const parts = new MessageParts();
  for (const text of ['#', '#\n', '#x 0 1\n1', `#${'a'.repeat(36)} 0 1`, `#${'a'.repeat(36)} -1 1\n1`])
    assert.equal(parts.add(Buffer.from(text)), undefined, text);
  assert.equal(parts.add(Buffer.from('')), '');
});

test('messages whose sender ended before the last part are given up for newer ones', () => {
  const parts = new MessageParts();
  const first = partsOf(JSON.stringify('x'.repeat(100)), 90);
  parts.add(first[0]!);
  for (let n = 0; n < 32; n++) parts.add(partsOf(JSON.stringify('y'.repeat(100)), 90)[0]!);
  assert.equal(parts.add(first[1]!), undefined);
  assert.throws(() => partsOf('x'.repeat(128 * 1024 ** 2 + 1), 1_000), RangeError);
});
