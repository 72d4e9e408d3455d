import type { CacheScope } from '../protocol/results.ts';

/** How long a result may be cached, and by whom (2026-07-28). */
export interface CacheHint {
  /** How long, in milliseconds. Default 0: not at all. */
  readonly ttlMs?: number;
  /** `public`: for all callers; `private`: only for the caller who got it. Default `private`. */
  readonly scope?: CacheScope;
}

/** Throws a `TypeError` for a hint that no client could follow. */
export function checkCache({ ttlMs = 0, scope = 'private' }: CacheHint = {}): void {
  if (!(ttlMs >= 0 && Number.isFinite(ttlMs)))
    throw new TypeError('`cache.ttlMs` is a number of milliseconds, 0 or more');
  if (scope !== 'private' && scope !== 'public') throw new TypeError("`cache.scope` is 'private' or 'public'");
}
