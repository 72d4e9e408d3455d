import type { Store } from './store.ts';

/** Bounds of a store in memory. */
export interface MemoryStoreOptions {
  /** Most values. Default 100,000. */
  readonly most?: number;
  /** Most characters, keys and values as JSON together. Default 64 Mi. */
  readonly mostCharacters?: number;
  readonly now?: () => number;
}

interface Kept {
  /** JSON, so that nobody shares an object with the store. */
  readonly json: string;
  readonly expires: number;
}

/** A store in the memory of this process: the default. Beyond its bounds the values that were kept first go first. */
export const memoryStore = ({
  most = 100_000,
  mostCharacters = 64 * 1024 * 1024,
  now = Date.now,
}: MemoryStoreOptions = {}): Store => {
  const kept = new Map<string, Kept>();
  let characters = 0;
  const remove = (key: string): void => {
    const found = kept.get(key);
    if (found === undefined) return;
    characters -= key.length + found.json.length;
    kept.delete(key);
  };
  const alive = (key: string): Kept | undefined => {
    const found = kept.get(key);
    if (found === undefined || found.expires > now()) return found;
    remove(key);
    return undefined;
  };
  const put = (key: string, value: unknown, lifeMs: number): void => {
    const json = JSON.stringify(value) ?? 'null';
    remove(key);
    kept.set(key, { json, expires: now() + lifeMs });
    characters += key.length + json.length;
    for (const [oldest, { expires }] of kept) {
      if (kept.size <= most && characters <= mostCharacters && expires > now()) break;
      remove(oldest);
    }
  };
  return {
    async get(key) {
      const found = alive(key);
      return found === undefined ? undefined : JSON.parse(found.json);
    },
    async set(key, value, lifeMs) {
      put(key, value, lifeMs);
    },
    async add(key, value, lifeMs) {
      if (alive(key) !== undefined) return false;
      put(key, value, lifeMs);
      return true;
    },
    async delete(key) {
      remove(key);
    },
  };
};
