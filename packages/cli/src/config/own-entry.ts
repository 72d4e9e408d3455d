// The entries of the servers that come with this project.
import { realpathSync, statSync } from 'node:fs';
import { homedir } from 'node:os';
import { isAbsolute, join, relative, resolve, sep } from 'node:path';
import process from 'node:process';
import type { Format, WrittenLaunch } from '@tenon/host/formats';

type CommandLaunch = Extract<WrittenLaunch, { kind: 'stdio' }>;

/** The servers that work in folders. `needed`: also in a project, where others work in its folder. */
const FOLDERS: ReadonlyMap<string, { readonly needed: 'always' | 'outside a project' }> = new Map([
  ['filesystem', { needed: 'always' }],
  ['git', { needed: 'outside a project' }],
]);

function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
}

/** A folder as it stands in an entry: in a file of a project relative to the project, so that the file is right for others, too. */
function folderArgument(given: string, isShared: boolean, { projectFolder }: Pick<Format, 'projectFolder'>): string {
  const path = resolve(given === '~' || given.startsWith(`~${sep}`) ? join(homedir(), given.slice(1)) : given);
  if (!isFolder(path)) throw new Error(`${given} is not a folder`);
  const inside = relative(process.cwd(), path);
  if (!isShared || inside.startsWith('..') || isAbsolute(inside)) return path;
  return [projectFolder, ...inside.split(sep)].filter((part) => part !== '').join('/');
}

/**
 * The entry of a server of this project: by the full path of this command in a file of the user, whose host may not find it otherwise, and by
 * its name in a file that others share. Throws an `Error` with the reason if it could do nothing.
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
