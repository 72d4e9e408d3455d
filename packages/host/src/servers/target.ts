import type { Command, Target } from 'tenon/client';
import { launchOf } from '../config/target.ts';
import type { ServerConfig } from '../config/server-config.ts';
import type { Guard } from './guard.ts';

/** The functions that watch the process of a command. */
interface Watchers {
  readonly guard: Guard;
  onStderr(text: string): void;
}

/** The command, with its process watched. */
function watched(command: Command, { guard, onStderr }: Watchers): Command {
  const { stderr } = command;
  return {
    ...command,
    stderr:
      stderr === 'inherit'
        ? stderr
        : (text) => {
            onStderr(text);
            if (typeof stderr === 'function') stderr(text);
          },
    onStart(process) {
      guard.watch(process);
      command.onStart?.(process);
    },
  };
}

/** The target that the client connects to. */
export function targetOf({ launch }: ServerConfig, watchers: Watchers): Target {
  if (launch.kind === 'value') {
    const { target } = launch;
    return launchOf(target)?.kind === 'stdio' ? watched(target as Command, watchers) : target;
  }
  if (launch.kind !== 'stdio') return launch.url;
  const { command, args, env, cwd, how } = launch;
  return watched({ command, args, env, ...how, cwd }, watchers);
}
