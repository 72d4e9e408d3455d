import { existsSync } from 'node:fs';
import process from 'node:process';
import { resolve } from 'node:path';
import { findConfig, type Input, type ReadServers, readServers, type ServerConfig } from '@tenon/host';
import type { CommandLine } from '../command-line/command-line.ts';
import { usage } from '../failure/failure.ts';
import { leftOut } from '../command-line/left-out.ts';
import { targetOf } from '../command-line/server-command.ts';

/** A server that its configuration turns off. */
export type ServerOff = ReadServers['off'][number];

/** The servers of a chat, and where they come from. */
export interface ChatServers {
  readonly servers: readonly ServerConfig[];
  readonly inputs: readonly Input[];
  /** The parts of the configurations that are invalid, each with the reason. */
  readonly leftOut: readonly string[];
  /** Servers that are turned off, with the member that does it. */
  readonly off: readonly ServerOff[];
  readonly source: string | undefined;
}

/** The name of the server on the command line. */
const ON_THE_LINE = 'server';

/** The server on the command line. The user typed it, so it is started without approval, and no variables are expanded. */
function onTheLine(line: CommandLine): ServerConfig[] {
  const idle = (['header', 'env', 'cwd'] as const).find((name) => line.given.has(name));
  if (line.target === undefined && idle !== undefined) {
    throw usage(
      `--${idle} applies to a server named on the command line, but none is named`,
      'Put it into the configuration.',
    );
  }
  if (line.target === undefined) return [];
  const target = targetOf(line);
  return [{ alias: ON_THE_LINE, launch: { kind: 'value', target: 'url' in target ? target.url : target.command } }];
}

interface Source {
  readonly path: string;
  readonly trust: 'user' | 'project';
}

/** The configurations to read: those of `--config`, or else the project's, which is less trusted because others may have written it. */
async function sourcesOf(line: CommandLine): Promise<readonly Source[]> {
  const files = line.values('config');
  const missing = files.find((file) => !existsSync(file));
  if (missing !== undefined) throw usage(`The file ${missing} of --config does not exist`);
  if (files.length > 0) return files.map((path) => ({ path: resolve(path), trust: 'user' }));
  const found = line.target === undefined ? await findConfig(process.cwd()) : undefined;
  return found === undefined ? [] : [{ path: found, trust: 'project' }];
}

/** Reads the servers of the command line and the configurations. Throws a usage failure if one cannot be read. */
export async function readChatServers(line: CommandLine): Promise<ChatServers> {
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
    leftOut: leftOut(read.map(({ problems }, index) => ({ problems, off: [], path: sources[index]!.path }))),
    off: read.flatMap(({ off }) => off),
    source: sources.length === 0 ? undefined : sources.map(({ path }) => path).join(', '),
  };
}
