import { abortError, ToolError } from '../../protocol/errors.ts';
import type { Logger } from '../../protocol/log.ts';
import { holdProcess } from '../../protocol/timers.ts';
import { memoryStore } from '../../store/memory.ts';
import type { Store } from '../../store/store.ts';
import type { OnceOutcome } from './once-outcome.ts';

/** Where results of `once` are recorded, so that a retry that is delivered twice does not act twice. */
export interface Records {
  /** Default: the memory of the process, where a retry also finds them when it comes over another connection than the call. */
  readonly store: Store | undefined;
  /** The caller for whom results are kept. Undefined where there is only one, or callers are not told apart. */
  readonly owner?: string | undefined;
  /** How long a result is kept, in milliseconds. */
  readonly lifeMs: number;
  /** How long an action counts as running after its lease was last renewed, in milliseconds. */
  readonly leaseMs: number;
  /** Aborts the wait for another delivery. */
  readonly signal: () => AbortSignal;
  readonly log: Logger;
}

/** A record: the run that holds the lease, or how the action ended. */
type OnceRecord = { readonly running: string } | OnceOutcome;

let storeOfProcess: Store | undefined;

const POLL_MS = { first: 20, most: 500 };

/**
 * Runs an action, unless another delivery of the same retry has run it or is running it; then waits for its outcome. The running delivery
 * holds a short lease that it renews; if its process dies, the next delivery takes over when the lease expires. `act` never rejects.
 */
export async function runRecorded(
  records: Records,
  key: string,
  act: () => Promise<OnceOutcome>,
): Promise<OnceOutcome> {
  const { store = (storeOfProcess ??= memoryStore()), lifeMs, owner } = records;
  const leaseMs = Math.min(records.leaseMs, lifeMs);
  const running: OnceRecord = { running: crypto.randomUUID() };
  const read = async (): Promise<OnceRecord | undefined> => (await store.get(key)) as OnceRecord | undefined;
  const isMine = (record: OnceRecord | undefined): boolean =>
    record !== undefined && 'running' in record && record.running === running.running;

  const until = performance.now() + lifeMs;
  for (
    let pause = POLL_MS.first;
    !(await store.add(key, running, leaseMs, owner));
    pause = Math.min(2 * pause, POLL_MS.most)
  ) {
    const record = await read();
    if (record !== undefined && !('running' in record)) return record;
    if (performance.now() > until) throw new ToolError('Another delivery of this call has not finished in time');
    if (record !== undefined) await waitFor(pause, records.signal());
  }

  const renewing = setInterval(() => {
    void (async () => {
      if (isMine(await read())) await store.set(key, running, leaseMs);
    })().catch(() => {});
  }, leaseMs / 3);
  // Keeping the process alive is up to the action, not to this timer.
  holdProcess(renewing, false);
  try {
    const outcome = await act();
    return await record(records.log, store, key, outcome, lifeMs);
  } finally {
    clearInterval(renewing);
  }
}

/**
 * Records how an action ended. Returns the outcome that counts: a run that lost its lease, for example because its process was suspended, may
 * finish second. The store may have no room for a result. Then it gets at least the record that the action has ended, so that another delivery
 * does not repeat it. If even that fails, it is reported: this run goes on with its outcome, which travels with the call.
 */
async function record(
  log: Logger,
  store: Store,
  key: string,
  outcome: OnceOutcome,
  lifeMs: number,
): Promise<OnceOutcome> {
  try {
    const known = (await store.get(key)) as OnceRecord | undefined;
    if (known !== undefined && !('running' in known)) return known;
    await store.set(key, outcome, lifeMs);
  } catch (error) {
    const message = 'The action has ended, but its result could not be recorded';
    log({ level: 'error', event: 'once-not-recorded', message, details: error });
    try {
      await store.set(key, { failure: { name: 'Error', message } }, lifeMs);
    } catch {
      // Reported above.
    }
  }
  return outcome;
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
