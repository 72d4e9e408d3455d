import { PeerRate } from './peer-limits.ts';

/** The maximum number of invalid tokens of one peer that are verified per minute. */
const MAX_FAILURES = 300;
const WINDOW_MS = 60_000;
/** How long the results are remembered, in milliseconds, and the maximum number of them. */
const REMEMBERED_MS = 300_000;
const MAX_REMEMBERED = 5_000;
/** The number of characters at the end of a token that distinguish it from other tokens, unless they are crafted to collide. */
const TAIL = 43;

/** The end of a token. A copy: a slice would keep the whole token in memory. */
function tailOf(token: string): string {
  let tail = '';
  for (let at = Math.max(0, token.length - TAIL); at < token.length; at++) tail += token[at]!;
  return tail;
}

/** The tokens of the last minutes, the oldest of which are forgotten first. */
class RecentTokens {
  #now = new Set<string>();
  #before = new Set<string>();
  #until = 0;

  add(tail: string): void {
    const now = performance.now();
    if (now >= this.#until || this.#now.size >= MAX_REMEMBERED) {
      this.#before = now >= this.#until + REMEMBERED_MS ? new Set() : this.#now;
      this.#now = new Set();
      this.#until = now + REMEMBERED_MS;
    }
    this.#now.add(tail);
  }

  has(tail: string): boolean {
    const age = performance.now() - this.#until;
    return (age < 0 && this.#before.has(tail)) || (age < REMEMBERED_MS && this.#now.has(tail));
  }
}

/**
 * Limits how many invalid tokens of one peer are verified, because each may cause a request to the authorization server. Peers behind one
 * address share the limit, so tokens that were valid recently are neither counted nor refused.
 */
export class VerificationLimit {
  readonly #failures = new PeerRate(MAX_FAILURES, WINDOW_MS);
  readonly #valid = new RecentTokens();
  readonly #invalid = new RecentTokens();

  /** How to treat a token: verify it, answer that it is invalid, or refuse it unverified. */
  decide(peer: string | undefined, token: string): 'verify' | 'invalid' | 'refuse' {
    if (!this.#failures.isReached(peer)) return 'verify';
    const tail = tailOf(token);
    if (this.#valid.has(tail)) return 'verify';
    return this.#invalid.has(tail) ? 'invalid' : 'refuse';
  }

  /** Records whether a token is valid. */
  record(peer: string | undefined, token: string, isValid: boolean): void {
    const tail = tailOf(token);
    if (isValid) return this.#valid.add(tail);
    this.#invalid.add(tail);
    if (!this.#valid.has(tail)) this.#failures.add(peer);
  }
}
