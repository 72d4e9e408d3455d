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

/** How many pages in a row may have nothing new. Services leave out items that a page would have had; but one that repeats itself has no end. */
const MAX_VAIN_PAGES = 10;

/** All items of a list, or the first `maxItems` of them, each once. */
export async function collectPages<T>({ read, keyOf, maxItems, onPage }: CollectOptions<T>) {
  const items = new Map<unknown, T>();
  for (let page = 1, vain = 0; ; page++) {
    const { items: more, hasNext } = await read(page);
    const before = items.size;
    for (const item of more) if (!items.has(keyOf(item))) items.set(keyOf(item), item);
    vain = items.size === before ? vain + 1 : 0;
    if (!hasNext || items.size >= maxItems || vain >= MAX_VAIN_PAGES)
      return { items: [...items.values()].slice(0, maxItems), isCut: hasNext || items.size > maxItems };
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
