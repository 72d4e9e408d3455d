// The entries of the servers that come with this project.
import { realpathSync, statSync } from 'node:fs';
import { isAbsolute, relative, resolve, sep } from 'node:path';
import process from 'node:process';
import type { Format, WrittenLaunch } from '@tenon/host/formats';
import { expandHome } from '@tenon/values/node/expand-home';

type CommandLaunch = Extract<WrittenLaunch, { kind: 'stdio' }>;

/** What a server is given in `tenon config add <name> …`. Servers that are not in `TAKES` are given nothing. */
type Takes =
  /** The folders to work in. In the file of a project, a server may use the folder of the project instead. */
  | { readonly kind: 'folders'; readonly needed: 'always' | 'outside a project' }
  /** One file, which is the value of an option. */
  | { readonly kind: 'file'; readonly option: string }
  /** The URL of a database. `secret`: the variable for the password, or for the whole URL if it contains one. */
  | {
      readonly kind: 'url';
      readonly example: string;
      readonly needed: boolean;
      readonly secret: { readonly variable: string; readonly value: 'password' | 'url' };
    };

const TAKES: ReadonlyMap<string, Takes> = new Map<string, Takes>([
  ['filesystem', { kind: 'folders', needed: 'always' }],
  ['git', { kind: 'folders', needed: 'outside a project' }],
  [
    'postgres',
    {
      kind: 'url',
      example: 'postgres://ann@localhost:5432/shop',
      needed: true,
      secret: { variable: 'PGPASSWORD', value: 'password' },
    },
  ],
  [
    'redis',
    {
      kind: 'url',
      example: 'redis://localhost:6379/0',
      needed: false,
      secret: { variable: 'REDIS_URL', value: 'url' },
    },
  ],
  ['sqlite', { kind: 'file', option: '--db-path' }],
]);

/** The variables with the tokens that servers need. Each row: any of these is enough. */
const TOKENS: ReadonlyMap<string, readonly string[]> = new Map([
  ['brave-search', ['BRAVE_API_KEY']],
  ['everart', ['EVERART_API_KEY']],
  ['github', ['GITHUB_PERSONAL_ACCESS_TOKEN', 'GITHUB_TOKEN']],
  ['gitlab', ['GITLAB_PERSONAL_ACCESS_TOKEN', 'GITLAB_TOKEN']],
  ['google-maps', ['GOOGLE_MAPS_API_KEY']],
  ['sentry', ['SENTRY_AUTH_TOKEN', 'SENTRY_TOKEN']],
  ['slack', ['SLACK_BOT_TOKEN']],
]);

/** The variable that a server of this project needs and an entry does not have. */
export function missingVariable(name: string, env: Readonly<Record<string, string>>): string | undefined {
  const variables = TOKENS.get(name) ?? [];
  return variables.some((variable) => Object.hasOwn(env, variable)) ? undefined : variables[0];
}

/** The arguments of a server, and the environment variables that it needs. */
interface Arguments {
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}

/** The file that an entry is for. */
interface Destination {
  /** Others have it, too, as the file of a project. */
  readonly isShared: boolean;
  readonly format: Pick<Format, 'projectFolder'>;
}

function isThere(kind: 'file' | 'folder', path: string): boolean {
  const found = statSync(path, { throwIfNoEntry: false });
  return (kind === 'folder' ? found?.isDirectory() : found?.isFile()) === true;
}

/** A path as it is written in an entry: relative to the project in a file of a project, so that the file works for others, too. */
function pathArgument(kind: 'file' | 'folder', given: string, { isShared, format }: Destination): string {
  const path = resolve(expandHome(given));
  if (!isThere(kind, path)) throw new Error(`${given} is not a ${kind}`);
  const inside = relative(process.cwd(), path);
  if (!isShared || inside.startsWith('..') || isAbsolute(inside)) return path;
  return [format.projectFolder, ...inside.split(sep)].filter((part) => part !== '').join('/');
}

function folderArguments(
  name: string,
  folders: readonly string[],
  takes: Extract<Takes, { kind: 'folders' }>,
  destination: Destination,
): Arguments {
  if (folders.length === 0 && (takes.needed === 'always' || !destination.isShared))
    throw new Error(`the server ${name} needs a folder: tenon config add ${name} <folder>… --host …`);
  return { args: folders.map((folder) => pathArgument('folder', folder, destination)), env: {} };
}

function fileArguments(
  name: string,
  [file, ...more]: readonly string[],
  { option }: Extract<Takes, { kind: 'file' }>,
  destination: Destination,
): Arguments {
  if (file === undefined || more.length > 0)
    throw new Error(`the server ${name} needs one file: tenon config add ${name} <file> --host …`);
  return { args: [option, pathArgument('file', file, destination)], env: {} };
}

/** A URL with its password in a variable: other users of the machine can see the arguments of a process. */
function urlArguments(
  name: string,
  [text, ...more]: readonly string[],
  { example, needed, secret }: Extract<Takes, { kind: 'url' }>,
  { isShared }: Destination,
): Arguments {
  if (text === undefined && !needed) return { args: [], env: {} };
  if (text === undefined || more.length > 0 || !URL.canParse(text))
    throw new Error(`the server ${name} needs the URL of a database: tenon config add ${name} ${example} --host …`);
  const url = new URL(text);
  const { password } = url;
  if (password === '') return { args: [text], env: {} };
  if (isShared)
    throw new Error(
      `a password does not belong in a file that others share: leave it out, and set ${secret.variable} where the host runs`,
    );
  if (secret.value === 'url') return { args: [], env: { [secret.variable]: text } };
  url.password = '';
  return { args: [url.href], env: { [secret.variable]: decodeURIComponent(password) } };
}

/** Throws an `Error` with the reason if the server could do nothing with what it is given. */
function argumentsOf(name: string, given: readonly string[], destination: Destination): Arguments {
  const takes = TAKES.get(name);
  switch (takes?.kind) {
    case 'folders':
      return folderArguments(name, given, takes, destination);
    case 'file':
      return fileArguments(name, given, takes, destination);
    case 'url':
      return urlArguments(name, given, takes, destination);
    case undefined:
      if (given.length > 0) throw new Error(`the server ${name} takes no arguments`);
      return { args: [], env: {} };
  }
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
  const { args: own, env } = argumentsOf(name, given, { isShared, format });
  const args = ['run', name, ...own];
  return isShared
    ? { kind: 'stdio', command: 'tenon', args, env }
    : { kind: 'stdio', command: process.execPath, args: [realpathSync(process.argv[1]!), ...args], env };
}
