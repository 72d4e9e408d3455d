/** Shares the terminal between the input line and decisions, which interrupt the line. Only one has it at a time. */
export interface Turns {
  /** Interrupts the input line and runs `work` when all earlier work is done. */
  take<T>(work: () => Promise<T> | T): Promise<T>;
  /** Reads the input line while no other work is waiting. `write` is called again after each interruption. */
  line<T>(write: (signal: AbortSignal) => Promise<T | undefined>): Promise<T>;
  /** Whether the input line has the terminal. */
  readonly writing: boolean;
}

export function createTurns(): Turns {
  let queue: Promise<unknown> = Promise.resolve();
  let stop: AbortController | undefined;
  let written: Promise<unknown> = Promise.resolve();

  /** Resolves when the queue is empty, including work that was added meanwhile. */
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
}
