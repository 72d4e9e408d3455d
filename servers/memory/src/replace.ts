// Replaces a file atomically, by one writer at a time. A writer that was suspended too long loses its lock to another one, but may continue
// later. So a writer that takes over deletes the drafts of earlier writers: without its draft, an earlier writer cannot replace the file.
import { open, readdir, rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { replaceFile } from '@tenon/values/node/replace-file';

/** Another process has taken over the lock, because this one was suspended too long. */
export class TakenOverError extends Error {
  override readonly name = 'TakenOverError';
}

/** The suffix that `replaceFile` gives to drafts. */
const DRAFT = /^\.[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}\.tmp$/;

/** Deletes the drafts of earlier writers. Call it before the file is read, so that they cannot replace the file afterwards. */
export async function dropDrafts(path: string): Promise<void> {
  const [folder, name] = [dirname(path), basename(path)];
  for (const entry of await readdir(folder))
    if (entry.startsWith(name) && DRAFT.test(entry.slice(name.length))) await rm(join(folder, entry), { force: true });
}

/**
 * Replaces a file atomically and durably. Throws a `TakenOverError` if this writer has lost the lock; then the file is unchanged.
 */
export async function replace(path: string, text: string, mode: number, isOwn: () => Promise<boolean>): Promise<void> {
  const mayReplace = async (): Promise<boolean> => {
    // Check after the draft exists, so that a writer that takes over later finds and deletes it.
    if (await isOwn()) return true;
    throw new TakenOverError(`another process is writing ${path} now`);
  };
  await replaceFile(path, text, { mode, mayReplace }).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOENT' || error.syscall !== 'rename') throw error;
    throw new TakenOverError(`the draft of ${path} was deleted by another process`, { cause: error });
  });
  // Sync the folder, so that the new name is on the disk, too.
  const folder = await open(dirname(path)).catch(() => undefined);
  await folder?.sync().catch(() => {});
  await folder?.close();
}
