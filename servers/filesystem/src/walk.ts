import type { Dirent } from 'node:fs';
import { opendir } from 'node:fs/promises';
import { join, sep } from 'node:path';
import { withFolder } from './access.ts';
import { AccessError, type Folders } from '../../shared/folders.ts';

/** Maximum number of entries visited in one call. */
const MAX_ENTRIES = 100_000;
const MAX_DEPTH = 64;

export interface Entry {
  readonly name: string;
  /** The path relative to the start folder, with `/` on every system. */
  readonly relative: string;
  readonly isFolder: boolean;
}

export interface WalkOptions {
  readonly signal: AbortSignal;
  /** Whether to skip an entry and everything in it. */
  readonly excluded: (relative: string) => boolean;
  /** Called after every 1,000 entries with the number of entries so far. */
  readonly onProgress?: (seen: number) => unknown;
}

/** The entries of a folder, sorted by name. Links are included, but not followed. */
export function entriesIn(folders: Folders, folder: string, signal: AbortSignal): Promise<Dirent[]> {
  return withFolder(folders, folder, async ({ path }) => {
    const found: Dirent[] = [];
    for await (const entry of await opendir(path, { bufferSize: 256 })) {
      signal.throwIfAborted();
      found.push(entry);
      if (found.length > MAX_ENTRIES) throw new AccessError(`There are more than ${MAX_ENTRIES} entries in ${folder}`);
    }
    return found.sort((a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0));
  });
}

/** Visits everything in a folder; `visit` is called for a folder before its contents. */
export async function walk(
  folders: Folders,
  start: string,
  { signal, excluded, onProgress }: WalkOptions,
  visit: (entry: Entry, parents: readonly string[]) => void,
): Promise<void> {
  let seen = 0;
  const enter = async (folder: string, parents: readonly string[]): Promise<void> => {
    for (const entry of await entriesIn(folders, folder, signal)) {
      const relative = [...parents, entry.name].join('/');
      if (++seen > MAX_ENTRIES)
        throw new AccessError(`There are more than ${MAX_ENTRIES} entries: start in a subfolder, or exclude some`);
      if (seen % 1_000 === 0) await onProgress?.(seen);
      if (excluded(relative)) continue;
      const isFolder = entry.isDirectory();
      visit({ name: entry.name, relative, isFolder }, parents);
      if (!isFolder || parents.length >= MAX_DEPTH) continue;
      // Skip folders that may not be read.
      await enter(join(folder, entry.name), [...parents, entry.name]).catch((error: unknown) => {
        if (!(error instanceof AccessError) || error.message.startsWith('There are more')) throw error;
      });
    }
  };
  await enter(start, []);
}

/** A path with `/` on every system. */
export function slashed(path: string): string {
  return sep === '/' ? path : path.replaceAll(sep, '/');
}
