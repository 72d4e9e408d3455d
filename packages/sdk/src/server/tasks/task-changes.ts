import { holdProcess } from '../../protocol/timers.ts';
/** Tells those who wait for a task in this process that it has changed. What other processes change is found by looking again. */
const WAITING = new Map<string, Set<() => void>>();

/** How often a task is looked at again while something is waited for, in milliseconds. */
const LOOK_AGAIN_MS = 1_000;

/** A task has changed. */
export function notifyChanged(id: string): void {
  const waiting = WAITING.get(id);
  WAITING.delete(id);
  for (const wake of waiting ?? []) wake();
}

/**
 * Waits for the next change of a task. Returns a function that resolves then, or after a while: another process may have changed it. The wait
 * begins with the call, so nothing is missed that changes while the task is read.
 */
export function nextChange(id: string, signal: AbortSignal): { readonly wait: () => Promise<void>; stop(): void } {
  let wake!: () => void;
  const changed = new Promise<void>((resolve) => (wake = resolve));
  const waiting = WAITING.get(id) ?? new Set();
  WAITING.set(id, waiting.add(wake));
  let timer: ReturnType<typeof setTimeout> | undefined;
  const stop = (): void => {
    clearTimeout(timer);
    signal.removeEventListener('abort', wake);
    waiting.delete(wake);
    if (waiting.size === 0 && WAITING.get(id) === waiting) WAITING.delete(id);
  };
  return {
    stop,
    async wait() {
      timer = setTimeout(wake, LOOK_AGAIN_MS);
      // What waits for an answer keeps no process alive that nobody can reach any more.
      holdProcess(timer, false);
      signal.addEventListener('abort', wake, { once: true });
      if (signal.aborted) wake();
      await changed;
      stop();
    },
  };
}
