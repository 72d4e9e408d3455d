import type { Timer } from '../../client/clock.ts';
import { ConnectionError } from '../../protocol/errors.ts';
import { HEADER } from '../../wire/headers.ts';
import { lastEventIdHeader } from '../../wire/last-event-id.ts';
import type { SseEvent } from '../../wire/sse-parser.ts';
import { type Fields, fly, type HttpLinkOptions } from './fly.ts';
import type { Ended } from './read-answer.ts';
import { GET_FIELDS, isRefusal, MOST_WAIT_MS } from './streams.ts';

/** So often a stream that brings nothing new is resumed. */
const MOST_LOST = 5;
/** So often a stream that brings nothing new is resumed as soon as the server says; after that, not before `RESUME_MS`. */
const MOST_QUICK = 5;
/** Until the server says how long to wait, in milliseconds. */
const RESUME_MS = 1_000;

/** A request whose stream was lost before its result. */
export interface LostStream {
  /** The last event id that it said. */
  readonly lastId: string;
  /** How often it was lost without anything new. */
  lost: number;
  /** How often the server closed it in good order since it brought something new, and the id of that. */
  polls?: { readonly from: string; count: number };
  timer: Timer;
  abort(): void;
}

/** What resuming needs of the link. */
export interface ResumeHooks {
  /** The fields of the session. */
  fields(): Fields;
  /** Does the request still wait for its result? */
  waits(): boolean;
  take(event: SseEvent): void;
  /** The resumed stream ended, too. */
  ended(ended: Ended): void;
  fail(error: ConnectionError): void;
}

/**
 * Comes back for the rest of a stream after a while (2025-11-25, "Resumability and Redelivery"): after as long as the server said, if it did.
 * A server that says so and closes the stream goes on with the call ("Sending Messages to the Server"), so that is no loss, however often it
 * happens; how long the call may take is for its timeouts to decide.
 */
export function resumeLater(
  options: HttpLinkOptions,
  stream: LostStream,
  { error, status, retry }: Ended,
  hooks: ResumeHooks,
): void {
  const lost = 'The stream with the answer was lost, and';
  const from = lastEventIdHeader(stream.lastId);
  if (from === undefined)
    return hooks.fail(
      new ConnectionError(`${lost} cannot be resumed: its last event id has characters that no HTTP header can carry`, {
        processed: 'unknown',
      }),
    );
  const polled = error === undefined && retry !== undefined && status !== undefined && status < 300;
  if (polled) stream.lost = 0;
  else if (++stream.lost > MOST_LOST)
    return hooks.fail(new ConnectionError(`${lost} could not be resumed`, { processed: 'unknown' }));
  const resume = (): void => {
    let refused: number | undefined;
    stream.abort = fly(
      options,
      { method: 'GET', fields: { ...GET_FIELDS, ...hooks.fields(), [HEADER.lastEventId]: from } },
      {
        head(status) {
          if (isRefusal(status)) refused = status;
        },
        body() {},
        event: (event) => hooks.take(event),
        end(ended) {
          if (refused === undefined) return hooks.ended({ ...ended, retry: ended.retry ?? retry });
          if (!hooks.waits()) return undefined;
          const message = `${lost} the server does not resume it (status ${refused})`;
          return hooks.fail(new ConnectionError(message, { status: refused, processed: 'unknown' }));
        },
      },
    );
  };
  if (stream.polls?.from !== from) stream.polls = { from, count: 0 };
  const least = polled && ++stream.polls.count > MOST_QUICK ? RESUME_MS : 0;
  const wait = Math.max(least, retry ?? (stream.lost === 1 ? 0 : RESUME_MS * 2 ** (stream.lost - 2)));
  stream.timer = options.clock.setTimeout(resume, Math.min(wait, MOST_WAIT_MS));
  return undefined;
}
