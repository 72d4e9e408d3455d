import { lstat, readdir, readFile, realpath } from 'node:fs/promises';
import { isAbsolute, join } from 'node:path';
import { decodeUtf8 } from '@tenon/values/utf8';
import { AccessError, type Folders } from '../../shared/folders.ts';

/** Maximum number of entries that are checked in a git folder. */
const MAX_ENTRIES = 100_000;
const MAX_ALTERNATES_BYTES = 64 * 1024;
const MAX_ALTERNATE_DEPTH = 5;

/** Folders inside a git folder that are checked recursively; of all others only the entries directly in them. */
const DEEP = /^(?:refs|logs|worktrees|info|rebase-merge|rebase-apply|sequencer|objects|modules|rr-cache)(?:\/|$)/;

/**
 * Checks that everything in a git folder that git reads or writes itself is a file or a folder inside of the allowed folders: a link could
 * lead anywhere, and a FIFO would block its reader. Throws an `AccessError`.
 */
export async function checkGitFolder(folders: Folders, gitDir: string, asked: string): Promise<void> {
  let seen = 0;
  const enter = async (relative: string): Promise<void> => {
    for (const entry of await readdir(join(gitDir, relative), { withFileTypes: true, encoding: 'buffer' })) {
      if (++seen > MAX_ENTRIES)
        throw new AccessError(`The repository at ${asked} has too many files in its git folder`);
      const own = decodeUtf8(entry.name);
      // Another entry could have the name that the decoded bytes give.
      if (own === undefined) throw new AccessError(`A part of the repository at ${asked} has a name that is not UTF-8`);
      const name = relative === '' ? own : `${relative}/${own}`;
      if (entry.isSymbolicLink()) {
        const real = await realpath(join(gitDir, name)).catch(() => undefined);
        if (real === undefined || !folders.contains(real))
          throw new AccessError(`A part of the repository at ${asked} is a link to outside of the allowed folders`);
        const found = await lstat(real);
        if (found.isDirectory()) await checkGitFolder(folders, real, asked);
        else if (!found.isFile())
          throw new AccessError(`A part of the repository at ${asked} is neither a file nor a folder`);
      } else if (entry.isDirectory()) {
        if (DEEP.test(`${name}/`)) await enter(name);
      } else if (!entry.isFile())
        throw new AccessError(`A part of the repository at ${asked} is neither a file nor a folder`);
      // Files that git changes in place must not have hard links elsewhere. Objects never change, and local clones share them.
      else if (!name.startsWith('objects/') && (await lstat(join(gitDir, name))).nlink > 1)
        throw new AccessError(
          `A part of the repository at ${asked} has other hard links, perhaps outside of the allowed folders`,
        );
    }
  };
  await enter('');
}

/** Checks that object alternates, which may have alternates themselves, are inside of the allowed folders. Throws an `AccessError`. */
export async function checkAlternates(folders: Folders, objects: string, asked: string, depth = 0): Promise<void> {
  const own = await realpath(objects).catch(() => undefined);
  if (own === undefined || !folders.contains(own)) throw new AccessError(`The repository at ${asked} has no objects`);
  const file = join(own, 'info', 'alternates');
  const found = await lstat(file).catch(() => undefined);
  if (found === undefined) return;
  if (!found.isFile() || found.size > MAX_ALTERNATES_BYTES || depth >= MAX_ALTERNATE_DEPTH)
    throw new AccessError(
      `The repository at ${asked} has object alternates that are too large, too deep, or not in a file`,
    );
  const text = decodeUtf8(await readFile(file));
  if (text === undefined)
    throw new AccessError(`The repository at ${asked} has an object alternate whose path is not UTF-8`);
  for (const line of text.split('\n')) {
    if (line.trim() === '' || line.startsWith('#')) continue;
    // Git would remove the quotes and use another path.
    if (line.startsWith('"'))
      throw new AccessError(`The repository at ${asked} has an object alternate with a quoted path`);
    const place = isAbsolute(line) ? line : join(own, line);
    const real = await realpath(place).catch(() => undefined);
    if (real === undefined || !folders.contains(real))
      throw new AccessError(`The repository at ${asked} has an object alternate that is not in an allowed folder`);
    await checkGitFolder(folders, real, asked);
    await checkAlternates(folders, real, asked, depth + 1);
  }
}
