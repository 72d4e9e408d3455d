import { existsSync } from 'node:fs';
import { basename, resolve } from 'node:path';
import process from 'node:process';
import type { ReadServers, ServerConfig } from '@tenon/host';
import type { Target } from '@tenon/inspector';
import type { CommandLine } from '../command-line/command-line.ts';
import { usage } from '../failure/failure.ts';
import { oneLine } from '../terminal/printable.ts';
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

/** Resolves a server of a configuration to the command or URL to launch. */
async function fromConfig(config: ServerConfig): Promise<Omit<Target, 'id'>> {
  const { resolveServer } = await loadHost();
  const { alias, launch, revision } = await resolveServer(config).catch((error: Error) => {
    // An unset variable is the user's to set.
    throw error.name === 'ConfigError' ? usage(error.message, undefined, 'bad_config') : error;
  });
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
        : { url: launch.url, headers: launch.headers },
  };
}

async function readConfig(path: string, trust: 'user' | 'project'): Promise<ReadServers> {
  if (!existsSync(path)) throw usage(`The file ${path} of --config does not exist`);
  try {
    const { readServers } = await loadHost();
    return await readServers(path, { trust });
  } catch (error) {
    throw usage((error as Error).message, undefined, 'bad_config');
  }
}

/** The configurations whose servers the command line can name. */
async function configsOf(line: CommandLine): Promise<readonly ReadServers[]> {
  const files = line.values('config');
  if (files.length > 0) return Promise.all(files.map((file) => readConfig(resolve(file), 'user')));
  const { findConfig } = await loadHost();
  const found = await findConfig(process.cwd());
  return found === undefined ? [] : [await readConfig(found, 'project')];
}

/** Parses pasted servers: a configuration as JSON, a URL, or a shell command. */
export async function readTargets(text: string): Promise<readonly Omit<Target, 'id'>[]> {
  const trimmed = text.trim();
  if (trimmed.startsWith('{')) {
    const { parseServers } = await loadHost();
    const { servers, problems } = await parseServers(trimmed, {
      file: 'the pasted text',
      trust: 'user',
      syntax: 'json',
    }).catch((error: unknown) => {
      throw usage((error as Error).message, undefined, 'bad_config');
    });
    if (servers.length === 0)
      throw usage(
        'This JSON contains no server',
        problems[0]?.message ?? 'Write { "mcpServers": { "name": { "command": "…" } } }.',
      );
    return Promise.all(servers.map(fromConfig));
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
 * The servers on the command line: URLs, pasted JSON and names from a configuration, in their order, then the command after `--`. Any
 * other word also begins a command.
 */
export async function resolveTargets(line: CommandLine): Promise<Target[]> {
  const revision = await parseRevision(line);
  const found: Omit<Target, 'id'>[] = [];
  let configs: readonly ReadServers[] | undefined;
  const words = line.words.slice(1);
  for (const [index, word] of words.entries()) {
    if (word.startsWith('{') || /^https?:\/\//i.test(word)) {
      found.push(...(await readTargets(word)));
      continue;
    }
    configs ??= await configsOf(line);
    const known = configs.flatMap(({ servers }) => servers);
    const entry = known.find(({ alias }) => alias === word);
    if (entry === undefined) {
      // With --config, the word is a misspelled name rather than a program.
      if (line.target !== undefined || line.given.has('config'))
        throw usage(
          `There is no server called ${oneLine(word, 100)}`,
          known.length === 0
            ? 'Names come from --config, or from the .mcp.json of this folder.'
            : `Known names: ${known
                .slice(0, 20)
                .map(({ alias }) => oneLine(alias, 60))
                .join(', ')}.`,
        );
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
  if (found.length === 0 && line.given.has('config'))
    for (const { servers } of configs ?? (await configsOf(line)))
      found.push(...(await Promise.all(servers.map(fromConfig))));
  return withIds(found.map((target) => (revision === undefined ? target : { ...target, revision })));
}

/** The server with this name in a configuration, if there is one. */
export async function configured(line: CommandLine, name: string): Promise<Omit<Target, 'id'> | undefined> {
  const entry = (await configsOf(line)).flatMap(({ servers }) => servers).find(({ alias }) => alias === name);
  return entry === undefined ? undefined : fromConfig(entry);
}

/** The single server of the command line. Throws a usage failure for none and for several. */
export async function resolveTarget(line: CommandLine): Promise<Target> {
  const [target, more] = await resolveTargets(line);
  if (target === undefined)
    throw usage('No server is given', `Put its command after --, or its URL: tenon ${line.words[0]} -- node server.js`);
  if (more !== undefined) throw usage('Only one server can be given');
  return target;
}
