/** Something that is open for a while. */
export interface Open {
  /** Called now and then, with the time in milliseconds. */
  tick(now: number): void;
}

/** Looks after everything that is open, with one timer for all. */
export interface Keeper {
  add(open: Open): void;
  delete(open: Open): void;
  readonly size: number;
  close(): void;
}

/** Makes a keeper that calls `tick` every so many milliseconds, as long as there is anything. */
export const createKeeper = (everyMs: number): Keeper => {
  const opens = new Set<Open>();
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
        const now = Date.now();
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
};
