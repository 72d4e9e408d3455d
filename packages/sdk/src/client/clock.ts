import { onAbort } from '../protocol/on-abort.ts';
import { MAX_DELAY_MS } from '../protocol/timers.ts';

/** The handle of a timer, as `setTimeout` of the runtime returns it. */
export type Timer = unknown;

/** Clock and timers. Tests replace them. */
export interface Clock {
  /** Milliseconds since some fixed point; never decreases. */
  now(): number;
  /** Calls `run` once, after `ms` milliseconds. They may be more than the timers of the runtime support, up to `Infinity`. */
  setTimeout(run: () => void, ms: number): Timer;
  /** Stops a timer. Does nothing if it has run or was stopped. */
  clearTimeout(timer: Timer): void;
}

/** The clock of the runtime. A delay of more than 24 days counts as 24 days. */
export const systemClock: Clock = {
  now: () => performance.now(),
  setTimeout: (run, ms) => setTimeout(run, Math.min(ms, MAX_DELAY_MS)),
  clearTimeout: (timer) => clearTimeout(timer as ReturnType<typeof setTimeout>),
};

/** Resolves after `ms` milliseconds. Rejects with the signal's reason if it aborts first. */
export function sleep(clock: Clock, ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const timer = clock.setTimeout(() => {
      stopListening();
      resolve();
    }, ms);
    const stopListening = onAbort(signal, () => {
      clock.clearTimeout(timer);
      reject(signal!.reason as Error);
    });
  });
}
