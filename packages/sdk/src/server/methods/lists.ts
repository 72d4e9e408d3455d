import type { RequestContext } from '../../protocol/request-context.ts';
import type { JsonObject } from '../../protocol/jsonrpc.ts';
import { LIST_KEY, type ListMethod } from '../../protocol/results.ts';
import { encodeEntry } from '../../wire/encode-entry.ts';
import { createContext } from '../call-context.ts';
import type { CacheHint } from '../cache-hint.ts';
import type { Engine, RawResult } from '../engine.ts';
import type { Pages } from '../list-cache.ts';
import { pageOf } from '../list-page.ts';
import { handlerFailure } from './handler-failure.ts';

/** Answers one of the four list methods. */
export function listOf(method: ListMethod) {
  return async (engine: Engine, params: JsonObject, request: RequestContext): Promise<RawResult> => {
    const viewer = engine.viewer(request);
    const context = JSON.stringify(['list', method, viewer.visibilityClass, viewer.principal?.id ?? null]);
    const { cursor } = params;
    const pages = await encoded(engine, method, request);
    const cache = cacheOf(engine, method);
    if (cursor === undefined && pages.first !== undefined) return { text: pages.first, cache };
    const { names } = pages;
    const isWhole = cursor === undefined && names.length <= engine.pageSize;
    const { start, end, next } = isWhole
      ? { start: 0, end: names.length, next: undefined }
      : await pageOf(engine, names, cursor, context);
    const text = `"${LIST_KEY[method]}":[${pages.texts.slice(start, end).join()}]${next === undefined ? '' : `,"nextCursor":${JSON.stringify(next)}`}`;
    if (isWhole) pages.first = text;
    return { text, cache };
  };
}

/** A list that may differ between callers must not be shared between them. */
function cacheOf({ of, catalog }: Engine, method: ListMethod): CacheHint {
  return of.visibility === undefined && catalog.generation(method) !== undefined
    ? of.cache
    : { ...of.cache, scope: 'private' };
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
