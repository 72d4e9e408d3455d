import { holdProcess } from '../../protocol/timers.ts';
/** Notifies code of this process that waits for a task. Changes by other processes are found by polling. */
const WAITING = new Map<string, Set<() => void>>();

/** The polling interval for changes by other processes, in milliseconds. */
const POLL_MS = 1_000;

/** Notifies everyone who waits for this task in this process. */
export function notifyChanged(id: string): void {
  const waiting = WAITING.get(id);
  WAITING.delete(id);
  for (const wake of waiting ?? []) wake();
}

/**
 * Waits for the next change of a task. Returns a function that resolves at the change, or after a while, because another process may have
 * changed it. The wait begins with this call, so no change is missed while the task is read.
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
      timer = setTimeout(wake, POLL_MS);
      // A wait must not keep a process alive that can no longer be reached.
      holdProcess(timer, false);
      signal.addEventListener('abort', wake, { once: true });
      if (signal.aborted) wake();
      await changed;
      stop();
    },
  };
}
