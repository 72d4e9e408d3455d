/** Lets so many through in a second. */
export interface RateLimit {
  /** May this one go through? */
  tryTake(): boolean;
}

const SECOND_MS = 1_000;

/** `leftOut`: told once the second is over of how many did not. */
export const createRateLimit = (most: number, onSkipped: (count: number) => void): RateLimit => {
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
      if (taken >= most) {
        skipped++;
        return false;
      }
      taken++;
      return true;
    },
  };
};
