/** Lets so many through in a second. */
export interface Pace {
  /** May this one go through? */
  takes(): boolean;
}

const SECOND_MS = 1_000;

/** `leftOut`: told once the second is over of how many did not. */
export const createPace = (most: number, leftOut: (count: number) => void): Pace => {
  let taken = 0;
  let left = 0;
  let timer: NodeJS.Timeout | undefined;
  const over = (): void => {
    timer = undefined;
    if (left > 0) leftOut(left);
    taken = left = 0;
  };
  return {
    takes() {
      timer ??= setTimeout(over, SECOND_MS).unref();
      if (taken >= most) {
        left++;
        return false;
      }
      taken++;
      return true;
    },
  };
};
