/** A limit per second. */
export interface RateLimit {
  /** Counts an event. False if it exceeds the limit. */
  tryTake(): boolean;
}

const SECOND_MS = 1_000;

/** `onSkipped` is called at the end of each second with the number of events over the limit, if there were any. */
export function createRateLimit(limit: number, onSkipped: (count: number) => void): RateLimit {
  let taken = 0;
  let skipped = 0;
  let timer: NodeJS.Timeout | undefined;
  const reset = (): void => {
    timer = undefined;
    if (skipped > 0) onSkipped(skipped);
    taken = skipped = 0;
  };
  return {
    tryTake() {
      timer ??= setTimeout(reset, SECOND_MS).unref();
      if (taken >= limit) {
        skipped++;
        return false;
      }
      taken++;
      return true;
    },
  };
}
