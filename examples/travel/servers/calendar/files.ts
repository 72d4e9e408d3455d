// Replaces files atomically.
import { randomUUID } from 'node:crypto';
import { mkdir, open, rename, rm, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

const RETRY_MS = 20;
/** How long to wait for a lock; no change takes nearly as long. */
const WAIT_MS = 10_000;

/** Writes a new file, and renames it over the old one when it is completely on the disk. */
export async function replaceFile(path: string, text: string): Promise<void> {
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  const next = `${path}.${randomUUID()}.tmp`;
  try {
    const file = await open(next, 'wx', 0o600);
    try {
      await file.writeFile(text);
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(next, path);
  } catch (error) {
    await rm(next, { force: true });
    throw error;
  }
}

/** Returns the fallback if the file or folder does not exist. */
export async function orMissing<T>(found: Promise<T>, fallback: T): Promise<T> {
  try {
    return await found;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return fallback;
    throw error;
  }
}

/**
 * Runs a function while no other process runs one under the same lock, a file that only one of them can create. Throws if the lock is not
 * released in time: a killed process may have left it behind, but if two processes removed it, both could continue at the same time.
 */
export async function withLock<T>(lock: string, run: () => Promise<T>): Promise<T> {
  await mkdir(dirname(lock), { recursive: true, mode: 0o700 });
  const until = performance.now() + WAIT_MS;
  while (!(await create(lock))) {
    if (performance.now() > until)
      throw new Error(`${lock} is held by another process. If no process uses the calendar any more, delete this file`);
    await sleep(RETRY_MS);
  }
  try {
    return await run();
  } finally {
    await rm(lock, { force: true });
  }
}

/** Creates a file. Returns false if it already exists. */
async function create(path: string): Promise<boolean> {
  try {
    await writeFile(path, '', { flag: 'wx', mode: 0o600 });
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  }
}
