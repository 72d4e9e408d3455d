import { realpath, stat } from 'node:fs/promises';
import { isAbsolute, resolve, sep } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { expandHome } from '@tenon/values/node/expand-home';

/** An action that is not allowed. The message is for the caller, and contains no path except the caller's own. */
export class AccessError extends Error {
  override readonly name = 'AccessError';
}

function within(path: string, folder: string): boolean {
  return path === folder || path.startsWith(folder.endsWith(sep) ? folder : `${folder}${sep}`);
}

/** An allowed folder: its path as given, and its real path. */
interface Folder {
  readonly given: string;
  readonly real: string;
}

/** The allowed folders: everything in them may be used, nothing else. */
export class Folders {
  readonly #folders: readonly Folder[];

  private constructor(folders: readonly Folder[]) {
    this.#folders = folders;
  }

  /**
   * The folders at these paths. A path that is not a folder, such as a disk that is not mounted, is left out, and `warn` is called with a
   * message about it. Throws if paths were given, and none of them is a folder.
   */
  static async of(paths: readonly string[], warn: (message: string) => void = () => {}): Promise<Folders> {
    const folders: Folder[] = [];
    const missing: string[] = [];
    for (const path of paths) {
      const given = resolve(expandHome(path));
      const found = await stat(given).catch(() => undefined);
      if (found?.isDirectory() === true) folders.push({ given, real: await realpath(given) });
      else missing.push(path);
    }
    // Without any folder, the roots of a client would decide alone.
    if (folders.length === 0 && missing.length > 0)
      throw new Error(
        missing.length === 1 ? `${missing[0]} is not a folder` : `None of these is a folder: ${missing.join(', ')}`,
      );
    for (const path of missing) warn(`${path} is not a folder, and is left out`);
    return new Folders(folders);
  }

  get given(): readonly string[] {
    return this.#folders.map(({ given }) => given);
  }

  /** Whether a real path is inside of an allowed folder. */
  contains(real: string): boolean {
    return this.#folders.some((folder) => within(real, folder.real));
  }

  /** The intersection with the roots of a client: roots inside of allowed folders, and allowed folders inside of roots. */
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

  /** The roots of a client as allowed folders, for a server without named folders. Roots that are not folders are ignored. */
  static async ofRoots(roots: readonly string[]): Promise<Folders> {
    const folders: Folder[] = [];
    for (const root of roots) {
      const given = folderOf(root);
      const found = given === undefined ? undefined : await stat(given).catch(() => undefined);
      if (given !== undefined && found?.isDirectory() === true) folders.push({ given, real: await realpath(given) });
    }
    return new Folders(folders);
  }

  /** The absolute path of a requested path. Throws an `AccessError` if it is outside, judged by its text only. */
  absolute(asked: string): string {
    if (asked === '' || asked.includes('\0')) throw new AccessError('A path must not be empty or contain NUL');
    if (process.platform !== 'win32' && /^[A-Za-z]:(?:[\\/]|$)/.test(asked))
      throw new AccessError('That is a Windows path, but this system is not Windows');
    const path = expandHome(asked);
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

/** The path of a root: a `file:` URI, or a plain path, which some clients send instead. */
function folderOf(root: string): string | undefined {
  try {
    return root.startsWith('file:') ? fileURLToPath(root) : isAbsolute(expandHome(root)) ? expandHome(root) : undefined;
  } catch {
    return undefined;
  }
}
