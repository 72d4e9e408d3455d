import type { CacheScope } from '../protocol/results.ts';

/** How long, and for whom, a result may be kept. */
export interface CacheHint {
  /** Milliseconds; 0 means: not at all. */
  readonly ttlMs: number;
  readonly cacheScope: CacheScope;
}

/** A time as `ttlMs` carries it: whole milliseconds, never negative. */
export const wholeMs = (value: unknown): number =>
  typeof value === 'number' && value > 0 ? Math.min(Math.floor(value), Number.MAX_SAFE_INTEGER) : 0;
