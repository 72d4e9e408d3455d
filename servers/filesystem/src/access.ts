// How files and folders are opened: what a path means is looked at once, and what was opened then is checked and used. A link that is put
// in its place in between leads nowhere.
import { constants, type Stats } from 'node:fs';
import { type FileHandle, lstat, open, readlink, realpath } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import process from 'node:process';
import { AccessError, type Folders } from '../../shared/folders.ts';

const { O_RDONLY, O_NOFOLLOW, O_NONBLOCK, O_DIRECTORY } = constants;

/** On Linux what is open can be named by its number, whatever becomes of its path. */
const hasDescriptors = process.platform === 'linux';

export interface AccessOptions {
  /** May files be used that have other names, perhaps outside? */
  readonly hardLinks: boolean;
}

/** Something that is open. */
export interface Opened {
  readonly handle: FileHandle;
  readonly stats: Stats;
  /** Where it really is. */
  readonly real: string;
  /** By which it is used: on Linux the number of what is open. */
  readonly path: string;
}

const codeOf = (error: unknown): string | undefined => (error as NodeJS.ErrnoException).code;

/** What an error of the system means, in words that name only what was asked for. */
const explained = (error: unknown, asked: string): Error => {
  if (error instanceof AccessError) return error;
  const words: Readonly<Record<string, string>> = {
    ENOENT: `There is no ${asked}`,
    EACCES: `${asked} may not be used by this server`,
    EPERM: `${asked} may not be used by this server`,
    ELOOP: `${asked} is a link that leads nowhere`,
    ENOTDIR: `${asked} is not in a folder`,
    ENXIO: `${asked} is neither a file nor a folder`,
    ENAMETOOLONG: 'The path is too long',
  };
  return new AccessError(
    words[codeOf(error) ?? ''] ?? `${asked} could not be used (${codeOf(error) ?? 'unknown reason'})`,
  );
};

/** Where something that is open is now. */
const placeOf = async (handle: FileHandle, stats: Stats, real: string): Promise<string> => {
  if (hasDescriptors) return readlink(`/proc/self/fd/${handle.fd}`);
  const [now, found] = [await realpath(real), await lstat(real)];
  if (found.ino !== stats.ino || found.dev !== stats.dev) throw new AccessError('The file was replaced meanwhile');
  return now;
};

const opening = async (folders: Folders, asked: string, flags: number): Promise<Opened> => {
  const absolute = folders.absolute(asked);
  let handle: FileHandle | undefined;
  try {
    const real = await realpath(absolute);
    if (!folders.contains(real)) throw new AccessError(`Access denied: ${asked} leads out of the allowed folders`);
    // A FIFO would keep whoever opens it waiting, and a few of them all of the process.
    handle = await open(real, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | flags);
    const stats = await handle.stat();
    const now = await placeOf(handle, stats, real);
    if (!folders.contains(now)) throw new AccessError(`Access denied: ${asked} leads out of the allowed folders`);
    return { handle, stats, real: now, path: hasDescriptors ? `/proc/self/fd/${handle.fd}` : now };
  } catch (error) {
    await handle?.close();
    throw explained(error, asked);
  }
};

const using = async <T>(opened: Opened, use: (opened: Opened) => Promise<T>): Promise<T> => {
  try {
    return await use(opened);
  } finally {
    await opened.handle.close();
  }
};

/** Uses a file that is there. Throws an `AccessError` for anything else: folders, FIFOs, devices. */
export const withFile = async <T>(
  folders: Folders,
  asked: string,
  { hardLinks }: AccessOptions,
  use: (file: Opened) => Promise<T>,
): Promise<T> =>
  using(await opening(folders, asked, 0), (file) => {
    if (!file.stats.isFile())
      throw new AccessError(`${asked} is ${file.stats.isDirectory() ? 'a folder' : 'no regular file'}`);
    if (!hardLinks && file.stats.nlink > 1)
      throw new AccessError(
        `${asked} has other names, perhaps outside of the allowed folders: it is used only with --allow-hard-links`,
      );
    return use(file);
  });

/** Uses a folder that is there. */
export const withFolder = async <T>(folders: Folders, asked: string, use: (folder: Opened) => Promise<T>): Promise<T> =>
  using(await opening(folders, asked, O_DIRECTORY ?? 0), (folder) => {
    if (!folder.stats.isDirectory()) throw new AccessError(`${asked} is no folder`);
    return use(folder);
  });

/** Uses a file or a folder that is there. */
export const withEither = async <T>(folders: Folders, asked: string, use: (found: Opened) => Promise<T>): Promise<T> =>
  using(await opening(folders, asked, 0), use);

/** A name in a folder that is open, whether there is something or not. Links are not followed. */
export interface Spot {
  /** By which it is used. */
  readonly path: string;
  /** Where it is, for people. */
  readonly real: string;
  /** What is there; undefined: nothing. */
  readonly stats: Stats | undefined;
  readonly folder: Opened;
}

/** Uses a place where something is to be written: its folder is there, and what is there itself is no link that leads out. */
export const withSpot = async <T>(folders: Folders, asked: string, use: (spot: Spot) => Promise<T>): Promise<T> => {
  const absolute = folders.absolute(asked);
  // A link to a file inside means that file.
  const real = await realpath(absolute).catch(() => undefined);
  if (real !== undefined && !folders.contains(real))
    throw new AccessError(`Access denied: ${asked} leads out of the allowed folders`);
  const target = real ?? absolute;
  if (real === undefined && (await lstat(absolute).catch(() => undefined))?.isSymbolicLink() === true)
    throw new AccessError(`Access denied: ${asked} is a link that leads nowhere`);
  const name = basename(target);
  let opened: Opened;
  try {
    opened = await opening(folders, dirname(target), O_DIRECTORY ?? 0);
  } catch {
    throw new AccessError(
      `The folder of ${asked} cannot be used: it is not there, or leads out of the allowed folders`,
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
      throw explained(error, asked);
    }
  });
};
