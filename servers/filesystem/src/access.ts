// Opens files and folders: a path is resolved once, then the open file itself is checked and used. So replacing it by a link in between has
// no effect.
import { constants, type Stats } from 'node:fs';
import { type FileHandle, lstat, open, readlink, realpath } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import process from 'node:process';
import { AccessError, type Folders } from '../../shared/folders.ts';

const { O_RDONLY, O_NOFOLLOW, O_NONBLOCK, O_DIRECTORY } = constants;

/** Linux can address an open file by its descriptor, whatever happens to its path. */
const hasDescriptors = process.platform === 'linux';

export interface AccessOptions {
  /** Whether to use files with several hard links, which may be outside of the allowed folders. */
  readonly hardLinks: boolean;
}

/** An open file or folder. */
export interface Opened {
  readonly handle: FileHandle;
  readonly stats: Stats;
  /** The real path. */
  readonly real: string;
  /** The path to use; on Linux that of the descriptor. */
  readonly path: string;
}

function codeOf(error: unknown): string | undefined {
  return (error as NodeJS.ErrnoException).code;
}

/** Turns a system error into an `AccessError` that names only the requested path. */
function toAccessError(error: unknown, asked: string): Error {
  if (error instanceof AccessError) return error;
  const words: Readonly<Record<string, string>> = {
    ENOENT: `There is no ${asked}`,
    EACCES: `${asked} may not be used by this server`,
    EPERM: `${asked} may not be used by this server`,
    ELOOP: `${asked} is a broken link`,
    ENOTDIR: `${asked} is not in a folder`,
    ENXIO: `${asked} is neither a file nor a folder`,
    ENAMETOOLONG: 'The path is too long',
  };
  return new AccessError(
    words[codeOf(error) ?? ''] ?? `${asked} could not be used (${codeOf(error) ?? 'unknown reason'})`,
  );
}

/** The current real path of an open file. */
async function placeOf(handle: FileHandle, stats: Stats, real: string): Promise<string> {
  if (hasDescriptors) return readlink(`/proc/self/fd/${handle.fd}`);
  const [now, found] = [await realpath(real), await lstat(real)];
  if (found.ino !== stats.ino || found.dev !== stats.dev) throw new AccessError('The file was replaced meanwhile');
  return now;
}

async function opening(folders: Folders, asked: string, flags: number): Promise<Opened> {
  const absolute = folders.absolute(asked);
  let handle: FileHandle | undefined;
  try {
    const real = await realpath(absolute);
    if (!folders.contains(real)) throw new AccessError(`Access denied: ${asked} is outside of the allowed folders`);
    // O_NONBLOCK, because opening a FIFO would block a thread, and a few of them the whole process.
    handle = await open(real, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | flags);
    const stats = await handle.stat();
    const now = await placeOf(handle, stats, real);
    if (!folders.contains(now)) throw new AccessError(`Access denied: ${asked} is outside of the allowed folders`);
    return { handle, stats, real: now, path: hasDescriptors ? `/proc/self/fd/${handle.fd}` : now };
  } catch (error) {
    await handle?.close();
    throw toAccessError(error, asked);
  }
}

async function using<T>(opened: Opened, use: (opened: Opened) => Promise<T>): Promise<T> {
  try {
    return await use(opened);
  } finally {
    await opened.handle.close();
  }
}

/** Opens an existing file, and closes it after `use`. Throws an `AccessError` for anything else: folders, FIFOs, devices. */
export async function withFile<T>(
  folders: Folders,
  asked: string,
  { hardLinks }: AccessOptions,
  use: (file: Opened) => Promise<T>,
): Promise<T> {
  return using(await opening(folders, asked, 0), (file) => {
    if (!file.stats.isFile())
      throw new AccessError(`${asked} is ${file.stats.isDirectory() ? 'a folder' : 'not a regular file'}`);
    if (!hardLinks && file.stats.nlink > 1)
      throw new AccessError(
        `${asked} has other hard links, perhaps outside of the allowed folders: it can be used only with --allow-hard-links`,
      );
    return use(file);
  });
}

/** Opens an existing folder, and closes it after `use`. */
export async function withFolder<T>(folders: Folders, asked: string, use: (folder: Opened) => Promise<T>): Promise<T> {
  return using(await opening(folders, asked, O_DIRECTORY ?? 0), (folder) => {
    if (!folder.stats.isDirectory()) throw new AccessError(`${asked} is not a folder`);
    return use(folder);
  });
}

/** Opens an existing file or folder, and closes it after `use`. */
export async function withEither<T>(folders: Folders, asked: string, use: (found: Opened) => Promise<T>): Promise<T> {
  return using(await opening(folders, asked, 0), use);
}

/** A name in an open folder, whether it exists or not. Links are not followed. */
export interface WriteTarget {
  /** The path to use. */
  readonly path: string;
  /** The real path, for messages. */
  readonly real: string;
  /** The stats of the existing entry; undefined if there is none. */
  readonly stats: Stats | undefined;
  readonly folder: Opened;
}

/** Uses a path that is to be written. Its folder must exist, and the path itself must not be a link to the outside. */
export async function withWriteTarget<T>(
  folders: Folders,
  asked: string,
  use: (writeTarget: WriteTarget) => Promise<T>,
): Promise<T> {
  const absolute = folders.absolute(asked);
  // A link to a file inside stands for that file.
  const real = await realpath(absolute).catch(() => undefined);
  if (real !== undefined && !folders.contains(real))
    throw new AccessError(`Access denied: ${asked} is outside of the allowed folders`);
  const target = real ?? absolute;
  if (real === undefined && (await lstat(absolute).catch(() => undefined))?.isSymbolicLink() === true)
    throw new AccessError(`Access denied: ${asked} is a broken link`);
  const name = basename(target);
  let opened: Opened;
  try {
    opened = await opening(folders, dirname(target), O_DIRECTORY ?? 0);
  } catch {
    throw new AccessError(
      `The folder of ${asked} cannot be used: it does not exist, or is outside of the allowed folders`,
    );
  }
  return using(opened, async (folder) => {
    const path = join(folder.path, name);
    try {
      const stats = await lstat(path).catch((error: unknown) => {
        if (codeOf(error) === 'ENOENT') return undefined;
        throw error;
      });
      if (stats?.isSymbolicLink() === true) throw new AccessError(`${asked} was replaced by a link meanwhile`);
      return await use({ path, real: join(folder.real, name), stats, folder });
    } catch (error) {
      throw toAccessError(error, asked);
    }
  });
}
