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

function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
}

/** A folder as it is written in an entry: relative to the project in a file of a project, so that the file works for others, too. */
function folderArgument(given: string, isShared: boolean, { projectFolder }: Pick<Format, 'projectFolder'>): string {
  const path = resolve(given === '~' || given.startsWith(`~${sep}`) ? join(homedir(), given.slice(1)) : given);
  if (!isFolder(path)) throw new Error(`${given} is not a folder`);
  const inside = relative(process.cwd(), path);
  if (!isShared || inside.startsWith('..') || isAbsolute(inside)) return path;
  return [projectFolder, ...inside.split(sep)].filter((part) => part !== '').join('/');
}

/**
 * The entry of a server of this project. In a file of the user it has the full path of this command, because the host may not find it
 * otherwise; in a shared file it has only the name. Throws an `Error` with the reason if the server could do nothing.
 */
export function ownEntry(
  name: string,
  folders: readonly string[],
  isShared: boolean,
  format: Pick<Format, 'projectFolder'>,
): CommandLaunch {
  const takes = FOLDERS.get(name);
  if (takes === undefined && folders.length > 0) throw new Error(`the server ${name} takes no folders`);
  if (folders.length === 0 && (takes?.needed === 'always' || (takes !== undefined && !isShared)))
    throw new Error(`the server ${name} needs a folder: tenon config add ${name} <folder>… --host …`);
  const args = ['run', name, ...folders.map((folder) => folderArgument(folder, isShared, format))];
  return isShared
    ? { kind: 'stdio', command: 'tenon', args, env: {} }
    : { kind: 'stdio', command: process.execPath, args: [realpathSync(process.argv[1]!), ...args], env: {} };
}
