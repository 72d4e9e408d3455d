import type { Command, Target } from 'tenon/client';
import { launchOf } from '../config/target.ts';
import type { ServerConfig } from '../config/server-config.ts';
import type { Guard } from './guard.ts';

/** The command, with its process watched by the guard. */
function guarded(command: Command, { watch }: Guard): Command {
  return {
    ...command,
    onStart(process) {
      watch(process);
      command.onStart?.(process);
    },
  };
}

/** The target that the client connects to. The guard watches the process of every command. */
export function targetOf({ launch }: ServerConfig, guard: Guard): Target {
  if (launch.kind === 'value') {
    const { target } = launch;
    return launchOf(target)?.kind === 'stdio' ? guarded(target as Command, guard) : target;
  }
  if (launch.kind !== 'stdio') return launch.url;
  const { command, args, env, cwd, how } = launch;
  return guarded({ command, args, env, ...how, cwd }, guard);
}
