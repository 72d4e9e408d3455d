import { randomUUID } from 'node:crypto';
import { chmod, open, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { AccessError } from '../../shared/folders.ts';
import type { Spot } from './access.ts';

/** Writes all of a file, so that it is either as before or as after. Its permissions stay as they are. */
export const replaceFile = async ({ path, stats, folder }: Spot, text: string): Promise<void> => {
  if (stats !== undefined && !stats.isFile()) throw new AccessError('There is something else than a file');
  const next = join(folder.path, `.${randomUUID()}.tmp`);
  try {
    const file = await open(next, 'wx', 0o666);
    try {
      await file.writeFile(text);
      await file.sync();
    } finally {
      await file.close();
    }
    if (stats !== undefined) await chmod(next, stats.mode & 0o777);
    await rename(next, path);
  } catch (error) {
    await rm(next, { force: true });
    throw error;
  }
};
