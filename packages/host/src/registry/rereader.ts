import { setTimeout as pause } from 'node:timers/promises';
import { messageOf } from '../values/message-of.ts';

/** Reads something again, when it changed or is old: not too often, and once for all who want it. */
export interface Rereader {
  /** It changed: it is read again soon. */
  changed(): void;
  /** Resolves when what changed until now was read, and what was old. Rejects when it could not be read. */
  settled(): Promise<void>;
}

export interface RereaderOptions {
  read(): Promise<void>;
  /** Has it to be read although nobody said that it changed? */
  isOld(): boolean;
  /** Least milliseconds from one reading to the next. */
  readonly easeMs: number;
  readonly signal: AbortSignal;
  /** Gets why it could not be read. The same is told once, until it is read again. */
  report(problem: string): void;
  /** How the problem begins. */
  readonly failure: string;
}

/** Longest pause, in milliseconds. */
const MOST_EASE_MS = 10_000;

export const createRereader = ({ read, isOld, easeMs, signal, report, failure }: RereaderOptions): Rereader => {
  let hasChanged = false;
  let hasFailed = false;
  let isReading = false;
  let isFollowing = false;
  let notBefore = 0;
  let told: string | undefined;
  let turn: Promise<void> | undefined;

  const fail = (error: unknown): Error => {
    if (signal.aborted) return new Error(`${failure}: the server is stopped`, { cause: error });
    hasFailed = true;
    const problem = `${failure}: ${messageOf(error)}`;
    if (problem !== told) report(problem);
    told = problem;
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
      told = undefined;
    } catch (error) {
      throw fail(error);
    } finally {
      isReading = false;
      turn = undefined;
      const now = performance.now();
      // Whatever takes long is not done most of the time either.
      notBefore = now + Math.min(MOST_EASE_MS, Math.max(easeMs, now - (began ?? now)));
    }
  };

  const again = (): Promise<void> => (turn ??= takeTurn());

  const follow = async (): Promise<void> => {
    if (isFollowing) return;
    isFollowing = true;
    // What failed is tried again at the next change, or when somebody needs it.
    const isWanted = (): boolean => hasChanged && !signal.aborted;
    while (isWanted()) await again().catch(() => {});
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
      if (hasChanged || hasFailed || isOld()) await again();
    },
  };
};
