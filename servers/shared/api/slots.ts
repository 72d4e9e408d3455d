/** Waits for a free slot. Resolves with the function that releases it. */
export type Slots = (signal: AbortSignal) => Promise<() => void>;

export interface SlotLimits {
  /** How many callers may wait. */
  readonly maxWaiting: number;
  /** How long a caller may wait, in milliseconds. */
  readonly maxWaitMs: number;
}

/**
 * Makes a semaphore with `count` slots. Callers wait within the limits, first come, first served; others are rejected with the error of
 * `full`. An aborted signal ends the wait.
 */
export function createSlots(count: number, { maxWaiting, maxWaitMs }: SlotLimits, full: () => Error): Slots {
  let free = count;
  const waiting = new Set<() => void>();

  const release = (): void => {
    const [next] = waiting;
    if (next === undefined) free++;
    else next();
  };
  /** Makes a release function that works only once. */
  const releaseOnce = (): (() => void) => {
    let isReleased = false;
    return () => {
      if (!isReleased) release();
      isReleased = true;
    };
  };

  return (signal) =>
    new Promise((resolve, reject) => {
      if (signal.aborted) return reject(signal.reason as Error);
      if (free > 0) {
        free--;
        return resolve(releaseOnce());
      }
      if (waiting.size >= maxWaiting) return reject(full());
      const end = (): void => {
        waiting.delete(take);
        signal.removeEventListener('abort', leave);
        clearTimeout(timer);
      };
      const take = (): void => {
        end();
        resolve(releaseOnce());
      };
      const leave = (): void => {
        end();
        reject(signal.reason as Error);
      };
      const timer = setTimeout(() => {
        end();
        reject(full());
      }, maxWaitMs);
      waiting.add(take);
      signal.addEventListener('abort', leave, { once: true });
    });
}
