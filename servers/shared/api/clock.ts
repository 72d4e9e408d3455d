import { setTimeout } from 'node:timers/promises';

/** The time, and a wait that a signal ends with its reason. Tests replace it. */
export interface ApiClock {
  now(): number;
  sleep(ms: number, signal: AbortSignal): Promise<void>;
}

export const systemClock: ApiClock = {
  now: () => Date.now(),
  async sleep(ms, signal) {
    await setTimeout(ms, undefined, { signal }).catch((error: unknown) => {
      signal.throwIfAborted();
      throw error;
    });
  },
};
