import type { JsonObject } from '../protocol/jsonrpc.ts';
import type { Limits } from '../protocol/limits.ts';
import { CACHEABLE_METHODS } from '../protocol/methods.ts';
import { cacheHint } from '../wire/decode.ts';
import type { Clock } from './clock.ts';
import { coversUri, type ListName } from './topics.ts';

/** A cached result. */
export interface CacheEntry {
  /** The result as JSON. */
  readonly text: string;
  /** When it expires, in milliseconds of the client's clock (by default `performance.now()`). */
  readonly until: number;
  /** The method of its request, by which it is invalidated. */
  readonly method: string;
  /** The URI of the resource, for `resources/read`. */
  readonly uri: string | undefined;
}

/**
 * Stores results for as long as their server allows. Several clients of a process may share a store: the keys include the server, and for
 * private results also the user.
 */
export interface CacheStore {
  /** The result stored under a key; undefined if there is none. The client checks whether it has expired. */
  get(key: string): CacheEntry | undefined;
  /** Stores a result in place of the previous one. */
  set(key: string, entry: CacheEntry): void;
  /** Removes a result. Does nothing if there is none. */
  delete(key: string): void;
  /** All keys that begin with `prefix`. */
  keys(prefix: string): Iterable<string>;
}

/**
 * A cache in memory for up to `maxEntries` results. Evicts the least recently used one.
 *
 * @example
 * ```ts
 * import { connect, createCacheStore } from 'tenon/client';
 *
 * const cache = createCacheStore(10_000);
 * await using notes = await connect('https://notes.example.com/mcp', { cache });
 * await using maps = await connect('https://maps.example.com/mcp', { cache });
 * ```
 */
export function createCacheStore(maxEntries: number): CacheStore {
  const entries = new Map<string, CacheEntry>();
  return {
    get(key) {
      const entry = entries.get(key);
      if (entry === undefined) return undefined;
      entries.delete(key);
      entries.set(key, entry);
      return entry;
    },
    set(key, entry) {
      entries.delete(key);
      entries.set(key, entry);
      if (entries.size > maxEntries) entries.delete(entries.keys().next().value!);
    },
    delete: (key) => void entries.delete(key),
    keys: (prefix) => [...entries.keys()].filter((key) => key.startsWith(prefix)),
  };
}

/** The cached results of one client. */
export interface Cache {
  /** A copy of a fresh result, if there is one. */
  get(method: string, params: JsonObject | undefined): JsonObject | undefined;
  /** Call this before a request is sent, and the returned function with its result. The result is not stored if it was invalidated meanwhile. */
  storeLater(method: string, params: JsonObject | undefined): (result: JsonObject) => void;
  listChanged(list: ListName): void;
  updated(uri: string): void;
  /** Removes all pages of a list. */
  forget(method: string): void;
  /** Removes all results of this client, because it may have missed a change. */
  clear(): void;
}

const METHODS: ReadonlyMap<ListName, readonly string[]> = new Map([
  ['tools', ['tools/list']],
  ['prompts', ['prompts/list']],
  ['resources', ['resources/list', 'resources/templates/list']],
]);

/** Equal params have the same key, regardless of the order of their members. `_meta` does not affect the result. */
function keyOf(params: JsonObject | undefined): string {
  const { _meta, ...rest } = params ?? {};
  const sorted = (_key: string, value: unknown): unknown =>
    typeof value === 'object' && value !== null && !Array.isArray(value)
      ? Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)))
      : value;
  return JSON.stringify(rest, sorted);
}

/** A cache that stores nothing. */
export const noCache: Cache = {
  get: () => undefined,
  storeLater: () => () => {},
  listChanged() {},
  updated() {},
  forget() {},
  clear() {},
};

/** Is this a retry with answers to questions? Its result holds only for these answers, so it is not cached. */
function isRetry(params: JsonObject | undefined): boolean {
  return params !== undefined && (Object.hasOwn(params, 'inputResponses') || Object.hasOwn(params, 'requestState'));
}

/**
 * Caches final results for as long as the server says, at most `limits.cacheMs`. See "Caching" of the specification.
 * `server` identifies the server, and `partition` the user for private results.
 */
export function createCache(store: CacheStore, clock: Clock, limits: Limits, server: string, partition: string): Cache {
  const shared = `${JSON.stringify(server)} public `;
  const own = `${JSON.stringify(server)} private ${JSON.stringify(partition)} `;
  /** Counts invalidations: a result that was requested before one is not stored after it. */
  let generation = 0;

  const removeIf = (test: (entry: CacheEntry) => boolean): void => {
    generation++;
    for (const key of [...store.keys(shared), ...store.keys(own)]) {
      const entry = store.get(key);
      if (entry !== undefined && test(entry)) store.delete(key);
    }
  };

  return {
    get(method, params) {
      if (!CACHEABLE_METHODS.has(method)) return undefined;
      const key = `${method} ${keyOf(params)}`;
      for (const scope of [own, shared]) {
        const entry = store.get(scope + key);
        if (entry === undefined) continue;
        if (clock.now() < entry.until) return JSON.parse(entry.text) as JsonObject;
        store.delete(scope + key);
      }
      return undefined;
    },
    storeLater(method, params) {
      if (!CACHEABLE_METHODS.has(method) || isRetry(params)) return () => {};
      const requestedAt = generation;
      return (result) => {
        const { ttlMs, cacheScope } = cacheHint(result);
        if (ttlMs === 0 || requestedAt !== generation) return;
        const uri = params?.['uri'];
        store.set(`${cacheScope === 'public' ? shared : own}${method} ${keyOf(params)}`, {
          text: JSON.stringify(result),
          until: clock.now() + Math.min(ttlMs, limits.cacheMs),
          method,
          uri: typeof uri === 'string' ? uri : undefined,
        });
      };
    },
    listChanged(list) {
      const methods = METHODS.get(list)!;
      removeIf(({ method }) => methods.includes(method));
    },
    updated(uri) {
      removeIf((entry) => entry.uri !== undefined && coversUri(entry.uri, uri));
    },
    forget: (method) => removeIf((entry) => entry.method === method),
    clear: () => removeIf(() => true),
  };
}
