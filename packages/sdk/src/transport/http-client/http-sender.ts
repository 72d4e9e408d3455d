import type { ClientAuth } from '../../protocol/client-auth.ts';
import type { Clock } from '../../client/clock.ts';
import type { Limits } from '../../protocol/limits.ts';
import { shown } from '../../protocol/text.ts';
import { isFieldValue } from '../../wire/headers.ts';
import { type AnswerEvents, AnswerReader } from './read-answer.ts';
import { type HttpSend, NOT_SENT, type SentRequest } from './send.ts';

/** Header fields, by name in lower case. */
export type Fields = Readonly<Record<string, string>>;

/** How to reach a server over HTTP. */
export interface HttpTransportOptions {
  readonly url: string;
  readonly send: HttpSend;
  /** Additional header fields; a function is called for each request. */
  readonly headers: Fields | (() => Promise<Fields>);
  readonly limits: Limits;
  readonly clock: Clock;
  /** How long the server may take to accept a message that gets no response, in milliseconds. */
  readonly timeout: number;
  readonly auth?: ClientAuth | undefined;
  /** Needed if there is a function of headers, or `auth`. */
  readonly sendAuthorized?: SendAuthorized | undefined;
  /** The URL of the server, if `url` is another one. */
  readonly server?: string;
  /** Pauses request timeouts while a user logs in. Returns the function that ends the pause. */
  readonly pauseTimeouts?: () => () => void;
}

/** Sends a request whose headers or credentials are obtained asynchronously. */
export type SendAuthorized = (options: HttpTransportOptions, request: BareRequest, events: AnswerEvents) => SentRequest;

/** An HTTP request without the headers of the program and the credentials. */
export interface BareRequest {
  readonly method: 'GET' | 'POST' | 'DELETE';
  /** Requests with equal fields may share one object, which never changes. */
  readonly fields: Fields;
  readonly body?: string;
}

/** Sends HTTP requests with the headers of the program and with credentials. */
export class HttpSender {
  readonly options: HttpTransportOptions;
  /** Headers that are the same for each request, together with the fields of one: equal fields lead to equal headers. */
  readonly #known = new WeakMap<Fields, Fields>();

  constructor(options: HttpTransportOptions) {
    this.options = options;
  }

  send(request: BareRequest, events: AnswerEvents): SentRequest {
    const { options } = this;
    if (options.sendAuthorized !== undefined) return options.sendAuthorized(options, request, events);
    let headers = this.#known.get(request.fields);
    if (headers === undefined) {
      headers = { ...(options.headers as Fields), ...request.fields };
      const problem = problemOf(headers);
      if (problem !== undefined) {
        events.end({ error: problem, delivered: false, status: undefined, retry: undefined });
        return NOT_SENT;
      }
      this.#known.set(request.fields, headers);
    }
    return sendOnce(options, request, headers, events);
  }
}

/** Why headers cannot be sent. Some of their values come from servers and authorization servers, and sending an invalid one would throw. */
export function problemOf(headers: Fields): Error | undefined {
  const bad = Object.keys(headers).find((name) => !isFieldValue(headers[name]));
  return bad === undefined
    ? undefined
    : new Error(`The '${shown(bad, 60)}' header has characters that are invalid in HTTP`);
}

export function sendOnce(
  { url, send, limits }: HttpTransportOptions,
  request: BareRequest,
  headers: Fields,
  events: AnswerEvents,
): SentRequest {
  const reader = new AnswerReader(events, limits.lineBytes);
  reader.send(send, { method: request.method, url, headers, body: request.body, identity: request });
  return reader;
}
