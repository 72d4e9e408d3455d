import { type Command, spawnChannel } from 'tenon/node';
import type { Recorder } from '../record/recorder.ts';
import type { Wire } from './wire.ts';

/** Starts a server and speaks with it over its stdin and stdout. `recorder` is told of all that is no text for or of it. */
export const stdioWire = (command: Command, recorder: Pick<Recorder, 'onTrace'> | undefined): Wire => {
  recorder?.onTrace({ kind: 'open', text: [command.command, ...(command.args ?? [])].join(' ') });
  const channel = spawnChannel({ ...command, stderr: (text) => recorder?.onTrace({ kind: 'stderr', text }) });
  let listener: (text: string) => void = () => {};

  const read = async (): Promise<string> => {
    try {
      for await (const item of channel.incoming) {
        if (typeof item === 'string') listener(item);
        else recorder?.onTrace({ kind: 'lost', text: item.problem });
      }
      return 'The server closed its stdout';
    } catch (error) {
      return (error as Error).message;
    }
  };
  void channel.exited.then(({ code, signal }) =>
    recorder?.onTrace({ kind: 'exit', text: signal === null ? `exited with code ${code}` : `ended by ${signal}` }),
  );

  return {
    ended: read(),
    onText: (own) => (listener = own),
    send: async (text) => channel.send(text),
    close: () => channel.close(),
  };
};
