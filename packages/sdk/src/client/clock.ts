/** What a timer is known by. Node's can be told not to keep the process alive. */
export type Timer = unknown;

/** Where time comes from. Tests put their own in. */
export interface Clock {
  /** Milliseconds; only goes forward. */
  now(): number;
  setTimeout(run: () => void, ms: number): Timer;
  clearTimeout(timer: Timer): void;
}

/** The real time. */
export const systemClock: Clock = {
  now: () => performance.now(),
  setTimeout: (run, ms) => setTimeout(run, ms),
  clearTimeout: (timer) => clearTimeout(timer as ReturnType<typeof setTimeout>),
};

/** Says whether a timer keeps a Node process alive. Elsewhere it does nothing. */
export const holdProcess = (timer: Timer, hold: boolean): void => {
  const handle = timer as { ref?(): void; unref?(): void } | undefined;
  if (hold) handle?.ref?.();
  else handle?.unref?.();
};

/** Waits, unless the signal aborts first; then it rejects with the signal's reason. */
export const sleep = (clock: Clock, ms: number, signal?: AbortSignal): Promise<void> =>
  new Promise((resolve, reject) => {
    if (signal?.aborted === true) return reject(signal.reason as Error);
    const abort = (): void => {
      clock.clearTimeout(timer);
      reject(signal!.reason as Error);
    };
    const timer = clock.setTimeout(() => {
      signal?.removeEventListener('abort', abort);
      resolve();
    }, ms);
    signal?.addEventListener('abort', abort, { once: true });
  });
