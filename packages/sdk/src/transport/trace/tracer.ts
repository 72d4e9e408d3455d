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

/** What tells somebody who looks on what passes. It is loaded only where there is somebody. */
export interface Tracer {
  tell(kind: TraceEntry['kind'], text: string, more?: Pick<TraceEntry, 'exchange' | 'http' | 'session'>): void;
  /** The same channel, all of which is told. What its other end sends is `received`. */
  channel(channel: Channel & Coalescing): Channel & Coalescing;
}

type Item = string | ChannelProblem;

/** Whoever looks on must not break what it looks at: neither by what it throws, nor by a promise that rejects. */
const harmless =
  (onTrace: (entry: TraceEntry) => unknown) =>
  (entry: TraceEntry): void => {
    try {
      const later = onTrace(entry);
      if (later instanceof Promise) later.catch(() => {});
    } catch {
      // Nobody else sees it.
    }
  };

/** Makes a tracer. `clock` tells the time, in milliseconds. */
export const createTracer = (
  onTrace: (entry: TraceEntry) => void,
  limits: Limits,
  clock: { now(): number } = performance,
): Tracer => {
  const pass = harmless(onTrace);
  const tell: Tracer['tell'] = (kind, text, more) => pass({ kind, at: clock.now(), text, ...more });

  const came = (item: unknown): void => {
    const text = isObject(item) ? item['unfinished'] : item;
    if (typeof text === 'string') tell(parseText(text, limits).kind, text);
    else tell('lost', isObject(item) ? String(item['problem']) : 'The channel delivered something that is no text');
  };

  const incomingOf = ({ incoming }: Channel): AsyncIterable<Item> & Direct<Item> => ({
    async *[Symbol.asyncIterator]() {
      for await (const item of incoming) {
        came(item);
        yield item;
      }
    },
    [DIRECT]: (take) =>
      takeEach(incoming, (item) => {
        came(item);
        return take(item);
      }),
  });

  return {
    tell,
    channel: (channel) => ({
      send(text) {
        tell('sent', text);
        return channel.send(text);
      },
      incoming: incomingOf(channel),
      close: () => channel.close(),
      [COALESCES]: channel[COALESCES],
    }),
  };
};
