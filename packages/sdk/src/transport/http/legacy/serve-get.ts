import { CODE } from '../../../protocol/errors.ts';
import { featuresOf } from '../../../protocol/revision.ts';
import { HEADER } from '../../../wire/headers.ts';
import type { HttpExchange } from '../http-exchange.ts';
import type { Endpoint } from '../endpoint.ts';
import { EventLog, eventText, type StoredEvent, readEventId, readEvents, topicOf } from './event-log.ts';
import { EventStream, writeEvent } from '../event-stream.ts';
import type { HttpSession } from './http-session.ts';
import { openNotifications } from './notification-stream.ts';
import { sendPending } from './session-changes.ts';
import { sendError } from '../send-error.ts';

function invalid({ reply, headers }: HttpExchange, status: number, message: string): void {
  sendError(reply, status, { code: CODE.invalidRequest, message }, headers);
}

/** Answers a GET: opens the stream for notifications, or resumes a stream. */
export async function serveGet(endpoint: Endpoint, http: HttpExchange, session: HttpSession): Promise<void> {
  const lastId = http.request.header(HEADER.lastEventId);
  if (typeof lastId !== 'string' || lastId === '') return openStream(endpoint, http, session, []);
  const from = readEventId(lastId);
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
  return follow(endpoint, http, session, stream, at);
}

/** Sends the rest of the answer to a call that has ended, or runs on another node. */
async function follow(
  { events, streams }: Endpoint,
  { reply, headers }: HttpExchange,
  session: HttpSession,
  stream: string,
  after: number,
): Promise<'served' | undefined> {
  const meanwhile: StoredEvent[] = [];
  let take = (event: StoredEvent): void => void meanwhile.push(event);
  const off = await events.bus?.subscribe(topicOf(session.id, stream), (event) => take(event as StoredEvent));
  const kept = await readEvents(events.store, session.id, stream, after);
  if (kept === undefined || reply.closed) {
    off?.();
    return undefined;
  }
  const out = new EventStream(reply, headers ?? {}, streams);
  const end = (): void => {
    off?.();
    out.end();
  };
  let seen = after;
  take = ({ at, message, last }) => {
    if (at > seen) writeEvent(out, eventText(`${stream}_${at}`, message), message, last);
    seen = Math.max(seen, at);
    if (last) end();
  };
  for (const event of [...kept, ...meanwhile]) take(event);
  // No node runs the call any more: its process has ended.
  if (off === undefined) end();
  else reply.onGone(off);
  return 'served';
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
  cluster?.broadcast({ kind: 'listening', session: session.id, node: cluster.node, on: true });
  sendPending(session);
}
