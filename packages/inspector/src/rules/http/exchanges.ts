import type { HttpPart, TraceLine } from '../../trace/line.ts';
import type { Message } from '../message.ts';
import { createRecent } from '../recent.ts';

/** An HTTP request, and the parts of its answer so far. */
export interface Exchange {
  readonly number: number;
  /** The line of the request. */
  readonly n: number;
  readonly at: number;
  readonly method: string;
  readonly url: string | undefined;
  /** Names in lower case. Undefined if they were not recorded. */
  readonly headers: HttpPart['headers'];
  /** The messages in the body of the request. */
  readonly carried: readonly Message[];
  readonly answer: { readonly n: number; readonly status: number; readonly headers: HttpPart['headers'] } | undefined;
  /** The first message in the answer. */
  readonly first: Message | undefined;
  /** The stream has event ids, so that it can be resumed. */
  readonly resumable: boolean;
  readonly body: { readonly n: number; readonly text: string } | undefined;
  readonly end: { readonly n: number; readonly text: string } | undefined;
}

type Writable<T> = { -readonly [Key in keyof T]: T[Key] };

/** The exchanges of a session. */
export interface Exchanges {
  /** The exchange of a line of kind `http`, or of a message in one. */
  of(line: Pick<TraceLine, 'cause' | 'http'>): Exchange | undefined;
  /** The session uses the two URLs of 2024-11-05, so the rules of Streamable HTTP do not apply. */
  readonly pair: boolean;
  /** Processes a line of kind `http`. */
  http(line: TraceLine): void;
  /** Processes a line with messages. */
  message(line: TraceLine, messages: readonly Message[]): void;
}

const MAX_EXCHANGES = 1_000;
const MAX_LINES = 10_000;
const NOTHING: readonly Message[] = [];

export function createExchanges(): Exchanges {
  const all = createRecent<Writable<Exchange>>(MAX_EXCHANGES);
  /** By the lines of their parts. */
  const lines = createRecent<Writable<Exchange>>(MAX_LINES);
  /** Messages of a client whose HTTP request has yet to come. */
  const unsent = createRecent<readonly Message[]>(MAX_EXCHANGES);
  let pair = false;
  let over: Writable<Exchange> | undefined;

  /** Drops the messages of an exchange, which may be large, once the line of its end has been processed. */
  const tidy = (): void => {
    if (over === undefined) return;
    over.carried = NOTHING;
    over.first = undefined;
    over.body = undefined;
    over = undefined;
  };

  const begin = (line: TraceLine, http: HttpPart): void => {
    const carried = unsent.get(line.cause ?? 0) ?? NOTHING;
    unsent.delete(line.cause ?? 0);
    const exchange: Writable<Exchange> = {
      number: http.exchange,
      n: line.n,
      at: line.at,
      method: http.method ?? '',
      url: http.url,
      headers: http.headers,
      carried,
      answer: undefined,
      first: undefined,
      resumable: false,
      body: undefined,
      end: undefined,
    };
    all.set(http.exchange, exchange);
    lines.set(line.n, exchange);
  };

  const goesOn = (line: TraceLine, http: HttpPart, exchange: Writable<Exchange>): void => {
    lines.set(line.n, exchange);
    if (http.part === 'answer') exchange.answer = { n: line.n, status: http.status ?? 0, headers: http.headers };
    else if (http.part === 'event') {
      exchange.resumable ||= (http.event?.id ?? '') !== '';
      pair ||= exchange.method === 'GET' && http.event?.name === 'endpoint';
    } else if (http.part === 'body') exchange.body = { n: line.n, text: http.body ?? '' };
    else {
      exchange.end = { n: line.n, text: line.text };
      over = exchange;
    }
  };

  return {
    of: ({ http, cause }) =>
      http !== undefined ? all.get(http.exchange) : cause === undefined ? undefined : lines.get(cause),
    get pair() {
      return pair;
    },
    http(line) {
      tidy();
      const { http } = line;
      if (http === undefined) return;
      if (http.part === 'request') return begin(line, http);
      const exchange = all.get(http.exchange);
      if (exchange !== undefined) goesOn(line, http, exchange);
    },
    message(line, messages) {
      tidy();
      const exchange = line.cause === undefined ? undefined : lines.get(line.cause);
      if (line.from === 'client' && exchange === undefined) unsent.set(line.n, messages);
      // A recording server reads the body after the head.
      else if (line.from === 'client') exchange!.carried = [...exchange!.carried, ...messages];
      else if (exchange !== undefined) exchange.first ??= messages[0];
    },
  };
}
