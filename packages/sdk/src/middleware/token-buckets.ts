/** Half the maximum number of keys that are remembered. */
const MAX_KEYS = 10_000;

interface Bucket {
  /** When the bucket will be full again. */
  full: number;
  /** Tokens that can be taken without reading the clock. They have already been taken out of the bucket. */
  free: number;
}

/**
 * Limits how often something happens, for each key: `burst` times at once, and `perMinute` times a minute on average. A key is forgotten
 * when its bucket must be full again, which does not change the result.
 */
export class TokenBuckets {
  /** The time for one token, and for a whole bucket, in milliseconds. */
  readonly #oneMs: number;
  readonly #allMs: number;
  /** How many tokens are taken out at once. Several in large buckets, because reading the clock is the most expensive step. */
  readonly #together: number;
  /** The buckets that were used since `#since`, and those used in the period before. */
  #recent = new Map<string, Bucket>();
  #earlier = this.#recent;
  #since = 0;

  constructor(perMinute: number, burst = perMinute) {
    this.#oneMs = 60_000 / perMinute;
    this.#allMs = this.#oneMs * burst;
    this.#together = Math.min(64, Math.max(1, Math.floor(burst / 1_000)));
  }

  /** Takes a token. Returns 0, or the time until the next token is available, in milliseconds. */
  take(key: string, now?: number): number {
    const bucket = this.#recent.get(key);
    if (bucket === undefined || bucket.free === 0) return this.#refill(key, bucket, now ?? performance.now());
    bucket.free -= 1;
    return 0;
  }

  #refill(key: string, known: Bucket | undefined, now: number): number {
    const bucket = known ?? this.#earlier.get(key) ?? { full: 0, free: 0 };
    if (known === undefined) this.#remember(key, bucket, now);
    const full = Math.max(now, bucket.full);
    const taken = this.#oneMs * this.#together;
    // A millionth, to make up for rounding errors of additions.
    const wait = Math.ceil(full + taken - now - this.#allMs - 1e-6);
    if (wait > 0) return wait;
    bucket.full = full + taken;
    bucket.free = this.#together - 1;
    return 0;
  }

  #remember(key: string, bucket: Bucket, now: number): void {
    if (now - this.#since > this.#allMs || this.#recent.size >= MAX_KEYS) {
      this.#earlier = this.#recent;
      this.#recent = new Map();
      this.#since = now;
    }
    this.#recent.set(key, bucket);
  }
}
