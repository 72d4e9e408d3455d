import { existsSync } from 'node:fs';
import process from 'node:process';
import { pathToFileURL } from 'node:url';
import { resolve } from 'node:path';
import { findConfig, type Input, readServers, type ServerConfig } from '@tenon/host';
import type { CommandLine } from '../command-line.ts';
import { usage } from '../failure.ts';
import { targetOf } from '../server-command.ts';

/** The servers of a chat, and what is to be said about where they come from. */
export interface Given {
  readonly servers: readonly ServerConfig[];
  readonly inputs: readonly Input[];
  readonly problems: readonly string[];
  readonly source: string | undefined;
}

/** What a server on the command line is called. */
const ON_THE_LINE = 'server';

/** Whoever typed it wants it started as it is: it is not asked about, and no variables are put in. */
const onTheLine = (line: CommandLine): ServerConfig[] => {
  const idle = (['header', 'env', 'cwd'] as const).find((name) => line.given.has(name));
  if (line.target === undefined && idle !== undefined) {
    throw usage(`--${idle} is for a server on the command line, and there is none`, 'Write it into the configuration.');
  }
  if (line.target === undefined) return [];
  const target = targetOf(line);
  return [{ alias: ON_THE_LINE, launch: { kind: 'value', target: 'url' in target ? target.url : target.command } }];
};

interface Source {
  readonly path: string;
  readonly trust: 'user' | 'project';
}

/** The configurations to read: those of --config, or else the one of the project, which somebody else may have written. */
const sourcesOf = async (line: CommandLine): Promise<readonly Source[]> => {
  const files = line.values('config');
  const missing = files.find((file) => !existsSync(file));
  if (missing !== undefined) throw usage(`The file ${missing} of --config does not exist`);
  if (files.length > 0) return files.map((path) => ({ path: resolve(path), trust: 'user' }));
  const found = line.target === undefined ? await findConfig(process.cwd()) : undefined;
  return found === undefined ? [] : [{ path: found, trust: 'project' }];
};

/** Reads which servers there are to be. Throws a usage failure for a configuration that cannot be read. */
export const serversGiven = async (line: CommandLine): Promise<Given> => {
  const sources = await sourcesOf(line);
  const own = onTheLine(line);
  const read = await Promise.all(
    sources.map(({ path, trust }) =>
      readServers(path, { trust }).catch((error: unknown) => {
        throw usage(error instanceof Error ? error.message : String(error), undefined, 'bad_config');
      }),
    ),
  );
  const servers = [...own, ...read.flatMap((one) => one.servers)];
  const twice = servers.find(({ alias }, index) => servers.findIndex((other) => other.alias === alias) !== index);
  if (twice !== undefined) {
    throw usage(`Two servers are called '${twice.alias}'`, 'Give one of them another name in its configuration.');
  }
  return {
    servers,
    inputs: read.flatMap((one) => one.inputs),
    problems: read.flatMap((one, index) =>
      one.problems.map(({ path, message }) =>
        // What is wrong with a file as a whole is at no place in it.
        [sources[index]!.path, path, message].filter((part) => part !== '').join(': '),
      ),
    ),
    source: sources.length === 0 ? undefined : sources.map(({ path }) => path).join(', '),
  };
};

/** The folders of --roots, as addresses. */
export const rootsGiven = (line: CommandLine): string[] =>
  line
    .values('roots')
    .flatMap((list) => list.split(','))
    .filter((folder) => folder !== '')
    .map((folder) => (folder.startsWith('file://') ? folder : pathToFileURL(resolve(folder)).href));
