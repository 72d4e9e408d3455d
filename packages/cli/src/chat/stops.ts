/** Somebody who presses Ctrl-C twice within this time wants to quit, in milliseconds. */
const TWICE_MS = 2_000;

/** What runs, and what Ctrl-C does to it. */
export const createStops = (tell: (text: string) => void) => {
  const quit = new AbortController();
  let run: AbortController | undefined;
  let last = -Infinity;
  let isBusy = true;
  return {
    quit: quit.signal,
    leave: () => quit.abort(),
    /** The person writes: Ctrl-C is a key of the line then. */
    writing(writing: boolean) {
      isBusy = !writing;
    },
    begin(): AbortSignal {
      run = new AbortController();
      return AbortSignal.any([run.signal, quit.signal]);
    },
    end() {
      run = undefined;
    },
    interrupted() {
      const now = performance.now();
      const isSecond = now - last < TWICE_MS;
      last = now;
      if (run !== undefined && !(isSecond && run.signal.aborted)) {
        run.abort();
        tell('Stopping. Ctrl-C again quits.');
      } else if (isBusy) quit.abort();
    },
  };
};

export type Stops = ReturnType<typeof createStops>;
