import type { RequestId } from './jsonrpc.ts';

/** The number of slots: a power of two. */
const SLOTS = 256;

/**
 * Entries by request id, in no particular order. Up to 256 consecutive numbers have a slot each; the other ids share a `Map`.
 *
 * It is not only a `Map`, because entries come and go here with every request. A `Map` replaces its table again and again for that, and each old
 * table refers to the next one (V8). As soon as one of them is old enough to be left to the full collections of garbage, all later ones and
 * their entries wait for those, too, and a request costs up to twice as much.
 */
export class IdTable<T extends { readonly id: RequestId }> {
  readonly #slots: (T | undefined)[] = [];
  /** Entries whose slots were taken. */
  readonly #others = new Map<unknown, T>();
  #size = 0;

  get size(): number {
    return this.#size;
  }

  /** Accepts any value, because peers also send invalid ids. */
  get(id: unknown): T | undefined {
    const entry = this.#slots[slotOf(id)];
    return entry?.id === id ? entry : this.#others.get(id);
  }

  /** Adds an entry. Its id must not be in the table. */
  add(entry: T): void {
    const slot = slotOf(entry.id);
    if (this.#slots[slot] === undefined) this.#slots[slot] = entry;
    else this.#others.set(entry.id, entry);
    this.#size++;
  }

  /** Removes an entry, if it is in the table. */
  delete(entry: T): void {
    const slot = slotOf(entry.id);
    if (this.#slots[slot] === entry) this.#slots[slot] = undefined;
    else if (this.#others.get(entry.id) === entry) this.#others.delete(entry.id);
    else return;
    this.#size--;
  }

  /** The entries of this moment. */
  values(): T[] {
    return [...this.#slots, ...this.#others.values()].filter((entry) => entry !== undefined);
  }
}

function slotOf(id: unknown): number {
  return typeof id === 'number' ? id & (SLOTS - 1) : 0;
}
