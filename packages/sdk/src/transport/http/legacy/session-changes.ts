import { andThen } from '../../../protocol/maybe.ts';
import { holdProcess } from '../../../protocol/timers.ts';
import type { Change, SharedChange } from '../../../server/changes.ts';
import type { Watcher } from '../../serving/announce-resource.ts';
import { changeText, isWatched } from '../../serving/updates.ts';
import type { Endpoint } from '../endpoint.ts';
import { type HttpSession, keepPendingChange, keepPendingMessage } from './http-session.ts';

/** Did the client of a session ask for such changes, and is the session still open? */
export function wantsChange({ ended, agreed }: HttpSession, change: Change): boolean {
  if (ended || !agreed.initialized) return false;
  return isWatched(change, agreed.lists, agreed.subscribed);
}

/** A session as a watcher of changes. */
export function watcherOf(endpoint: Endpoint, session: HttpSession): Watcher {
  return {
    principal: session.agreed.principal,
    wants: (change) => wantsChange(session, change),
    // Changes of tasks are left out: legacy clients poll tasks.
    notify: (change) => ('task' in change ? undefined : deliver(endpoint, session, change)),
  };
}

/** Sends a change on the stream of a session, or keeps it until there is one. If the stream is on another node, that node sends it. */
function deliver({ cluster }: Endpoint, session: HttpSession, change: SharedChange): void {
  if (session.notificationStream !== undefined) session.notificationStream.send(changeText(change));
  else if (!session.ended && !session.listensElsewhere && (cluster === undefined || session.home === cluster.node))
    keepPendingChange(session, change);
}

/** Sends a message that belongs to no call on the stream of a session, or keeps it until there is one. */
export function deliverMessage(endpoint: Endpoint, session: HttpSession, text: string): void {
  if (session.notificationStream !== undefined) session.notificationStream.send(text);
  else if (session.listensElsewhere) passOnMessage(endpoint, session, text);
  else if (!session.ended) keepMessages(endpoint, session, [text]);
}

function keepMessages({ faults }: Endpoint, session: HttpSession, messages: readonly string[]): void {
  for (const text of messages)
    if (!keepPendingMessage(session, text))
      faults({
        level: 'warn',
        event: 'message-dropped',
        message: 'A message outside calls is dropped: its client opens no stream',
      });
}

/**
 * Passes on a message, and those that wait, to the node at which the client has opened its stream. While the bus does not take them, they wait
 * here.
 */
export function passOnMessage(endpoint: Endpoint, session: HttpSession, text: string): void {
  if (session.ended) return;
  const messages = [...(session.pendingMessages ?? []), text];
  session.pendingMessages = undefined;
  const sent = endpoint.cluster?.sendToAll({ kind: 'unsent', session: session.id, messages }) ?? false;
  void andThen(sent, (isSent) => {
    if (!isSent) keepMessages(endpoint, session, messages);
  });
}

/** How long another node may take to pass on what it has kept for a client, in milliseconds. */
const PASS_ON_MS = 2_000;

/**
 * Waits for the node at which the client listened before, which passes on the changes that it has kept. A node that stays silent is gone, and
 * its changes are lost: then the client is notified that everything it watches may have changed.
 */
export function expectChanges(session: HttpSession): void {
  clearTimeout(session.expecting);
  session.expecting = setTimeout(() => {
    const { agreed, notificationStream } = session;
    session.expecting = undefined;
    if (!agreed.initialized) return;
    for (const list of agreed.lists) keepPendingChange(session, { list });
    for (const uri of agreed.subscribed) keepPendingChange(session, { uri });
    if (notificationStream !== undefined) sendPending(session);
  }, PASS_ON_MS);
  holdProcess(session.expecting, false);
}

/** Another node has passed on what it has kept. */
export function takeChanges(session: HttpSession, changes: readonly SharedChange[]): void {
  clearTimeout(session.expecting);
  session.expecting = undefined;
  for (const change of changes) keepPendingChange(session, change);
  sendPending(session);
}

/** Sends a session the changes and messages that were kept for it. */
export function sendPending(session: HttpSession): void {
  const { notificationStream, pendingChanges, pendingMessages } = session;
  if (notificationStream === undefined) return;
  session.pendingChanges = session.pendingMessages = undefined;
  for (const change of pendingChanges?.values() ?? []) notificationStream.send(changeText(change));
  for (const text of pendingMessages ?? []) notificationStream.send(text);
}

/** Ends the stream of a session: its client opens the next one, perhaps at another node. */
export function closeStream({ cluster }: Endpoint, session: HttpSession): void {
  const { id, notificationStream } = session;
  if (notificationStream === undefined) return;
  session.notificationStream = undefined;
  notificationStream.end();
  cluster?.broadcast({ kind: 'listening', session: id, node: cluster.node, on: false });
}
