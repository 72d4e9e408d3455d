import { lstat, readdir, readFile, realpath } from 'node:fs/promises';
import { isAbsolute, join } from 'node:path';
import { AccessError, type Folders } from '../../shared/folders.ts';

/** Most entries of a repository's own folder that are looked at. */
const MOST_ENTRIES = 100_000;
const MOST_ALTERNATES = 64 * 1024;
const MOST_BORROWED = 5;

/** Folders of a repository that are looked through; of the others only what is directly in them. */
const DEEP = /^(?:refs|logs|worktrees|info|rebase-merge|rebase-apply|sequencer|objects|modules|rr-cache)(?:\/|$)/;

/**
 * Looks whether everything that git would read or write of a repository by itself is a file or a folder inside of what is allowed: a link
 * in it could lead anywhere, and a pipe would keep whoever reads it waiting. Throws an `AccessError`.
 */
export const checkParts = async (folders: Folders, gitDir: string, asked: string): Promise<void> => {
  let seen = 0;
  const enter = async (relative: string): Promise<void> => {
    for (const entry of await readdir(join(gitDir, relative), { withFileTypes: true })) {
      if (++seen > MOST_ENTRIES) throw new AccessError(`The repository at ${asked} has more parts than are looked at`);
      const name = relative === '' ? entry.name : `${relative}/${entry.name}`;
      if (entry.isSymbolicLink()) {
        const real = await realpath(join(gitDir, name)).catch(() => undefined);
        if (real === undefined || !folders.contains(real))
          throw new AccessError(`A part of the repository at ${asked} is a link that leads out of the allowed folders`);
        const found = await lstat(real);
        if (found.isDirectory()) await checkParts(folders, real, asked);
        else if (!found.isFile()) throw new AccessError(`A part of the repository at ${asked} is no file`);
      } else if (entry.isDirectory()) {
        if (DEEP.test(`${name}/`)) await enter(name);
      } else if (!entry.isFile()) throw new AccessError(`A part of the repository at ${asked} is no file`);
      // What git writes in place may not be a file elsewhere, too. Objects are never changed, and clones share them.
      else if (!name.startsWith('objects/') && (await lstat(join(gitDir, name))).nlink > 1)
        throw new AccessError(
          `A part of the repository at ${asked} has other names, perhaps outside of the allowed folders`,
        );
    }
  };
  await enter('');
};

/** Objects may be borrowed from other repositories, which may borrow, too: only from those that are allowed. */
export const checkAlternates = async (folders: Folders, objects: string, asked: string, depth = 0): Promise<void> => {
  const own = await realpath(objects).catch(() => undefined);
  if (own === undefined || !folders.contains(own)) throw new AccessError(`The repository at ${asked} has no objects`);
  const file = join(own, 'info', 'alternates');
  const found = await lstat(file).catch(() => undefined);
  if (found === undefined) return;
  if (!found.isFile() || found.size > MOST_ALTERNATES || depth >= MOST_BORROWED)
    throw new AccessError(`The repository at ${asked} borrows from others in a way that is not looked into`);
  for (const line of (await readFile(file, 'utf8')).split('\n')) {
    if (line.trim() === '' || line.startsWith('#')) continue;
    // Git takes the quotes away.
    if (line.startsWith('"')) throw new AccessError(`The repository at ${asked} borrows from a quoted path`);
    const place = isAbsolute(line) ? line : join(own, line);
    const real = await realpath(place).catch(() => undefined);
    if (real === undefined || !folders.contains(real))
      throw new AccessError(`The repository at ${asked} borrows from one that is not in an allowed folder`);
    await checkParts(folders, real, asked);
    await checkAlternates(folders, real, asked, depth + 1);
  }
};
