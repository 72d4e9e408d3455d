import { realpath, stat } from 'node:fs/promises';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';

function exists(path: string, what: 'file' | 'anything'): Promise<boolean> {
  return stat(path).then(
    (found) => what === 'anything' || found.isFile(),
    () => false,
  );
}

/** The folder and its parents, up to the first that is a repository or the home folder. Only the folder itself if none of them is. */
async function foldersOf(folder: string, home: string | undefined): Promise<string[]> {
  const folders: string[] = [];
  for (let at = folder; ; at = dirname(at)) {
    folders.push(at);
    if (at === home || (await exists(join(at, '.git'), 'anything'))) return folders;
    // Outside of both, the parents may belong to others: anyone can write to /tmp.
    if (dirname(at) === at) return [folder];
  }
}

/**
 * The nearest `.mcp.json` in the folder or its parents, up to the top of the repository or the user's home folder. Outside of both, only
 * the folder itself is searched. Resolves with the absolute path, or with undefined if no file was found.
 *
 * @example
 * ```ts
 * import { findConfig, readServers } from '@tenon/host';
 *
 * const path = await findConfig(process.cwd());
 * const { servers } = path === undefined ? { servers: [] } : await readServers(path);
 * ```
 */
export async function findConfig(folder: string, home: string = homedir()): Promise<string | undefined> {
  const [start, top] = await Promise.all([folder, home].map((each) => realpath(each).catch(() => undefined)));
  if (start === undefined) return undefined;
  for (const each of await foldersOf(start, top)) {
    const path = join(each, '.mcp.json');
    if (await exists(path, 'file')) return path;
  }
  return undefined;
}
