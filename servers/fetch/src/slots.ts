/** Gives a place, and waits for one where none is free. Whoever has it calls what they get when they are done. */
export type Slots = (signal: AbortSignal) => Promise<() => void>;

/**
 * Makes so many places; so many may wait for one, first come, first served. Whoever comes when that is full gets the error of `full`, and
 * whoever is cancelled waits no more.
 */
export const createSlots = (places: number, mostWaiting: number, full: () => Error): Slots => {
  let free = places;
  const waiting = new Set<() => void>();

  const release = (): void => {
    const [next] = waiting;
    if (next === undefined) free++;
    else next();
  };
  /** Each place is given back once. */
  const place = (): (() => void) => {
    let isGiven = false;
    return () => {
      if (!isGiven) release();
      isGiven = true;
    };
  };

  return (signal) =>
    new Promise((resolve, reject) => {
      if (signal.aborted) return reject(signal.reason as Error);
      if (free > 0) {
        free--;
        return resolve(place());
      }
      if (waiting.size >= mostWaiting) return reject(full());
      const take = (): void => {
        waiting.delete(take);
        signal.removeEventListener('abort', leave);
        resolve(place());
      };
      const leave = (): void => {
        waiting.delete(take);
        reject(signal.reason as Error);
      };
      waiting.add(take);
      signal.addEventListener('abort', leave, { once: true });
    });
};
