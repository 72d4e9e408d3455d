import { realpath, stat } from 'node:fs/promises';
import { homedir } from 'node:os';
import { isAbsolute, join, resolve, sep } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';

/** What somebody may not do, in words for them. It names no path that they did not. */
export class AccessError extends Error {
  override readonly name = 'AccessError';
}

const within = (path: string, folder: string): boolean =>
  path === folder || path.startsWith(folder.endsWith(sep) ? folder : `${folder}${sep}`);

/** A folder that may be used: as it was given, and where it really is. */
interface Folder {
  readonly given: string;
  readonly real: string;
}

const expanded = (path: string): string =>
  path === '~' || path.startsWith(`~${sep}`) ? join(homedir(), path.slice(1)) : path;

/** The folders that may be used. Everything in them may, nothing else. */
export class Folders {
  readonly #folders: readonly Folder[];

  private constructor(folders: readonly Folder[]) {
    this.#folders = folders;
  }

  /** Throws for a path that is no folder. */
  static async of(paths: readonly string[]): Promise<Folders> {
    const folders: Folder[] = [];
    for (const path of paths) {
      const given = resolve(expanded(path));
      const found = await stat(given).catch(() => undefined);
      if (found?.isDirectory() !== true) throw new Error(`${path} is no folder`);
      folders.push({ given, real: await realpath(given) });
    }
    return new Folders(folders);
  }

  get given(): readonly string[] {
    return this.#folders.map(({ given }) => given);
  }

  /** Is a real path inside? */
  contains(real: string): boolean {
    return this.#folders.some((folder) => within(real, folder.real));
  }

  /** What is both inside and in the roots of a client: a root that is inside, or a folder that is inside a root. */
  async narrowed(roots: readonly string[]): Promise<Folders> {
    const folders: Folder[] = [];
    for (const root of roots) {
      const given = folderOf(root);
      const real = given === undefined ? undefined : await realpath(given).catch(() => undefined);
      if (given === undefined || real === undefined) continue;
      if (!this.contains(real)) folders.push(...this.#folders.filter((folder) => within(folder.real, real)));
      else if ((await stat(real)).isDirectory()) folders.push({ given, real });
    }
    return new Folders(folders);
  }

  /** A client's roots, where the user has named no folders. Those that are none are left out. */
  static async ofRoots(roots: readonly string[]): Promise<Folders> {
    const folders: Folder[] = [];
    for (const root of roots) {
      const given = folderOf(root);
      const found = given === undefined ? undefined : await stat(given).catch(() => undefined);
      if (given !== undefined && found?.isDirectory() === true) folders.push({ given, real: await realpath(given) });
    }
    return new Folders(folders);
  }

  /** The absolute path somebody means. Throws an `AccessError` for one that is not inside, as far as its text tells. */
  absolute(asked: string): string {
    if (asked === '' || asked.includes('\0')) throw new AccessError('A path has at least one character, and no NUL');
    if (process.platform !== 'win32' && /^[A-Za-z]:(?:[\\/]|$)/.test(asked))
      throw new AccessError('That is a path of Windows, and this is another system');
    const path = expanded(asked);
    if (isAbsolute(path)) return this.#checked(resolve(path), asked);
    const [first] = this.#folders;
    if (first === undefined) throw new AccessError('No folder is allowed');
    return this.#checked(resolve(first.given, path), asked);
  }

  #checked(path: string, asked: string): string {
    if (this.#folders.some(({ given, real }) => within(path, given) || within(path, real))) return path;
    throw new AccessError(`Access denied: ${asked} is not in an allowed folder`);
  }
}

/** The path of a root: a `file:` URI, or what some clients send instead. */
const folderOf = (root: string): string | undefined => {
  try {
    return root.startsWith('file:') ? fileURLToPath(root) : isAbsolute(expanded(root)) ? expanded(root) : undefined;
  } catch {
    return undefined;
  }
};
