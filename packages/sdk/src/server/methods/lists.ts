import { CODE, ProtocolError } from '../../protocol/errors.ts';
import type { RequestContext } from '../../protocol/request-context.ts';
import type { JsonObject } from '../../protocol/jsonrpc.ts';
import { LIST_KEY, type ListMethod } from '../../protocol/results.ts';
import { encodeEntry } from '../../wire/encode.ts';
import { createContext } from '../call-context.ts';
import type { CacheHint } from '../cache-hint.ts';
import type { Engine, Raw } from '../engine.ts';
import type { Pages } from '../list-cache.ts';
import { handlerFailure } from './handler-failure.ts';

/** Where a page ends: after the first of these names that still exists. They are the last names of the page, the last one first. */
interface Position {
  readonly after: readonly string[];
}

/** How many names from the end of a page a cursor contains: if none of them exists when it is used, the list starts again. */
const NAMES_IN_CURSOR = 4;

/** Answers one of the four list methods. */
export function listOf(method: ListMethod) {
  return async (engine: Engine, params: JsonObject, request: RequestContext): Promise<Raw> => {
    const viewer = engine.viewer(request);
    const context = JSON.stringify(['list', method, viewer.visibilityClass, viewer.principal?.id ?? null]);
    const from = params['cursor'] === undefined ? undefined : await positionOf(engine, params['cursor'], context);
    const pages = await encoded(engine, method, request);
    const cache = cacheOf(engine, method);
    if (from === undefined && pages.first !== undefined) return { text: pages.first, cache };
    const start = from === undefined ? 0 : startAfter(pages.names, from);
    const end = Math.min(start + engine.pageSize, pages.names.length);
    const next =
      end < pages.names.length
        ? await engine.sealer.seal(positionAt(pages.names, end), context, engine.limits.cacheMs)
        : undefined;
    const text = `"${LIST_KEY[method]}":[${pages.texts.slice(start, end).join()}]${next === undefined ? '' : `,"nextCursor":${JSON.stringify(next)}`}`;
    if (from === undefined && next === undefined) pages.first = text;
    return { text, cache };
  };
}

/** A list that may differ between callers must not be shared between them. */
function cacheOf({ of, catalog }: Engine, method: ListMethod): CacheHint {
  return of.visibility === undefined && catalog.generation(method) !== undefined
    ? of.cache
    : { ...of.cache, scope: 'private' };
}

async function positionOf(engine: Engine, cursor: unknown, context: string): Promise<Position> {
  const position = await engine.sealer.open(cursor, context);
  if (position === undefined)
    throw new ProtocolError(CODE.invalidParams, 'The cursor is not valid, or has expired. Start the list again.');
  return position as Position;
}

function positionAt(names: readonly string[], end: number): Position {
  return {
    after: names.slice(Math.max(0, end - NAMES_IN_CURSOR), end).reverse(),
  };
}

/**
 * Entries may have been removed and added since the cursor was made. An entry that existed all the time is never left out; at worst it is
 * listed twice.
 */
function startAfter(names: readonly string[], { after }: Position): number {
  for (const name of after) {
    const now = names.indexOf(name);
    if (now !== -1) return now + 1;
  }
  return 0;
}

async function encoded(engine: Engine, method: ListMethod, request: RequestContext): Promise<Pages> {
  const viewer = engine.viewer(request);
  const generation = engine.catalog.generation(method);
  const key =
    generation === undefined
      ? undefined
      : JSON.stringify([method, request.revision, viewer.visibilityClass, generation]);
  const known = key === undefined ? undefined : engine.lists.get(key);
  if (known !== undefined) return known;
  const entries = await entriesOf(engine, method, request);
  const pages: Pages = {
    names: entries.map((entry) =>
      'uri' in entry ? entry.uri : 'uriTemplate' in entry ? entry.uriTemplate : entry.name,
    ),
    texts: entries.map((entry) => JSON.stringify(encodeEntry(method, entry, request.revision))),
    first: undefined,
  };
  if (key !== undefined) engine.lists.set(key, pages);
  return pages;
}

async function entriesOf(engine: Engine, method: ListMethod, request: RequestContext) {
  try {
    return await engine.catalog.entries(method, engine.viewer(request), () => createContext(request));
  } catch (error) {
    throw handlerFailure(engine, request, `The list ${method}`, error);
  }
}
