import { checkOptions, type KnownOptions } from '../protocol/known-options.ts';
import type { Call, CallMiddleware } from '../protocol/middleware.ts';
import { checkPositive, refusal } from './refusal.ts';
import type { Store } from '../store/store.ts';
import { SharedRates } from './shared-rate.ts';
import { TokenBuckets } from './token-buckets.ts';

/** Options of `rateLimit`. */
export interface RateLimitOptions {
  /** The maximum number of calls per minute, on average. */
  readonly perMinute: number;
  /** The maximum number of calls at once. Default `perMinute`. */
  readonly burst?: number;
  /** The key by which calls are counted together. Default: `call.quotaKey`, one key for each caller. */
  readonly key?: (call: Call) => string;
}

/** Options of `rateLimit` for several nodes that count together. */
export interface StoreRateLimit extends RateLimitOptions {
  /**
   * The store in which the calls of all nodes are counted. A node counts up to a twentieth of `burst` ahead with one write. While the store
   * fails, each node counts its own calls.
   */
  readonly store: Store;
  /** What is counted, for several limits in one store: letters, digits, `-`, `.` and `_`. Default `calls`. */
  readonly name?: string;
}

/** A limiter of your own, such as one that several processes share. `rate-limiter-flexible` has them for many stores. */
export interface SharedRateLimit {
  /** Resolves if one more call may pass. Rejects with an object that has `msBeforeNext` if not, and with an error if it fails. */
  readonly limiter: { consume(key: string): Promise<unknown> };
  /** The key by which calls are counted together. Default: `call.quotaKey`, one key for each caller. */
  readonly key?: (call: Call) => string;
}

/**
 * Refuses calls that come too often, and tells the model when to try again. Every request counts, including one that answers questions; a
 * run of a task does not, because its request was counted. Each process counts its own calls, unless they share a `store` or a `limiter`.
 *
 * @example
 * ```ts
 * import { server } from 'tenon';
 * import { rateLimit } from 'tenon/middleware';
 *
 * const app = server({ name: 'notes' });
 * app.use({ 'tools/call': rateLimit({ perMinute: 60, burst: 10 }) });
 * ```
 */
export function rateLimit(options: RateLimitOptions | StoreRateLimit | SharedRateLimit): CallMiddleware {
  const { key = ({ quotaKey }: Call) => quotaKey } = options;
  const waitMs = waitOf(options);
  return async (call, next) => {
    if (call.task !== undefined) return next();
    const ms = await waitMs(key(call));
    if (ms === 0) return next();
    const message = `Too many calls: try again in ${Math.max(1, Math.ceil(ms / 1_000))} s`;
    throw refusal(call, message, { retryAfterMs: ms });
  };
}

/** The function that counts a call of a key, and returns how long it has to wait, in milliseconds. */
function waitOf(
  options: RateLimitOptions | StoreRateLimit | SharedRateLimit,
): (key: string) => number | Promise<number> {
  if ('limiter' in options) {
    checkOptions(options, SHARED);
    return waitShared(options);
  }
  if ('store' in options) {
    checkOptions(options, IN_STORE);
    return waitInStore(options);
  }
  checkOptions(options, OPTIONS);
  return waitHere(options);
}

const OPTIONS: KnownOptions<RateLimitOptions> = { perMinute: 1, burst: 1, key: 1 };
const IN_STORE: KnownOptions<StoreRateLimit> = { ...OPTIONS, store: 1, name: 1 };
const SHARED: KnownOptions<SharedRateLimit> = { limiter: 1, key: 1 };

function waitHere({ perMinute, burst = perMinute }: RateLimitOptions): (key: string) => number {
  checkPositive('perMinute', perMinute);
  checkPositive('burst', burst);
  // A bucket of less than one token would never let a call pass.
  const buckets = new TokenBuckets(perMinute, Math.max(1, burst));
  return (key) => buckets.take(key);
}

function waitInStore({
  store,
  name = 'calls',
  perMinute,
  burst = perMinute,
}: StoreRateLimit): (key: string) => Promise<number> {
  checkPositive('perMinute', perMinute);
  checkPositive('burst', burst);
  if (typeof store?.swap !== 'function') throw new TypeError('store needs the methods of a `Store`');
  if (!/^[\w.-]{1,64}$/.test(name)) throw new TypeError('name has 1 to 64 letters, digits, `-`, `.` and `_`');
  const rates = new SharedRates({ store, name: `rate/${name}`, perMinute, burst: Math.max(1, Math.floor(burst)) });
  return (key) => rates.take(key);
}

function waitShared({ limiter }: SharedRateLimit): (key: string) => Promise<number> {
  if (typeof limiter?.consume !== 'function') throw new TypeError('limiter needs a method `consume`');
  return (key) =>
    limiter.consume(key).then(
      () => 0,
      (error: unknown) => {
        const { msBeforeNext } = (error ?? {}) as { readonly msBeforeNext?: unknown };
        if (typeof msBeforeNext !== 'number') throw error;
        return Math.max(1, msBeforeNext);
      },
    );
}
