import { replaceFile } from '@tenon/values/node/replace-file';
import { mkdir, readFile, readlink, realpath, stat } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';

/** How often to plan anew when somebody else changes the file meanwhile. */
const TRIES = 5;
/** Some editors write it in front of UTF-8. */
const MARK = Buffer.from([0xef, 0xbb, 0xbf]);

/** What to do with a file; no text: to leave it as it is. */
export interface Plan {
  readonly text?: string;
}

const isMissing = (error: unknown): boolean => (error as NodeJS.ErrnoException).code === 'ENOENT';

/** The bytes of a file; one that is not there has none. */
const bytesIn = async (path: string): Promise<Buffer> => {
  try {
    return await readFile(path);
  } catch (error) {
    if (isMissing(error)) return Buffer.alloc(0);
    throw error;
  }
};

/** Text, without a mark in front. Other bytes are refused: they would not be written as they were. */
const decoded = (bytes: Buffer): string => {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw new Error('it is not UTF-8');
  }
};

/** Where a file is when all links are followed, also if the last one leads to nothing yet. */
const targetOf = async (path: string): Promise<string> => {
  try {
    return await realpath(path);
  } catch (error) {
    if (!isMissing(error)) throw error;
  }
  const folder = await targetOf(dirname(path));
  const link = await readlink(path).catch(() => undefined);
  return link === undefined ? join(folder, basename(path)) : targetOf(resolve(folder, link));
};

/** Replaces a file as a whole, if it still is as it was read; tells whether it was. Its permissions stay as they are. */
const replace = async (target: string, read: Buffer, text: string): Promise<boolean> => {
  const before = await stat(target).catch(() => undefined);
  const mark = read.subarray(0, MARK.length).equals(MARK) ? [MARK] : [];
  return replaceFile(target, Buffer.concat([...mark, Buffer.from(text)]), {
    // There may be secrets in a new one.
    mode: before === undefined ? 0o600 : before.mode & 0o777,
    mayReplace: async () => read.equals(await bytesIn(target)),
  });
};

/** The text of a file; one that is not there is empty. */
export const readText = async (path: string): Promise<string> => decoded(await bytesIn(path));

/**
 * Changes a file as planned from its text: it is either as before or as after, and a link to it stays one. Others who do so wait. When a
 * host, which does not wait, writes it meanwhile, what it wrote is planned from anew.
 */
export const changeFile = async <T extends Plan>(path: string, plan: (text: string) => Promise<T>): Promise<T> => {
  const target = await targetOf(path);
  const first = await plan(await readText(target));
  // No folder and no lock where nothing is to be done.
  if (first.text === undefined) return first;
  await mkdir(dirname(target), { recursive: true });
  const { withLock } = await import('tenon/internal');
  return withLock(`${target}.tenon.lock`, async () => {
    for (let left = TRIES; left > 0; left--) {
      const read = await bytesIn(target);
      const planned = await plan(decoded(read));
      if (planned.text === undefined || (await replace(target, read, planned.text))) return planned;
    }
    throw new Error('another program keeps changing it');
  });
};
