import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { bytesKept, contentOf, MOST_KEPT } from '../../../../scripts/lib/bytes-kept.ts';
import { IdTable } from './id-table.ts';
import type { RequestId } from './jsonrpc.ts';

interface Entry {
  readonly id: RequestId;
}

test('a table has the same entries as a Map, whatever their ids are', () => {
  const id: fc.Arbitrary<RequestId> = fc.oneof(
    fc.integer({ min: -20, max: 40 }),
    fc.constantFrom(2 ** 32, 2 ** 53 - 1, '', '1', '__proto__', 'constructor', 'a'),
  );
  fc.assert(
    fc.property(fc.array(fc.tuple(fc.boolean(), id), { maxLength: 80 }), (steps) => {
      const table = new IdTable<Entry>();
      const model = new Map<RequestId, Entry>();
      for (const [adds, key] of steps) {
        const known = model.get(key);
        assert.equal(table.get(key), known);
        if (known !== undefined && !adds) {
          table.delete(known);
          model.delete(key);
        } else if (known === undefined) {
          // An entry that is not in the table is not removed in place of another one.
          table.delete({ id: key });
          const entry = { id: key };
          table.add(entry);
          model.set(key, entry);
        } else table.delete({ id: key });
        assert.equal(table.size, model.size);
        assert.deepEqual(new Set(table.values()), new Set(model.values()));
      }
      for (const key of model.keys()) assert.equal(table.get(key), model.get(key));
    }),
  );
});

test('a value that cannot be an id is not found', () => {
  const table = new IdTable<Entry>();
  for (const id of [0, 1, 'a', '0']) table.add({ id });
  const values: readonly unknown[] = [
    undefined,
    null,
    NaN,
    0.5,
    true,
    [],
    [0],
    {},
    { toString: 0, valueOf: 0 },
    Symbol('a'),
    1n,
  ];
  for (const value of values) assert.equal(table.get(value), undefined, typeof value);
});

test('entries that were removed are not kept until the next full garbage collection', () => {
  const table = new IdTable<Entry>();
  const kept = bytesKept((id) => {
    const entry = { id, content: contentOf(id) };
    table.add(entry);
    return () => table.delete(entry);
  });
  assert.ok(kept < MOST_KEPT, `${kept} bytes were kept`);
});
