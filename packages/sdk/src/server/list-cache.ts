/** Lists are encoded once per revision, class of viewers and generation, and kept as text. */
export interface ListCache {
  get(key: string): Pages | undefined;
  set(key: string, pages: Pages): void;
}

/** An encoded list: names for cursors, texts to send. */
export interface Pages {
  readonly names: readonly string[];
  readonly texts: readonly string[];
  /** The response to a request without a cursor, if the list fits into one page. */
  first: string | undefined;
}

const MAX_LISTS = 256;

/** A cache that evicts the entry that was used least recently. */
export function createListCache(): ListCache {
  const kept = new Map<string, Pages>();
  return {
    get(key) {
      const pages = kept.get(key);
      if (pages === undefined) return undefined;
      kept.delete(key);
      kept.set(key, pages);
      return pages;
    },
    set(key, pages) {
      kept.set(key, pages);
      if (kept.size > MAX_LISTS) kept.delete(kept.keys().next().value!);
    },
  };
}
