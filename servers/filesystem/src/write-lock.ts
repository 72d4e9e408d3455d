// Writes to the same path run one after the other, also in other processes of this server. A write that had to wait resolves the path
// again, because it may have changed.
import { createHash } from 'node:crypto';
import { basename, join } from 'node:path';
import { type WriteTarget, withWriteTarget } from './access.ts';
import { AccessError, type Folders } from '../../shared/folders.ts';
import { runExclusive } from '../../shared/exclusive.ts';

/** A path as requested, and the real path that it leads to. */
interface Place {
  readonly asked: string;
  readonly real: string;
}

/** A path whose lock is held. */
export interface LockedTarget extends WriteTarget {
  /** Throws an `AccessError` if another process has taken over the lock, because this one was suspended for too long. */
  readonly checkLock: () => Promise<void>;
}

/** The lock of a path: a file beside it, so that every process that can change the file finds it, on any machine. */
function lockOf({ folder, real }: WriteTarget): string {
  return join(folder.path, `.${createHash('sha256').update(basename(real)).digest('hex').slice(0, 32)}.lock`);
}

/** Resolves the path after waiting. Throws if it no longer leads to `real`. */
function reopen<T>(found: Folders, { asked, real }: Place, use: (writeTarget: WriteTarget) => Promise<T>): Promise<T> {
  return withWriteTarget(found, asked, (writeTarget) => {
    if (writeTarget.real !== real)
      throw new AccessError(`${asked} was changed to lead somewhere else meanwhile: try again`);
    return use(writeTarget);
  });
}

async function placeOf(found: Folders, asked: string): Promise<Place> {
  return { asked, real: await withWriteTarget(found, asked, async ({ real }) => real) };
}

type CheckLock = () => Promise<void>;

/** Holds the lock file of a path. */
function withLockFile<T>(
  found: Folders,
  { asked, real }: Place,
  use: (checkLock: CheckLock) => Promise<T>,
): Promise<T> {
  return reopen(found, { asked, real }, async (target) => {
    // Loaded here, so that a server that only reads does not load it.
    const { withLock } = await import('tenon/internal');
    return withLock(lockOf(target), (isOwn) =>
      use(async () => {
        if (!(await isOwn())) throw new AccessError(`${asked} is being changed by another process: try again`);
      }),
    );
  });
}

/**
 * Waits for the turn of each path in this process, then for their lock files. Locks in the order of the paths, so that calls cannot
 * deadlock.
 */
function exclusively<T>(
  found: Folders,
  places: readonly Place[],
  use: (checkLock: CheckLock) => Promise<T>,
): Promise<T> {
  // Taking the same lock twice would deadlock.
  const sorted = [...new Map(places.map((place) => [place.real, place])).values()].sort((a, b) =>
    a.real < b.real ? -1 : 1,
  );
  const lockFrom = (at: number, checks: readonly CheckLock[]): Promise<T> =>
    at === sorted.length
      ? use(async () => void (await Promise.all(checks.map((check) => check()))))
      : withLockFile(found, sorted[at]!, (check) => lockFrom(at + 1, [...checks, check]));
  const queueFrom = (at: number): Promise<T> =>
    at === sorted.length ? lockFrom(0, []) : runExclusive(sorted[at]!.real, () => queueFrom(at + 1));
  return queueFrom(0);
}

/** Uses a path to write to, exclusively. */
export async function withWriteLock<T>(
  found: Folders,
  asked: string,
  use: (target: LockedTarget) => Promise<T>,
): Promise<T> {
  const place = await placeOf(found, asked);
  return exclusively(found, [place], (checkLock) => reopen(found, place, (target) => use({ ...target, checkLock })));
}

/** Uses two paths to write to, exclusively. */
export async function withWriteLocks<T>(
  found: Folders,
  source: string,
  destination: string,
  use: (from: WriteTarget, to: WriteTarget) => Promise<T>,
): Promise<T> {
  const from = await placeOf(found, source);
  const to = await placeOf(found, destination);
  return exclusively(found, [from, to], () =>
    reopen(found, from, (one) => reopen(found, to, (other) => use(one, other))),
  );
}
