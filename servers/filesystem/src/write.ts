import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { replaceFile as replace } from '@tenon/values/node/replace-file';
import { AccessError } from '../../shared/folders.ts';
import type { Spot } from './access.ts';

/** Writes all of a file, so that it is either as before or as after. Its permissions stay as they are. */
export const replaceFile = async ({ path, stats, folder }: Spot, text: string): Promise<void> => {
  if (stats !== undefined && !stats.isFile()) throw new AccessError('There is something else than a file');
  // The folder is open: its path leads there whatever is put in its place.
  const draft = join(folder.path, `.${randomUUID()}.tmp`);
  await replace(path, text, { mode: stats === undefined ? 'new' : stats.mode & 0o777, draft });
};
