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

/** The servers that connect to a database: an example of its URL, and the environment variable for its password. */
const DATABASES: ReadonlyMap<string, { readonly example: string; readonly password: string }> = new Map([
  ['postgres', { example: 'postgres://ann@localhost:5432/shop', password: 'PGPASSWORD' }],
]);

/** The arguments of a server, and the environment variables that it needs. */
interface Arguments {
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}

/** The URL of a database without its password, which goes into a variable: other users of the machine can see the arguments of a process. */
function databaseArguments(name: string, given: readonly string[], isShared: boolean): Arguments {
  const { example, password: variable } = DATABASES.get(name)!;
  const [text, ...more] = given;
  if (text === undefined || more.length > 0 || !URL.canParse(text))
    throw new Error(`the server ${name} needs the URL of a database: tenon config add ${name} ${example} --host …`);
  const url = new URL(text);
  const { password } = url;
  if (password === '') return { args: [text], env: {} };
  if (isShared)
    throw new Error(
      `a password does not belong in a file that others share: leave it out, and set ${variable} where the host runs`,
    );
  url.password = '';
  return { args: [url.href], env: { [variable]: decodeURIComponent(password) } };
}

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
  given: readonly string[],
  isShared: boolean,
  format: Pick<Format, 'projectFolder'>,
): CommandLaunch {
  const { args: own, env } = DATABASES.has(name)
    ? databaseArguments(name, given, isShared)
    : { args: folderArguments(name, given, isShared, format), env: {} };
  const args = ['run', name, ...own];
  return isShared
    ? { kind: 'stdio', command: 'tenon', args, env }
    : { kind: 'stdio', command: process.execPath, args: [realpathSync(process.argv[1]!), ...args], env };
}

function folderArguments(
  name: string,
  folders: readonly string[],
  isShared: boolean,
  format: Pick<Format, 'projectFolder'>,
): readonly string[] {
  const takes = FOLDERS.get(name);
  if (takes === undefined && folders.length > 0) throw new Error(`the server ${name} takes no folders`);
  if (folders.length === 0 && (takes?.needed === 'always' || (takes !== undefined && !isShared)))
    throw new Error(`the server ${name} needs a folder: tenon config add ${name} <folder>… --host …`);
  return folders.map((folder) => folderArgument(folder, isShared, format));
}
