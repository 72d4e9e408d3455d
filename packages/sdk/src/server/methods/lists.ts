import { CODE, ProtocolError } from '../../protocol/errors.ts';
import type { Exchange } from '../../protocol/exchange.ts';
import type { JsonObject } from '../../protocol/jsonrpc.ts';
import { LIST_KEY, type ListMethod } from '../../protocol/results.ts';
import { encodeEntry } from '../../wire/encode.ts';
import { createContext } from '../call-context.ts';
import type { Engine, Raw } from '../engine.ts';
import type { Pages } from '../list-cache.ts';
import { failedWith } from './fail.ts';

/** Where a page ends: after the entry of this name, which was at this place. */
interface Position {
  readonly after: string;
  readonly at: number;
}

/** Answers one of the four list methods. */
export const listOf =
  (method: ListMethod) =>
  async (engine: Engine, params: JsonObject, exchange: Exchange): Promise<Raw> => {
    const viewer = engine.viewer(exchange);
    const context = JSON.stringify(['list', method, viewer.visibilityClass, viewer.principal?.id ?? null]);
    const from = params['cursor'] === undefined ? undefined : await positionOf(engine, params['cursor'], context);
    const pages = await encoded(engine, method, exchange);
    const cache = engine.listCache;
    if (from === undefined && pages.first !== undefined) return { text: pages.first, cache };
    const start = from === undefined ? 0 : startAfter(pages.names, from);
    const end = Math.min(start + engine.pageSize, pages.names.length);
    const next = end < pages.names.length ? await engine.sealer.seal({ after: pages.names[end - 1], at: end - 1 }, context, engine.limits.cacheMs) : undefined;
    const text = `"${LIST_KEY[method]}":[${pages.texts.slice(start, end).join()}]${next === undefined ? '' : `,"nextCursor":${JSON.stringify(next)}`}`;
    if (from === undefined && next === undefined) pages.first = text;
    return { text, cache };
  };

const positionOf = async (engine: Engine, cursor: unknown, context: string): Promise<Position> => {
  const position = await engine.sealer.open(cursor, context);
  if (position === undefined) throw new ProtocolError(CODE.invalidParams, 'The cursor is not valid, or has expired. Start the list again.');
  return position as Position;
};

/** After the named entry where it is now; where it was, if it is gone. */
const startAfter = (names: readonly string[], { after, at }: Position): number => {
  const now = names.indexOf(after);
  return now === -1 ? Math.min(at, names.length) : now + 1;
};

const encoded = async (engine: Engine, method: ListMethod, exchange: Exchange): Promise<Pages> => {
  const viewer = engine.viewer(exchange);
  const generation = engine.catalog.generation(method);
  const key = generation === undefined ? undefined : JSON.stringify([method, exchange.revision, viewer.visibilityClass, generation]);
  const known = key === undefined ? undefined : engine.lists.get(key);
  if (known !== undefined) return known;
  const entries = await entriesOf(engine, method, exchange);
  const pages: Pages = {
    names: entries.map((entry) => ('uri' in entry ? entry.uri : 'uriTemplate' in entry ? entry.uriTemplate : entry.name)),
    texts: entries.map((entry) => JSON.stringify(encodeEntry(method, entry, exchange.revision))),
    first: undefined,
  };
  if (key !== undefined) engine.lists.set(key, pages);
  return pages;
};

const entriesOf = async (engine: Engine, method: ListMethod, exchange: Exchange) => {
  try {
    return await engine.catalog.entries(method, engine.viewer(exchange), () => createContext(exchange));
  } catch (error) {
    throw failedWith(engine, exchange, `The list ${method}`, error);
  }
};
