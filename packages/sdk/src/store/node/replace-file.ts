import { randomUUID } from 'node:crypto';
import { open, rename, rm } from 'node:fs/promises';

/** Options of `replaceFile`. */
export interface ReplaceOptions {
  /** The permissions of the file; `'new'` for those of any new file. Default: 0o600. */
  readonly mode?: number | 'new';
  /** The path of the temporary file, in the same folder. Default: the path of the file with a UUID and `.tmp`. */
  readonly draft?: string;
  /** Called when the temporary file is on the disk. If it resolves to false, the file is not replaced. */
  readonly mayReplace?: () => Promise<boolean>;
}

/**
 * Replaces a file atomically: even if this process is killed, its content is either the old or the new one. Resolves to whether it was
 * replaced. Rejects with the error of the file system; then the file is unchanged.
 */
export async function replaceFile(
  path: string,
  content: string | Uint8Array,
  { mode = 0o600, draft = `${path}.${randomUUID()}.tmp`, mayReplace }: ReplaceOptions = {},
): Promise<boolean> {
  // Until the permissions are set, only the owner may read the file.
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
    // An earlier error takes precedence.
    if (!isReplaced) await rm(draft, { force: true }).catch(() => {});
  }
}
