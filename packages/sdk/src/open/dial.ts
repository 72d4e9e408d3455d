import { channelLink } from '../client/link.ts';
import type { Dialer } from '../client/dialer.ts';
import type { TraceEntry } from '../client/trace.ts';
import type { Channel } from '../protocol/channel.ts';
import type { Server } from '../server/define.ts';
import { memoryPair } from '../transport/memory.ts';
import type { Command } from '../transport/stdio/spawn.ts';
import type { DialOptions } from './dial-options.ts';
import { fingerprint } from './fingerprint.ts';
import type { Sorted } from './target.ts';

const keyOfCommand = ({ command, args = [], env = {}, inheritEnv = [], cwd = '' }: Command): Promise<string> =>
  fingerprint([command, args, Object.entries(env).sort(), [...inheritEnv].sort(), cwd]);

/** The name of a server value, for caches that several clients share. */
const names = new WeakMap<Server, string>();
const nameOf = (server: Server): string => {
  const name = names.get(server) ?? crypto.randomUUID();
  names.set(server, name);
  return name;
};

const openServer = async (server: Server, options: DialOptions): Promise<Channel> => {
  // Whoever only talks to other programs does not load the server's half.
  const { serve } = await import('../transport/serve.ts');
  const [near, far] = memoryPair();
  const { principal } = options;
  const served = serve(server, far, { ...options.serve, ...(principal === undefined ? {} : { principal }) });
  return {
    send: near.send,
    incoming: near.incoming,
    async close() {
      await near.close();
      await served.close();
    },
  };
};

const openCommand = async (command: Command, { limits, trace, clock }: DialOptions): Promise<Channel> => {
  const { spawnChannel } = await import('#spawn');
  if (trace === undefined) return spawnChannel(command, { limits });
  const { stderr } = command;
  const channel = spawnChannel(
    {
      ...command,
      stderr:
        stderr === 'inherit'
          ? stderr
          : (text) => {
              trace({ kind: 'stderr', at: clock.now(), text });
              if (typeof stderr === 'function') stderr(text);
            },
    },
    { limits },
  );
  trace({ kind: 'open', at: clock.now(), text: `${command.command} ${(command.args ?? []).join(' ')}`.trim() });
  void channel.exited.then(({ code, signal }) =>
    trace({ kind: 'exit', at: clock.now(), text: signal === null ? `exited with code ${code}` : `ended by ${signal}` }),
  );
  return channel;
};

/** How a target is reached. */
export const dialerOf = async (target: Sorted, options: DialOptions): Promise<Dialer> => {
  const { limits, trace, clock } = options;
  const passed = trace && ((kind: TraceEntry['kind'], text: string) => trace({ kind, at: clock.now(), text }));
  const link = (channel: Channel) => channelLink(channel, limits, passed);
  const partition = options.principal?.id ?? '';
  if (target.kind === 'server') {
    const { server } = target;
    return {
      open: async () => link(await openServer(server, options)),
      key: undefined,
      reopens: false,
      restarts: false,
      server: nameOf(server),
      partition,
    };
  }
  if (target.kind === 'channel') {
    return {
      open: () => link(target.channel),
      key: undefined,
      reopens: false,
      restarts: false,
      server: crypto.randomUUID(),
      partition,
    };
  }
  if (target.kind === 'url') {
    // Whoever only starts commands does not load what HTTP needs.
    const { dialUrl } = await import('./dial-url.ts');
    return dialUrl(target.url.href, options, passed, partition);
  }
  const key = await keyOfCommand(target.command);
  return {
    open: async () => link(await openCommand(target.command, options)),
    key,
    reopens: true,
    restarts: options.restart,
    server: key,
    partition,
  };
};
