import type { JsonObject } from '../protocol/jsonrpc.ts';
import type { Limits } from '../protocol/limits.ts';
import { CACHEABLE_METHODS } from '../protocol/methods.ts';
import { cacheHint } from '../wire/decode.ts';
import type { Clock } from './clock.ts';
import { concerns, type ListName } from './topics.ts';

/** A result that is kept. */
export interface CacheEntry {
  /** The result as JSON. */
  readonly text: string;
  /** Until when it is fresh, in milliseconds of the clock of the process (`performance.now()`). */
  readonly until: number;
  /** Of which requests it is the result: to forget it. */
  readonly method: string;
  /** The URI of a resource that was read. */
  readonly uri: string | undefined;
}

/**
 * Keeps results a server allows to keep. One store may serve several clients of this process: the keys tell servers apart, and for private
 * results those on whose behalf they were asked.
 */
export interface CacheStore {
  get(key: string): CacheEntry | undefined;
  set(key: string, entry: CacheEntry): void;
  delete(key: string): void;
  /** The keys that begin so. */
  keys(prefix: string): Iterable<string>;
}

/** A store in memory. What was not used for longest makes room. */
export const createCacheStore = (most: number): CacheStore => {
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
      if (entries.size > most) entries.delete(entries.keys().next().value!);
    },
    delete: (key) => void entries.delete(key),
    keys: (prefix) => [...entries.keys()].filter((key) => key.startsWith(prefix)),
  };
};

/** The results of one client. */
export interface Cache {
  /** A fresh result, as a copy of one's own. */
  get(method: string, params: JsonObject | undefined): JsonObject | undefined;
  /** Call when a request is sent; call what it returns with the result. Nothing is kept if the result changed in between. */
  keep(method: string, params: JsonObject | undefined): (result: JsonObject) => void;
  listChanged(list: ListName): void;
  updated(uri: string): void;
  /** Forgets all pages of a list. */
  forget(method: string): void;
  /** Forgets everything of this client's: it may have missed a change. */
  clear(): void;
}

const METHODS: ReadonlyMap<ListName, readonly string[]> = new Map([
  ['tools', ['tools/list']],
  ['prompts', ['prompts/list']],
  ['resources', ['resources/list', 'resources/templates/list']],
]);

/** The same params give the same text, whatever the order of their members. `_meta` says how to ask, not what. */
const keyOf = (params: JsonObject | undefined): string => {
  const { _meta, ...rest } = params ?? {};
  const sorted = (_key: string, value: unknown): unknown =>
    typeof value === 'object' && value !== null && !Array.isArray(value)
      ? Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)))
      : value;
  return JSON.stringify(rest, sorted);
};

/** A cache that keeps nothing. */
export const noCache: Cache = {
  get: () => undefined,
  keep: () => () => {},
  listChanged() {},
  updated() {},
  forget() {},
  clear() {},
};

/** Why nothing of these is kept: they are answers to one caller's questions. */
const isRetry = (params: JsonObject | undefined): boolean =>
  params !== undefined && (Object.hasOwn(params, 'inputResponses') || Object.hasOwn(params, 'requestState'));

/**
 * Keeps complete results for as long as the server says, at most `limits.cacheMs`. See "Caching" of the specification.
 * `server` names whose results they are, `partition` on whose behalf they are asked.
 */
export const createCache = (
  store: CacheStore,
  clock: Clock,
  limits: Limits,
  server: string,
  partition: string,
): Cache => {
  const shared = `${JSON.stringify(server)} public `;
  const own = `${JSON.stringify(server)} private ${JSON.stringify(partition)} `;
  /** Counts what was forgotten: a result that was asked for before is not kept after. */
  let generation = 0;

  const forgetIf = (test: (entry: CacheEntry) => boolean): void => {
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
    keep(method, params) {
      if (!CACHEABLE_METHODS.has(method) || isRetry(params)) return () => {};
      const asked = generation;
      return (result) => {
        const { ttlMs, cacheScope } = cacheHint(result);
        if (ttlMs === 0 || asked !== generation) return;
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
      forgetIf(({ method }) => methods.includes(method));
    },
    updated(uri) {
      forgetIf((entry) => entry.uri !== undefined && concerns(entry.uri, uri));
    },
    forget: (method) => forgetIf((entry) => entry.method === method),
    clear: () => forgetIf(() => true),
  };
};
