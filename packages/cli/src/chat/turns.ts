/** Who has the terminal: the line of the person, unless something is to be decided. One at a time. */
export interface Turns {
  /** Takes the terminal from the line as soon as whoever was before is done. */
  take<T>(work: () => Promise<T> | T): Promise<T>;
  /** Lets the person write as long as nobody else wants the terminal. `write` is called again whenever it was interrupted. */
  line<T>(write: (signal: AbortSignal) => Promise<T | undefined>): Promise<T>;
  /** Is somebody writing? */
  readonly writing: boolean;
}

export const createTurns = (): Turns => {
  let queue: Promise<unknown> = Promise.resolve();
  let stop: AbortController | undefined;
  let written: Promise<unknown> = Promise.resolve();

  /** Nobody waits any more, also nobody who came meanwhile. */
  const idle = async (): Promise<void> => {
    const last = queue;
    await last;
    if (last !== queue) await idle();
  };

  return {
    get writing() {
      return stop !== undefined;
    },
    take(work) {
      stop?.abort();
      const turn = queue.then(() => written).then(work);
      queue = turn.catch(() => {});
      return turn;
    },
    async line(write) {
      for (;;) {
        await idle();
        stop = new AbortController();
        const line = write(stop.signal);
        written = line.catch(() => {});
        const result = await line.finally(() => (stop = undefined));
        if (result !== undefined) return result;
      }
    },
  };
};
