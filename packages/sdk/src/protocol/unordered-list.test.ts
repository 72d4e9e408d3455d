import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { bytesKept, contentOf, MOST_KEPT } from '../../../../scripts/lib/bytes-kept.ts';
import { UnorderedList } from './unordered-list.ts';

test('a list has the same entries as a Set, in any order of adding and removing', () => {
  fc.assert(
    fc.property(fc.array(fc.nat(9)), (steps) => {
      const entries = Array.from({ length: 10 }, () => ({ place: 0 }));
      const list = new UnorderedList<{ place: number }>();
      const model = new Set<object>();
      for (const step of steps) {
        const entry = entries[step]!;
        assert.equal(list.has(entry), model.has(entry));
        if (model.delete(entry)) list.delete(entry);
        else {
          // An entry that is not in the list is not removed in place of another one.
          list.delete(entry);
          // Added twice, it is there once.
          list.add(entry);
          list.add(entry);
          model.add(entry);
        }
        assert.equal(list.size, model.size);
        assert.deepEqual(new Set(list), model);
      }
    }),
  );
});

test('entries that are removed during iteration are still visited', () => {
  const list = new UnorderedList<{ place: number }>();
  for (let at = 0; at < 3; at++) list.add({ place: 0 });
  let visited = 0;
  for (const entry of list) {
    visited++;
    list.delete(entry);
  }
  assert.deepEqual([visited, list.size], [3, 0]);
});

test('entries that were removed are not kept until the next full garbage collection', () => {
  const list = new UnorderedList<{ place: number }>();
  const kept = bytesKept((id) => {
    const entry = { place: 0, content: contentOf(id) };
    list.add(entry);
    return () => list.delete(entry);
  });
  assert.ok(kept < MOST_KEPT, `${kept} bytes were kept`);
});
