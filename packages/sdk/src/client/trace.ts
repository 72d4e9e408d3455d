import type { Channel } from '../protocol/channel.ts';
import type { Clock } from './clock.ts';

/** One thing that passed between client and server. `at` is in milliseconds of a clock that only goes forward. */
export interface TraceEntry {
  /** `junk`: input that is no message. `stderr`, `exit`: of a server process. `open`: a connection, or a process, began. */
  readonly kind: 'open' | 'sent' | 'received' | 'junk' | 'stderr' | 'exit';
  readonly at: number;
  /** The text as it was on the wire; for `exit` and `open` a description. */
  readonly text: string;
}

/** The same channel, with everything that passes shown to `trace`. */
export const tracedChannel = (channel: Channel, clock: Clock, trace: (entry: TraceEntry) => void): Channel => {
  const watch = async function* (): AsyncGenerator<string | { readonly problem: string }, void, undefined> {
    for await (const item of channel.incoming) {
      if (typeof item === 'string') trace({ kind: 'received', at: clock.now(), text: item });
      else trace({ kind: 'junk', at: clock.now(), text: item.problem });
      yield item;
    }
  };
  return {
    send(text) {
      trace({ kind: 'sent', at: clock.now(), text });
      return channel.send(text);
    },
    incoming: { [Symbol.asyncIterator]: watch },
    close: () => channel.close(),
  };
};
