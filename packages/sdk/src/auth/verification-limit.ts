import { PeerRate } from './peer-limits.ts';

/** How many tokens that are not valid one peer may have verified in a minute. */
const MAX_FAILURES = 300;
const WINDOW_MS = 60_000;
/** How long a verdict is remembered, in milliseconds, and how many at most. */
const REMEMBERED_MS = 300_000;
const MAX_REMEMBERED = 5_000;
/** The end of a token tells it apart from any other that is not made to be like it. */
const TAIL = 43;

/** The end of a token. A copy: a slice would keep the whole token in memory. */
function tailOf(token: string): string {
  let tail = '';
  for (let at = Math.max(0, token.length - TAIL); at < token.length; at++) tail += token[at]!;
  return tail;
}

/** The tokens of the last minutes. The oldest are forgotten first. */
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
 * Bounds how many tokens that are not valid one peer can have verified, each of which may be a request to the authorization server. Peers
 * behind one address share the bound, so it does not count, nor refuse, tokens that were valid a short time ago.
 */
export class VerificationLimit {
  readonly #failures = new PeerRate(MAX_FAILURES, WINDOW_MS);
  readonly #valid = new RecentTokens();
  readonly #invalid = new RecentTokens();

  /** What to do with a token: verify it, answer that it is not valid, or refuse it unverified. */
  decide(peer: string | undefined, token: string): 'verify' | 'invalid' | 'refuse' {
    if (!this.#failures.isReached(peer)) return 'verify';
    const tail = tailOf(token);
    if (this.#valid.has(tail)) return 'verify';
    return this.#invalid.has(tail) ? 'invalid' : 'refuse';
  }

  /** Takes the verdict about a token. */
  record(peer: string | undefined, token: string, isValid: boolean): void {
    const tail = tailOf(token);
    if (isValid) return this.#valid.add(tail);
    this.#invalid.add(tail);
    if (!this.#valid.has(tail)) this.#failures.add(peer);
  }
}
