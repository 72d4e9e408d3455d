import { existsSync } from 'node:fs';
import { homedir } from 'node:os';
import { basename, dirname, resolve } from 'node:path';
import process from 'node:process';
import type { Login, ReadServers, ServerConfig } from '@tenon/host';
import type { Target } from '@tenon/inspector';
import { withoutUndefined } from '@tenon/values/without-undefined';
import type { CommandLine } from '../command-line/command-line.ts';
import { leftOut } from '../command-line/left-out.ts';
import { type Failure, usage } from '../failure/failure.ts';
import { isTrace } from './named-trace.ts';
import { oneLine } from '../terminal/printable.ts';
import { quotedCommand, scriptAsProgram, withoutScheme, wrongScheme } from '../command-line/mistakes.ts';
import { targetOf } from '../command-line/server-command.ts';
import { parseRevision } from '../session/session.ts';
import { splitWords } from '../command-line/words.ts';

/** Loads the host package only when a configuration is read: it is large, and a command or a URL does not need it. */
function loadHost(): Promise<typeof import('@tenon/host')> {
  return import('@tenon/host');
}

/** Programs that start other programs, so the server's name is in their arguments. */
const STARTERS = /^(?:node(?:\d+)?|npx|pnpx|bunx|uvx|uv|python3?|deno|bun|tsx|docker|run|-m|-y|--yes|exec|dlx|tenon)$/;

/** The default name of a server, taken from its program or its URL. */
function nameOf(words: readonly string[]): string {
  const [first = 'server'] = words;
  if (/^https?:/i.test(first)) return new URL(first).host;
  const word = words.map((one) => basename(one)).find((one) => !STARTERS.test(one) && !one.startsWith('-')) ?? first;
  return basename(word).replace(/\.[cm]?[jt]sx?$|\.py$/, '') || 'server';
}

/** Adds ids that are made from the names, are unique and can be used in a URL. */
export function withIds(targets: readonly Omit<Target, 'id'>[], taken: ReadonlySet<string> = new Set()): Target[] {
  const ids = new Set(taken);
  return targets.map((target) => {
    const base =
      target.name
        .toLowerCase()
        .replaceAll(/[^a-z0-9]+/g, '-')
        .replaceAll(/^-|-$/g, '')
        .slice(0, 40) || 'server';
    let id = base;
    for (let count = 2; ids.has(id); count++) id = `${base}-${count}`;
    ids.add(id);
    return { ...target, id };
  });
}

/** The configuration files at the top of a project. */
const PROJECT_FILES: ReadonlySet<string> = new Set(['.mcp.json', 'opencode.json', 'opencode.jsonc']);

/** The project of a configuration file: `${workspaceFolder}`. For files of the user, and others, it is the current folder. */
async function folderOf(file: string | undefined): Promise<string> {
  if (file === undefined) return process.cwd();
  const { projectOf } = await import('@tenon/host/formats');
  const project = projectOf(file);
  const isOfProject = project !== dirname(resolve(file)) || PROJECT_FILES.has(basename(file));
  return isOfProject && project !== homedir() ? project : process.cwd();
}

/** The login settings of a configuration. Throws a usage failure if no login is possible with them. */
async function readLogin(config: ServerConfig): Promise<Login | undefined> {
  const { loginOf } = await import('@tenon/host/formats');
  const login = loginOf(config);
  if (login?.client === undefined) return login;
  const { checkUserClient } = await import('tenon/internal/auth');
  try {
    checkUserClient(login.client);
  } catch (error) {
    throw usage(`"oauth" of the server ${config.alias}: ${(error as Error).message}`, undefined, 'bad_config');
  }
  return login;
}

/** Resolves a server of a configuration to the command or URL to launch. */
async function fromConfig(config: ServerConfig): Promise<Omit<Target, 'id'>> {
  const { resolveServer } = await loadHost();
  const folder = await folderOf(config.source?.file);
  const resolved = await resolveServer(config, { folder }).catch((error: Error) => {
    // Only the user can set a missing variable.
    throw error.name === 'ConfigError' ? usage(error.message, undefined, 'bad_config') : error;
  });
  const { alias, launch, revision } = resolved;
  if (launch.kind === 'value') throw usage(`The server ${alias} cannot be started by a command`);
  return {
    name: alias,
    revision,
    launch:
      launch.kind === 'stdio'
        ? {
            command: launch.command,
            args: launch.args,
            env: launch.env,
            cwd: launch.cwd,
          }
        : withoutUndefined({ url: launch.url, headers: launch.headers, login: await readLogin(resolved) }),
  };
}

