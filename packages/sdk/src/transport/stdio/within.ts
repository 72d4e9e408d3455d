import { setTimeout as sleep } from 'node:timers/promises';

/**
 * Waits for a promise that never rejects, at most so long. Says whether it settled.
 * With `ref: false` the wait alone does not keep the process alive.
 */
export const within = async (ms: number, promise: Promise<unknown>, ref = true): Promise<boolean> => {
  const late = new AbortController();
  try {
    return await Promise.race([promise.then(() => true), sleep(ms, false, { signal: late.signal, ref })]);
  } finally {
    late.abort();
  }
};

/** A promise whose rejection crashes nobody: who awaits it sees it, who does not is left alone. */
export const quiet = <T>(promise: Promise<T>): Promise<T> => {
  promise.catch(() => {});
  return promise;
};
