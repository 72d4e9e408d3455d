/** The proofs of one key. */
interface ProofsOfKey {
  /** When each may be forgotten, the earliest first. */
  readonly until: Map<string, Moment>;
  /** When all of them may be forgotten. */
  last: Moment;
}

/**
 * A time on both clocks. Proofs are valid by the clock of the day. If it is set ahead and back again, a proof becomes valid again, so the time
 * has to be over on the other clock, too.
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
 * Remembers the proofs that were used, so that each counts once. Beyond the maximum the oldest proof of the key that has most is forgotten, so a
 * key can push out only its own: its owner alone could use such a proof again.
 */
export class ProofMemory {
  readonly #most: number;
  readonly #lifeMs: number;
  /** The key that was not used for longest comes first. */
  readonly #keys = new Map<string, ProofsOfKey>();
  #count = 0;

  /** At most `most` proofs, each for `lifeMs` milliseconds. */
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
