import { abortError } from '../../protocol/abort-error.ts';
import { ToolError } from '../../protocol/errors.ts';
import type { Logger } from '../../protocol/log.ts';
import { holdProcess } from '../../protocol/timers.ts';
import { memoryStore } from '../../store/memory.ts';
import { rateLimitedLoggerOf } from '../../protocol/rate-limited-logger.ts';
import { checkFormat, FORMAT, type Formatted, isReadable } from '../../store/record-format.ts';
import type { Store } from '../../store/store.ts';
import { isUnavailable, repeatWhileUnavailable, UnavailableError } from '../../store/unavailable.ts';
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
type OnceRecord = Running | (OnceOutcome & Formatted);

interface Running {
  readonly running: string;
}

let storeOfProcess: Store | undefined;

const POLL_MS = { first: 20, most: 500 };

/**
 * Runs an action, unless another delivery of the same retry has run it or is running it; then waits for its outcome. The running delivery
 * holds a short lease that it renews; if its process dies, the next delivery takes over when the lease expires. `act` never rejects. Rejects
 * with an `UnavailableError` if the store is unavailable before the action: then it did not run.
 */
export async function runRecorded(
  records: Records,
  key: string,
  act: () => Promise<OnceOutcome>,
): Promise<OnceOutcome> {
  const { store = (storeOfProcess ??= memoryStore()) } = records;
  const leaseMs = Math.min(records.leaseMs, records.lifeMs);
  const running: Running = { running: crypto.randomUUID() };
  let known: OnceOutcome | undefined;
  try {
    known = await outcomeOrLease(records, store, key, running);
  } catch (error) {
    if (!isUnavailable(error)) throw error;
    const message = 'An action did not run, because the store is unavailable';
    rateLimitedLoggerOf(records.log)({ level: 'error', event: 'once-not-recorded', message, details: error });
    throw new UnavailableError(NOT_RUN);
  }
  if (known !== undefined) return known;

  const renew = async (): Promise<unknown> => store.swap(key, running, running, leaseMs);
  // The action continues if the store is unavailable for a moment.
  const renewing = setInterval(() => void renew().catch(() => {}), leaseMs / 3);
  // Keeping the process alive is up to the action, not to this timer.
  holdProcess(renewing, false);
  try {
    return await record(records, store, key, await act(), running);
  } finally {
    clearInterval(renewing);
  }
}

const NOT_RUN = 'The state of this server is not available now. The action did not run: the call may be repeated.';

/** Takes the lease of an action. Resolves with its outcome instead if another delivery has run it. */
async function outcomeOrLease(
  { lifeMs, leaseMs, owner, signal }: Records,
  store: Store,
  key: string,
  running: Running,
): Promise<OnceOutcome | undefined> {
  const until = performance.now() + lifeMs;
  for (
    let pause = POLL_MS.first;
    !(await store.add(key, running, Math.min(leaseMs, lifeMs), owner));
    pause = Math.min(2 * pause, POLL_MS.most)
  ) {
    const found = (await store.get(key)) as OnceRecord | undefined;
    if (found !== undefined && !('running' in found)) return outcomeIn(found);
    if (performance.now() > until) throw new ToolError('Another delivery of this call has not finished in time');
    if (found !== undefined) await waitFor(pause, signal());
  }
  return undefined;
}

/** A recorded outcome. Throws a `ProtocolError` if another version has recorded it. */
function outcomeIn(record: OnceOutcome & Formatted): OnceOutcome {
  checkFormat(record, 'The result of an action');
  const { format: _format, ...outcome } = record;
  return outcome;
}

/**
 * Records how an action ended. Returns the outcome that counts: a run that lost its lease, for example because its process was suspended, may
 * finish second. The store may have no room for a result. Then it gets at least the record that the action has ended, so that another delivery
 * does not repeat it. If even that fails, it is reported: this run goes on with its outcome, which travels with the call. If the store is
 * unavailable, it gets the record later.
 */
async function record(
  { log, lifeMs, leaseMs, owner }: Records,
  store: Store,
  key: string,
  outcome: OnceOutcome,
  running: Running,
): Promise<OnceOutcome> {
  try {
    const known = (await store.get(key)) as OnceRecord | undefined;
    // That of another version stays as it is.
    if (known !== undefined && !('running' in known)) return isReadable(known) ? outcomeIn(known) : outcome;
    await store.set(key, { ...outcome, format: FORMAT }, lifeMs);
  } catch (error) {
    const message = 'The action has ended, but its result could not be recorded';
    rateLimitedLoggerOf(log)({ level: 'error', event: 'once-not-recorded', message, details: error });
    if (isUnavailable(error)) void recordLater(store, key, outcome, { running, lifeMs, leaseMs, owner });
    else await recordFailure(store, key, message, lifeMs);
  }
  return outcome;
}

/** Records that an action has ended. If that fails, too, nothing more can be done: it was reported before. */
async function recordFailure(store: Store, key: string, message: string, lifeMs: number): Promise<void> {
  try {
    await store.set(key, { failure: { name: 'Error', message }, format: FORMAT }, lifeMs);
  } catch {
    // Reported by the caller.
  }
}

/** Records an outcome when the store is available again, unless another delivery has the lease by then. */
async function recordLater(
  store: Store,
  key: string,
  outcome: OnceOutcome,
  { running, lifeMs, leaseMs, owner }: { readonly running: Running } & Pick<Records, 'lifeMs' | 'leaseMs' | 'owner'>,
): Promise<void> {
  // The lease may have expired.
  const kept = { ...outcome, format: FORMAT };
  const put = async () => (await store.swap(key, running, kept, lifeMs)) || store.add(key, kept, lifeMs, owner);
  // Reported before.
  await repeatWhileUnavailable(put, NEVER, Math.min(lifeMs, Math.max(leaseMs, LATEST_MS))).catch(() => {});
}

const NEVER = new AbortController().signal;
/** How long an outcome waits for the store at least, in milliseconds. */
const LATEST_MS = 60_000;

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
