import { andThen, type Maybe } from '../../../protocol/maybe.ts';
import type { EventLog } from './event-log.ts';
import { EventStream, type StreamContext } from '../event-stream.ts';
import type { Headers, HttpReply } from '../http-message.ts';

/**
 * The stream of a session for messages that belong to no call: the response to a GET (2025-11-25, "Listening for Messages from the
 * Server").
 */
export interface NotificationStream {
  /** Sends a notification. */
  send(message: string): void;
  /** Ends it. Resolves when everything that was sent is stored. */
  end(): Maybe<void>;
}

/** Opens the stream. `earlier` are encoded events of an earlier stream that the client has not received. */
export function openNotifications(
  reply: HttpReply,
  headers: Headers,
  log: EventLog,
  context: StreamContext,
  options: {
    readonly priming: boolean;
    readonly earlier: readonly string[];
    /** The client has disconnected. */
    readonly onGone: () => void;
    /** The client has resumed the stream at another node, where it does not get this message by itself. */
    readonly onLeft: (message: string) => void;
  },
): NotificationStream {
  const stream = new EventStream(reply, headers, context);
  reply.onGone(() => {
    log.rest();
    options.onGone();
  });
  for (const text of options.earlier) void stream.write(text);
  let at = 0;
  let keeping: PromiseLike<unknown> | undefined;
  let ended = false;
  const send = (message: string): void => {
    if (ended) return;
    const number = ++at;
    const event = log.text(number, message);
    const pass = (): void => {
      if (log.owner === 0) void stream.write(event);
      else options.onLeft(message);
    };
    const keep = () => andThen(log.store({ at: number, count: 1, content: message, last: false }), pass);
    if (keeping === undefined) {
      const kept = keep();
      if (kept !== undefined) keeping = Promise.resolve(kept).catch(() => {});
    } else keeping = keeping.then(keep).then(undefined, () => {});
  };
  // Something has to be sent, or some clients do not notice that the stream is open.
  if (options.priming) send('');
  else void stream.write(':\n\n');
  const end = (): Maybe<void> => {
    ended = true;
    const finish = (): void => {
      log.rest();
      stream.end();
    };
    // The client gets the events that are being stored: when it resumes, it is told those that follow.
    return keeping === undefined ? finish() : keeping.then(finish);
  };
  return { send, end };
}
