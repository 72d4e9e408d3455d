import type { ClientAuth } from '../../protocol/client-auth.ts';
import type { Clock } from '../../client/clock.ts';
import type { Limits } from '../../protocol/limits.ts';
import { AuthError } from '../../protocol/auth-error.ts';
import { type Maybe, settle } from '../../protocol/maybe.ts';
import { shown } from '../../protocol/text.ts';
import { isFieldValue } from '../../wire/headers.ts';
import { type AnswerEvents, AnswerReader, type Ended, type Unreadable } from './read-answer.ts';
import { type AnswerHead, type HttpSend, NOT_SENT, type SentRequest } from './send.ts';
import type { SseEvent } from '../../wire/sse-parser.ts';

/** Header fields, by name in lower case. */
export type Fields = Readonly<Record<string, string>>;

/** How to reach a server over HTTP. */
export interface HttpLinkOptions {
  readonly url: string;
  readonly send: HttpSend;
  /** Additional header fields; a function is called for each request. */
  readonly headers: Fields | (() => Promise<Fields>);
  readonly limits: Limits;
  readonly clock: Clock;
  readonly auth?: ClientAuth | undefined;
  /** The URL of the server, if `url` is another one. */
  readonly server?: string;
  /** Pauses request timeouts while a user logs in. Returns the function that ends the pause. */
  readonly pauseTimeouts?: () => () => void;
}

/** An HTTP request without the headers of the program and the credentials. */
export interface LinkRequest {
  readonly method: 'GET' | 'POST' | 'DELETE';
  /** Requests with equal fields may share one object, which never changes. */
  readonly fields: Fields;
  readonly body?: string;
}

/** How often a request is sent again with other credentials. */
const MAX_ATTEMPTS = 3;
const NO_FIELDS: Fields = {};

/** Sends HTTP requests with the headers of the program and with credentials. */
export class AuthorizedSender {
  readonly options: HttpLinkOptions;
  /** Without credentials and with the same headers for each request, equal fields lead to equal headers: those found sendable. */
  readonly #known = new WeakMap<Fields, Fields>();

  constructor(options: HttpLinkOptions) {
    this.options = options;
  }

  send(request: LinkRequest, events: AnswerEvents): SentRequest {
    const { headers, auth } = this.options;
    const known =
      auth === undefined && typeof headers !== 'function' ? this.#headersOf(request.fields, headers) : undefined;
    if (known === undefined) return new AuthorizedRequest(this.options, request, events);
    return sendOnce(this.options, request, known, events);
  }

  /** All headers of a request; undefined if one cannot be sent. */
  #headersOf(fields: Fields, own: Fields): Fields | undefined {
    const known = this.#known.get(fields);
    if (known !== undefined) return known;
    const all = { ...own, ...fields };
    if (unsendable(all) !== undefined) return undefined;
    this.#known.set(fields, all);
    return all;
  }
}

/** The name of a field with a value that cannot be sent: some are from servers and authorization servers, and sending them throws. */
function unsendable(fields: Fields): string | undefined {
  return Object.keys(fields).find((name) => !isFieldValue(fields[name]));
}

function sendOnce(
  { url, send, limits }: HttpLinkOptions,
  request: LinkRequest,
  headers: Fields,
  events: AnswerEvents,
): SentRequest {
  const reader = new AnswerReader(events, limits.lineBytes);
  reader.send(send, { method: request.method, url, headers, body: request.body, identity: request });
  return reader;
}

/** A request whose headers or credentials have to be asked for, and which is sent again with other credentials if it is refused. */
class AuthorizedRequest implements AnswerEvents, SentRequest {
  readonly #options: HttpLinkOptions;
  readonly #request: LinkRequest;
  readonly #events: AnswerEvents;
  #sent = NOT_SENT;
  #stopped = false;
  /** How often it was refused. */
  #attempt = 0;
  #credentials = NO_FIELDS;
  /** Was it refused, so that the rest of the answer does not count? */
  #refused = false;

  constructor(options: HttpLinkOptions, request: LinkRequest, events: AnswerEvents) {
    this.#options = options;
    this.#request = request;
    this.#events = events;
    this.#start();
  }

  abort(): void {
    this.#stopped = true;
    this.#sent.abort();
  }

  head(answer: AnswerHead): void {
    const { status } = answer;
    const challenge = answer.header('www-authenticate');
    const { auth } = this.#options;
    const isChallenge = status === 401 || (status === 403 && challenge !== undefined);
    if (auth === undefined || !isChallenge || this.#attempt >= MAX_ATTEMPTS) return this.#events.head(answer);
    this.#refused = true;
    this.#sent.abort();
    return this.#askAgain(auth, answer, challenge);
  }

  body(body: string | Unreadable, status: number, type: string): void {
    if (!this.#refused) this.#events.body(body, status, type);
  }

  event(event: SseEvent): void {
    if (!this.#refused) this.#events.event(event);
  }

  end(ended: Ended): void {
    if (!this.#refused) this.#events.end(ended);
  }

  #start(): void {
    const { headers } = this.#options;
    settle<Fields, void>(
      () => (typeof headers === 'function' ? headers() : headers),
      (own) => this.#authorize(own),
      (error) => this.#fail('There are no headers for the request', error),
    );
  }

  #authorize(own: Fields): Maybe<void> {
    const { auth, url, server = url } = this.#options;
    return settle<Fields, void>(
      () => auth?.credentials({ server, method: this.#request.method, url }) ?? NO_FIELDS,
      (credentials) => this.#send(own, credentials),
      (error) => this.#fail('There are no credentials for the request', error),
    );
  }

  #send(own: Fields, credentials: Fields): void {
    if (this.#stopped) return;
    const headers = { ...own, ...credentials, ...this.#request.fields };
    const bad = unsendable(headers);
    if (bad !== undefined)
      return this.#fail(`The '${shown(bad, 60)}' header has characters that are invalid in HTTP`, undefined);
    this.#credentials = credentials;
    this.#refused = false;
    this.#sent = sendOnce(this.#options, this.#request, headers, this);
  }

  /** Asks for other credentials after a refusal, and sends the request again if there are any. */
  #askAgain(auth: ClientAuth, answer: AnswerHead, challenge: string | undefined): void {
    const { url, server = url, pauseTimeouts } = this.#options;
    const { status } = answer;
    const resumeTimeouts = pauseTimeouts?.();
    void auth
      .refused({
        status,
        challenge,
        server,
        method: this.#request.method,
        url,
        sent: this.#credentials,
        attempt: this.#attempt,
        header: (name) => answer.header(name),
      })
      .finally(() => resumeTimeouts?.())
      .then((retry) => {
        if (this.#stopped) return;
        if (retry) {
          this.#attempt++;
          return this.#start();
        }
        this.#events.head(answer);
        this.#events.body('', status, '');
        this.#events.end({ error: undefined, delivered: true, status, retry: undefined });
      })
      .catch((error: unknown) => this.#fail('There are no credentials for the request', error));
  }

  #fail(message: string, cause: unknown): void {
    if (this.#stopped) return;
    const error = cause instanceof AuthError ? cause : new Error(message, { cause });
    this.#events.end({ error, delivered: false, status: undefined, retry: undefined });
  }
}
