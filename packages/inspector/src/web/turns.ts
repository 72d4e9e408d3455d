/** Gives long work its turns: one at a time, and everything else that waits comes in between. */
export interface Turns {
  /** Resolves when it is the caller's turn. What it does then should take a few milliseconds. */
  next(): Promise<void>;
}

export const createTurns = (): Turns => {
  let last: Promise<void> = Promise.resolve();
  return {
    next: () => (last = last.then(() => new Promise((resolve) => void setImmediate(resolve)))),
  };
};

/** How long one turn may take, in milliseconds. */
export const TURN_MS = 8;
