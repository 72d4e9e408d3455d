/** A cached result. */
export interface CacheEntry {
  /** The result as JSON. */
  readonly text: string;
  /** When it expires, in milliseconds of the client's clock (by default `performance.now()`). */
  readonly until: number;
  /** The method of its request, by which it is invalidated. */
  readonly method: string;
  /** The URI of the resource, for `resources/read`. */
  readonly uri: string | undefined;
}

/**
 * Stores results for as long as their server allows. Several clients of a process may share a store: the keys include the server, and for
 * private results also the user.
 */
export interface CacheStore {
  /** The result stored under a key; undefined if there is none. The client checks whether it has expired. */
  get(key: string): CacheEntry | undefined;
  /** Stores a result in place of the previous one. */
  set(key: string, entry: CacheEntry): void;
  /** Removes a result. Does nothing if there is none. */
  delete(key: string): void;
  /** All keys that begin with `prefix`. */
  keys(prefix: string): Iterable<string>;
}

/**
 * A cache in memory for up to `maxEntries` results. Evicts the least recently used one.
 *
 * @example
 * ```ts
 * import { connect, createCacheStore } from 'tenon/client';
 *
 * const cache = createCacheStore(10_000);
 * await using notes = await connect('https://notes.example.com/mcp', { cache });
 * await using maps = await connect('https://maps.example.com/mcp', { cache });
 * ```
 */
export function createCacheStore(maxEntries: number): CacheStore {
  const entries = new Map<string, CacheEntry>();
  return {
    get(key) {
      const entry = entries.get(key);
      if (entry === undefined) return undefined;
      entries.delete(key);
      entries.set(key, entry);
      return entry;
    },
    set(key, entry) {
      entries.delete(key);
      entries.set(key, entry);
      if (entries.size > maxEntries) entries.delete(entries.keys().next().value!);
    },
    delete: (key) => void entries.delete(key),
    keys: (prefix) => [...entries.keys()].filter((key) => key.startsWith(prefix)),
  };
}
