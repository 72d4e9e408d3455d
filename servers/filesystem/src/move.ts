import { link, lstat, rename, unlink } from 'node:fs/promises';
import type { Spot } from './access.ts';
import { AccessError } from '../../shared/folders.ts';

/** A file gets its new name only if nothing has it, whoever else moves something there. */
export const moveTo = async (from: Spot, to: Spot, destination: string): Promise<void> => {
  if (from.stats?.isFile() !== true) {
    if ((await lstat(to.path).catch(() => undefined)) !== undefined)
      throw new AccessError(`Destination already exists: ${destination}`);
    return rename(from.path, to.path);
  }
  try {
    await link(from.path, to.path);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'EEXIST') throw new AccessError(`Destination already exists: ${destination}`);
    // There are disks without hard links, and moves to another disk that rename cannot make either.
    if (code !== 'EPERM' && code !== 'ENOTSUP' && code !== 'EMLINK' && code !== 'EXDEV') throw error;
    return rename(from.path, to.path);
  }
  return unlink(from.path);
};
