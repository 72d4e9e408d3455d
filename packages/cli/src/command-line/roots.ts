import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { CommandLine } from './command-line.ts';

/** Folders as file URIs. Those that are URIs already stay as they are. */
export function foldersIn(folders: readonly string[]): string[] {
  return folders.map((folder) => (folder.startsWith('file://') ? folder : pathToFileURL(resolve(folder)).href));
}

/** The folders of `--roots`, as file URIs. Undefined without the option. */
export function parseRoots(line: CommandLine): string[] | undefined {
  const given = line.values('roots');
  if (given.length === 0) return undefined;
  return foldersIn(given.flatMap((list) => list.split(',')).filter((folder) => folder !== ''));
}
