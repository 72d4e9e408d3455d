import { statSync } from 'node:fs';
import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { CommandLine } from './command-line.ts';

/** Expands the home folder, where no shell has done so. */
function withHome(folder: string): string {
  return /^~(?:$|[\\/])/.test(folder) ? join(homedir(), folder.slice(1)) : folder;
}

/** Folders as file URIs. URIs are kept unchanged. */
export function foldersIn(folders: readonly string[]): string[] {
  return folders.map((folder) =>
    folder.startsWith('file://') ? folder : pathToFileURL(resolve(withHome(folder))).href,
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
