import { setTimeout as pause } from 'node:timers/promises';
import { messageOf } from '../values/message-of.ts';

/** Reads something again, when it changed or is old: not too often, and once for all who want it. */
export interface Refresher {
  /** It changed: it is read again soon. */
  changed(): void;
  /** Resolves when what changed until now was read, and what was old. Rejects when it could not be read. */
  settled(): Promise<void>;
}

export interface RefresherOptions {
  read(): Promise<void>;
  /** Has it to be read although nobody said that it changed? */
  isStale(): boolean;
  /** Least milliseconds from one reading to the next. */
  readonly minIntervalMs: number;
  readonly signal: AbortSignal;
  /** Gets why it could not be read. The same is told once, until it is read again. */
  report(problem: string): void;
  /** How the problem begins. */
  readonly failure: string;
}

/** Longest pause, in milliseconds. */
const MAX_INTERVAL_MS = 10_000;

export const createRefresher = ({
  read,
  isStale,
  minIntervalMs,
  signal,
  report,
  failure,
}: RefresherOptions): Refresher => {
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
    let began: number | undefined;
    try {
      await pause(Math.max(0, notBefore - performance.now()), undefined, { signal });
      began = performance.now();
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
      // Whatever takes long is not done most of the time either.
      notBefore = now + Math.min(MAX_INTERVAL_MS, Math.max(minIntervalMs, now - (began ?? now)));
    }
  };

  const refresh = (): Promise<void> => (turn ??= takeTurn());

  const follow = async (): Promise<void> => {
    if (isFollowing) return;
    isFollowing = true;
    // What failed is tried again at the next change, or when somebody needs it.
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
      // A reading that is on its way began before what changed now.
      if (isReading) await turn;
      if (hasChanged || hasFailed || isStale()) await refresh();
    },
  };
};
