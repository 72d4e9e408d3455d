import type { Dialer } from '../client/dialer.ts';
import { channelTransport } from '../client/client-transport.ts';
import { type DialOptions, seen } from './dial-options.ts';
import type { Sorted } from './target.ts';

/** How a target is reached. What it takes to reach one kind is loaded by nobody who reaches others. */
export async function dialerOf(target: Sorted, options: DialOptions): Promise<Dialer> {
  const partition = options.principal?.id ?? '';
  if (target.kind === 'url') {
    const { dialUrl } = await import('./dial-url.ts');
    return dialUrl(target.url.href, options, partition);
  }
  if (target.kind === 'server') {
    const { dialServer } = await import('./dial-server.ts');
    return dialServer(target.server, options, partition);
  }
  if (target.kind === 'command') {
    const { dialCommand } = await import('./dial-command.ts');
    return dialCommand(target.command, options, partition);
  }
  return {
    open: async () => channelTransport(seen(await target.open(), options), options.limits),
    key: undefined,
    reopens: target.reopens,
    restarts: target.reopens && options.restart,
    server: crypto.randomUUID(),
    partition,
  };
}
