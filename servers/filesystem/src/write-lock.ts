// Writes to the same path run one after the other. A write that had to wait resolves the path again, because it may have changed.
import { type WriteTarget, withWriteTarget } from './access.ts';
import { AccessError, type Folders } from '../../shared/folders.ts';
import { runExclusive } from '../../shared/exclusive.ts';

function realOf(found: Folders, asked: string): Promise<string> {
  return withWriteTarget(found, asked, async ({ real }) => real);
}

/** Resolves the path again after waiting. Throws if it no longer leads to `real`. */
function reopen<T>(
  found: Folders,
  asked: string,
  real: string,
  use: (writeTarget: WriteTarget) => Promise<T>,
): Promise<T> {
  return withWriteTarget(found, asked, (writeTarget) => {
    if (writeTarget.real !== real)
      throw new AccessError(`${asked} was changed to lead somewhere else meanwhile: try again`);
    return use(writeTarget);
  });
}

/** Uses a path for withWriteLock, exclusively. */
export async function withWriteLock<T>(
  found: Folders,
  asked: string,
  use: (writeTarget: WriteTarget) => Promise<T>,
): Promise<T> {
  const real = await realOf(found, asked);
  return runExclusive(real, () => reopen(found, asked, real, use));
}

/** Uses two paths for withWriteLock, exclusively. Locks are taken in alphabetical order, so that calls cannot deadlock. */
export async function withWriteLocks<T>(
  found: Folders,
  source: string,
  destination: string,
  use: (from: WriteTarget, to: WriteTarget) => Promise<T>,
): Promise<T> {
  const from = await realOf(found, source);
  const to = await realOf(found, destination);
  const both = (): Promise<T> =>
    reopen(found, source, from, (one) => reopen(found, destination, to, (other) => use(one, other)));
  // Taking the same lock twice would deadlock.
  if (from === to) return runExclusive(from, both);
  const [first, second] = from < to ? [from, to] : [to, from];
  return runExclusive(first, () => runExclusive(second, both));
}
