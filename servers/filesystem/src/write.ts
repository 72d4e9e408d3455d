import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { replaceFile as replace } from '@tenon/values/node/replace-file';
import { AccessError } from '../../shared/folders.ts';
import type { WriteTarget } from './access.ts';

/** Replaces a file atomically, and keeps its permissions. `checkLock` throws if this process must not replace it any more. */
export async function replaceFile(
  { path, stats, folder }: WriteTarget,
  text: string,
  checkLock?: () => Promise<void>,
): Promise<void> {
  if (stats !== undefined && !stats.isFile()) throw new AccessError('The path exists, and is not a file');
  // The path of the open folder stays valid, even if another folder is put in its place.
  const draft = join(folder.path, `.${randomUUID()}.tmp`);
  const mayReplace = async (): Promise<boolean> => {
    await checkLock?.();
    return true;
  };
  await replace(path, text, { mode: stats === undefined ? 'new' : stats.mode & 0o777, draft, mayReplace });
}
