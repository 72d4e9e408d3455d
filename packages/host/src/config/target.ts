import process from 'node:process';
import type { Command, Target } from 'tenon/client';
import type { CommandLaunch, WrittenLaunch } from './server-config.ts';

function isCommand(target: Target): target is Command {
  return 'command' in (target as object) && typeof (target as Partial<Command>).command === 'string';
}

function inheritedVariables(names: readonly string[]): Record<string, string> {
  return Object.fromEntries(
    names.flatMap((name) => (process.env[name] === undefined ? [] : [[name, process.env[name]]])),
  );
}

function commandLaunch({ command, args = [], env = {}, inheritEnv = [], cwd, ...how }: Command): CommandLaunch {
  return {
    kind: 'stdio',
    command,
    args,
    env: { ...inheritedVariables(inheritEnv), ...env },
    cwd,
    how: Object.keys(how).length === 0 ? undefined : how,
  };
}

/** Converts a target to the launch that a configuration would define. Undefined for a server of this program, or a channel. */
export function launchOf(target: Target): WrittenLaunch | undefined {
  if (typeof target === 'string' || target instanceof URL) return { kind: 'http', url: String(target), headers: {} };
  return isCommand(target) ? commandLaunch(target) : undefined;
}
