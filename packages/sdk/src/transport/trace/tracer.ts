import {
  type Channel,
  type ChannelProblem,
  COALESCES,
  type Coalescing,
  DIRECT,
  type Direct,
  takeEach,
} from '../../protocol/channel.ts';
import { isObject } from '../../protocol/jsonrpc.ts';
import type { Limits } from '../../protocol/limits.ts';
import type { TraceEntry } from '../../protocol/trace.ts';
import { parseText } from '../../wire/parse-text.ts';

/** Reports everything on the wire to `onTrace`. Loaded only if there is an `onTrace`. */
export interface Tracer {
  trace(kind: TraceEntry['kind'], text: string, more?: Pick<TraceEntry, 'exchange' | 'http' | 'session'>): void;
  /** Wraps a channel and traces its messages. Messages of the peer are `received`. */
  channel(channel: Channel & Coalescing): Channel & Coalescing;
}

type Item = string | ChannelProblem;

/** An `onTrace` that throws or rejects must not affect the connection. */
const caught =
  (onTrace: (entry: TraceEntry) => unknown) =>
  (entry: TraceEntry): void => {
    try {
      const pending = onTrace(entry);
      if (pending instanceof Promise) pending.catch(() => {});
    } catch {
      // There is no one to report it to.
    }
  };

/** Creates a tracer. `clock.now` returns milliseconds. */
export const createTracer = (
  onTrace: (entry: TraceEntry) => void,
  limits: Limits,
  clock: { now(): number } = performance,
): Tracer => {
  const pass = caught(onTrace);
  const trace: Tracer['trace'] = (kind, text, more) => pass({ kind, at: clock.now(), text, ...more });

  const traceIncoming = (item: unknown): void => {
    const text = isObject(item) ? item['unfinished'] : item;
    if (typeof text === 'string') trace(parseText(text, limits).kind, text);
    else trace('lost', isObject(item) ? String(item['problem']) : 'The channel delivered something that is not text');
  };

  const incomingOf = ({ incoming }: Channel): AsyncIterable<Item> & Direct<Item> => ({
    async *[Symbol.asyncIterator]() {
      for await (const item of incoming) {
        traceIncoming(item);
        yield item;
      }
    },
    [DIRECT]: (take) =>
      takeEach(incoming, (item) => {
        traceIncoming(item);
        return take(item);
      }),
  });

  return {
    trace,
    channel: (channel) => ({
      send(text) {
        trace('sent', text);
        return channel.send(text);
      },
      incoming: incomingOf(channel),
      close: () => channel.close(),
      [COALESCES]: channel[COALESCES],
    }),
  };
};
