import { CODE, ProtocolError } from 'tenon';

/** The maximum number of items in one page. */
const MAX_ITEMS = 500;
/** The maximum total `weight` of the items in one page: a page of skills with many files has fewer of them. */
const MAX_WEIGHT = 5_000;

/** A page of a list, and the cursor of the next. */
export interface Page<T> {
  readonly items: readonly T[];
  readonly nextCursor: string | undefined;
}

/** The page after the item that the cursor names. Throws a `ProtocolError` for an invalid cursor. */
export function pageAfter<T extends { readonly uri: string }>(
  items: readonly T[],
  cursor: unknown,
  weight: (item: T) => number,
): Page<T> {
  let at = 0;
  if (cursor !== undefined) {
    at = items.findIndex(({ uri }) => uri === cursor) + 1;
    if (at === 0) throw new ProtocolError(CODE.invalidParams, 'The cursor is not valid. Start the list again.');
  }
  let end = at;
  for (let total = 0; end < items.length && end - at < MAX_ITEMS; end++) {
    total += weight(items[end]!);
    if (total > MAX_WEIGHT && end > at) break;
  }
  return { items: items.slice(at, end), nextCursor: end < items.length ? items[end - 1]!.uri : undefined };
}
