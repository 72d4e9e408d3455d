import { setTimeout as sleep } from 'node:timers/promises';

/** Waits `ms` milliseconds, or until the signal aborts. Without `ref`, the timer does not keep the process running. */
export function pause(ms: number, signal: AbortSignal, { ref = true } = {}): Promise<void> {
  return sleep(ms, undefined, { signal, ref }).catch(() => {});
}
