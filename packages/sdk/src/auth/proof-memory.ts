/** The proofs of one key. */
interface ProofsOfKey {
  /** When each proof may be forgotten, the earliest first. */
  readonly until: Map<string, Moment>;
  /** When all of them may be forgotten. */
  last: Moment;
}

/**
 * A time on both clocks. Proofs are valid by the system clock. If that is set ahead and back, an expired proof becomes valid again, so the
 * time has to be over on the monotonic clock, too.
 */
interface Moment {
  readonly day: number;
  readonly forward: number;
}

function momentIn(ms: number): Moment {
  return { day: Date.now() + ms, forward: performance.now() + ms };
}

function isOver(moment: Moment, now: Moment): boolean {
  return moment.day <= now.day && moment.forward <= now.forward;
}

/**
 * Remembers used proofs, so that each is accepted once. Beyond the maximum, the oldest proof of the key with the most proofs is forgotten,
 * so a key can evict only its own proofs, which only its owner could use again.
 */
export class ProofMemory {
  readonly #most: number;
  readonly #lifeMs: number;
  /** The least recently used key first. */
  readonly #keys = new Map<string, ProofsOfKey>();
  #count = 0;

  /** Remembers at most `most` proofs, each for `lifeMs` milliseconds. */
  constructor(most: number, lifeMs: number) {
    this.#most = most;
    this.#lifeMs = lifeMs;
  }

  /** Remembers a proof. Returns whether it is new. */
  add(key: string, id: string): boolean {
    const now = momentIn(0);
    for (const [old, { last, until }] of this.#keys) {
      if (!isOver(last, now)) break;
      this.#keys.delete(old);
      this.#count -= until.size;
    }
    const own = this.#keys.get(key) ?? { until: new Map<string, Moment>(), last: now };
    for (const [old, end] of own.until) {
      if (!isOver(end, now)) break;
      this.#forget(own, old);
    }
    if (own.until.has(id)) return false;
    if (this.#count >= this.#most) this.#forgetOne();
    own.last = momentIn(this.#lifeMs);
    own.until.set(id, own.last);
    this.#count++;
    this.#keys.delete(key);
    this.#keys.set(key, own);
    return true;
  }

  #forgetOne(): void {
    let largest: ProofsOfKey | undefined;
    for (const proofs of this.#keys.values())
      if (largest === undefined || proofs.until.size > largest.until.size) largest = proofs;
    const [oldest] = largest?.until.keys() ?? [];
    if (oldest !== undefined) this.#forget(largest!, oldest);
  }

  #forget({ until }: ProofsOfKey, id: string): void {
    if (until.delete(id)) this.#count--;
  }
}
