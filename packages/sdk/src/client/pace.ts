import { askedDelay } from './back-off.ts';
import type { Clock } from './clock.ts';

/** How many requests may be sent at the intervals that the server asks for. */
const MAX_QUICK = 10;
/** The interval of all further requests, in milliseconds. Time without requests makes up for quick ones. */
const INTERVAL_MS = 1_000;

/**
 * The delays that a server asks for, within limits: however short they are, and whatever the server sends in between, this client does not
 * flood it with requests.
 */
export class Pace {
  readonly #clock: Clock;
  /** When the requests so far would all have been sent, if each had waited for its interval. */
  #dueAt = -Infinity;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** The delay before the next request in milliseconds, if the server asks for `asked`. */
  next(asked: number): number {
    const now = this.#clock.now();
    const delay = Math.max(askedDelay(asked), this.#dueAt - MAX_QUICK * INTERVAL_MS - now);
    this.#dueAt = Math.max(this.#dueAt, now + delay) + INTERVAL_MS;
    return delay;
  }
}
