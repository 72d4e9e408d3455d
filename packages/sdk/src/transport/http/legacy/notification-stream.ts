import { andThen } from '../../../protocol/maybe.ts';
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
  end(): void;
}

/** Opens the stream. `earlier` are encoded events of an earlier stream that the client has not received. */
export function openNotifications(
  reply: HttpReply,
  headers: Headers,
  log: EventLog,
  context: StreamContext,
  options: { readonly priming: boolean; readonly earlier: readonly string[]; readonly onGone: () => void },
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
    const keep = () => andThen(log.store(number, message, false), () => void stream.write(event));
    if (keeping === undefined) {
      const kept = keep();
      if (kept !== undefined) keeping = Promise.resolve(kept).catch(() => {});
    } else keeping = keeping.then(keep).then(undefined, () => {});
  };
  // Something has to be sent, or some clients do not notice that the stream is open.
  if (options.priming) send('');
  else void stream.write(':\n\n');
  const end = (): void => {
    ended = true;
    const finish = (): void => {
      log.rest();
      stream.end();
    };
    // The client gets the events that are being stored: when it resumes, it is told those that follow.
    if (keeping === undefined) finish();
    else void keeping.then(finish);
  };
  return { send, end };
}
