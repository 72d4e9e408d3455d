import type { Change } from '../../server/changes.ts';
import { changeText, type Watcher } from '../serving/updates.ts';
import type { Endpoint } from './endpoint.ts';
import { type HttpSession, keepUntold } from './http-session.ts';

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
    tell: (change) => deliver(endpoint, session, change),
  };
}

/** Sends a change on the stream of a session, or keeps it until there is one. If the stream is on another node, that node is notified. */
function deliver({ cluster }: Endpoint, session: HttpSession, change: Change): void {
  if (session.listening !== undefined) session.listening.send(changeText(change));
  else if (!session.ended && !session.elsewhere && (cluster === undefined || session.home === cluster.node))
    keepUntold(session, change);
}

/** Sends a session the changes that were kept for it. */
export function tellUntold(session: HttpSession): void {
  const { listening, untold } = session;
  if (listening === undefined || untold === undefined) return;
  session.untold = undefined;
  for (const change of untold.values()) listening.send(changeText(change));
}
