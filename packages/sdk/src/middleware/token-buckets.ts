/** Keys that are remembered at most, times two. */
const MAX_KEYS = 10_000;

/**
 * Limits how often something happens, for each key: `burst` times at once, and `perMinute` times a minute on average. A key that was not used
 * for as long as its bucket needs to be full again is forgotten, which changes nothing.
 */
export class TokenBuckets {
  /** The time for one token, and for a whole bucket, in milliseconds. */
  readonly #oneMs: number;
  readonly #allMs: number;
  /** When the bucket of each key will be full again: of those used since `#since`, and in the time before. */
  #recent = new Map<string, number>();
  #earlier = this.#recent;
  #since = 0;

  constructor(perMinute: number, burst = perMinute) {
    this.#oneMs = 60_000 / perMinute;
    this.#allMs = this.#oneMs * burst;
  }

  /** Takes a token. Returns 0, or if there is none, after how many milliseconds there is one. */
  take(key: string, now = performance.now()): number {
    if (now - this.#since > this.#allMs || this.#recent.size >= MAX_KEYS) {
      this.#earlier = this.#recent;
      this.#recent = new Map();
      this.#since = now;
    }
    const full = Math.max(now, this.#recent.get(key) ?? this.#earlier.get(key) ?? 0);
    // A millionth for what additions lose.
    const wait = Math.max(0, Math.ceil(full + this.#oneMs - now - this.#allMs - 1e-6));
    this.#recent.set(key, wait > 0 ? full : full + this.#oneMs);
    return wait;
  }
}
