import { statSync } from 'node:fs';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expandHome } from '@tenon/values/node/expand-home';
import type { CommandLine } from './command-line.ts';

/** Folders as file URIs. URIs are kept unchanged. */
export function foldersIn(folders: readonly string[]): string[] {
  return folders.map((folder) =>
    folder.startsWith('file://') ? folder : pathToFileURL(resolve(expandHome(folder))).href,
  );
}

/** Whether a root is a folder of this machine. False for an invalid URI, too. */
export function isFolder(uri: string): boolean {
  try {
    return statSync(new URL(uri)).isDirectory();
  } catch {
    return false;
  }
}

/** The folders of `--roots`, as file URIs. Undefined without the option. */
export function parseRoots(line: CommandLine): string[] | undefined {
  const given = line.values('roots');
  if (given.length === 0) return undefined;
  return foldersIn(given.flatMap((list) => list.split(',')).filter((folder) => folder !== ''));
}
