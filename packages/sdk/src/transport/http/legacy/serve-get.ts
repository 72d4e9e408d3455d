import { CODE } from '../../../protocol/errors.ts';
import { featuresOf } from '../../../protocol/revision.ts';
import { HEADER } from '../../../wire/headers.ts';
import type { HttpExchange } from '../http-exchange.ts';
import type { Endpoint } from '../endpoint.ts';
import { EventLog, eventText, readEventId, readEvents } from './event-log.ts';
import { followStream } from './follow-stream.ts';
import type { HttpSession } from './http-session.ts';
import { openNotifications } from './notification-stream.ts';
import { refuseWhileDraining } from '../refuse.ts';
import { sendPending } from './session-changes.ts';
import { sendError } from '../send-error.ts';

function invalid({ reply, headers }: HttpExchange, status: number, message: string): void {
  sendError(reply, status, { code: CODE.invalidRequest, message }, headers);
}

/** Answers a GET: opens the stream for notifications, or resumes a stream. */
export async function serveGet(endpoint: Endpoint, http: HttpExchange, session: HttpSession): Promise<void> {
  const lastId = http.request.header(HEADER.lastEventId);
  const from = typeof lastId === 'string' ? readEventId(lastId) : undefined;
  // The client listens at another node, unless it resumes the answer to a call that still runs here.
  if (endpoint.draining && ![...(session.responses ?? [])].some(({ id }) => id === from?.stream))
    return refuseWhileDraining(http);
  if (typeof lastId !== 'string' || lastId === '') return openStream(endpoint, http, session, []);
  const rest = from === undefined ? undefined : await restOf(endpoint, http, session, from);
  if (rest === undefined) {
    endpoint.faults({ level: 'info', event: 'cannot-resume', message: 'A stream could not be resumed' });
    // Not 404: that would mean that the session has ended.
    return invalid(http, 400, 'This stream cannot be resumed: its events are not kept, or not any more');
  }
  if (rest !== 'served') return openStream(endpoint, http, session, rest);
}

/**
 * The events of an earlier notification stream that the client has not received; `served` when the response is being written elsewhere;
 * undefined when they are not stored.
 */
async function restOf(
  endpoint: Endpoint,
  http: HttpExchange,
  session: HttpSession,
  { kind, stream, at }: NonNullable<ReturnType<typeof readEventId>>,
): Promise<readonly string[] | 'served' | undefined> {
  const { store } = endpoint.events;
  if (kind === 'note') {
    const kept = await readEvents(store, session.id, stream, at);
    return kept?.map((event) => eventText(`${stream}_${event.at}`, event.message));
  }
  for (const open of session.responses ?? []) {
    if (open.id !== stream) continue;
    return (await open.resume(http.reply, http.headers ?? {}, at)) ? 'served' : undefined;
  }
  return (await followStream(endpoint, http, { session: session.id, stream, after: at })) ? 'served' : undefined;
}

function openStream(endpoint: Endpoint, http: HttpExchange, session: HttpSession, earlier: readonly string[]): void {
  const { reply, headers } = http;
  const { cluster, events, streams } = endpoint;
  // Only the newest stream gets notifications, because none may be sent on two streams. A client that lost its connection may reconnect
  // before this side notices.
  session.notificationStream?.end();
  const stream = openNotifications(reply, headers ?? {}, new EventLog(events, session.id, 'note'), streams, {
    priming: featuresOf(session.agreed.revision).polling,
    earlier,
    onGone() {
      if (session.notificationStream !== stream) return;
      session.notificationStream = undefined;
      cluster?.broadcast({ kind: 'listening', session: session.id, node: cluster.node, on: false });
    },
  });
  session.notificationStream = stream;
  session.listensElsewhere = false;
  if (cluster !== undefined) session.home = cluster.node;
  cluster?.broadcast({ kind: 'listening', session: session.id, node: cluster.node, on: true });
  sendPending(session);
}
