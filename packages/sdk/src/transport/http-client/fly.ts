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

/** How a server is reached over HTTP. */
export interface HttpLinkOptions {
  readonly url: string;
  readonly send: HttpSend;
  /** What every request carries besides; asked for each. */
  readonly headers: () => Maybe<Fields>;
  readonly limits: Limits;
  readonly clock: Clock;
  readonly auth?: ClientAuth | undefined;
  /** The address that was connected to, where `url` is another. */
  readonly server?: string;
  /** While somebody logs in, time without news does not count. Returns the release. */
  readonly hold?: () => () => void;
}

/** One HTTP request. */
export interface Flight {
  readonly method: 'GET' | 'POST' | 'DELETE';
  readonly fields: Fields;
  readonly body?: string;
}

/** So often a request is sent again with other credentials. */
const MOST_REFUSALS = 3;

/** Sends one HTTP request, with the headers of one's own asked for first. Returns the function that aborts it. */
export const fly = (options: HttpLinkOptions, flight: Flight, events: AnswerEvents): (() => void) => {
  const { headers, auth, url, server = url } = options;
  const { method } = flight;
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
          () => auth?.credentials({ server, method, url }) ?? NOTHING,
          (credentials) => {
            if (!stopped) go(own, credentials, attempt);
          },
          (error) => failed('There are no credentials for the request', error),
        ),
      (error) => failed('There are no headers for the request', error),
    ) as void;

  const go = (own: Fields, credentials: Fields, attempt: number): void => {
    const all = { ...own, ...credentials, ...flight.fields };
    // Servers and authorization servers choose some of these values, and sending an invalid one throws.
    const bad = Object.keys(all).find((name) => !isFieldValue(all[name]));
    if (bad !== undefined)
      return failed(`The '${shown(bad, 60)}' header has characters that no HTTP header can carry`, undefined);
    if (auth === undefined) {
      abort = send(options, flight, all, events);
      return;
    }
    let refused = false;
    let early = false;
    abort = () => {
      early = true;
    };
    const sent = send(options, flight, all, {
      head(status, header) {
        const challenge = header('www-authenticate');
        const asks = status === 401 || (status === 403 && challenge !== undefined);
        if (!asks || attempt >= MOST_REFUSALS) return events.head(status, header);
        refused = true;
        abort();
        const release = options.hold?.();
        void auth
          .refused({ status, challenge, server, method, url, sent: credentials, attempt, header })
          .finally(() => release?.())
          .then((again) => {
            if (stopped) return;
            if (again) return start(attempt + 1);
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
};

const NOTHING: Fields = {};

const send = (
  { url, send: dispatch, limits }: HttpLinkOptions,
  flight: Flight,
  headers: Fields,
  events: AnswerEvents,
): (() => void) => {
  let abort = (): void => {};
  const incoming = readAnswer(events, limits.lineBytes, () => abort());
  abort = dispatch({ ...flight, url, headers, flight }, incoming);
  return () => abort();
};