/** A parsed configuration. */
interface Config extends ReadServers {
  readonly path: string;
}

async function readConfig(path: string, trust: 'user' | 'project'): Promise<Config> {
  if (!existsSync(path)) throw usage(`The file ${path} of --config does not exist`);
  try {
    const { readServers } = await loadHost();
    return { ...(await readServers(path, { trust })), path };
  } catch (error) {
    throw usage((error as Error).message, undefined, 'bad_config');
  }
}

/** The configurations whose servers the command line can name. */
async function configsOf(line: CommandLine): Promise<readonly Config[]> {
  const files = line.values('config');
  if (files.length > 0) return Promise.all(files.map((file) => readConfig(resolve(file), 'user')));
  const { findConfig } = await loadHost();
  const found = await findConfig(process.cwd());
  return found === undefined ? [] : [await readConfig(found, 'project')];
}

/** Why the server of this name in a configuration cannot be used; undefined if the configuration has no server of that name. */
function whyUnusable(name: string, { path, off, problems }: Config): string | undefined {
  const turned = off.find(({ alias }) => alias === name);
  if (turned !== undefined) return `it is turned off in ${path}, by ${turned.path}`;
  const problem = problems.find(({ server }) => server === name);
  return problem === undefined ? undefined : `${path}, ${problem.path}: ${problem.message}`;
}

/** The failure for a name of the command line that is not a server of the configurations. */
function noServer(name: string, configs: readonly Config[]): Failure {
  for (const config of configs) {
    const why = whyUnusable(name, config);
    if (why !== undefined)
      return usage(`The server ${oneLine(name, 100)} cannot be used: ${oneLine(why, 500)}`, undefined, 'bad_config');
  }
  const known = configs.flatMap(({ servers }) => servers.map(({ alias }) => oneLine(alias, 60)));
  return usage(
    `There is no server called ${oneLine(name, 100)}`,
    known.length === 0
      ? 'Names come from --config, or from the .mcp.json of this folder.'
      : `Known names: ${known.slice(0, 20).join(', ')}.`,
  );
}

/**
 * Parses the URL of a server. Nothing else is accepted, because no user confirms it: JSON could have variables of this process filled in.
 */
