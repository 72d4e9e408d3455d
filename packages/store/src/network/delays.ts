import { setTimeout as sleep } from 'node:timers/promises';

/** A delay with jitter, so that nodes that fail together do not try again together. */
export function withJitter(ms: number): number {
  return ms * (0.5 + Math.random());
}

/** Waits for a promise for a while. Returns whether it ended in time. Rejects if it does. */
export async function endsWithin(promise: Promise<unknown>, ms: number): Promise<boolean> {
  const timer = new AbortController();
  try {
    return await Promise.race([
      promise.then(() => true),
      sleep(ms, false, { signal: timer.signal }).catch(() => false),
    ]);
  } finally {
    timer.abort();
  }
}
