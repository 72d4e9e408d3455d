import { realpath } from 'node:fs/promises';
import { basename, dirname, isAbsolute, relative, resolve, sep } from 'node:path';
import process from 'node:process';
import { ConfigError, shown } from './config-error.ts';
import { readText } from './read-text.ts';
import type { CommandLaunch, ServerConfig } from './server-config.ts';

/** The largest file of variables, in bytes, and the most variables in it. */
const MAX_BYTES = 256 * 1024;
const MAX_VARIABLES = 1000;

const ESCAPES: Readonly<Record<string, string>> = { n: '\n', r: '\r', t: '\t', '"': '"', '\\': '\\' };

const NAME = /[ \t]*(?:export[ \t]+)?([A-Za-z_][\w.-]*)[ \t]*=[ \t]*/y;
const BLANK = /[ \t]*(?:#[^\n]*)?(?:\n|$)/y;
/** In quotes a value can have more than one line. */
const QUOTED = /'([^']*)'|`([^`]*)`|"((?:[^"\\]|\\[^])*)"/y;
/** Without quotes it ends at a comment, which a space goes before, or with the line. */
const PLAIN = /(?:(?![ \t]#)[^\n])*/y;

const matchAt = (pattern: RegExp, text: string, at: number): RegExpExecArray | null => {
  pattern.lastIndex = at;
  return pattern.exec(text);
};

const valueAt = (text: string, at: number): { value: string; end: number } | undefined => {
  const quoted = matchAt(QUOTED, text, at);
  if (quoted !== null) {
    const [all, single, back, double] = quoted;
    const value = single ?? back ?? double!.replaceAll(/\\([^])/g, (both, one: string) => ESCAPES[one] ?? both);
    return { value, end: at + all.length };
  }
  // A quote that is not closed would make a value of the rest of the file, or of half a secret.
  if (/^['"`]/.test(text.slice(at, at + 1))) return undefined;
  const [plain] = matchAt(PLAIN, text, at)!;
  return { value: plain.startsWith('#') ? '' : plain.trim(), end: at + (plain.startsWith('#') ? 0 : plain.length) };
};

/** The variables of a text in the format of dotenv: comments, `export`, quotes. Nothing is expanded. Throws a `ConfigError`. */
export const parseEnvFile = (source: string, file: string): Record<string, string> => {
  const text = source.replace(/^\uFEFF/, '').replaceAll(/\r\n?/g, '\n');
  const found = new Map<string, string>();
  const fail = (at: number, message: string): never => {
    throw new ConfigError(message, { file, at: { line: text.slice(0, at).split('\n').length, column: 1 } });
  };
  for (let at = 0; at < text.length;) {
    const blank = matchAt(BLANK, text, at);
    if (blank !== null) {
      at += blank[0].length;
      continue;
    }
    const named =
      matchAt(NAME, text, at) ?? fail(at, 'This line is no variable. Write NAME=value, or # before a comment.');
    const read =
      valueAt(text, at + named[0].length) ?? fail(at, 'The quotes of this value are not closed. Close them.');
    const rest = matchAt(BLANK, text, read.end) ?? fail(at, 'There is something behind the quotes. Take it out.');
    if (read.value.includes('\0')) fail(at, 'This value has a NUL character. Take it out.');
    found.set(named[1]!, read.value);
    if (found.size > MAX_VARIABLES) fail(at, `There are more than ${MAX_VARIABLES} variables. Take some out.`);
    at = read.end + rest[0].length;
  }
  return Object.fromEntries(found);
};

/** Reads the variables of a file. Rejects with a `ConfigError`. */
export const readEnvFile = async (path: string): Promise<Record<string, string>> =>
  parseEnvFile(await readText(path, MAX_BYTES), path);

const isInside = (path: string, folder: string): boolean => {
  const way = relative(folder, path);
  return way !== '' && way !== '..' && !way.startsWith(`..${sep}`) && !isAbsolute(way);
};

/** The folder of the project that a configuration came with. Editors keep theirs one level down. */
const projectOf = (file: string): string => {
  const folder = dirname(resolve(file));
  return ['.vscode', '.cursor'].includes(basename(folder)) ? dirname(folder) : folder;
};

/** Where its file of variables is: a relative path begins in the folder the server starts in, if it says one, or else in `folder`. */
export const envFilePath = ({ cwd = '', envFile = '' }: CommandLaunch, folder: string): string =>
  resolve(folder, cwd, envFile);

/**
 * The server with the variables of its `envFile`, under those of its own `env`. The path is expanded already. That of a project stays in the project, links followed:
 * a project that somebody sent must not name the files of its reader. Rejects with a `ConfigError`.
 */
export const withEnvFile = async (config: ServerConfig, folder: string = process.cwd()): Promise<ServerConfig> => {
  const { launch, source } = config;
  if (launch.kind !== 'stdio' || launch.envFile === undefined) return config;
  const { envFile: _, ...rest } = launch;
  let path = envFilePath(launch, folder);
  if (source?.trust === 'project') {
    const [file, project] = await Promise.all(
      [path, projectOf(source.file)].map((each) => realpath(each).catch(() => each)),
    );
    if (!isInside(file!, project!)) {
      throw new ConfigError(
        `The server "${shown(config.alias)}" cannot be used. Its "envFile" is outside of the project, and the project says so, not you. ` +
          'Put the file into the project, or name the server in a configuration of your own.',
        { file: path },
      );
    }
    path = file!;
  }
  return { ...config, launch: { ...rest, env: { ...(await readEnvFile(path)), ...launch.env } } };
};
