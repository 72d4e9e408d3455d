import { isObject, type JsonObject } from '../protocol/jsonrpc.ts';
import type { Limits } from '../protocol/limits.ts';
import { PROGRESS_TOKEN } from '../protocol/meta.ts';
import { CACHEABLE_METHODS } from '../protocol/cacheable-methods.ts';
import type { CacheScope } from '../protocol/results.ts';
import { cacheHint } from '../wire/cache-hint.ts';
import { type CacheEntry, type CacheStore, createCacheStore } from './cache-store.ts';
import type { Clock } from './clock.ts';
import type { Report } from './report.ts';
import { coversUri } from './topic-names.ts';
import type { ListName } from './topics.ts';

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

/** Keys of `_meta` that do not affect the result. */
const WITHOUT_EFFECT: ReadonlySet<string> = new Set([PROGRESS_TOKEN, 'traceparent', 'tracestate', 'baggage']);

/** Equal params have the same key, regardless of the order of their members. */
function keyOf(params: JsonObject | undefined): string {
  const sorted = (key: string, value: unknown): unknown => {
    if (!isObject(value)) return value;
    const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
    return Object.fromEntries(key === '_meta' ? entries.filter(([name]) => !WITHOUT_EFFECT.has(name)) : entries);
  };
  return JSON.stringify({ _meta: {}, ...params }, sorted);
}

/** Is this a retry with answers to questions? Its result holds only for these answers, so it is not cached. */
function isRetry(params: JsonObject | undefined): boolean {
  return params !== undefined && (Object.hasOwn(params, 'inputResponses') || Object.hasOwn(params, 'requestState'));
}

export interface CacheOptions {
  /** Default: a store of this client. */
  readonly store?: CacheStore | false | undefined;
  readonly clock: Clock;
  readonly limits: Limits;
  /** Identifies the server. */
  readonly server: string;
  /** Identifies the user, for private results. */
  readonly partition: string;
  readonly report: Report;
}

/** Caches final results for as long as the server says, at most `limits.cacheMs`. See "Caching" of the specification. */
export function createCache({ store: given, clock, limits, server, partition, report }: CacheOptions): Cache {
  const store = given || createCacheStore(limits.cacheEntries);
  const shared = `${JSON.stringify(server)} public `;
  const own = `${JSON.stringify(server)} private ${JSON.stringify(partition)} `;
  /** Counts invalidations: a result that was requested before one is not stored after it. */
  let generation = 0;
  /** May the store be used? Not after a failure to remove results from it. */
  let isUsable = true;

  /** A store of the program may throw. Then the client works without it, and the result is undefined. */
  const attempt = <T>(run: () => T): T | undefined => {
    try {
      return run();
    } catch (error) {
      report('warn', 'cache-failed', 'The cache store failed, so a result is requested anew or not stored', error);
      return undefined;
    }
  };

  const removeIf = (test: (entry: CacheEntry) => boolean): void => {
    generation++;
    const removed = attempt(() => {
      for (const key of [...store.keys(shared), ...store.keys(own)]) {
        const entry = store.get(key);
        if (entry !== undefined && test(entry)) store.delete(key);
      }
      return true;
    });
    isUsable &&= removed === true;
  };

  const find = (key: string): JsonObject | undefined => {
    for (const scope of [own, shared]) {
      const entry = store.get(scope + key);
      if (entry === undefined) continue;
      const value: unknown = clock.now() < entry.until ? JSON.parse(entry.text) : undefined;
      if (isObject(value)) return value;
      store.delete(scope + key);
    }
    return undefined;
  };

  /** Where to store a result. All pages of a list have one scope ("Interaction with Pagination"), so if any is private, none is shared. */
  const placeOf = (scope: CacheScope, method: string): string => {
    if (method === 'resources/read') return scope === 'public' ? shared : own;
    const [privatePage] = store.keys(`${own}${method} `);
    if (scope === 'public' && privatePage === undefined) return shared;
    for (const key of [...store.keys(`${shared}${method} `)]) store.delete(key);
    return own;
  };

  return {
    get(method, params) {
      if (!isUsable || !CACHEABLE_METHODS.has(method)) return undefined;
      return attempt(() => find(`${method} ${keyOf(params)}`));
    },
    storeLater(method, params) {
      if (!CACHEABLE_METHODS.has(method) || isRetry(params)) return () => {};
      const requestedAt = generation;
      return (result) => {
        const { ttlMs, cacheScope } = cacheHint(result);
        if (requestedAt !== generation || !isUsable) return;
        const uri = params?.['uri'];
        attempt(() => {
          const place = placeOf(cacheScope, method);
          if (ttlMs === 0) return;
          store.set(`${place}${method} ${keyOf(params)}`, {
            text: JSON.stringify(result),
            until: clock.now() + Math.min(ttlMs, limits.cacheMs),
            method,
            uri: typeof uri === 'string' ? uri : undefined,
          });
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
