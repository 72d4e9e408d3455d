import {
  type Channel,
  type ChannelProblem,
  COALESCES,
  type StreamChannel,
  DIRECT,
  type Direct,
  takeEach,
} from '../../protocol/channel.ts';
import { isObject } from '../../protocol/jsonrpc.ts';
import type { Limits } from '../../protocol/limits.ts';
import type { TraceEntry } from '../../protocol/trace.ts';
import { parseText } from '../../wire/parse-text.ts';

/** Reports traffic to an `onTrace` function. Loaded only if there is one. */
export interface Tracer {
  report(kind: TraceEntry['kind'], text: string, more?: Pick<TraceEntry, 'exchange' | 'http' | 'session'>): void;
  /** The same channel, with tracing. Messages of its other end are `received`. */
  channel(channel: StreamChannel): StreamChannel;
}

type Item = string | ChannelProblem;

/** An `onTrace` function must not break what it observes: neither by throwing, nor by a promise that rejects. */
function catching(onTrace: (entry: TraceEntry) => unknown) {
  return (entry: TraceEntry): void => {
    try {
      const later = onTrace(entry);
      if (later instanceof Promise) later.catch(() => {});
    } catch {
      // It is not reported anywhere else.
    }
  };
}

/** Makes a tracer. `clock` returns the time in milliseconds. */
export function createTracer(
  onTrace: (entry: TraceEntry) => void,
  limits: Limits,
  clock: { now(): number } = performance,
): Tracer {
  const pass = catching(onTrace);
  const report: Tracer['report'] = (kind, text, more) => pass({ kind, at: clock.now(), text, ...more });

  const reportIncoming = (item: unknown): void => {
    const text = isObject(item) ? item['unfinished'] : item;
    if (typeof text === 'string') report(parseText(text, limits).kind, text);
    else report('lost', isObject(item) ? String(item['problem']) : 'The channel delivered something that is not text');
  };

  const incomingOf = ({ incoming }: Channel): AsyncIterable<Item> & Direct<Item> => ({
    async *[Symbol.asyncIterator]() {
      for await (const item of incoming) {
        reportIncoming(item);
        yield item;
      }
    },
    [DIRECT]: (take) =>
      takeEach(incoming, (item) => {
        reportIncoming(item);
        return take(item);
      }),
  });

  return {
    report: report,
    channel: (channel) => ({
      send(text) {
        report('sent', text);
        return channel.send(text);
      },
      incoming: incomingOf(channel),
      close: () => channel.close(),
      [COALESCES]: channel[COALESCES],
    }),
  };
}
