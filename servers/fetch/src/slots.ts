/** Waits for a free slot. Resolves with the function that releases it. */
export type Slots = (signal: AbortSignal) => Promise<() => void>;

/**
 * Makes a semaphore with `count` slots. Up to `maxWaiting` callers wait, first come, first served; further callers are rejected with the
 * error of `full`. An aborted signal ends the wait.
 */
export function createSlots(count: number, maxWaiting: number, full: () => Error): Slots {
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
      const take = (): void => {
        waiting.delete(take);
        signal.removeEventListener('abort', leave);
        resolve(releaseOnce());
      };
      const leave = (): void => {
        waiting.delete(take);
        reject(signal.reason as Error);
      };
      waiting.add(take);
      signal.addEventListener('abort', leave, { once: true });
    });
}
