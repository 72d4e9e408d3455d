import type { Store } from '../store/store.ts';
import { TokenBuckets } from './token-buckets.ts';

/** How many calls of a period one node counts with one write, as a fraction of those that may pass. */
const SHARE = 1 / 20;
/** How often a count is tried again because other nodes change it at the same time. */
const MAX_TRIES = 20;
/** How many keys one node remembers. */
const MAX_KEYS = 10_000;

/** The calls of one key in one period, as one node knows them. */
interface Period {
  readonly number: number;
  /** Calls that are counted in the store and have not come yet. */
  free: number;
  /** All calls of the period have come. */
  isOver: boolean;
  /** A write is under way: the calls that come meanwhile wait for it. */
  counting: Promise<void> | undefined;
}

/** What is counted together, and how much of it may pass. */
export interface SharedRate {
  readonly store: Store;
  /** The beginning of its keys in the store. */
  readonly name: string;
  readonly perMinute: number;
  readonly burst: number;
}

/**
 * Counts calls of all nodes in a store: `burst` in each period, whose length makes that `perMinute` on average. A node counts some calls
 * ahead with one write, so that the store is not written to with each call; those that do not come are lost when the period ends. Nodes
 * whose clocks differ count in different periods, which lets more calls pass but never refuses all. While the store fails, each node counts
 * its own calls.
 */
export class SharedRates {
  readonly #rate: SharedRate;
  readonly #periodMs: number;
  readonly #ahead: number;
  readonly #own: TokenBuckets;
  #periods = new Map<string, Period>();

  constructor(rate: SharedRate) {
    this.#rate = rate;
    this.#periodMs = (60_000 * rate.burst) / rate.perMinute;
    this.#ahead = Math.max(1, Math.floor(rate.burst * SHARE));
    this.#own = new TokenBuckets(rate.perMinute, rate.burst);
  }

  /** Counts a call. Resolves with 0, or with the time until the next one may pass, in milliseconds. Never rejects. */
  async take(key: string): Promise<number> {
    const now = Date.now();
    const period = this.#periodOf(key, Math.floor(now / this.#periodMs));
    for (;;) {
      if (period.free > 0) {
        period.free--;
        return 0;
      }
      if (period.isOver) return Math.ceil((period.number + 1) * this.#periodMs - now);
      try {
        await (period.counting ??= this.#count(key, period).finally(() => (period.counting = undefined)));
      } catch {
        return this.#own.take(key);
      }
    }
  }

  #periodOf(key: string, number: number): Period {
    const known = this.#periods.get(key);
    if (known?.number === number) return known;
    if (this.#periods.size >= MAX_KEYS) this.#periods = new Map();
    const period = { number, free: 0, isOver: false, counting: undefined };
    this.#periods.set(key, period);
    return period;
  }

  /** Counts some calls ahead. Rejects if the store fails. */
  async #count(key: string, period: Period): Promise<void> {
    const { store, name, burst } = this.#rate;
    const place = `${name}/${period.number}/${encodeURIComponent(key)}`;
    const lifeMs = 2 * this.#periodMs;
    for (let tries = 0; tries < MAX_TRIES; tries++) {
      const found = await store.get(place);
      const before = typeof found === 'number' ? found : 0;
      const more = Math.min(this.#ahead, burst - before);
      if (more <= 0) {
        period.isOver = true;
        return;
      }
      const isCounted =
        found === undefined
          ? await store.add(place, more, lifeMs, key)
          : await store.swap(place, found, before + more, lifeMs);
      if (!isCounted) continue;
      period.free += more;
      return;
    }
    throw new Error(`The calls of ${name} are counted by too many processes at once`);
  }
}
