import type { Timer } from '../../client/clock.ts';
import { Pace } from '../../client/pace.ts';
import { ConnectionError } from '../../protocol/errors.ts';
import { HEADER } from '../../wire/headers.ts';
import { lastEventIdHeader } from '../../wire/last-event-id.ts';
import type { SseEvent } from '../../wire/sse-parser.ts';
import type { HttpSender, Fields } from './http-sender.ts';
import type { AnswerEnd } from './read-answer.ts';
import type { SentRequest } from './send.ts';
import { GET_FIELDS, isPermanentRefusal } from './stream-requests.ts';

/** How many times in a row a stream without new events is resumed. */
const MAX_LOST = 5;
/** The delay unless the server gives one, in milliseconds. */
const RESUME_MS = 1_000;

/** The stream of a request, lost before the result arrived. */
export interface LostStream {
  /** Its last event id. */
  readonly lastId: string;
  /** How many times it was lost since the last new event. */
  lost: number;
  /** The delays before it is resumed. */
  pace: Pace | undefined;
  timer: Timer;
  sent: SentRequest;
}

/** The functions of the transport that resuming calls. */
export interface ResumeHooks {
  /** The header fields of the session. */
  fields(): Fields;
  /** Does the request still wait for its result? */
  isPending(): boolean;
  take(event: SseEvent): void;
  /** The resumed stream has ended too. */
  ended(ended: AnswerEnd): void;
  fail(error: ConnectionError): void;
}

/**
 * Resumes a stream after the delay that the server gave, or a default one (2025-11-25, "Resumability and Redelivery"). A server that gives a
 * delay and closes the stream normally continues the call ("Sending Messages to the Server"), so this does not count as a loss, however often
 * it happens: only its pace and the timeouts of the call limit it.
 */
export function resumeLater(
  sender: HttpSender,
  stream: LostStream,
  { error, status, retry }: AnswerEnd,
  hooks: ResumeHooks,
): void {
  const lost = 'The stream with the answer was lost, and';
  const from = lastEventIdHeader(stream.lastId);
  if (from === undefined)
    return hooks.fail(
      new ConnectionError(
        'answer-lost',
        `${lost} cannot be resumed: its last event id has characters that are invalid in HTTP`,
        {
          processed: 'unknown',
        },
      ),
    );
  const polled = error === undefined && retry !== undefined && status !== undefined && status < 300;
  if (polled) stream.lost = 0;
  else if (++stream.lost > MAX_LOST)
    return hooks.fail(new ConnectionError('answer-lost', `${lost} could not be resumed`, { processed: 'unknown' }));
  const resume = (): void => {
    let refused: number | undefined;
    stream.sent = sender.send(
      { method: 'GET', fields: { ...GET_FIELDS, ...hooks.fields(), [HEADER.lastEventId]: from } },
      {
        head({ status }) {
          if (isPermanentRefusal(status)) refused = status;
        },
        body() {},
        event: (event) => hooks.take(event),
        end(ended) {
          if (refused === undefined) return hooks.ended({ ...ended, retry: ended.retry ?? retry });
          if (!hooks.isPending()) return undefined;
          const message = `${lost} the server does not resume it (status ${refused})`;
          return hooks.fail(new ConnectionError('answer-lost', message, { status: refused, processed: 'unknown' }));
        },
      },
    );
  };
  const { clock } = sender.options;
  stream.pace ??= new Pace(clock);
  const wanted = retry ?? (stream.lost === 1 ? 0 : RESUME_MS * 2 ** (stream.lost - 2));
  stream.timer = clock.setTimeout(resume, stream.pace.next(wanted));
  return undefined;
}
