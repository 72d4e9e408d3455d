import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { replaceFile as replace } from '@tenon/values/node/replace-file';
import { AccessError } from '../../shared/folders.ts';
import type { WriteTarget } from './access.ts';

/** Replaces a file atomically, and keeps its permissions. */
export async function replaceFile({ path, stats, folder }: WriteTarget, text: string): Promise<void> {
  if (stats !== undefined && !stats.isFile()) throw new AccessError('The path exists, and is not a file');
  // The path of the open folder stays valid, even if another folder is put in its place.
  const draft = join(folder.path, `.${randomUUID()}.tmp`);
  await replace(path, text, { mode: stats === undefined ? 'new' : stats.mode & 0o777, draft });
}
