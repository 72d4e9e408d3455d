import { setTimeout as sleep } from 'node:timers/promises';

/** Waits for a promise. Rejects with the signal's reason when the signal aborts. */
export async function untilAborted<T>(signal: AbortSignal, promise: Promise<T>): Promise<T> {
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
}

/** Waits `ms` milliseconds, or until the signal aborts. Without `ref`, the timer does not keep the process running. */
export function pause(ms: number, signal: AbortSignal, { ref = true } = {}): Promise<void> {
  return sleep(ms, undefined, { signal, ref }).catch(() => {});
}
