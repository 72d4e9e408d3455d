import { onAbort } from '../../protocol/on-abort.ts';
import { type Clock, sleep } from '../clock.ts';

/** How long to wait for more changes after one, in milliseconds: changes in quick succession count as one. */
const SETTLE_MS = 50;

/** The pauses between two polls of a task. A change that the server announces ends a pause early. */
export class Pauses {
  readonly #clock: Clock;
  readonly #signal: AbortSignal;
  #isListening = false;
  /** Has something changed since the last pause? */
  #changed = false;
  #wake: (() => void) | undefined;

  constructor(clock: Clock, signal: AbortSignal) {
    this.#clock = clock;
    this.#signal = signal;
  }

  /** From now on, ends pauses at these changes. Without changes, pauses keep their length. Only the first call has an effect. */
  endWith(open: () => AsyncIterable<unknown>): void {
    if (this.#isListening) return;
    this.#isListening = true;
    // A server need not announce changes.
    this.#listen(open()).catch(() => {});
  }

  /** Resolves after `ms` milliseconds, or at a change. Rejects when the signal aborts. */
  pause(ms: number): Promise<void> {
    if (this.#changed) ms = Math.min(ms, SETTLE_MS);
    this.#changed = false;
    const [clock, signal] = [this.#clock, this.#signal];
    return new Promise((resolve, reject) => {
      if (signal.aborted) return reject(signal.reason as Error);
      const settle = (then: () => void) => (): void => {
        clock.clearTimeout(timer);
        stopListening();
        this.#wake = undefined;
        then();
      };
      const timer = clock.setTimeout(settle(resolve), ms);
      const stopListening = onAbort(
        signal,
        settle(() => reject(signal.reason as Error)),
      );
      this.#wake = settle(resolve);
    });
  }

  async #listen(changes: AsyncIterable<unknown>): Promise<void> {
    for await (const _change of changes) {
      await sleep(this.#clock, SETTLE_MS, this.#signal);
      if (this.#wake === undefined) this.#changed = true;
      else this.#wake();
    }
  }
}
