/** Keys that are remembered at most, times two. */
const MAX_KEYS = 10_000;

interface Bucket {
  /** When it will be full again. */
  full: number;
  /** Tokens that can be taken without a look at the clock. They have been taken out already. */
  free: number;
}

/**
 * Limits how often something happens, for each key: `burst` times at once, and `perMinute` times a minute on average. A key that was not used
 * for as long as its bucket needs to be full again is forgotten, which changes nothing.
 */
export class TokenBuckets {
  /** The time for one token, and for a whole bucket, in milliseconds. */
  readonly #oneMs: number;
  readonly #allMs: number;
  /** How many tokens are taken out together: of large buckets several, because looking at the clock costs more than all else. */
  readonly #together: number;
  /** The buckets that were used since `#since`, and those used in the time before. */
  #recent = new Map<string, Bucket>();
  #earlier = this.#recent;
  #since = 0;

  constructor(perMinute: number, burst = perMinute) {
    this.#oneMs = 60_000 / perMinute;
    this.#allMs = this.#oneMs * burst;
    this.#together = Math.min(64, Math.max(1, Math.floor(burst / 1_000)));
  }

  /** Takes a token. Returns 0, or if there is none, after how many milliseconds there is one. */
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
    // A millionth for what additions lose.
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
