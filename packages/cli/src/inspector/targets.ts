import { existsSync } from 'node:fs';
import { basename, resolve } from 'node:path';
import process from 'node:process';
import type { ReadServers, ServerConfig } from '@tenon/host';
import type { Target } from '@tenon/inspector';
import type { CommandLine } from '../command-line.ts';
import { usage } from '../failure.ts';
import { oneLine } from '../printable.ts';
import { targetOf } from '../server-command.ts';
import { revisionGiven } from '../session.ts';
import { splitWords } from './words.ts';

/** Is loaded only where a configuration is read: it is large, and a command or an address does not need it. */
function loadHost(): Promise<typeof import('@tenon/host')> {
  return import('@tenon/host');
}

/** Programs that start others: the name is in what follows. */
const STARTERS = /^(?:node(?:\d+)?|npx|pnpx|bunx|uvx|uv|python3?|deno|bun|tsx|docker|run|-m|-y|--yes|exec|dlx|tenon)$/;

/** What a server is called that nobody gave a name: after its program, or its address. */
const nameOf = (words: readonly string[]): string => {
  const [first = 'server'] = words;
  if (/^https?:/i.test(first)) return new URL(first).host;
  const word = words.map((one) => basename(one)).find((one) => !STARTERS.test(one) && !one.startsWith('-')) ?? first;
  return basename(word).replace(/\.[cm]?[jt]sx?$|\.py$/, '') || 'server';
};

/** Names as they can stand in an address, each once. */
export const withIds = (targets: readonly Omit<Target, 'id'>[], taken: ReadonlySet<string> = new Set()): Target[] => {
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
};

/** A server of a configuration, as it is started. */
const fromConfig = async (config: ServerConfig): Promise<Omit<Target, 'id'>> => {
  const { resolveServer } = await loadHost();
  const { alias, launch, revision } = await resolveServer(config).catch((error: Error) => {
    // A variable without a value is for the person to set.
    throw error.name === 'ConfigError' ? usage(error.message, undefined, 'bad_config') : error;
  });
  if (launch.kind === 'value') throw usage(`The server ${alias} cannot be started by a command`);
  return {
    name: alias,
    ...(revision === undefined ? {} : { revision }),
    launch:
      launch.kind === 'stdio'
        ? {
            command: launch.command,
            args: launch.args,
            env: launch.env,
            ...(launch.cwd === undefined ? {} : { cwd: launch.cwd }),
          }
        : { url: launch.url, headers: launch.headers },
  };
};

const readConfig = async (path: string, trust: 'user' | 'project'): Promise<ReadServers> => {
  if (!existsSync(path)) throw usage(`The file ${path} of --config does not exist`);
  try {
    const { readServers } = await loadHost();
    return await readServers(path, { trust });
  } catch (error) {
    throw usage((error as Error).message, undefined, 'bad_config');
  }
};

/** The configurations whose servers can be named. */
const configsOf = async (line: CommandLine): Promise<readonly ReadServers[]> => {
  const files = line.values('config');
  if (files.length > 0) return Promise.all(files.map((file) => readConfig(resolve(file), 'user')));
  const { findConfig } = await loadHost();
  const found = await findConfig(process.cwd());
  return found === undefined ? [] : [await readConfig(found, 'project')];
};

/** Servers that were pasted: a configuration as JSON, an address, or a command as a shell would take it. */
export const readTargets = async (text: string): Promise<readonly Omit<Target, 'id'>[]> => {
  const trimmed = text.trim();
  if (trimmed.startsWith('{')) {
    const { parseServers } = await loadHost();
    const { servers, problems } = await parseServers(trimmed, {
      file: 'what was pasted',
      trust: 'user',
      syntax: 'json',
    }).catch((error: unknown) => {
      throw usage((error as Error).message, undefined, 'bad_config');
    });
    if (servers.length === 0)
      throw usage(
        'There is no server in this JSON',
        problems[0]?.message ?? 'Write { "mcpServers": { "name": { "command": "…" } } }.',
      );
    return Promise.all(servers.map(fromConfig));
  }
  const words = splitWords(trimmed);
  const [first, ...rest] = words;
  if (first === undefined) throw usage('There is no server in this', 'Write a command, an address, or JSON.');
  if (/^https?:\/\//i.test(first)) {
    if (rest.length > 0 || !URL.canParse(first)) throw usage('This is no address of a server');
    return [{ name: nameOf(words), launch: { url: first } }];
  }
  return [{ name: nameOf(words), launch: { command: first, args: rest } }];
};

/**
 * The servers of the command line, in this order: addresses, pasted JSON and names of a configuration as they stand there, then the
 * command after `--`. A word that is none of these begins a command, too.
 */
export const targetsGiven = async (line: CommandLine): Promise<Target[]> => {
  const revision = await revisionGiven(line);
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
      // Whoever names a configuration does not mean a program that happens to be called so.
      if (line.target !== undefined || line.given.has('config'))
        throw usage(
          `There is no server called ${oneLine(word, 100)}`,
          known.length === 0
            ? 'Names are those of --config, or of the .mcp.json of this folder.'
            : `Names are ${known
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
        launch: { command, args, env, inheritEnv, ...(cwd === undefined ? {} : { cwd }) },
      });
    }
  }
  if (found.length === 0 && line.given.has('config'))
    for (const { servers } of configs ?? (await configsOf(line)))
      found.push(...(await Promise.all(servers.map(fromConfig))));
  return withIds(found.map((target) => (revision === undefined ? target : { ...target, revision })));
};

/** The server of a configuration that is called so. */
export const configured = async (line: CommandLine, name: string): Promise<Omit<Target, 'id'> | undefined> => {
  const entry = (await configsOf(line)).flatMap(({ servers }) => servers).find(({ alias }) => alias === name);
  return entry === undefined ? undefined : fromConfig(entry);
};

/** The one server that a check is about. Throws a usage failure for none and for several. */
export const targetGiven = async (line: CommandLine): Promise<Target> => {
  const [target, more] = await targetsGiven(line);
  if (target === undefined)
    throw usage(
      'There is no server to look at',
      `Put its command after --, or its URL: tenon ${line.words[0]} -- node server.js`,
    );
  if (more !== undefined) throw usage('This looks at one server at a time');
  return target;
};
