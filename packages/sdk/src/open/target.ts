import type { Channel } from '../protocol/channel.ts';
import { SERVER } from '../protocol/contract.ts';
import type { Server } from '../server/define.ts';
import type { Command } from '../transport/stdio/spawn.ts';

/** What a client can connect to: a server of this program, a command to start, or a channel that is open. */
export type Target = Server | Command | Channel | URL | string;

/** A target, told apart. */
export type Sorted =
  | { readonly kind: 'server'; readonly server: Server }
  | { readonly kind: 'command'; readonly command: Command }
  | { readonly kind: 'channel'; readonly channel: Channel };

const HTTP = /^https?:/i;

/** Tells what a target is. Throws a `TypeError` that says what would be one. */
export const sortTarget = (target: unknown): Sorted => {
  if (typeof target === 'string' || target instanceof URL) {
    if (HTTP.test(String(target)))
      throw new TypeError(
        'Connecting to a URL is not available yet: connect to a command, a server value or a channel',
      );
    throw new TypeError('A string is taken as a URL. To start a command, write { command, args }');
  }
  if ((typeof target === 'object' || typeof target === 'function') && target !== null) {
    if (SERVER in target) return { kind: 'server', server: target as Server };
    const { command, send, incoming } = target as Partial<Command & Channel>;
    if (typeof command === 'string') return { kind: 'command', command: target as Command };
    if (typeof send === 'function' && incoming != null) return { kind: 'channel', channel: target as Channel };
  }
  throw new TypeError(
    'Connect to a server made with server(), to a command { command, args }, or to a channel { send, incoming, close }',
  );
};
