// Replaces a file as a whole, by one writer at a time. Another may take over from a writer that was away for too long and then comes back:
// whoever takes over takes the drafts of those before away, and a draft that is gone cannot replace anything any more.
import { open, readdir, rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { replaceFile } from '@tenon/values/node/replace-file';

/** Somebody else has taken over what was taken for left behind, as of a process that slept too long. */
export class TakenOverError extends Error {
  override readonly name = 'TakenOverError';
}

/** What `replaceFile` puts behind the path of a file. */
const DRAFT = /^\.[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}\.tmp$/;

/** Takes away what others began to write. To be done before the file is read: what is not in it by then never gets there. */
export const dropDrafts = async (path: string): Promise<void> => {
  const [folder, name] = [dirname(path), basename(path)];
  for (const entry of await readdir(folder))
    if (entry.startsWith(name) && DRAFT.test(entry.slice(name.length))) await rm(join(folder, entry), { force: true });
};

/**
 * Writes all of a file so that it is either as before or as after, whatever happens in between. Throws a `TakenOverError` when it is not the
 * turn of this writer any more, and then it is as before.
 */
export const replace = async (
  path: string,
  text: string,
  mode: number,
  isOwn: () => Promise<boolean>,
): Promise<void> => {
  const mayReplace = async (): Promise<boolean> => {
    // Not before there is a draft: whoever takes over after this finds it.
    if (await isOwn()) return true;
    throw new TakenOverError(`${path} is written by somebody else now`);
  };
  await replaceFile(path, text, { mode, mayReplace }).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOENT' || error.syscall !== 'rename') throw error;
    throw new TakenOverError(`What was to be ${path} was taken away`, { cause: error });
  });
  // The name, too, has to reach the disk.
  const folder = await open(dirname(path)).catch(() => undefined);
  await folder?.sync().catch(() => {});
  await folder?.close();
};
