// Files that are either as before or as after a change, whatever happens in between.
import { randomUUID } from 'node:crypto';
import { mkdir, open, rename, rm, stat, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

const RETRY_MS = 20;
/** No change takes that long: a lock that is older was left behind by a process that ended. */
const STALE_MS = 10_000;

/** Writes a file beside the old one, and puts it in its place when all of it is on the disk. */
export const replaceFile = async (path: string, text: string): Promise<void> => {
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
};

/** Gives the fallback where there is no such file or folder. */
export const orMissing = async <T>(found: Promise<T>, fallback: T): Promise<T> => {
  try {
    return await found;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return fallback;
    throw error;
  }
};

/** Runs a function while no other process runs one under the same lock: a file that only one of them can create. */
export async function withLock<T>(lock: string, run: () => Promise<T>): Promise<T> {
  await mkdir(dirname(lock), { recursive: true, mode: 0o700 });
  while (!(await create(lock))) {
    const madeAt = await orMissing(
      stat(lock).then(({ mtimeMs }) => mtimeMs),
      Date.now(),
    );
    if (Date.now() - madeAt > STALE_MS) await rm(lock, { force: true });
    else await sleep(RETRY_MS);
  }
  try {
    return await run();
  } finally {
    await rm(lock, { force: true });
  }
}

/** Creates a file. Gives false where it exists already. */
async function create(path: string): Promise<boolean> {
  try {
    await writeFile(path, '', { flag: 'wx', mode: 0o600 });
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  }
}
