import { ConnectionError } from '../protocol/errors.ts';
import type { JsonObject } from '../protocol/jsonrpc.ts';
import type { LogLevel } from '../protocol/log.ts';
import type { Answerer } from './answerer.ts';
import type { SuspendedCall } from './asked.ts';
import type { Calls, Terms } from './correlate.ts';
import type { Settings } from './options.ts';
import type { Report } from './report.ts';
import type { ListName, Topics } from './topics.ts';
import type { Agreement, CallOptions } from './types.ts';

/** Who is told of what a server announces. */
export interface Listener {
  listChanged(list: ListName): void;
  updated(uri: string): void;
  /** The server watches these now. If it did before, something may have been missed. */
  watching(topics: Topics): void;
  /** The server watched these, but does no longer. */
  lost(topics: Topics): void;
  /** The server does not watch these. */
  refused(topics: Topics, reason: Error): void;
}

/** What a conversation is made of. */
export interface Opening {
  readonly calls: Calls;
  readonly agreement: Agreement;
  readonly settings: Settings;
  readonly answerer: Answerer;
  readonly listener: Listener;
  readonly report: Report;
  /** May this request be sent again when nobody knows whether the server acted on it? */
  mayRepeat(method: string, params: JsonObject | undefined): boolean;
}

/** One agreed connection: the two eras behind one interface. */
export interface Conversation {
  readonly agreement: Agreement;
  readonly calls: Calls;
  /** Sends a request and gives its finished result, checked and in the newest shape. Answers the server's questions on the way; `onRound` is called when it asks. */
  request(method: string, params: JsonObject, options: CallOptions, onRound?: () => void): Promise<JsonObject>;
  /** Goes on with a call that waits for answers: asks for them, and sends them. Throws a `ConnectionError` where no revision can do that. */
  resume(call: SuspendedCall, options: CallOptions): Promise<JsonObject>;
  /** The same, with the result as it came. */
  raw(method: string, params: JsonObject | undefined, options: CallOptions): Promise<JsonObject>;
  /** Makes the server announce exactly these. */
  follow(topics: Topics): void;
  ping(options: CallOptions): Promise<void>;
  setLogLevel(level: LogLevel): Promise<void>;
  /** The roots changed. */
  rootsChanged(): Promise<void>;
}

/** A connection whose two sides agree. */
export interface Agreed {
  readonly calls: Calls;
  readonly agreement: Agreement;
  /** Begins to talk as was agreed. */
  converse(opening: Opening): Conversation;
}

/** When a call that starts now has to be over, on the clock of the client. */
export const lastOf = (settings: Settings, { timeout = 0, maxTimeout }: CallOptions): number =>
  settings.clock.now() + (maxTimeout ?? Math.max(settings.maxTimeout, timeout));

/** The conditions of one request of a call. */
export const termsOf = (settings: Settings, options: CallOptions, last: number): Terms => ({
  timeout: options.timeout ?? settings.timeout,
  last,
  signal: options.signal,
  onProgress: options.onProgress,
});

/** Is told what of a result was left out because it is malformed. */
export const leftOut =
  (report: Report) =>
  (problem: string): void =>
    report('warn', 'bad-entry', `A part of a result is malformed and left out: ${problem}`);

/** Sends a request again, once, if it got lost on a way where requests travel one by one, and doing it twice does no harm. */
export const repeated = (
  { calls, mayRepeat }: Opening,
  method: string,
  params: JsonObject | undefined,
  send: () => Promise<JsonObject>,
): Promise<JsonObject> => {
  const sent = send();
  if (calls.oneByOne === undefined) return sent;
  return sent.catch((error: unknown) => {
    const lost = error instanceof ConnectionError && error.processed === 'unknown';
    if (!lost || calls.broken || !mayRepeat(method, params)) throw error;
    return send();
  });
};
