import { abortError, ToolError } from '../../protocol/errors.ts';
import { memoryStore } from '../../store/memory.ts';
import type { Store } from '../../store/store.ts';

/** Where the results of `once` are kept so that a round delivered twice does not act twice. */
export interface Records {
  /** Undefined: in the memory of the process, where a retry finds them that comes over another connection than the call. */
  readonly store: Store | undefined;
  /** How long a result is kept, in milliseconds. */
  readonly lifeMs: number;
  /** How long an action counts as running without a sign of life, in milliseconds. Default 30,000. */
  readonly leaseMs?: number;
  /** Ends the wait for another delivery. */
  readonly signal: () => AbortSignal;
}

/** What is kept: who is at it, or what came of it. */
type Kept = { readonly running: string } | { readonly result?: unknown };

let storeOfProcess: Store | undefined;

const LEASE_MS = 30_000;
const POLL_MS = { first: 20, most: 500 };

/**
 * Runs an action unless another delivery of the same round did, or does: then waits for its result. Whoever acts says
 * so with a short lease that it renews; if its process dies, the next delivery takes over when the lease has run out.
 */
export const recorded = async (records: Records, key: string, act: () => Promise<unknown>): Promise<unknown> => {
  const { store = (storeOfProcess ??= memoryStore()), lifeMs } = records;
  const leaseMs = Math.min(records.leaseMs ?? LEASE_MS, lifeMs);
  const running: Kept = { running: crypto.randomUUID() };
  const read = async (): Promise<Kept | undefined> => (await store.get(key)) as Kept | undefined;
  const isMine = (kept: Kept | undefined): boolean =>
    kept !== undefined && 'running' in kept && kept.running === running.running;

  const release = async (): Promise<void> => {
    if (isMine(await read())) await store.delete(key);
  };

  const until = performance.now() + lifeMs;
  for (
    let pause = POLL_MS.first;
    !(await store.add(key, running, leaseMs));
    pause = Math.min(2 * pause, POLL_MS.most)
  ) {
    const kept = await read();
    if (kept !== undefined && !('running' in kept)) return kept.result;
    if (performance.now() > until) throw new ToolError('Another delivery of this call has not finished in time');
    if (kept !== undefined) await delay(pause, records.signal());
  }

  const renewing = setInterval(() => {
    void (async () => {
      if (isMine(await read())) await store.set(key, running, leaseMs);
    })().catch(() => {});
  }, leaseMs / 3);
  // The action keeps the process alive, if anything does. Outside Node a timer has no such method.
  (renewing as { unref?: () => void }).unref?.();
  try {
    const result = await act();
    // Whoever lost its lease, to a pause of its process for example, may come second.
    const kept = await read();
    if (kept !== undefined && !('running' in kept)) return kept.result;
    await store.set(key, { result }, lifeMs);
    return result;
  } catch (error) {
    await release().catch(() => {});
    throw error;
  } finally {
    clearInterval(renewing);
  }
};

const delay = (ms: number, signal: AbortSignal): Promise<void> =>
  new Promise((resolve, reject) => {
    if (signal.aborted) return reject(abortError(signal));
    const stop = (): void => {
      clearTimeout(timer);
      reject(abortError(signal));
    };
    const timer = setTimeout(() => {
      signal.removeEventListener('abort', stop);
      resolve();
    }, ms);
    signal.addEventListener('abort', stop, { once: true });
    return undefined;
  });
