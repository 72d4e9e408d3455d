import { holdProcess } from '../protocol/timers.ts';
import type { Store } from './store.ts';

/** How long the lock of a dead process remains, in milliseconds. It is renewed while its work runs. */
const LOCK_MS = 10_000;
/** How long to wait for a lock, in milliseconds. */
const PATIENCE_MS = 60_000;
const PAUSE_MS = { least: 5, most: 200 };

/**
 * Runs `work` while no other process that shares the store holds the lock of the same key. Rejects with an `Error` if the lock is not free
 * within a minute.
 */
export async function withStoreLock<T>(store: Store, key: string, work: () => Promise<T>): Promise<T> {
  const token = crypto.randomUUID();
  const end = performance.now() + PATIENCE_MS;
  for (
    let pause = PAUSE_MS.least;
    !(await store.add(key, token, LOCK_MS));
    pause = Math.min(pause * 2, PAUSE_MS.most)
  ) {
    if (performance.now() > end) throw new Error(`The lock ${key} is held by another process for longer than a minute`);
    await new Promise((resolve) => setTimeout(resolve, pause * (0.5 + Math.random())));
  }
  /** Replaces the lock if it is still this run's. Never rejects, also if the store throws at once. */
  const swapQuietly = async (after: string, lifeMs: number): Promise<void> => {
    try {
      await store.swap(key, token, after, lifeMs);
    } catch {
      // The lock expires.
    }
  };
  const renew = async (): Promise<void> => {
    // The work continues if the store is unavailable for a moment.
    await swapQuietly(token, LOCK_MS);
  };
  const renewal = setInterval(() => void renew(), LOCK_MS / 3);
  // The lock must not keep the process alive.
  holdProcess(renewal, false);
  try {
    return await work();
  } finally {
    clearInterval(renewal);
    // Only if it is still this run's lock: another process may have taken it.
    await swapQuietly('released', 1);
  }
}

/** 100 years: longer than any program runs. */
export const ALWAYS_MS = 100 * 365 * 24 * 3_600_000;

/**
 * Stores a value that must not be evicted, in place of the previous one. Rejects with a `RangeError` if the store is full, and with an
 * `Error` if other processes keep changing the value.
 */
export async function keepInStore(store: Store, key: string, value: unknown): Promise<void> {
  for (let tries = 0; tries < 100; tries++) {
    const before = await store.get(key);
    const kept = before === undefined ? store.add(key, value, ALWAYS_MS) : store.swap(key, before, value, ALWAYS_MS);
    if (await kept) return;
  }
  throw new Error(`${key} is changed by too many processes at once`);
}
