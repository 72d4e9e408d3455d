import { replaceFile } from '@tenon/values/node/replace-file';
import { mkdir, readFile, readlink, realpath, stat } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';

/** How many times to plan again when another program changes the file meanwhile. */
const MAX_ATTEMPTS = 5;
/** The byte order mark that some editors write in front of UTF-8. */
const BOM = Buffer.from([0xef, 0xbb, 0xbf]);

/** What to do with a file: write `text`, or without it leave the file unchanged. */
export interface Plan {
  readonly text?: string;
}

function isMissing(error: unknown): boolean {
  return (error as NodeJS.ErrnoException).code === 'ENOENT';
}

/** The bytes of a file; empty if it does not exist. */
async function bytesIn(path: string): Promise<Buffer> {
  try {
    return await readFile(path);
  } catch (error) {
    if (isMissing(error)) return Buffer.alloc(0);
    throw error;
  }
}

/** Decodes UTF-8 without its byte order mark. Rejects other encodings, because they would not be written back unchanged. */
function decoded(bytes: Buffer): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw new Error('it is not UTF-8');
  }
}

/** The path with all links followed, even if the last one points to a file that does not exist yet. */
async function resolveLinks(path: string): Promise<string> {
  try {
    return await realpath(path);
  } catch (error) {
    if (!isMissing(error)) throw error;
  }
  const folder = await resolveLinks(dirname(path));
  const link = await readlink(path).catch(() => undefined);
  return link === undefined ? join(folder, basename(path)) : resolveLinks(resolve(folder, link));
}

/** Replaces a file atomically and keeps its permissions. False: it has changed since it was read, and was not replaced. */
async function replace(target: string, read: Buffer, text: string): Promise<boolean> {
  const before = await stat(target).catch(() => undefined);
  const bom = read.subarray(0, BOM.length).equals(BOM) ? [BOM] : [];
  return replaceFile(target, Buffer.concat([...bom, Buffer.from(text)]), {
    // A new file may contain secrets.
    mode: before === undefined ? 0o600 : before.mode & 0o777,
    mayReplace: async () => read.equals(await bytesIn(target)),
  });
}

/** The text of a file; empty if it does not exist. */
export async function readText(path: string): Promise<string> {
  return decoded(await bytesIn(path));
}

/**
 * Changes a file atomically, by a plan made from its text. Symlinks are preserved. Other tenon processes wait for the lock. Hosts do not
 * take it: when one writes the file meanwhile, the plan is made again from the new text.
 */
export async function changeFile<T extends Plan>(path: string, plan: (text: string) => Promise<T>): Promise<T> {
  const target = await resolveLinks(path);
  const first = await plan(await readText(target));
  // Create no folder and no lock if there is nothing to do.
  if (first.text === undefined) return first;
  await mkdir(dirname(target), { recursive: true });
  const { withLock } = await import('tenon/internal');
  return withLock(`${target}.tenon.lock`, async () => {
    for (let left = MAX_ATTEMPTS; left > 0; left--) {
      const read = await bytesIn(target);
      const planned = await plan(decoded(read));
      if (planned.text === undefined || (await replace(target, read, planned.text))) return planned;
    }
    throw new Error('another program keeps changing it');
  });
}
