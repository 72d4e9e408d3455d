import { link, lstat, rename, unlink } from 'node:fs/promises';
import type { WriteTarget } from './access.ts';
import { AccessError } from '../../shared/folders.ts';

/** Moves a file without ever replacing the destination, even if another program creates it at the same time. */
export async function moveTo(from: WriteTarget, to: WriteTarget, destination: string): Promise<void> {
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
    // Some file systems have no hard links. For a move to another disk, rename reports the error.
    if (code !== 'EPERM' && code !== 'ENOTSUP' && code !== 'EMLINK' && code !== 'EXDEV') throw error;
    return rename(from.path, to.path);
  }
  return unlink(from.path);
}
