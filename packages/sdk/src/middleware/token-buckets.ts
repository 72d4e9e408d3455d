/** Keys that are remembered at most, times two. */
const MAX_KEYS = 10_000;

interface Bucket {
  tokens: number;
  at: number;
}

/**
 * Limits how often something happens, for each key: `burst` times at once, and `perMinute` times a minute on average. A key that was not used
 * for as long as its bucket needs to be full again is forgotten, which changes nothing.
 */
export class TokenBuckets {
  readonly #perMs: number;
  readonly #burst: number;
  readonly #fullAfterMs: number;
  /** Those used since `#since`, and those used in the time before. */
  #recent = new Map<string, Bucket>();
  #earlier = new Map<string, Bucket>();
  #since = Number.NEGATIVE_INFINITY;

  constructor(perMinute: number, burst = perMinute) {
    this.#perMs = perMinute / 60_000;
    this.#burst = burst;
    this.#fullAfterMs = burst / this.#perMs;
  }

  /** Takes a token. Returns 0, or if there is none, after how many milliseconds there is one. */
  take(key: string, now = performance.now()): number {
    if (now - this.#since >= this.#fullAfterMs || this.#recent.size >= MAX_KEYS) {
      this.#earlier = this.#recent;
      this.#recent = new Map();
      this.#since = now;
    }
    let bucket = this.#recent.get(key);
    if (bucket === undefined)
      this.#recent.set(key, (bucket = this.#earlier.get(key) ?? { tokens: this.#burst, at: now }));
    bucket.tokens = Math.min(this.#burst, bucket.tokens + Math.max(0, now - bucket.at) * this.#perMs);
    bucket.at = now;
    if (bucket.tokens < 1) return Math.ceil((1 - bucket.tokens) / this.#perMs);
    bucket.tokens -= 1;
    return 0;
  }
}
