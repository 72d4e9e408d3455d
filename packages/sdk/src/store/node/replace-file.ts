import { randomUUID } from 'node:crypto';
import { open, rename, rm } from 'node:fs/promises';

/** How a file is replaced. */
export interface ReplaceOptions {
  /** The permissions of the file; `'new'` for those that any new file gets. Default: 0o600. */
  readonly mode?: number | 'new';
  /** Where the text is written first: in the folder of the file. Default: the path of the file with a UUID and `.tmp`. */
  readonly draft?: string;
  /** Asked when the draft is on the disk. False leaves the file as it is. */
  readonly mayReplace?: () => Promise<boolean>;
}

/**
 * Writes all of a file, so that it is either as before or as after, also when this process is killed meanwhile. Tells whether it was
 * replaced. Rejects with the error of the file system; the file is as before then.
 */
export async function replaceFile(
  path: string,
  content: string | Uint8Array,
  { mode = 0o600, draft = `${path}.${randomUUID()}.tmp`, mayReplace }: ReplaceOptions = {},
): Promise<boolean> {
  // Only its owner may read it before it has its permissions.
  const file = await open(draft, 'wx', mode === 'new' ? 0o666 : 0o600);
  let isReplaced = false;
  try {
    try {
      await file.writeFile(content);
      if (mode !== 'new') await file.chmod(mode);
      await file.sync();
    } finally {
      await file.close();
    }
    if (mayReplace !== undefined && !(await mayReplace())) return false;
    await rename(draft, path);
    isReplaced = true;
    return true;
  } finally {
    // What went wrong before is the error to report.
    if (!isReplaced) await rm(draft, { force: true }).catch(() => {});
  }
}
