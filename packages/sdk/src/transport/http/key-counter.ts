/** Counts items by key. Items without a key are not counted. */
export class KeyCounter {
  readonly #counts = new Map<string, number>();

  count(key: string | undefined): number {
    return key === undefined ? 0 : (this.#counts.get(key) ?? 0);
  }

  add(key: string | undefined): void {
    if (key !== undefined) this.#counts.set(key, this.count(key) + 1);
  }

  /** Removes an item that was added before. */
  remove(key: string | undefined): void {
    if (key === undefined) return;
    const left = this.count(key) - 1;
    // Keys without items use no memory.
    if (left > 0) this.#counts.set(key, left);
    else this.#counts.delete(key);
  }

  clear(): void {
    this.#counts.clear();
  }
}
