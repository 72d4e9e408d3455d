/** A place in a queue of questions. */
export interface Place {
  /** Resolves when the questions before it can be seen, or will not be asked. */
  readonly turn: Promise<void>;
  /** Called when this question can be seen, or will not be asked. */
  readonly passed: () => void;
}

/** Gives out places. Preparing a question takes longer for some servers than for others, but people expect a fixed order. */
export function createPlaces(): () => Place {
  let last: Promise<void> = Promise.resolve();
  return () => {
    const turn = last;
    let passed!: () => void;
    const here = new Promise<void>((resolve) => (passed = resolve));
    last = turn.then(() => here);
    return { turn, passed };
  };
}
