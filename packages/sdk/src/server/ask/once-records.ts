import { abortError, ToolError } from '../../protocol/errors.ts';
import { memoryStore } from '../../store/memory.ts';
import type { Store } from '../../store/store.ts';

/** Where results of `once` are recorded, so that a retry that is delivered twice does not act twice. */
export interface Records {
  /** Default: the memory of the process, where a retry also finds them when it comes over another connection than the call. */
  readonly store: Store | undefined;
  /** How long a result is kept, in milliseconds. */
  readonly lifeMs: number;
  /** How long an action counts as running after its lease was last renewed, in milliseconds. Default 30,000. */
  readonly leaseMs?: number;
  /** Aborts the wait for another delivery. */
  readonly signal: () => AbortSignal;
}

/** A record: the run that holds the lease, or its result. */
type OnceRecord = { readonly running: string } | { readonly result?: unknown };

let storeOfProcess: Store | undefined;

const LEASE_MS = 30_000;
const POLL_MS = { first: 20, most: 500 };

/**
 * Runs an action, unless another delivery of the same retry has run it or is running it; then waits for that result. The running delivery
 * holds a short lease that it renews; if its process dies, the next delivery takes over when the lease expires.
 */
export async function runRecorded(records: Records, key: string, act: () => Promise<unknown>): Promise<unknown> {
  const { store = (storeOfProcess ??= memoryStore()), lifeMs } = records;
  const leaseMs = Math.min(records.leaseMs ?? LEASE_MS, lifeMs);
  const running: OnceRecord = { running: crypto.randomUUID() };
  const read = async (): Promise<OnceRecord | undefined> => (await store.get(key)) as OnceRecord | undefined;
  const isMine = (record: OnceRecord | undefined): boolean =>
    record !== undefined && 'running' in record && record.running === running.running;

  const release = async (): Promise<void> => {
    if (isMine(await read())) await store.delete(key);
  };

  const until = performance.now() + lifeMs;
  for (
    let pause = POLL_MS.first;
    !(await store.add(key, running, leaseMs));
    pause = Math.min(2 * pause, POLL_MS.most)
  ) {
    const record = await read();
    if (record !== undefined && !('running' in record)) return record.result;
    if (performance.now() > until) throw new ToolError('Another delivery of this call has not finished in time');
    if (record !== undefined) await waitFor(pause, records.signal());
  }

  const renewing = setInterval(() => {
    void (async () => {
      if (isMine(await read())) await store.set(key, running, leaseMs);
    })().catch(() => {});
  }, leaseMs / 3);
  // Keeping the process alive is up to the action, not to this timer. Outside Node timers have no `unref`.
  (renewing as { unref?: () => void }).unref?.();
  try {
    const result = await act();
    // A run that lost its lease, for example because its process was suspended, may finish second.
    const record = await read();
    if (record !== undefined && !('running' in record)) return record.result;
    await store.set(key, { result }, lifeMs);
    return result;
  } catch (error) {
    await release().catch(() => {});
    throw error;
  } finally {
    clearInterval(renewing);
  }
}

function waitFor(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
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
}
