import type { Channel } from '../protocol/channel.ts';
import { SERVER } from '../protocol/contract.ts';
import type { Server } from '../server/define.ts';
import type { Command } from '../transport/stdio/spawn.ts';

/** Opens a new channel to a server whenever one is needed. */
export interface Reachable {
  /** Opens a channel. It is called again when a channel has broken, unless the option `restart` is false. */
  open(): Channel | Promise<Channel>;
}

/**
 * What a client can connect to: a server of this program, the address of one, a command to start, a channel that is open, or something
 * that opens one.
 */
export type Target = Server | Command | Channel | Reachable | URL | string;

/** A target, by kind. */
export type ClassifiedTarget =
  | { readonly kind: 'server'; readonly server: Server }
  | { readonly kind: 'command'; readonly command: Command }
  | { readonly kind: 'channel'; readonly open: Reachable['open']; readonly reopens: boolean }
  | { readonly kind: 'url'; readonly url: URL };

/** Reads a URL. Errors never repeat it, because it may contain a password. */
function addressOf(text: string): URL {
  if (!/^https?:/i.test(text))
    throw new TypeError(
      'A string must be a URL that begins with http or https. To start a command, pass { command, args }',
    );
  let url: URL;
  try {
    url = new URL(text);
  } catch {
    throw new TypeError('This is not a valid URL');
  }
  if (url.username !== '' || url.password !== '')
    throw new TypeError('A URL must not contain a user name or password: put credentials into `headers`');
  url.hash = '';
  return url;
}

/** Determines the kind of a target. Throws a `TypeError` that lists the valid kinds. */
export function classifyTarget(target: unknown): ClassifiedTarget {
  if (typeof target === 'string' || target instanceof URL) return { kind: 'url', url: addressOf(String(target)) };
  if ((typeof target === 'object' || typeof target === 'function') && target !== null) {
    if (SERVER in target) return { kind: 'server', server: target as Server };
    const { command, send, incoming, open } = target as Partial<Command & Channel & Reachable>;
    if (typeof command === 'string') return { kind: 'command', command: target as Command };
    if (typeof send === 'function' && incoming != null)
      return { kind: 'channel', open: () => target as Channel, reopens: false };
    if (typeof open === 'function') return { kind: 'channel', open: () => (target as Reachable).open(), reopens: true };
  }
  throw new TypeError(
    'Connect to a server made with server(), to a URL, to a command { command, args }, or to a channel { send, incoming, close }',
  );
}