export function readAddress(text: string): Omit<Target, 'id'> {
  const url = text.trim();
  if (!/^https?:\/\//i.test(url) || /\s/.test(url) || !URL.canParse(url))
    throw usage(
      'There is no terminal here to confirm what is started, so only an address can be added',
      'Name the server on the command line: tenon inspect -- node server.js',
    );
  return { name: nameOf([url]), launch: { url } };
}

/**
 * Parses pasted servers: a configuration as JSON, a URL, or a shell command. `warn` receives the parts of a configuration that are left
 * out.
 */
export async function readTargets(
  text: string,
  warn: (message: string) => void,
): Promise<readonly Omit<Target, 'id'>[]> {
  const trimmed = text.trim();
  if (trimmed.startsWith('{')) {
    const { parseServers } = await loadHost();
    const path = 'the pasted text';
    const read = await parseServers(trimmed, {
      file: path,
      trust: 'user',
      syntax: 'json',
    }).catch((error: unknown) => {
      throw usage((error as Error).message, undefined, 'bad_config');
    });
    const left = leftOut([{ ...read, path }]);
    if (read.servers.length === 0)
      throw usage(
        'This JSON contains no server that can be used',
        left.join(' ') || 'Write { "mcpServers": { "name": { "command": "…" } } }.',
      );
    for (const message of left) warn(message);
    return Promise.all(read.servers.map(fromConfig));
  }
  const words = splitWords(trimmed);
  const [first, ...rest] = words;
  if (first === undefined) throw usage('This names no server', 'Write a command, a URL, or JSON.');
  if (/^https?:\/\//i.test(first)) {
    if (rest.length > 0 || !URL.canParse(first)) throw usage('This is not the URL of a server');
    return [{ name: nameOf(words), launch: { url: first } }];
  }
  return [{ name: nameOf(words), launch: { command: first, args: rest } }];
}

/**
 * The servers on the command line: URLs, pasted JSON and names from a configuration, in their order, then the command after `--`. Any other
 * word also begins a command. `warn` receives the parts that are left out of a configuration that is used as a whole.
 */
export async function resolveTargets(line: CommandLine, warn: (message: string) => void): Promise<Target[]> {
  const revision = await parseRevision(line);
  const found: Omit<Target, 'id'>[] = [];
  let configs: readonly Config[] | undefined;
  const words = line.words.slice(1);
  for (const [index, word] of words.entries()) {
    if (word.startsWith('{') || /^https?:\/\//i.test(word)) {
      found.push(...(await readTargets(word, warn)));
      continue;
    }
    configs ??= await configsOf(line);
    const known = configs.flatMap(({ servers }) => servers);
    const entry = known.find(({ alias }) => alias === word);
    if (entry === undefined) {
      // With --config, the word is a misspelled name rather than a program.
      if (
        line.target !== undefined ||
        line.given.has('config') ||
        configs.some((config) => whyUnusable(word, config) !== undefined)
      )
        throw noServer(word, configs);
      if (isTrace(word))
        throw usage(
          `${oneLine(word, 100)} is a trace, not a server`,
          'tenon check takes a trace: who broke which rule; tenon inspect shows it.',
        );
      const mistake =
        words.length === index + 1
          ? (withoutScheme(word) ?? wrongScheme(word) ?? quotedCommand(word, []) ?? scriptAsProgram(word, []))
          : undefined;
      if (mistake !== undefined) throw mistake;
      const [command, ...args] = words.slice(index);
      found.push({ name: nameOf([command!, ...args]), launch: { command: command!, args } });
      break;
    }
    found.push(await fromConfig(entry));
  }
  if (line.target !== undefined) {
    const target = targetOf(line);
    if ('url' in target) found.push({ name: nameOf([target.url]), launch: target });
    else {
      const { command, args = [], env = {}, inheritEnv = [], cwd } = target.command;
      found.push({
        name: nameOf([command, ...args]),
        launch: { command, args, env, inheritEnv, cwd },
      });
    }
  }
  if (found.length === 0 && line.given.has('config')) {
    const all = await configsOf(line);
    for (const { servers } of all) found.push(...(await Promise.all(servers.map(fromConfig))));
    const [first, ...others] = leftOut(all);
    if (found.length === 0 && first !== undefined) throw usage(first, others.join(' ') || undefined, 'bad_config');
    for (const message of leftOut(all)) warn(message);
  }
  return withIds(found.map((target) => (revision === undefined ? target : { ...target, revision })));
}

/** The names of the servers that the command line can name. Starts nothing. */
export async function configuredNames(line: CommandLine): Promise<string[]> {
  return (await configsOf(line)).flatMap(({ servers }) => servers.map(({ alias }) => alias));
}

/** The server with this name in a configuration, if there is one. Throws a usage failure if it exists but cannot be used. */
export async function configured(line: CommandLine, name: string): Promise<Omit<Target, 'id'> | undefined> {
  const configs = await configsOf(line);
  const entry = configs.flatMap(({ servers }) => servers).find(({ alias }) => alias === name);
  if (entry === undefined && configs.some((config) => whyUnusable(name, config) !== undefined))
    throw noServer(name, configs);
  return entry === undefined ? undefined : fromConfig(entry);
}

/** The only server of `--config`. Throws a usage failure unless there is exactly one. */
export async function onlyConfigured(line: CommandLine): Promise<Omit<Target, 'id'>> {
  const configs = await configsOf(line);
  const servers = configs.flatMap((config) => config.servers);
  if (servers.length === 1) return fromConfig(servers[0]!);
  const [reason] = leftOut(configs);
  if (servers.length === 0) throw usage('The file of --config has no server that can be used', reason, 'bad_config');
  throw usage(
    'Which server of --config?',
    `Put its name last: ${servers
      .slice(0, 20)
      .map(({ alias }) => oneLine(alias, 60))
      .join(', ')}.`,
  );
}

/** The single server of the command line. Throws a usage failure for none and for several. */
export async function resolveTarget(line: CommandLine, warn: (message: string) => void): Promise<Target> {
  const [target, more] = await resolveTargets(line, warn);
  if (target === undefined)
    throw usage('No server is given', `Put its command after --, or its URL: tenon ${line.words[0]} -- node server.js`);
  if (more !== undefined) throw usage('Only one server can be given');
  return target;
}
