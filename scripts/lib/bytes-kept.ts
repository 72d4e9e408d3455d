// Measures how much memory removed entries occupy until a full garbage collection, because they keep each other alive.
import { getHeapSpaceStatistics, setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/** How many entries there are at the same time. */
const OPEN = 64;
const BEFORE = 20_000;
const MEASURED = 40_000;
/** What a collection may keep, in bytes, of more than 30 million. Entries of a `Map`, or listeners of a signal, keep 2 to 30 million. */
export const MOST_KEPT = 1_000_000;

/** Something of about 900 bytes. */
export function contentOf(id: number): readonly number[] {
  return Array.from({ length: 100 }, () => id);
}

function oldBytes(): number {
  return getHeapSpaceStatistics().find(({ space_name: name }) => name === 'old_space')!.space_used_size;
}

/** Adds many entries, and removes each a little later. Returns the bytes that became old meanwhile. `add` returns the function that removes. */
export function bytesKept(add: (id: number) => () => void): number {
  setFlagsFromString('--expose-gc');
  const collectGarbage = runInNewContext('gc') as () => void;
  const open: (() => void)[] = [];
  let next = 0;
  const addSome = (count: number): void => {
    for (let id = 0; id < count; id++) {
      if (open.length === OPEN) open[next]!();
      open[next] = add(id);
      next = (next + 1) % OPEN;
    }
  };
  addSome(BEFORE);
  // What is open now becomes old.
  collectGarbage();
  const before = oldBytes();
  addSome(MEASURED);
  return oldBytes() - before;
}
