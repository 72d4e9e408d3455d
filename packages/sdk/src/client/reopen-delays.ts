import { askedDelay, backOff } from './back-off.ts';

/** The delays before reopening something that keeps ending. */
export class ReopenDelays {
  #failures = 0;
  #last = 0;

  /**
   * The delay after it was open for `uptime` milliseconds; 0 if it could not be opened. It grows as in `backOff`, and is reset when
   * something stayed open for longer than the delay before it. `asked`: the server asks for at least this delay.
   */
  next(uptime: number, asked?: number): number {
    this.#failures = uptime > this.#last ? 1 : this.#failures + 1;
    this.#last = backOff(this.#failures);
    return Math.max(this.#last, askedDelay(asked));
  }
}
