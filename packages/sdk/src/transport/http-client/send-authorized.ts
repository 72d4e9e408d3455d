import type { ClientAuth } from '../../protocol/client-auth.ts';
import type { Clock } from '../../client/clock.ts';
import type { Limits } from '../../protocol/limits.ts';
import { AuthError } from '../../protocol/auth-error.ts';
import { type Maybe, settle } from '../../protocol/maybe.ts';
import { shown } from '../../protocol/text.ts';
import { isFieldValue } from '../../wire/headers.ts';
import { type AnswerEvents, readAnswer } from './read-answer.ts';
import type { HttpSend } from './send.ts';

/** Header fields, by name in lower case. */
export type Fields = Readonly<Record<string, string>>;

/** How to reach a server over HTTP. */
export interface HttpLinkOptions {
  readonly url: string;
  readonly send: HttpSend;
  /** Additional header fields; called for each request. */
  readonly headers: () => Maybe<Fields>;
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
  readonly fields: Fields;
  readonly body?: string;
}

/** How often a request is sent again with other credentials. */
const MAX_ATTEMPTS = 3;

/** Sends an HTTP request with the headers of the program and with credentials. Returns the function that aborts it. */
export function sendAuthorized(options: HttpLinkOptions, request: LinkRequest, events: AnswerEvents): () => void {
  const { headers, auth, url, server = url } = options;
  const { method } = request;
  let stopped = false;
  let abort = (): void => {};

  const failed = (message: string, cause: unknown): void => {
    if (stopped) return;
    const error = cause instanceof AuthError ? cause : new Error(message, { cause });
    events.end({ error, delivered: false, status: undefined, retry: undefined });
  };
  const start = (attempt: number): void =>
    settle(
      () => headers(),
      (own) =>
        settle<Fields, void>(
          () => auth?.credentials({ server, method, url }) ?? NO_FIELDS,
          (credentials) => {
            if (!stopped) sendWith(own, credentials, attempt);
          },
          (error) => failed('There are no credentials for the request', error),
        ),
      (error) => failed('There are no headers for the request', error),
    ) as void;

  const sendWith = (own: Fields, credentials: Fields, attempt: number): void => {
    const all = { ...own, ...credentials, ...request.fields };
    // Some of these values come from servers and authorization servers, and sending an invalid one throws.
    const bad = Object.keys(all).find((name) => !isFieldValue(all[name]));
    if (bad !== undefined)
      return failed(`The '${shown(bad, 60)}' header has characters that are invalid in HTTP`, undefined);
    if (auth === undefined) {
      abort = sendOnce(options, request, all, events);
      return;
    }
    let refused = false;
    let early = false;
    abort = () => {
      early = true;
    };
    const sent = sendOnce(options, request, all, {
      head(status, header) {
        const challenge = header('www-authenticate');
        const isChallenge = status === 401 || (status === 403 && challenge !== undefined);
        if (!isChallenge || attempt >= MAX_ATTEMPTS) return events.head(status, header);
        refused = true;
        abort();
        const resumeTimeouts = options.pauseTimeouts?.();
        void auth
          .challenged({ status, challenge, server, method, url, sent: credentials, attempt, header })
          .finally(() => resumeTimeouts?.())
          .then((retry) => {
            if (stopped) return;
            if (retry) return start(attempt + 1);
            events.head(status, header);
            events.body('', status, '');
            events.end({ error: undefined, delivered: true, status, retry: undefined });
          })
          .catch((error: unknown) => failed('There are no credentials for the request', error));
        return undefined;
      },
      body: (text, status, type) => refused || events.body(text, status, type),
      event: (event) => refused || events.event(event),
      end: (ended) => refused || events.end(ended),
    } as AnswerEvents);
    abort = sent;
    if (early) sent();
  };

  start(0);
  return () => {
    stopped = true;
    abort();
  };
}

const NO_FIELDS: Fields = {};

function sendOnce(
  { url, send: dispatch, limits }: HttpLinkOptions,
  request: LinkRequest,
  headers: Fields,
  events: AnswerEvents,
): () => void {
  let abort = (): void => {};
  const incoming = readAnswer(events, limits.lineBytes, () => abort());
  abort = dispatch({ ...request, url, headers, identity: request }, incoming);
  return () => abort();
}
