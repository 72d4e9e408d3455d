import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { CommandLine } from './command-line.ts';

/** The folders of `--roots`, as file URIs. Undefined without the option. */
export function parseRoots(line: CommandLine): string[] | undefined {
  const given = line.values('roots');
  if (given.length === 0) return undefined;
  const folders = given.flatMap((list) => list.split(',')).filter((folder) => folder !== '');
  return folders.map((folder) => (folder.startsWith('file://') ? folder : pathToFileURL(resolve(folder)).href));
}
