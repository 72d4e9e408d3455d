import type { Store } from './store.ts';

interface Kept {
  /** JSON, so that nobody shares an object with the store. */
  readonly json: string;
  readonly expires: number;
}

/** A store in the memory of this process: the default. Holds at most `most` values; the oldest go first. */
export const memoryStore = ({ most = 100_000, now = Date.now }: { most?: number; now?: () => number } = {}): Store => {
  const kept = new Map<string, Kept>();
  const alive = (key: string): Kept | undefined => {
    const found = kept.get(key);
    if (found !== undefined && found.expires <= now()) {
      kept.delete(key);
      return undefined;
    }
    return found;
  };
  const put = (key: string, value: unknown, lifeMs: number): void => {
    kept.delete(key);
    kept.set(key, { json: JSON.stringify(value) ?? 'null', expires: now() + lifeMs });
    for (const [oldest, { expires }] of kept) {
      if (kept.size <= most && expires > now()) break;
      kept.delete(oldest);
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
      kept.delete(key);
    },
  };
};
