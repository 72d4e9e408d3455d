import type { Dirent } from 'node:fs';
import { opendir } from 'node:fs/promises';
import { join, sep } from 'node:path';
import { decodeUtf8 } from '@tenon/values/utf8';
import { withFolder } from './access.ts';
import { shownBytes, shownName } from './names.ts';
import { AccessError, type Folders } from '../../shared/folders.ts';

/** Maximum number of entries visited in one call. */
const MAX_ENTRIES = 100_000;
const MAX_DEPTH = 64;

/** An entry of a folder. Links are entries, but not followed. */
export interface FolderEntry {
  /** The name; undefined if it is not UTF-8, so that no path leads to it. */
  readonly name: string | undefined;
  /** The name as shown on a line of its own. */
  readonly shown: string;
  readonly isFolder: boolean;
}

export interface Entry {
  /** The name. If it is not UTF-8: the name as shown. */
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

/** The entries of a folder, sorted by name. */
export function entriesIn(folders: Folders, folder: string, signal: AbortSignal): Promise<FolderEntry[]> {
  return withFolder(folders, folder, async ({ path }) => {
    const found: FolderEntry[] = [];
    // The types of Node do not have the encoding 'buffer' here.
    const entries = (await opendir(path, { bufferSize: 256, encoding: 'buffer' as never })) as AsyncIterable<unknown>;
    for await (const entry of entries as AsyncIterable<Dirent<Buffer>>) {
      signal.throwIfAborted();
      const name = decodeUtf8(entry.name);
      const shown = name === undefined ? shownBytes(entry.name) : shownName(name);
      found.push({ name, shown, isFolder: entry.isDirectory() });
      if (found.length > MAX_ENTRIES) throw new AccessError(`There are more than ${MAX_ENTRIES} entries in ${folder}`);
    }
    const key = ({ name, shown }: FolderEntry): string => name ?? shown;
    return found.sort((a, b) => (key(a) < key(b) ? -1 : key(a) > key(b) ? 1 : 0));
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
    for (const { name: own, shown, isFolder } of await entriesIn(folders, folder, signal)) {
      const name = own ?? shown;
      const relative = [...parents, name].join('/');
      if (++seen > MAX_ENTRIES)
        throw new AccessError(`There are more than ${MAX_ENTRIES} entries: start in a subfolder, or exclude some`);
      if (seen % 1_000 === 0) await onProgress?.(seen);
      if (excluded(relative)) continue;
      visit({ name, relative, isFolder }, parents);
      if (!isFolder || own === undefined || parents.length >= MAX_DEPTH) continue;
      // Skip folders that may not be read.
      await enter(join(folder, own), [...parents, own]).catch((error: unknown) => {
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
