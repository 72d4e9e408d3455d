/** Splits long work into turns of the event loop, one at a time, so that other events are handled in between. */
export interface Turns {
  /** Resolves when it is the caller's turn. Work in a turn should take at most `TURN_MS`. */
  next(): Promise<void>;
}

export function createTurns(): Turns {
  let last: Promise<void> = Promise.resolve();
  return {
    next: () => (last = last.then(() => new Promise((resolve) => void setImmediate(resolve)))),
  };
}

/** How long one turn should take, in milliseconds. */
export const TURN_MS = 8;
