import { channelLink, type LinkTrace } from '../client/link.ts';
import type { Dialer } from '../client/dialer.ts';
import type { Channel } from '../protocol/channel.ts';
import type { Command } from '../transport/stdio/spawn.ts';
import type { DialOptions } from './dial-options.ts';
import { fingerprint } from './fingerprint.ts';

const keyOfCommand = ({ command, args = [], env = {}, inheritEnv = [], cwd = '' }: Command): Promise<string> =>
  fingerprint([command, args, Object.entries(env).sort(), [...inheritEnv].sort(), cwd]);

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

/** How a command is reached that is a server. */
export const dialCommand = async (
  command: Command,
  options: DialOptions,
  trace: LinkTrace | undefined,
  partition: string,
): Promise<Dialer> => {
  const key = await keyOfCommand(command);
  return {
    open: async () => channelLink(await openCommand(command, options), options.limits, trace),
    key,
    reopens: true,
    restarts: options.restart,
    server: key,
    partition,
  };
};
