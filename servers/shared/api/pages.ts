/** One page of a list. */
export interface ListPage<T> {
  readonly items: readonly T[];
  /** Whether there are more pages. */
  readonly hasNext: boolean;
}

export interface CollectOptions<T> {
  /** Reads a page; the first is 1. */
  readonly read: (page: number) => Promise<ListPage<T>>;
  /** What distinguishes items. If something is added while the pages are read, an item moves to the next page, and is read twice. */
  readonly keyOf: (item: T) => unknown;
  readonly maxItems: number;
  /** Called after each page, if there are more. */
  readonly onPage?: (count: number) => unknown;
}

/** All items of a list, or the first `maxItems` of them, each once. */
export async function collectPages<T>({ read, keyOf, maxItems, onPage }: CollectOptions<T>) {
  const items = new Map<unknown, T>();
  for (let page = 1; ; page++) {
    const { items: more, hasNext } = await read(page);
    for (const item of more) if (!items.has(keyOf(item))) items.set(keyOf(item), item);
    const isEnough = items.size >= maxItems;
    if (!hasNext || isEnough || more.length === 0)
      return { items: [...items.values()].slice(0, maxItems), isCut: isEnough && (hasNext || items.size > maxItems) };
    await onPage?.(items.size);
  }
}

/** Whether a Link header (RFC 8288) names a next page. */
export function hasNextLink(headers: Headers): boolean {
  return /<[^<>]*>\s*;[^,]*\brel="?next"?/i.test(headers.get('link') ?? '');
}

/** What a result says about the next page: in its structured content, and as notes. */
export function nextPage(hasNext: boolean, page: number) {
  return hasNext
    ? { next_page: page + 1, notes: [`There are more: ask for page ${page + 1}.`] }
    : { next_page: null, notes: [] };
}
