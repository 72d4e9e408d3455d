import type { Channel } from '../protocol/channel.ts';
import { ConnectionError } from '../protocol/errors.ts';

/** Replaces `spawn.ts` in runtimes that cannot start processes. Throws a `ConnectionError`. */
export function spawnChannel(command: { readonly command: string }): Channel {
  throw new ConnectionError(
    'unreachable',
    `The command '${command.command}' cannot be started here: starting a server as a process needs Node.js, Bun or Deno`,
  );
}
