import { CODE, PeerError, ProtocolError } from '../protocol/errors.ts';
import type { JsonObject } from '../protocol/jsonrpc.ts';
import { LIST_KEY, type ListMethod, type Lists } from '../protocol/results.ts';
import { shown } from '../protocol/text.ts';
import type { Listing } from './types.ts';

/** One page of a list. */
export interface Page {
  readonly result: JsonObject;
  /** Did it come from the cache? */
  readonly cached: boolean;
  /** The connection it came over. */
  readonly from: object;
}

/** Where the pages of a list come from. */
export interface Pages {
  /** Throws a `StaleCursor` if `from` is given and there is another connection now. */
  fetch(params: JsonObject | undefined, fresh: boolean, from: object | undefined): Promise<Page>;
  /** Forgets cached pages: one of their cursors is no longer valid. */
  forget(): void;
}

/** A cursor is valid only in the session that gave it. */
export class StaleCursor extends Error {
  override readonly name = 'StaleCursor';
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
  let before: Page | undefined;
  let again = fresh;
  // The entries that were given before the walk had to begin again.
  let given = new Set<unknown>();
  const seen = new Set<unknown>();
  for (let count = 1; ; count++) {
    if (count > most) throw new PeerError(`${method} has more than ${most} pages`);
    const cursor = before?.result['nextCursor'];
    let page: Page;
    try {
      page = await pages.fetch(cursor === undefined ? undefined : { cursor }, again, before?.from);
    } catch (error) {
      if (!isOutdated(error, before)) throw error;
      pages.forget();
      [before, again, cursors, given] = [undefined, true, new Set(), new Set(seen)];
      continue;
    }
    for (const entry of page.result[LIST_KEY[method]] as Lists[M]['entry'][]) {
      const identity = (entry as unknown as JsonObject)[IDENTITY[method]];
      if (given.has(identity)) continue;
      seen.add(identity);
      yield entry;
    }
    const next = page.result['nextCursor'];
    if (typeof next !== 'string') return;
    if (cursors.has(next)) {
      throw new PeerError(`${method} gives the cursor '${shown(next, 60)}' a second time: its pages go in a circle`);
    }
    cursors.add(next);
    before = page;
  }
}

/** Is the cursor of an earlier session, or of a page that was kept while the server has forgotten it? */
const isOutdated = (error: unknown, before: Page | undefined): boolean =>
  error instanceof StaleCursor ||
  (before?.cached === true && error instanceof ProtocolError && error.code === CODE.invalidParams);

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
