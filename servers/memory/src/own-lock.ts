import { readFile } from 'node:fs/promises';
import process from 'node:process';
import { withLock } from 'tenon/node';
import { inTurn } from '../../shared/turns.ts';

/** Somebody else has taken over what was taken for left behind, as of a process that slept too long. */
export class TakenOverError extends Error {
  override readonly name = 'TakenOverError';
}

/**
 * Runs something while no other process runs anything under the same name, and lets it ask whether that still is so. Throws a
 * `TakenOverError` when it is not from the start.
 */
export const withOwnLock = <T>(lock: string, run: (isOwn: () => Promise<boolean>) => Promise<T>): Promise<T> => {
  const read = (): Promise<string> => readFile(lock, 'utf8').catch(() => '');
  // In turn: what this process finds in a lock it has just taken can be of no other of its own.
  return inTurn(`lock ${lock}`, () =>
    withLock(lock, async () => {
      const own = await read();
      if (!own.startsWith(`${process.pid} `)) throw new TakenOverError(`${lock} was taken over`);
      return run(async () => (await read()) === own);
    }),
  );
};
