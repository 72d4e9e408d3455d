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
