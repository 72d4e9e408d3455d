import { settle } from '../../protocol/maybe.ts';
import { shown } from '../../protocol/text.ts';
import type { Change } from '../../server/changes.ts';
import { reportFailure } from '../../server/failure.ts';
import { noticeOf } from '../connection/notices.ts';
import type { Endpoint } from './endpoint.ts';
import { type HttpSession, keepUntold } from './http-session.ts';

/** Tells the clients of sessions of a change. */
export const tellSessions = (endpoint: Endpoint, change: Change): void => {
  for (const session of endpoint.sessions.all()) if (isMeant(session, change)) tellSession(endpoint, session, change);
};

const isMeant = ({ agreed }: HttpSession, change: Change): boolean =>
  agreed.initialized && ('uri' in change ? agreed.subscribed.has(change.uri) : agreed.lists.has(change.list));

const tellSession = (endpoint: Endpoint, session: HttpSession, change: Change): void => {
  if (!('uri' in change)) return deliver(endpoint, session, change);
  const { engine } = endpoint;
  // What the client could see when it subscribed may be hidden from it by now.
  void settle<boolean, void>(
    () => engine.hasResource(change.uri, { principal: session.principal }),
    (there) => {
      if (there) deliver(endpoint, session, change);
    },
    (error) => void reportFailure(`Looking for '${shown(change.uri)}', which changed,`, error, engine.log),
  );
};

/** On its stream, or later when it has one. Another node that has the stream hears of the change, too. */
const deliver = ({ cluster }: Endpoint, session: HttpSession, change: Change): void => {
  if (session.listening !== undefined) session.listening.send(noticeOf(change));
  else if (!session.ended && !session.elsewhere && (cluster === undefined || session.home === cluster.node))
    keepUntold(session, change);
};

/** Tells a session what could not be told before. */
export const tellUntold = (session: HttpSession): void => {
  const { listening, untold } = session;
  if (listening === undefined || untold === undefined) return;
  session.untold = undefined;
  for (const change of untold.values()) listening.send(noticeOf(change));
};
