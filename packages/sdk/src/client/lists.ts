import { CODE, PeerError, ProtocolError } from '../protocol/errors.ts';
import type { JsonObject } from '../protocol/jsonrpc.ts';
import { LIST_KEY, type ListMethod, type Lists } from '../protocol/results.ts';
import { shown } from '../protocol/text.ts';
import { type Page, type Pages, StaleCursor } from './pages.ts';
import type { Listing } from './types.ts';

/** The member that identifies an entry of a list. */
const IDENTITY: { readonly [M in ListMethod]: keyof Lists[M]['entry'] & string } = {
  'tools/list': 'name',
  'resources/list': 'uri',
  'resources/templates/list': 'uriTemplate',
  'prompts/list': 'name',
};

/**
 * The entries of a list, page by page. Cursors are opaque: only a missing one ends the list, an empty one does not.
 * Throws a `PeerError` for a repeated cursor and after `maxPages` pages. See "Pagination" of the specification.
 */
async function* walk<M extends ListMethod>(
  method: M,
  pages: Pages,
  maxPages: number,
  fresh: boolean,
): AsyncGenerator<Lists[M]['entry'], void, undefined> {
  let cursors = new Set<string>();
  let previous: Page | undefined;
  let skipCache = fresh;
  // Entries that were yielded before the walk had to start over.
  let yielded = new Set<unknown>();
  const seen = new Set<unknown>();
  for (let count = 1; ; count++) {
    if (count > maxPages) throw new PeerError('endless-list', `${method} has more than ${maxPages} pages`);
    const cursor = previous?.result['nextCursor'];
    let page: Page;
    try {
      page = await pages.fetch(cursor === undefined ? undefined : { cursor }, skipCache, previous?.connection);
    } catch (error) {
      if (!isOutdated(error, previous)) throw error;
      pages.forget();
      [previous, skipCache, cursors, yielded] = [undefined, true, new Set(), new Set(seen)];
      continue;
    }
    for (const entry of page.result[LIST_KEY[method]] as Lists[M]['entry'][]) {
      const identity = (entry as unknown as JsonObject)[IDENTITY[method]];
      if (yielded.has(identity)) continue;
      seen.add(identity);
      yield entry;
    }
    const next = page.result['nextCursor'];
    if (typeof next !== 'string') return;
    if (cursors.has(next)) {
      throw new PeerError('endless-list', `${method} repeats the cursor '${shown(next, 60)}': its pages form a loop`);
    }
    cursors.add(next);
    previous = page;
  }
}

/** Was the cursor from an earlier session, or from a cached page that the server no longer knows? */
function isOutdated(error: unknown, previous: Page | undefined): boolean {
  return (
    error instanceof StaleCursor ||
    (previous?.cached === true && error instanceof ProtocolError && error.code === CODE.invalidParams)
  );
}

/** A list in the form that callers get. */
export function listing<M extends ListMethod>(
  method: M,
  pages: Pages,
  maxPages: number,
  fresh = false,
): Listing<Lists[M]['entry']> {
  return {
    [Symbol.asyncIterator]: () => walk(method, pages, maxPages, fresh),
    async all() {
      const entries: Lists[M]['entry'][] = [];
      for await (const entry of walk(method, pages, maxPages, fresh)) entries.push(entry);
      return entries;
    },
  };
}
