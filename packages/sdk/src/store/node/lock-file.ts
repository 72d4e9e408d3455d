import { randomUUID } from 'node:crypto';
import { mkdir, readFile, rm, stat, unlink, utimes, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import process from 'node:process';
import { setTimeout as sleep } from 'node:timers/promises';
import { isAlive, pidNamespace } from './process-identity.ts';

const RETRY_MS = 50;
/** The owner of a lock touches its file at this interval; if it was not touched for a while, the owner's process has ended. */
const TOUCH_MS = 2_000;
const STALE_MS = 10_000;
const ABANDONED_MS = 60_000;
/**
 * A live owner touches its file at least once in this time. It allows for a system clock that was set, and for the clock of another
 * machine.
 */
const GRACE_MS = 5_000;
/** A lock is written right after it is created; if it does not name its owner for this long, the owner ended in between. */
const UNFINISHED_MS = 1_000;
/** The process id, the scope in which it is valid, and the id of the run. */
const OWNER = /^\d+ \S+ \S+$/;

function codeOf(error: unknown): string | undefined {
  return (error as NodeJS.ErrnoException).code;
}

/** Creates a file if it does not exist; returns whether it was created. If it cannot be written, as on a full disk, it is removed again. */
async function createFile(path: string, text: string): Promise<boolean> {
  try {
    await writeFile(path, text, { flag: 'wx', mode: 0o600 });
    return true;
  } catch (error) {
    if (codeOf(error) === 'EEXIST') return false;
    // If it could be opened, it exists.
    if ((error as NodeJS.ErrnoException).syscall !== 'open') await rm(path, { force: true }).catch(() => {});
    throw error;
  }
}

/** Like `createFile`, and creates the folder if it does not exist, which is rare. */
async function createLock(lock: string, text: string): Promise<boolean> {
  try {
    return await createFile(lock, text);
  } catch (error) {
    if (codeOf(error) !== 'ENOENT') throw error;
    await mkdir(dirname(lock), { recursive: true, mode: 0o700 });
    return createFile(lock, text);
  }
}

/** `rm` with `force` would first ask whether it is a folder. */
async function removeLock(lock: string): Promise<void> {
  try {
    await unlink(lock);
  } catch (error) {
    if (codeOf(error) !== 'ENOENT') throw error;
  }
}

/** The observed state of another run's lock. */
interface FoundLock {
  /** The time since which it is known to be unchanged, by the monotonic clock. */
  readonly text: string | undefined;
  readonly mtimeMs: number;
  /** How long it is known to be unchanged, by the monotonic clock: since this time. */
  readonly since: number;
}

/** Reads the state of a lock. `before`: the previously observed state. Undefined if there is no lock. */
async function findLock(lock: string, before: FoundLock | undefined): Promise<FoundLock | undefined> {
  const [found, text] = await Promise.all([
    stat(lock).catch(() => undefined),
    readFile(lock, 'utf8').catch(() => undefined),
  ]);
  if (found === undefined) return undefined;
  const { mtimeMs } = found;
  const isSame = before !== undefined && before.text === text && before.mtimeMs === mtimeMs;
  return isSame ? before : { text, mtimeMs, since: performance.now() };
}

/**
 * Was it not touched for `ms` milliseconds? Decided by the monotonic clock, or by the system clock if the file was also unchanged for
 * `GRACE_MS` by the monotonic clock.
 */
function isOlderThan({ mtimeMs, since }: FoundLock, ms: number): boolean {
  const unchanged = performance.now() - since;
  return unchanged > ms || (unchanged > GRACE_MS && Date.now() - mtimeMs > ms);
}

/** Has the process that created this lock ended? For a process on another machine that shares the folder, only the file's age can tell. */
function isStale(found: FoundLock, namespace: string): boolean {
  const { text, mtimeMs, since } = found;
  if (text === undefined) return isOlderThan(found, STALE_MS);
  if (!OWNER.test(text)) return Math.max(Date.now() - mtimeMs, performance.now() - since) > UNFINISHED_MS;
  const [pid, host] = text.split(' ');
  // The pid may have been reused by another process.
  if (host === namespace && Number(pid) > 0) return !isAlive(Number(pid)) || isOlderThan(found, ABANDONED_MS);
  return isOlderThan(found, STALE_MS);
}

/** Waits for a lock of another run. */
class LockWatch {
  readonly #lock: string;
  readonly #namespace: string;
  #found: FoundLock | undefined;
  /** The lock of a process that is removing the lock. */
  #cleanup: FoundLock | undefined;

  constructor(lock: string, namespace: string) {
    this.#lock = lock;
    this.#namespace = namespace;
  }

  /** Removes the lock if its process left it behind, and waits a moment otherwise. */
  async next(): Promise<void> {
    const found = (this.#found = await findLock(this.#lock, this.#found));
    if (found === undefined || !isStale(found, this.#namespace) || !(await this.#remove(found))) await sleep(RETRY_MS);
  }

  /**
   * Returns whether this process could try. Only one process may, because a second one could remove a lock that was created in the
   * meantime.
   */
  async #remove(stale: FoundLock): Promise<boolean> {
    const cleanupLock = `${this.#lock}.broom`;
    if (!(await createFile(cleanupLock, ''))) {
      const found = (this.#cleanup = await findLock(cleanupLock, this.#cleanup));
      if (found !== undefined && isOlderThan(found, STALE_MS)) await rm(cleanupLock, { force: true });
      return false;
    }
    try {
      if ((await findLock(this.#lock, stale)) === stale) await rm(this.#lock, { force: true });
      return true;
    } finally {
      await rm(cleanupLock, { force: true });
    }
  }
}

/**
 * Runs a function while holding a lock that processes share: a file at the path `lock`. A lock that an ended process left behind is taken
 * over. The lock of a process that was suspended for too long may be taken over, too: `isOwn` resolves to whether this run still holds the
 * lock.
 *
 * @example await withLock('notes.json.lock', () => rewrite('notes.json'));
 */
export async function withLock<T>(lock: string, run: (isOwn: () => Promise<boolean>) => Promise<T>): Promise<T> {
  const namespace = await pidNamespace();
  const own = `${process.pid} ${namespace} ${randomUUID()}`;
  const isOwn = async (): Promise<boolean> => (await readFile(lock, 'utf8').catch(() => '')) === own;
  const acquire = async (): Promise<boolean> => {
    const startedAt = performance.now();
    if (!(await createLock(lock, own))) return false;
    // If it was unfinished for too long, another process may have removed it.
    return performance.now() - startedAt < UNFINISHED_MS / 2 || (await isOwn());
  };
  const others = new LockWatch(lock, namespace);
  while (!(await acquire())) await others.next();
  const touch = async (): Promise<void> => {
    if (await isOwn()) await utimes(lock, new Date(), new Date());
  };
  const touching = setInterval(() => void touch().catch(() => {}), TOUCH_MS);
  touching.unref();
  try {
    return await run(isOwn);
  } finally {
    clearInterval(touching);
    if (await isOwn()) await removeLock(lock);
  }
}
