/** Something that is open for a while, and has to act from time to time. */
export interface Ticked {
  /** Called at every tick, with the time in milliseconds of `performance.now()`: durations do not depend on the clock of the day. */
  tick(now: number): void;
}

/** Ticks for everything that is open, with one timer. */
export interface Ticker {
  add(open: Ticked): void;
  delete(open: Ticked): void;
  readonly size: number;
  close(): void;
}

/** Makes a ticker that ticks every so many milliseconds, as long as anything is open. */
export function createTicker(everyMs: number): Ticker {
  const opens = new Set<Ticked>();
  let timer: ReturnType<typeof setInterval> | undefined;
  const stop = (): void => {
    clearInterval(timer);
    timer = undefined;
  };
  return {
    add(open) {
      opens.add(open);
      if (timer !== undefined) return;
      timer = setInterval(() => {
        if (opens.size === 0) return stop();
        const now = performance.now();
        for (const one of opens) one.tick(now);
      }, everyMs);
      // What is open keeps a process alive by its socket, if it should.
      (timer as { unref?: () => void }).unref?.();
    },
    delete: (open) => void opens.delete(open),
    get size() {
      return opens.size;
    },
    close() {
      opens.clear();
      stop();
    },
  };
}
