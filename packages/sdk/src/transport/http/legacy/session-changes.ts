import type { Change } from '../../../server/changes.ts';
import { changeText, type Watcher } from '../../serving/updates.ts';
import type { Endpoint } from '../endpoint.ts';
import { type HttpSession, keepPendingChange } from './http-session.ts';

/** Did the client of a session ask for such changes, and is the session still open? */
export function wantsChange({ ended, agreed }: HttpSession, change: Change): boolean {
  if (ended || !agreed.initialized) return false;
  return 'uri' in change ? agreed.subscribed.has(change.uri) : agreed.lists.has(change.list);
}

/** A session as a watcher of changes. */
export function watcherOf(endpoint: Endpoint, session: HttpSession): Watcher {
  return {
    principal: session.principal,
    wants: (change) => wantsChange(session, change),
    notify: (change) => deliver(endpoint, session, change),
  };
}

/** Sends a change on the stream of a session, or keeps it until there is one. If the stream is on another node, that node sends it. */
function deliver({ cluster }: Endpoint, session: HttpSession, change: Change): void {
  if (session.notificationStream !== undefined) session.notificationStream.send(changeText(change));
  else if (!session.ended && !session.listensElsewhere && (cluster === undefined || session.home === cluster.node))
    keepPendingChange(session, change);
}

/** Sends a session the changes that were kept for it. */
export function sendPendingChanges(session: HttpSession): void {
  const { notificationStream, pendingChanges } = session;
  if (notificationStream === undefined || pendingChanges === undefined) return;
  session.pendingChanges = undefined;
  for (const change of pendingChanges.values()) notificationStream.send(changeText(change));
}
