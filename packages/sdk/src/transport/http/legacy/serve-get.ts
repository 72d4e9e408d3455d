import { CODE } from '../../../protocol/errors.ts';
import { featuresOf } from '../../../protocol/revision.ts';
import { HEADER } from '../../../wire/headers.ts';
import type { HttpExchange } from '../http-exchange.ts';
import type { Endpoint } from '../endpoint.ts';
import { EventLog } from './event-log.ts';
import { followStream } from './follow-stream.ts';
import type { HttpSession } from './http-session.ts';
import { openNotifications } from './notification-stream.ts';
import { refuseWhileDraining } from '../refuse.ts';
import { expectChanges, passOnMessage, sendPending } from './session-changes.ts';
import { eventTexts, readEventId, readStream, writeResumption } from './stored-events.ts';
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
  if (typeof lastId !== 'string' || lastId === '') {
    const isMoved = await takeStream(endpoint, session);
    return openStream(endpoint, http, session, { earlier: [], isMoved });
  }
  if (from?.kind === 'note') {
    const taken = await takeEvents(endpoint, session, from);
    return taken === undefined ? refuseToResume(endpoint, http) : openStream(endpoint, http, session, taken);
  }
  if (from === undefined || !(await resumeCall(endpoint, http, session, from))) refuseToResume(endpoint, http);
}

function refuseToResume({ faults }: Endpoint, http: HttpExchange): void {
  faults({ level: 'info', event: 'cannot-resume', message: 'A stream could not be resumed' });
  // Not 404: that would mean that the session has ended.
  invalid(http, 400, 'This stream cannot be resumed: its events are not kept, or not any more');
}

/** An event of a stream. */
type Position = NonNullable<ReturnType<typeof readEventId>>;

/** Resumes the answer to a call. Returns false if its events are not stored. */
async function resumeCall(
  endpoint: Endpoint,
  http: HttpExchange,
  session: HttpSession,
  { stream, at }: Position,
): Promise<boolean> {
  for (const open of session.responses ?? [])
    if (open.id === stream) return open.resume(http.reply, http.headers ?? {}, at);
  return followStream(endpoint, http, session, { stream, after: at });
}

/**
 * The client goes on listening here: from now on, nothing is sent on its earlier streams. Until its new stream is open, what it has to be told
 * is kept. Resolves with whether another node kept that before.
 */
async function takeStream({ sessions, cluster }: Endpoint, session: HttpSession): Promise<boolean> {
  const isMoved = cluster !== undefined && session.home !== cluster.node;
  await sessions.countStream(session);
  const { notificationStream } = session;
  session.listensElsewhere = false;
  session.notificationStream = undefined;
  await notificationStream?.end();
  return isMoved;
}

/** What is known about the earlier streams of a client that opens one. */
interface Earlier {
  /** Encoded events that the client has not received. */
  readonly earlier: readonly string[];
  /** Another node kept what the client has to be told. */
  readonly isMoved: boolean;
}

/** The events of an earlier stream that the client has not received, when no more can be added to them. Undefined if they are not stored. */
async function takeEvents(
  endpoint: Endpoint,
  session: HttpSession,
  { stream, at }: Position,
): Promise<Earlier | undefined> {
  const { store, isShared, openMs } = endpoint.events;
  const position = { session: session.id, stream, after: at };
  if ((await readStream(store, position)) === undefined) return undefined;
  const isMoved = await takeStream(endpoint, session);
  // What another node sends after this, it passes on.
  const end = isShared ? await writeResumption(store, position, openMs) : undefined;
  const rest = await readStream(store, position, end);
  if (rest === undefined) return undefined;
  const text = eventTexts(stream);
  return { earlier: rest.events.map((event) => text(event.at, event.message)), isMoved };
}

function openStream(endpoint: Endpoint, http: HttpExchange, session: HttpSession, { earlier, isMoved }: Earlier): void {
  const { reply, headers } = http;
  const { cluster, events, streams } = endpoint;
  if (reply.closed) return;
  if (endpoint.draining) return refuseWhileDraining(http);
  if (session.ended) return invalid(http, 404, 'The session has ended: begin a new one with initialize');
  // Only the newest stream gets notifications, because none may be sent on two streams. A client that lost its connection may reconnect
  // before this side notices.
  void session.notificationStream?.end();
  const stream = openNotifications(reply, headers ?? {}, new EventLog(events, session.id, 'note'), streams, {
    priming: featuresOf(session.agreed.revision).polling,
    earlier,
    onGone() {
      if (session.notificationStream !== stream) return;
      session.notificationStream = undefined;
      cluster?.broadcast({ kind: 'listening', session: session.id, node: cluster.node, on: false });
    },
    onLeft(message) {
      if (session.notificationStream === stream) session.notificationStream = undefined;
      void stream.end();
      if (message !== '') passOnMessage(endpoint, session, message);
    },
  });
  session.notificationStream = stream;
  session.listensElsewhere = false;
  cluster?.broadcast({ kind: 'listening', session: session.id, node: cluster.node, on: true });
  if (isMoved) expectChanges(session);
  sendPending(session);
}
