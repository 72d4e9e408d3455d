import process from 'node:process';
import type { Target } from '@tenon/inspector';
import type { CommandLine } from '../command-line/command-line.ts';
import { type WrittenLaunch, writeEntry } from '@tenon/host/formats';
import { type Host, HOSTS } from '../config/hosts.ts';
import { printServers } from '../config/print.ts';
import { usage } from '../failure/failure.ts';
import { resolveTargets } from '../inspector/targets.ts';
import type { VerbContext } from '../session/session.ts';

/** Other names for hosts: a short one, and the file name that many programs share. */
const ALIASES: ReadonlyMap<string, string> = new Map([
  ['claude', 'claude-desktop'],
  ['mcp.json', 'claude-code'],
]);

function hostOf(name: string | undefined): Host {
  const host = HOSTS.find((known) => known.name === (ALIASES.get(name ?? 'mcp.json') ?? name));
  if (host !== undefined) return host;
  throw usage(
    `There is no host called ${name}`,
    `Hosts are ${[...ALIASES.keys(), ...HOSTS.map((known) => known.name)].join(', ')}.`,
  );
}

function passedOn(names: readonly string[]): Record<string, string> {
  return Object.fromEntries(
    names.flatMap((name) => (process.env[name] === undefined ? [] : [[name, process.env[name]]])),
  );
}

function launchOf({ launch }: Target): WrittenLaunch {
  return 'url' in launch
    ? { kind: 'http', url: launch.url, headers: launch.headers ?? {} }
    : {
        kind: 'stdio',
        command: launch.command,
        args: launch.args ?? [],
        // Write the values of inherited variables: the host does not run in this terminal.
        env: { ...passedOn(launch.inheritEnv ?? []), ...launch.env },
        cwd: launch.cwd,
      };
}

/** `tenon export`: prints the servers of the command line in the format of a host, including secrets. */
export async function exportServers(line: CommandLine, { screen }: VerbContext): Promise<void> {
  const host = hostOf(line.value('to'));
  const targets = await resolveTargets(line, screen.warn);
  if (targets.length === 0) throw usage('No server is given', 'tenon export --to cursor -- node server.js');
  const servers = Object.fromEntries(
    targets.map((target) => {
      try {
        return [target.id, writeEntry(host, target.id, launchOf(target))];
      } catch (error) {
        throw usage(`${host.title} does not support ${target.name}: ${(error as Error).message}`);
      }
    }),
  );
  const text = await printServers(host, servers);
  screen.result({ json: () => text, text: () => text });
}
