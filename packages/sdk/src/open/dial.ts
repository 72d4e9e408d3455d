import type { Dialer } from '../client/dialer.ts';
import { channelLink } from '../client/link.ts';
import type { TraceEntry } from '../client/trace.ts';
import type { DialOptions } from './dial-options.ts';
import type { Sorted } from './target.ts';

/** How a target is reached. What it takes to reach one kind is loaded by nobody who reaches others. */
export const dialerOf = async (target: Sorted, options: DialOptions): Promise<Dialer> => {
  const { limits, trace, clock } = options;
  const passed = trace && ((kind: TraceEntry['kind'], text: string) => trace({ kind, at: clock.now(), text }));
  const partition = options.principal?.id ?? '';
  if (target.kind === 'url') {
    const { dialUrl } = await import('./dial-url.ts');
    return dialUrl(target.url.href, options, passed, partition);
  }
  if (target.kind === 'server') {
    const { dialServer } = await import('./dial-server.ts');
    return dialServer(target.server, options, passed, partition);
  }
  if (target.kind === 'command') {
    const { dialCommand } = await import('./dial-command.ts');
    return dialCommand(target.command, options, passed, partition);
  }
  return {
    open: () => channelLink(target.channel, limits, passed),
    key: undefined,
    reopens: false,
    restarts: false,
    server: crypto.randomUUID(),
    partition,
  };
};
