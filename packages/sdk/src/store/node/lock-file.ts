import { randomUUID } from 'node:crypto';
import { mkdir, readFile, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import process from 'node:process';
import { setTimeout as sleep } from 'node:timers/promises';
import { isAlive, pidNamespace } from './process-identity.ts';

const RETRY_MS = 50;
/** Whoever holds a lock touches it so often; one that was not touched for long is of a process that is gone. */
const TOUCH_MS = 2_000;
const STALE_MS = 10_000;
const FORGOTTEN_MS = 60_000;

/** Makes a file that is not there yet; tells whether it did. */
const make = async (path: string, text: string): Promise<boolean> => {
  try {
    await writeFile(path, text, { flag: 'wx', mode: 0o600 });
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  }
};

/** Is whoever made this lock gone? Of a process on another machine, that shares the folder, only time tells. */
const isLeft = async (lock: string, here: string): Promise<boolean> => {
  const [found, text] = await Promise.all([stat(lock).catch(() => undefined), readFile(lock, 'utf8').catch(() => '')]);
  if (found === undefined) return false;
  const age = Date.now() - found.mtimeMs;
  const [pid, host] = text.split(' ');
  // Its number may belong to somebody else by now.
  if (host === here && Number(pid) > 0) return !isAlive(Number(pid)) || age > FORGOTTEN_MS;
  return age > STALE_MS;
};

/** Takes away what a process that is gone left; tells whether it could try. Only one may: another could take away the lock of whoever came meanwhile. */
const takeAway = async (lock: string, here: string): Promise<boolean> => {
  const broom = `${lock}.broom`;
  if (!(await make(broom, ''))) {
    const { mtimeMs } = await stat(broom).catch(() => ({ mtimeMs: Date.now() }));
    if (Date.now() - mtimeMs > STALE_MS) await rm(broom, { force: true });
    return false;
  }
  try {
    if (await isLeft(lock, here)) await rm(lock, { force: true });
    return true;
  } finally {
    await rm(broom, { force: true });
  }
};

/**
 * Runs a function while no other process runs one under the same name: a file of that name is the lock. A lock that a process left behind when
 * it ended is taken over. The lock of a process that slept too long may be taken over as well: `isOwn` tells whether this run still holds it.
 *
 * @example await withLock('notes.json.lock', () => rewrite('notes.json'));
 */
export const withLock = async <T>(lock: string, run: (isOwn: () => Promise<boolean>) => Promise<T>): Promise<T> => {
  await mkdir(dirname(lock), { recursive: true, mode: 0o700 });
  const here = await pidNamespace();
  const own = `${process.pid} ${here} ${randomUUID()}`;
  while (!(await make(lock, own))) {
    if (!(await isLeft(lock, here)) || !(await takeAway(lock, here))) await sleep(RETRY_MS);
  }
  const isOwn = async (): Promise<boolean> => (await readFile(lock, 'utf8').catch(() => '')) === own;
  const touch = async (): Promise<void> => {
    if (await isOwn()) await utimes(lock, new Date(), new Date());
  };
  const touching = setInterval(() => void touch().catch(() => {}), TOUCH_MS);
  touching.unref();
  try {
    return await run(isOwn);
  } finally {
    clearInterval(touching);
    if (await isOwn()) await rm(lock, { force: true });
  }
};
