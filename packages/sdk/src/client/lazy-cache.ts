import type { Cache } from './cache.ts';

/** The cached results of one client. Its code is loaded on demand. */
export class LazyCache {
  readonly #load: () => Promise<Cache>;
  readonly #isShared: boolean;
  #cache: Promise<Cache> | undefined;

  /** `isShared`: the store may have results before this client has stored any. */
  constructor(load: () => Promise<Cache>, isShared: boolean) {
    this.#load = load;
    this.#isShared = isShared;
  }

  get(): Promise<Cache> {
    return (this.#cache ??= this.#load());
  }

  /** Removes results, before any that is wanted from now on is looked up. */
  remove(run: (cache: Cache) => void): void {
    if (this.#cache !== undefined || this.#isShared) void this.get().then(run);
  }
}
