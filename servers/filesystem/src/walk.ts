import type { Dirent } from 'node:fs';
import { opendir } from 'node:fs/promises';
import { join, sep } from 'node:path';
import { withFolder } from './access.ts';
import { AccessError, type Folders } from '../../shared/folders.ts';

/** Most entries that are looked at in one call. */
const MOST_ENTRIES = 100_000;
const MOST_DEPTH = 64;

export interface Entry {
  readonly name: string;
  /** Below where the walk began, with `/` on every system. */
  readonly relative: string;
  readonly isFolder: boolean;
}

export interface WalkOptions {
  readonly signal: AbortSignal;
  /** What is not looked at, and nothing in it. */
  readonly excluded: (relative: string) => boolean;
  /** Called now and then with how many entries were looked at. */
  readonly onProgress?: (seen: number) => unknown;
}

/** The entries of a folder, in the order of their names. Links are named, and not followed. */
export const entriesIn = (folders: Folders, folder: string, signal: AbortSignal): Promise<Dirent[]> =>
  withFolder(folders, folder, async ({ path }) => {
    const found: Dirent[] = [];
    for await (const entry of await opendir(path, { bufferSize: 256 })) {
      signal.throwIfAborted();
      found.push(entry);
      if (found.length > MOST_ENTRIES)
        throw new AccessError(`There are more than ${MOST_ENTRIES} entries in ${folder}`);
    }
    return found.sort((a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0));
  });

/** Goes through all that is in a folder. `visit` gets each entry, before what is in it. */
export const walk = async (
  folders: Folders,
  start: string,
  { signal, excluded, onProgress }: WalkOptions,
  visit: (entry: Entry, parents: readonly string[]) => void,
): Promise<void> => {
  let seen = 0;
  const enter = async (folder: string, parents: readonly string[]): Promise<void> => {
    for (const entry of await entriesIn(folders, folder, signal)) {
      const relative = [...parents, entry.name].join('/');
      if (++seen > MOST_ENTRIES)
        throw new AccessError(`There are more than ${MOST_ENTRIES} entries: begin further down, or exclude some`);
      if (seen % 1_000 === 0) await onProgress?.(seen);
      if (excluded(relative)) continue;
      const isFolder = entry.isDirectory();
      visit({ name: entry.name, relative, isFolder }, parents);
      if (!isFolder || parents.length >= MOST_DEPTH) continue;
      // What may not be read is left out, and the rest is not.
      await enter(join(folder, entry.name), [...parents, entry.name]).catch((error: unknown) => {
        if (!(error instanceof AccessError) || error.message.startsWith('There are more')) throw error;
      });
    }
  };
  await enter(start, []);
};

/** A path with `/` on every system. */
export const slashed = (path: string): string => (sep === '/' ? path : path.replaceAll(sep, '/'));
