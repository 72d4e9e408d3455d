/**
 * A map that keeps the newest entries: at least `most`, at most twice as many. Cheaper than a map from which the oldest entry is
 * deleted.
 */
export interface Recent<V> {
  get(key: string | number): V | undefined;
  has(key: string | number): boolean;
  set(key: string | number, value: V): void;
  delete(key: string | number): void;
  clear(): void;
  /** Entries have been dropped. */
  readonly forgetful: boolean;
}

export function createRecent<V>(most: number): Recent<V> {
  let young = new Map<string | number, V>();
  let old = new Map<string | number, V>();
  let forgetful = false;
  return {
    get: (key) => young.get(key) ?? old.get(key),
    has: (key) => young.has(key) || old.has(key),
    set(key, value) {
      young.set(key, value);
      if (young.size < most) return;
      forgetful ||= old.size > 0;
      old = young;
      young = new Map();
    },
    delete(key) {
      young.delete(key);
      old.delete(key);
    },
    clear() {
      young.clear();
      old.clear();
      forgetful = false;
    },
    get forgetful() {
      return forgetful;
    },
  };
}
