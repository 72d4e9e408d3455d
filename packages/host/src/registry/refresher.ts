import { setTimeout as pause } from 'node:timers/promises';
import { messageOf } from '../values/message-of.ts';

/** Reads something again when it has changed or is stale: at limited intervals, and once for all callers. */
export interface Refresher {
  /** Announces a change: it is read again soon. */
  changed(): void;
  /** Resolves when all changes until now were read, and stale data too. Rejects if it could not be read. */
  settled(): Promise<void>;
  /** Resolves when all changes that were announced until now were read, or could not be. Never rejects. */
  caughtUp(): Promise<void>;
}

export interface RefresherOptions {
  read(): Promise<void>;
  /** Whether it has to be read without an announced change. */
  isStale(): boolean;
  /** Minimum milliseconds between two reads. */
  readonly minIntervalMs: number;
  readonly signal: AbortSignal;
  /** Reports why it could not be read. A repeated problem is reported once, until a read succeeds. */
  report(problem: string): void;
  /** The beginning of the problem's text. */
  readonly failure: string;
}

/** Maximum pause between two reads, in milliseconds. */
const MAX_INTERVAL_MS = 10_000;

export function createRefresher({
  read,
  isStale,
  minIntervalMs,
  signal,
  report,
  failure,
}: RefresherOptions): Refresher {
  let hasChanged = false;
  let hasFailed = false;
  let isReading = false;
  let isFollowing = false;
  let notBefore = 0;
  let lastProblem: string | undefined;
  let turn: Promise<void> | undefined;

  const fail = (error: unknown): Error => {
    if (signal.aborted) return new Error(`${failure}: the server is stopped`, { cause: error });
    hasFailed = true;
    const problem = `${failure}: ${messageOf(error)}`;
    if (problem !== lastProblem) report(problem);
    lastProblem = problem;
    return new Error(problem, { cause: error });
  };

  const takeTurn = async (): Promise<void> => {
    let startedAt: number | undefined;
    try {
      await pause(Math.max(0, notBefore - performance.now()), undefined, { signal });
      startedAt = performance.now();
      isReading = true;
      hasChanged = false;
      await read();
      hasFailed = false;
      lastProblem = undefined;
    } catch (error) {
      throw fail(error);
    } finally {
      isReading = false;
      turn = undefined;
      const now = performance.now();
      // A slow read is followed by an equally long pause, so that reading does not take up most of the time.
      notBefore = now + Math.min(MAX_INTERVAL_MS, Math.max(minIntervalMs, now - (startedAt ?? now)));
    }
  };

  const refresh = (): Promise<void> => (turn ??= takeTurn());

  const follow = async (): Promise<void> => {
    if (isFollowing) return;
    isFollowing = true;
    // A failed read is repeated at the next change, or when its result is needed.
    const isWanted = (): boolean => hasChanged && !signal.aborted;
    while (isWanted()) await refresh().catch(() => {});
    isFollowing = false;
  };

  return {
    changed() {
      hasChanged = true;
      void follow();
    },
    async settled() {
      // A read in progress began before the latest change.
      if (isReading) await turn;
      if (hasChanged || hasFailed || isStale()) await refresh();
    },
    async caughtUp() {
      const isAnnounced = hasChanged;
      // A read in progress began before the latest change.
      if (isReading) await turn?.catch(() => {});
      if (isAnnounced) await refresh().catch(() => {});
    },
  };
}
