import { holdProcess } from '../protocol/timers.ts';
import type { Store } from './store.ts';

/** How long a lock is held by a process that has died, in milliseconds. It is renewed while its work runs. */
const LOCK_MS = 10_000;
/** How long a lock is waited for, in milliseconds. */
const PATIENCE_MS = 60_000;
const PAUSE_MS = { least: 5, most: 200 };

/**
 * Runs `work` while no other process that shares the store holds the lock of the same key. Rejects with an `Error` if the lock cannot be had
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
  const renew = async (): Promise<void> => {
    // The work goes on if the store is away for a moment.
    await Promise.resolve(store.swap(key, token, token, LOCK_MS)).catch(() => {});
  };
  const renewal = setInterval(() => void renew(), LOCK_MS / 3);
  // A lock keeps no process alive.
  holdProcess(renewal, false);
  try {
    return await work();
  } finally {
    clearInterval(renewal);
    // Only its own: another process may have taken it meanwhile.
    await Promise.resolve(store.swap(key, token, 'released', 1)).catch(() => {});
  }
}

/** Longer than any program runs: 100 years. */
const ALWAYS_MS = 100 * 365 * 24 * 3_600_000;

/**
 * Stores a value that must not give way to others, in place of the previous one. Rejects with a `RangeError` if the store is full, and with an
 * `Error` if others keep changing the value.
 */
export async function keepInStore(store: Store, key: string, value: unknown): Promise<void> {
  for (let tries = 0; tries < 100; tries++) {
    const before = await store.get(key);
    const kept = before === undefined ? store.add(key, value, ALWAYS_MS) : store.swap(key, before, value, ALWAYS_MS);
    if (await kept) return;
  }
  throw new Error(`${key} is changed by too many processes at once`);
}
