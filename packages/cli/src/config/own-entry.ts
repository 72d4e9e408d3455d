// The entries of the servers that come with this project.
import { realpathSync, statSync } from 'node:fs';
import { homedir } from 'node:os';
import { isAbsolute, join, relative, resolve, sep } from 'node:path';
import process from 'node:process';
import type { Format, WrittenLaunch } from '@tenon/host/formats';

type CommandLaunch = Extract<WrittenLaunch, { kind: 'stdio' }>;

/**
 * The servers that work in folders. `needed`: whether a folder is also required in a project, where they otherwise use the project's
 * folder.
 */
const FOLDERS: ReadonlyMap<string, { readonly needed: 'always' | 'outside a project' }> = new Map([
  ['filesystem', { needed: 'always' }],
  ['git', { needed: 'outside a project' }],
]);

/** The options of servers that work with one file. */
const FILE_OPTIONS: ReadonlyMap<string, string> = new Map([['sqlite', '--db-path']]);

function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
}

function isFile(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isFile() === true;
}

/** A path as it is written in an entry: relative to the project in a file of a project, so that the file works for others, too. */
function pathArgument(
  kind: 'file' | 'folder',
  given: string,
  isShared: boolean,
  { projectFolder }: Pick<Format, 'projectFolder'>,
): string {
  const path = resolve(given === '~' || given.startsWith(`~${sep}`) ? join(homedir(), given.slice(1)) : given);
  if (!(kind === 'folder' ? isFolder(path) : isFile(path))) throw new Error(`${given} is not a ${kind}`);
  const inside = relative(process.cwd(), path);
  if (!isShared || inside.startsWith('..') || isAbsolute(inside)) return path;
  return [projectFolder, ...inside.split(sep)].filter((part) => part !== '').join('/');
}

/** The arguments of a server for the paths that it works with. Throws an `Error` with the reason if it could do nothing with them. */
function pathArguments(
  name: string,
  paths: readonly string[],
  isShared: boolean,
  format: Pick<Format, 'projectFolder'>,
): readonly string[] {
  const option = FILE_OPTIONS.get(name);
  if (option !== undefined) {
    const [file, second] = paths;
    if (file === undefined || second !== undefined)
      throw new Error(`the server ${name} needs one file: tenon config add ${name} <file> --host …`);
    return [option, pathArgument('file', file, isShared, format)];
  }
  const takes = FOLDERS.get(name);
  if (takes === undefined && paths.length > 0) throw new Error(`the server ${name} takes no folders`);
  if (paths.length === 0 && (takes?.needed === 'always' || (takes !== undefined && !isShared)))
    throw new Error(`the server ${name} needs a folder: tenon config add ${name} <folder>… --host …`);
  return paths.map((path) => pathArgument('folder', path, isShared, format));
}

/**
 * The entry of a server of this project. In a file of the user it has the full path of this command, because the host may not find it
 * otherwise; in a shared file it has only the name. Throws an `Error` with the reason if the server could do nothing.
 */
export function ownEntry(
  name: string,
  paths: readonly string[],
  isShared: boolean,
  format: Pick<Format, 'projectFolder'>,
): CommandLaunch {
  const args = ['run', name, ...pathArguments(name, paths, isShared, format)];
  return isShared
    ? { kind: 'stdio', command: 'tenon', args, env: {} }
    : { kind: 'stdio', command: process.execPath, args: [realpathSync(process.argv[1]!), ...args], env: {} };
}
