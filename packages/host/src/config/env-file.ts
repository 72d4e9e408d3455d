import { realpath } from 'node:fs/promises';
import { basename, dirname, isAbsolute, relative, resolve, sep } from 'node:path';
import process from 'node:process';
import type { ErrorCode } from '../values/error-codes.ts';
import { ConfigError, shown } from './config-error.ts';
import { readText } from './read-text.ts';
import type { CommandLaunch, ServerConfig } from './server-config.ts';

/** Maximum size of an env file in bytes, and of variables in it. */
const MAX_BYTES = 256 * 1024;
const MAX_VARIABLES = 1000;

const ESCAPES: Readonly<Record<string, string>> = { n: '\n', r: '\r', t: '\t', '"': '"', '\\': '\\' };

const NAME = /[ \t]*(?:export[ \t]+)?([A-Za-z_][\w.-]*)[ \t]*=[ \t]*/y;
const BLANK = /[ \t]*(?:#[^\n]*)?(?:\n|$)/y;
/** A quoted value can span several lines. */
const QUOTED = /'([^']*)'|`([^`]*)`|"((?:[^"\\]|\\[^])*)"/y;
/** An unquoted value ends at the end of the line, or at a `#` after a space. */
const PLAIN = /(?:(?![ \t]#)[^\n])*/y;

function matchAt(pattern: RegExp, text: string, at: number): RegExpExecArray | null {
  pattern.lastIndex = at;
  return pattern.exec(text);
}

function valueAt(text: string, at: number): { value: string; end: number } | undefined {
  const quoted = matchAt(QUOTED, text, at);
  if (quoted !== null) {
    const [all, single, back, double] = quoted;
    const value = single ?? back ?? double!.replaceAll(/\\([^])/g, (both, one: string) => ESCAPES[one] ?? both);
    return { value, end: at + all.length };
  }
  // An unclosed quote would take the rest of the file, or a part of a secret, as the value.
  if (/^['"`]/.test(text.slice(at, at + 1))) return undefined;
  const [plain] = matchAt(PLAIN, text, at)!;
  return { value: plain.startsWith('#') ? '' : plain.trim(), end: at + (plain.startsWith('#') ? 0 : plain.length) };
}

/** Parses variables in dotenv format: comments, `export`, quotes. Nothing is expanded. Throws a `ConfigError`. */
export function parseEnvFile(source: string, file: string): Record<string, string> {
  const text = source.replace(/^\uFEFF/, '').replaceAll(/\r\n?/g, '\n');
  const found = new Map<string, string>();
  const fail = (at: number, message: string, code: ErrorCode<'ConfigError'> = 'invalid-syntax'): never => {
    throw new ConfigError(code, message, { file, at: { line: text.slice(0, at).split('\n').length, column: 1 } });
  };
  for (let at = 0; at < text.length;) {
    const blank = matchAt(BLANK, text, at);
    if (blank !== null) {
      at += blank[0].length;
      continue;
    }
    const named =
      matchAt(NAME, text, at) ?? fail(at, 'This line is not a variable. Write NAME=value, or # before a comment.');
    const read =
      valueAt(text, at + named[0].length) ?? fail(at, 'The quotes of this value are not closed. Close them.');
    const rest = matchAt(BLANK, text, read.end) ?? fail(at, 'There is text after the closing quote. Remove it.');
    if (read.value.includes('\0')) fail(at, 'This value has a NUL character. Remove it.');
    found.set(named[1]!, read.value);
    if (found.size > MAX_VARIABLES)
      fail(at, `There are more than ${MAX_VARIABLES} variables. Remove some.`, 'too-large');
    at = read.end + rest[0].length;
  }
  return Object.fromEntries(found);
}

/** Reads the variables of an env file. Rejects with a `ConfigError`. */
export async function readEnvFile(path: string): Promise<Record<string, string>> {
  return parseEnvFile(await readText(path, MAX_BYTES), path);
}

/** Whether a path is below a folder. */
export function isInside(path: string, folder: string): boolean {
  const way = relative(folder, path);
  return way !== '' && way !== '..' && !way.startsWith(`..${sep}`) && !isAbsolute(way);
}

/** The folders of a project in which other hosts keep their configuration. */
const OF_HOSTS: ReadonlySet<string> = new Set(['.codex', '.cursor', '.gemini', '.qwen', '.vscode', '.zed']);

/**
 * The project folder of a configuration file. Other hosts keep theirs in a subfolder.
 *
 * @example
 * ```ts
 * import { projectOf } from '@tenon/host/formats';
 *
 * console.log(projectOf('/work/app/.vscode/mcp.json')); // /work/app
 * ```
 */
export function projectOf(file: string): string {
  const folder = dirname(resolve(file));
  return OF_HOSTS.has(basename(folder)) ? dirname(folder) : folder;
}

/** The path of the env file. A relative path is resolved against the working folder of the server, or else against `folder`. */
export function envFilePath({ cwd = '', envFile = '' }: CommandLaunch, folder: string): string {
  return resolve(folder, cwd, envFile);
}

/**
 * Adds the variables of `envFile` to a server; those of its own `env` take precedence. The path has to be expanded already. The file of a
 * project has to be inside the project, after resolving links: an untrusted project must not read the files of its user. Rejects with a
 * `ConfigError`.
 */
export async function withEnvFile(config: ServerConfig, folder: string = process.cwd()): Promise<ServerConfig> {
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
        'outside-project',
        `The server "${shown(config.alias)}" cannot be used. Its "envFile" is outside the project, and this setting comes from the project, not from you. ` +
          'Move the file into the project, or define the server in your own configuration.',
        { file: path },
      );
    }
    path = file!;
  }
  return { ...config, launch: { ...rest, env: { ...(await readEnvFile(path)), ...launch.env } } };
}
