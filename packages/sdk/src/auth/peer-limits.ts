// Limits on the work that one peer can cause. Peers are told apart by `AuthRequest.peer`.

/** How many peers have a count of their own; all others share one. */
const MAX_PEERS = 10_000;
/** Callers that cannot be told apart have a limit that is greater by this factor. */
const SHARED_FACTOR = 10;
/** The key of peers that share a count. Not a key of any peer. */
const SHARED = '';

/** Counts events of each peer in a time window, and detects peers that exceed the limit. */
export class PeerRate {
  readonly #most: number;
  readonly #windowMs: number;
  readonly #counts = new Map<string, number>();
  #until = 0;

  /** Allows `most` events in `windowMs` milliseconds. */
  constructor(most: number, windowMs: number) {
    this.#most = most;
    this.#windowMs = windowMs;
  }

  /** Has this peer used up its limit? */
  isReached(peer: string | undefined): boolean {
    const key = this.#keyOf(peer);
    return (this.#counts.get(key) ?? 0) >= this.#most * (key === SHARED ? SHARED_FACTOR : 1);
  }

  add(peer: string | undefined): void {
    const key = this.#keyOf(peer);
    this.#counts.set(key, (this.#counts.get(key) ?? 0) + 1);
  }

  /** Counts an event, and returns whether the peer may continue. */
  take(peer: string | undefined): boolean {
    if (this.isReached(peer)) return false;
    this.add(peer);
    return true;
  }

  #keyOf(peer: string | undefined): string {
    const now = performance.now();
    if (now >= this.#until) {
      this.#counts.clear();
      this.#until = now + this.#windowMs;
    }
    if (peer === undefined) return SHARED;
    return this.#counts.size < MAX_PEERS || this.#counts.has(peer) ? peer : SHARED;
  }
}

/** Limits the number of concurrent runs, for each peer and in total. */
export class PeerSlots {
  readonly #mostOfPeer: number;
  readonly #most: number;
  readonly #running = new Map<string, number>();
  #all = 0;

  constructor(mostOfPeer: number, most: number) {
    this.#mostOfPeer = mostOfPeer;
    this.#most = most;
  }

  /** Runs a function, or returns undefined without running it if there is no slot. */
  run<T>(peer: string | undefined, act: () => Promise<T>): Promise<T> | undefined {
    const key = peer ?? SHARED;
    const own = this.#running.get(key) ?? 0;
    const mostOfPeer = peer === undefined ? this.#most : this.#mostOfPeer;
    if (own >= mostOfPeer || this.#all >= this.#most) return undefined;
    this.#all++;
    this.#running.set(key, own + 1);
    return act().finally(() => {
      this.#all--;
      const left = this.#running.get(key)! - 1;
      if (left > 0) this.#running.set(key, left);
      else this.#running.delete(key);
    });
  }
}

/**
 * Limits the number of kept entries, for each peer and in total. Beyond the limit of a peer its oldest entry is evicted; beyond the total
 * limit, the oldest entry of the peer with the most entries.
 */
export class PeerQueue {
  readonly #mostOfPeer: number;
  readonly #most: number;
  readonly #lifeMs: number;
  /** The oldest first. */
  readonly #kept = new Map<string, { readonly peer: string; readonly until: number }>();
  readonly #keysOf = new Map<string, Set<string>>();

  /** `lifeMs`: how long each entry is kept, in milliseconds. */
  constructor(mostOfPeer: number, most: number, lifeMs: number) {
    this.#mostOfPeer = mostOfPeer;
    this.#most = most;
    this.#lifeMs = lifeMs;
  }

  /** Adds a key. Returns the key that was evicted for it, if any. */
  add(peer: string | undefined, key: string): string | undefined {
    const now = performance.now();
    for (const [old, { until }] of this.#kept) {
      if (until > now) break;
      this.delete(old);
    }
    const own = peer ?? SHARED;
    const mostOfPeer = peer === undefined ? this.#most : this.#mostOfPeer;
    const isOver = (this.#keysOf.get(own)?.size ?? 0) >= mostOfPeer;
    const [gone] = isOver ? this.#keysOf.get(own)! : this.#kept.size >= this.#most ? this.#largest() : [];
    if (gone !== undefined) this.delete(gone);
    const keys = this.#keysOf.get(own) ?? new Set();
    this.#keysOf.set(own, keys.add(key));
    this.#kept.set(key, { peer: own, until: now + this.#lifeMs });
    return gone;
  }

  delete(key: string): void {
    const found = this.#kept.get(key);
    if (found === undefined) return;
    this.#kept.delete(key);
    const keys = this.#keysOf.get(found.peer)!;
    keys.delete(key);
    if (keys.size === 0) this.#keysOf.delete(found.peer);
  }

  #largest(): Set<string> {
    let largest = new Set<string>();
    for (const keys of this.#keysOf.values()) if (keys.size > largest.size) largest = keys;
    return largest;
  }
}
