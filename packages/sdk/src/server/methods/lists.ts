import type { RequestContext } from '../../protocol/request-context.ts';
import type { JsonObject } from '../../protocol/jsonrpc.ts';
import type { Maybe } from '../../protocol/maybe.ts';
import { LIST_KEY, type ListMethod } from '../../protocol/results.ts';
import { encodeEntry } from '../../wire/encode-entry.ts';
import { createContext } from '../call-context.ts';
import type { CacheHint } from '../cache-hint.ts';
import type { Engine, RawResult } from '../engine.ts';
import type { Pages } from '../list-cache.ts';
import { pageOf } from '../list-page.ts';
import { handlerFailure } from './handler-failure.ts';

/** Answers one of the four list methods: at once, if it is the first page and has been made before. */
export function listOf(method: ListMethod) {
  return (engine: Engine, params: JsonObject, request: RequestContext): Maybe<RawResult> => {
    const key = keyOf(engine, method, request);
    const known = key === undefined ? undefined : engine.lists.get(key);
    return known?.first !== undefined && params['cursor'] === undefined
      ? { text: known.first, cache: cacheOf(engine, method) }
      : answerPage(engine, method, params, request, key, known);
  };
}

async function answerPage(
  engine: Engine,
  method: ListMethod,
  { cursor }: JsonObject,
  request: RequestContext,
  key: string | undefined,
  known: Pages | undefined,
): Promise<RawResult> {
  const viewer = engine.viewer(request);
  const pages = known ?? (await encode(engine, method, request, key));
  const { names } = pages;
  const isWhole = cursor === undefined && names.length <= engine.pageSize;
  const context = JSON.stringify(['list', method, viewer.visibilityClass, viewer.principal?.id ?? null]);
  const { start, end, next } = isWhole
    ? { start: 0, end: names.length, next: undefined }
    : await pageOf(engine, names, cursor, context);
  const text = `"${LIST_KEY[method]}":[${pages.texts.slice(start, end).join()}]${next === undefined ? '' : `,"nextCursor":${JSON.stringify(next)}`}`;
  if (isWhole) pages.first = text;
  return { text, cache: cacheOf(engine, method) };
}

/** The key of a list in the cache; undefined if it has to be read each time. */
function keyOf({ catalog, viewer }: Engine, method: ListMethod, request: RequestContext): string | undefined {
  const generation = catalog.generation(method);
  // The class comes last: only it can contain spaces.
  return generation === undefined
    ? undefined
    : `${method} ${request.revision} ${generation} ${viewer(request).visibilityClass}`;
}

/** A list that may differ between callers must not be shared between them. */
function cacheOf({ of, catalog }: Engine, method: ListMethod): CacheHint {
  return of.visibility === undefined && catalog.generation(method) !== undefined
    ? of.cache
    : { ...of.cache, scope: 'private' };
}

/** Encodes a list, and puts it into the cache. */
async function encode(
  engine: Engine,
  method: ListMethod,
  request: RequestContext,
  key: string | undefined,
): Promise<Pages> {
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
