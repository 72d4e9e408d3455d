/** Pressing Ctrl-C twice within this time quits, in milliseconds. */
const TWICE_MS = 2_000;

/** Handles Ctrl-C: it stops the current run, or quits. */
export function createInterrupts(tell: (text: string) => void) {
  const quit = new AbortController();
  let run: AbortController | undefined;
  let last = -Infinity;
  let isBusy = true;
  return {
    quit: quit.signal,
    leave: () => quit.abort(),
    /** While the user types, the input line handles Ctrl-C. */
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
}

export type Interrupts = ReturnType<typeof createInterrupts>;
