import type { JsonObject } from '../protocol/jsonrpc.ts';
import type { CacheScope } from '../protocol/results.ts';

/** How long a result may be cached, and by whom. */
export interface CacheHint {
  /** Milliseconds; 0 means that it must not be cached. */
  readonly ttlMs: number;
  readonly cacheScope: CacheScope;
}

/** A time as `ttlMs` requires it: an integer, never negative. */
export function wholeMs(value: unknown): number {
  return typeof value === 'number' && value > 0 ? Math.min(Math.floor(value), Number.MAX_SAFE_INTEGER) : 0;
}

/**
 * How long a result may be cached, and by whom. Missing, negative and malformed times are 0; every scope but exactly `public` is private.
 */
export function cacheHint(result: JsonObject): CacheHint {
  const { ttlMs, cacheScope } = result;
  return { ttlMs: wholeMs(ttlMs), cacheScope: cacheScope === 'public' ? 'public' : 'private' };
}
