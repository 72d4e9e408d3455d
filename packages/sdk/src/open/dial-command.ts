import { channelTransport } from '../client/client-transport.ts';
import type { Dialer } from '../client/dialer.ts';
import type { Channel } from '../protocol/channel.ts';
import type { Command } from '../transport/stdio/spawn.ts';
import { type DialOptions, traceChannel } from './dial-options.ts';
import { fingerprint } from './fingerprint.ts';

function keyOfCommand({ command, args = [], env = {}, inheritEnv = [], cwd = '' }: Command): Promise<string> {
  return fingerprint([command, args, Object.entries(env).sort(), [...inheritEnv].sort(), cwd]);
}

async function openCommand(command: Command, { limits, tracer }: DialOptions): Promise<Channel> {
  const { spawnChannel } = await import('#spawn');
  if (tracer === undefined) return spawnChannel(command, { limits });
  const { stderr } = command;
  const channel = spawnChannel(
    {
      ...command,
      stderr:
        stderr === 'inherit'
          ? stderr
          : (text) => {
              tracer.report('stderr', text);
              if (typeof stderr === 'function') stderr(text);
            },
    },
    { limits },
  );
  tracer.report('open', `${command.command} ${(command.args ?? []).join(' ')}`.trim());
  void channel.exited.then(({ code, signal }) =>
    tracer.report('exit', signal === null ? `exited with code ${code}` : `ended by ${signal}`),
  );
  return channel;
}

/** Makes the dialer of a server that is started as a command. */
export async function dialCommand(command: Command, options: DialOptions, partition: string): Promise<Dialer> {
  const key = await keyOfCommand(command);
  return {
    open: async () => channelTransport(traceChannel(await openCommand(command, options), options), options.limits),
    key,
    reopens: true,
    restarts: options.restart,
    server: key,
    partition,
  };
}
