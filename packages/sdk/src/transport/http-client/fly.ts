import type { Clock } from '../../client/clock.ts';
import type { LinkTrace } from '../../client/link.ts';
import type { Limits } from '../../protocol/limits.ts';
import { andThen, type Maybe } from '../../protocol/maybe.ts';
import { type AnswerEvents, readAnswer } from './read-answer.ts';
import type { HttpSend } from './send.ts';
import { traceOfAnswer, traceOfEvent, traceOfRequest } from './trace.ts';

/** Header fields, by name in lower case. */
export type Fields = Readonly<Record<string, string>>;

/** How a server is reached over HTTP. */
export interface HttpLinkOptions {
  readonly url: string;
  readonly send: HttpSend;
  /** What every request carries besides; asked for each. */
  readonly headers: () => Maybe<Fields>;
  readonly limits: Limits;
  readonly clock: Clock;
  readonly trace?: LinkTrace | undefined;
}

/** One HTTP request. */
export interface Flight {
  readonly method: 'GET' | 'POST' | 'DELETE';
  readonly fields: Fields;
  readonly body?: string;
}

/** Sends one HTTP request, with the headers of one's own asked for first. Returns the function that aborts it. */
export const fly = (options: HttpLinkOptions, { method, fields, body }: Flight, events: AnswerEvents): (() => void) => {
  const { url, send, headers, limits, trace } = options;
  let stopped = false;
  let abort = (): void => {
    stopped = true;
  };
  const go = (own: Fields): void => {
    if (stopped) return;
    const all = { ...own, ...fields };
    trace?.('http', traceOfRequest(method, url, all));
    const seen = trace === undefined ? events : traced(events, trace);
    const incoming = readAnswer(seen, limits.lineBytes, () => abort());
    abort = send(body === undefined ? { method, url, headers: all } : { method, url, headers: all, body }, incoming);
  };
  const failed = (error: unknown): void =>
    events.end({
      error: new Error('The headers for the request could not be had', { cause: error }),
      delivered: false,
      status: undefined,
      retry: undefined,
    });
  try {
    const own = headers();
    if (own instanceof Promise) void own.then(go, failed);
    else void andThen(own, go);
  } catch (error) {
    failed(error);
  }
  return () => abort();
};

const traced = (events: AnswerEvents, trace: LinkTrace): AnswerEvents => ({
  ...events,
  head(status, header) {
    trace('http', traceOfAnswer(status, header));
    events.head(status, header);
  },
  event(event) {
    trace('http', traceOfEvent(event));
    events.event(event);
  },
});
