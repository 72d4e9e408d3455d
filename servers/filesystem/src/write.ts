import { randomUUID } from 'node:crypto';
import { open, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { AccessError } from '../../shared/folders.ts';
import type { Spot } from './access.ts';

/** Writes all of a file, so that it is either as before or as after. Its permissions stay as they are. */
export const replaceFile = async ({ path, stats, folder }: Spot, text: string): Promise<void> => {
  if (stats !== undefined && !stats.isFile()) throw new AccessError('There is something else than a file');
  const next = join(folder.path, `.${randomUUID()}.tmp`);
  try {
    // Nobody else reads it before it has the permissions of the old one. A new one has those that any new file gets.
    const file = await open(next, 'wx', stats === undefined ? 0o666 : 0o600);
    try {
      await file.writeFile(text);
      if (stats !== undefined) await file.chmod(stats.mode & 0o777);
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
