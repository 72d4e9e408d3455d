import { CODE, PeerError, ProtocolError } from '../protocol/errors.ts';
import type { JsonObject } from '../protocol/jsonrpc.ts';
import { LIST_KEY, type ListMethod, type Lists } from '../protocol/results.ts';
import { shown } from '../protocol/text.ts';
import type { Listing } from './types.ts';

/** One page of a list, and whether it came from the cache. */
export interface Page {
  readonly result: JsonObject;
  readonly cached: boolean;
}

/** Where the pages of a list come from. */
export interface Pages {
  fetch(params: JsonObject | undefined, fresh: boolean): Promise<Page>;
  /** Forgets cached pages: one of their cursors is no longer valid. */
  forget(): void;
}

/** What tells the entries of a list apart. */
const IDENTITY: { readonly [M in ListMethod]: keyof Lists[M]['entry'] & string } = {
  'tools/list': 'name',
  'resources/list': 'uri',
  'resources/templates/list': 'uriTemplate',
  'prompts/list': 'name',
};

/**
 * The entries of a list, page by page. Cursors are passed on as they are; a missing one is the end, an empty one is not.
 * Throws a `PeerError` for a cursor that comes again, and after `most` pages. See "Pagination" of the specification.
 */
async function* walk<M extends ListMethod>(
  method: M,
  pages: Pages,
  most: number,
  fresh: boolean,
): AsyncGenerator<Lists[M]['entry'], void, undefined> {
  let cursors = new Set<string>();
  let cursor: string | undefined;
  let cachedCursor = false;
  let again = fresh;
  // Entries that were given before a walk had to begin again.
  let given: Set<unknown> | undefined;
  const seen = new Set<unknown>();
  for (let count = 1; ; count++) {
    if (count > most) throw new PeerError(`${method} has more than ${most} pages`);
    let page: Page;
    try {
      page = await pages.fetch(cursor === undefined ? undefined : { cursor }, again);
    } catch (error) {
      // The cursor was of a page that was kept; meanwhile the server has forgotten it.
      if (!(cachedCursor && error instanceof ProtocolError && error.code === CODE.invalidParams)) throw error;
      pages.forget();
      [cursor, cachedCursor, again, cursors] = [undefined, false, true, new Set()];
      given = new Set(seen);
      continue;
    }
    for (const entry of page.result[LIST_KEY[method]] as Lists[M]['entry'][]) {
      const identity = (entry as unknown as JsonObject)[IDENTITY[method]];
      if (given?.has(identity) === true) continue;
      seen.add(identity);
      yield entry;
    }
    const next = page.result['nextCursor'];
    if (typeof next !== 'string') return;
    if (cursors.has(next))
      throw new PeerError(`${method} gives the cursor '${shown(next, 60)}' a second time: its pages go in a circle`);
    cursors.add(next);
    cursor = next;
    cachedCursor = page.cached;
  }
}

/** A list as a caller sees it. */
export const listing = <M extends ListMethod>(
  method: M,
  pages: Pages,
  most: number,
  fresh = false,
): Listing<Lists[M]['entry']> => ({
  [Symbol.asyncIterator]: () => walk(method, pages, most, fresh),
  async all() {
    const entries: Lists[M]['entry'][] = [];
    for await (const entry of walk(method, pages, most, fresh)) entries.push(entry);
    return entries;
  },
});
