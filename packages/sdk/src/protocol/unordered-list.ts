/**
 * A collection in no particular order. Each entry knows its place, so that removing it takes constant time.
 *
 * Removed entries do not keep each other alive, unlike those of a `Set`: see `IdTable`.
 */
export class UnorderedList<T extends { place: number }> implements Iterable<T> {
  readonly #entries: T[] = [];

  get size(): number {
    return this.#entries.length;
  }

  has(entry: T): boolean {
    return this.#entries[entry.place] === entry;
  }

  /** Adds an entry, unless it is in the list. */
  add(entry: T): void {
    if (this.has(entry)) return;
    entry.place = this.#entries.push(entry) - 1;
  }

  /** Removes an entry, if it is in the list. The last one takes its place. */
  delete(entry: T): void {
    const { place } = entry;
    if (!this.has(entry)) return;
    const last = this.#entries.pop()!;
    if (last === entry) return;
    last.place = place;
    this.#entries[place] = last;
  }

  clear(): void {
    this.#entries.length = 0;
  }

  /** The entries of this moment. */
  [Symbol.iterator](): Iterator<T> {
    return [...this.#entries][Symbol.iterator]();
  }
}
