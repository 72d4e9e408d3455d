import { setTimeout as sleep } from 'node:timers/promises';

/** Waits for a promise, but not longer than until the signal. */
export const untilAborted = async <T>(signal: AbortSignal, promise: Promise<T>): Promise<T> => {
  let abort!: () => void;
  const aborted = new Promise<never>((_, reject) => {
    abort = () => reject(signal.reason as Error);
  });
  signal.addEventListener('abort', abort, { once: true });
  if (signal.aborted) abort();
  try {
    return await Promise.race([promise, aborted]);
  } finally {
    signal.removeEventListener('abort', abort);
  }
};

/** Waits some milliseconds, or until the signal. Without `ref` the program may end meanwhile. */
export const pause = (ms: number, signal: AbortSignal, { ref = true } = {}): Promise<void> =>
  sleep(ms, undefined, { signal, ref }).catch(() => {});
