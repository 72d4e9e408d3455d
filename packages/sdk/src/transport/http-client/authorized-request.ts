import type { ClientAuth, Refusal } from '../../protocol/client-auth.ts';
import { AuthError } from '../../protocol/auth-error.ts';
import { type Maybe, settle } from '../../protocol/maybe.ts';
import type { SseEvent } from '../../wire/sse-parser.ts';
import {
  type Fields,
  type HttpTransportOptions,
  type BareRequest,
  problemOf,
  type SendAuthorized,
  sendOnce,
} from './http-sender.ts';
import type { AnswerEvents, AnswerEnd, UnreadableAnswer } from './read-answer.ts';
import { type AnswerHead, NOT_SENT, type SentRequest } from './send.ts';

/** How many times a request is sent again with other credentials. */
const MAX_ATTEMPTS = 3;
const NO_FIELDS: Fields = {};

/** Sends a request whose headers or credentials are obtained asynchronously. */
export const sendAuthorized: SendAuthorized = (options, request, events) =>
  new AuthorizedRequest(options, request, events);

/** A request whose headers or credentials are obtained asynchronously, and which is sent again with other credentials if it is refused. */
class AuthorizedRequest implements AnswerEvents, SentRequest {
  readonly #options: HttpTransportOptions;
  readonly #request: BareRequest;
  readonly #events: AnswerEvents;
  #sent = NOT_SENT;
  #stopped = false;
  /** How many times it was sent again. */
  #attempt = 0;
  #credentials = NO_FIELDS;
  /** Was the last attempt refused? Then the rest of its answer is ignored. */
  #refused = false;

  constructor(options: HttpTransportOptions, request: BareRequest, events: AnswerEvents) {
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

  body(body: string | UnreadableAnswer, status: number, type: string): void {
    if (!this.#refused) this.#events.body(body, status, type);
  }

  event(event: SseEvent): void {
    if (!this.#refused) this.#events.event(event);
  }

  end(ended: AnswerEnd): void {
    if (!this.#refused) this.#events.end(ended);
  }

  #start(): void {
    const { headers } = this.#options;
    settle<Fields, void>(
      () => (typeof headers === 'function' ? headers() : headers),
      (own) => this.#authorize(own),
      (error) => this.#failBecause('There are no headers for the request', error),
    );
  }

  #authorize(own: Fields): Maybe<void> {
    const { auth, url, server = url } = this.#options;
    return settle<Fields, void>(
      () => auth?.credentials({ server, method: this.#request.method, url }) ?? NO_FIELDS,
      (credentials) => this.#send(own, credentials),
      (error) => this.#failBecause('There are no credentials for the request', error),
    );
  }

  #send(own: Fields, credentials: Fields): void {
    if (this.#stopped) return;
    const headers = { ...own, ...credentials, ...this.#request.fields };
    const problem = problemOf(headers);
    if (problem !== undefined) return this.#fail(problem);
    this.#credentials = credentials;
    this.#refused = false;
    this.#sent = sendOnce(this.#options, this.#request, headers, this);
  }

  /** Asks for other credentials after a refusal, and sends the request again if there are any. */
  #askAgain(auth: ClientAuth, answer: AnswerHead, challenge: string | undefined): void {
    const { url, server = url, pauseTimeouts } = this.#options;
    const { status } = answer;
    const resumeTimeouts = pauseTimeouts?.();
    const refusal: Refusal = {
      status,
      challenge,
      server,
      method: this.#request.method,
      url,
      sent: this.#credentials,
      attempt: this.#attempt,
      header: (name) => answer.header(name),
    };
    // The program's own `challenged` may throw, or not return a promise. Then the call, and its timeout, would wait forever.
    const ask = async (): Promise<boolean> => auth.challenged(refusal);
    void ask()
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
      .catch((error: unknown) => this.#failBecause('There are no credentials for the request', error));
  }

  #failBecause(message: string, cause: unknown): void {
    this.#fail(cause instanceof AuthError ? cause : new Error(message, { cause }));
  }

  #fail(error: Error): void {
    if (!this.#stopped) this.#events.end({ error, delivered: false, status: undefined, retry: undefined });
  }
}
