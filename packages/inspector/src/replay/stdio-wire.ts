import { ConnectionError } from 'tenon/client';
import { type Command, spawnChannel } from 'tenon/node';
import type { Recorder } from '../record/recorder.ts';
import { createReach, type Wire } from './wire.ts';

/** Starts a server, and exchanges messages over its stdin and stdout. `recorder` receives the start, stderr and the exit. */
export function stdioWire(command: Command, recorder: Pick<Recorder, 'onTrace'> | undefined): Wire {
  recorder?.onTrace({ kind: 'open', text: [command.command, ...(command.args ?? [])].join(' ') });
  const channel = spawnChannel({ ...command, stderr: (text) => recorder?.onTrace({ kind: 'stderr', text }) });
  const reach = createReach();
  let listener: (text: string) => void = () => {};

  const failed = (error: Error): Error => {
    reach.failed(error);
    return error;
  };
  const hear = (text: string): void => {
    reach.heard(text);
    listener(text);
  };

  const read = async (): Promise<Error> => {
    try {
      for await (const item of channel.incoming) {
        if (typeof item === 'string') hear(item);
        else recorder?.onTrace({ kind: 'lost', text: item.problem });
      }
      return failed(new ConnectionError('disconnected', 'The server closed its stdout'));
    } catch (error) {
      return failed(error as Error);
    }
  };
  void channel.exited.then(({ code, signal }) =>
    recorder?.onTrace({ kind: 'exit', text: signal === null ? `exited with code ${code}` : `ended by ${signal}` }),
  );

  return {
    ended: read(),
    onText: (own) => (listener = own),
    unreached: reach.why,
    async send(text) {
      try {
        await channel.send(text);
      } catch (error) {
        throw failed(error as Error);
      }
    },
    close: () => channel.close(),
  };
}
