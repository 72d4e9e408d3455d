import { andThen } from '../../protocol/maybe.ts';
import type { NodeMessage } from './cluster.ts';
import type { Endpoint } from './endpoint.ts';
import { takeOver } from './legacy/hand-over.ts';
import { type HttpSession, keepPendingChange, keepPendingMessage } from './legacy/http-session.ts';
import { cancelCall } from './legacy/serve-session.ts';
import { takeChanges } from './legacy/session-changes.ts';

/** The messages of other nodes that are about sessions. */
export type SessionMessage = Exclude<NodeMessage, { readonly kind: 'posted' | 'change' | 'joined' | 'present' }>;

/** Handles a message of another node about sessions. */
export function handleSessionMessage(endpoint: Endpoint, message: SessionMessage): void {
  const { cluster, sessions } = endpoint;
  switch (message.kind) {
    case 'leaving':
      // A node that shuts down itself could not keep them.
      if (!endpoint.draining && cluster !== undefined)
        void cluster.send(message.node, { kind: 'offer', node: cluster.node });
      return undefined;
    case 'offer':
      return endpoint.handOver?.offer(message.node);
    case 'hand-over':
      return takeOver(endpoint, message.sessions);
    case 'taken-over':
      for (const id of message.sessions) moveHome(endpoint, sessions.known(id), message.node);
      return endpoint.handOver?.takenOver(message.sessions);
    default: {
      const session = sessions.known(message.session);
      return session === undefined ? undefined : handleMessageOf(endpoint, session, message);
    }
  }
}

function handleMessageOf(
  endpoint: Endpoint,
  session: HttpSession,
  message: Exclude<SessionMessage, { readonly kind: 'leaving' | 'offer' | 'hand-over' | 'taken-over' }>,
): void {
  switch (message.kind) {
    case 'response':
      return void session.agreed.settle(message.response);
    case 'cancelled':
      return void cancelCall(session, message.id, message.reason);
    case 'session':
      return endpoint.sessions.forget(message.session, message.ended);
    case 'listening':
      session.listensElsewhere = message.on;
      if (!message.on) return undefined;
      // The client opened its stream at another node. Pending changes are sent there, and later ones are kept there. It waits for them, also
      // if there are none.
      if (session.home === endpoint.cluster?.node) session.pendingChanges ??= new Map();
      session.home = message.node;
      void session.notificationStream?.end();
      session.notificationStream = undefined;
      return passOn(endpoint, session, message.node);
    case 'unsent':
      // All nodes get it: the one that has the stream sends it. Without a stream, the home of the session keeps it.
      for (const text of message.messages)
        if (session.notificationStream !== undefined) session.notificationStream.send(text);
        else if (!session.listensElsewhere && session.home === endpoint.cluster?.node)
          keepPendingMessage(session, text);
      return undefined;
    default:
      return takeChanges(session, message.changes);
  }
}

/** From now on another node keeps what the client of a session has to be sent. */
function moveHome(endpoint: Endpoint, session: HttpSession | undefined, node: string): void {
  const { cluster } = endpoint;
  if (session === undefined || cluster === undefined) return;
  if (session.notificationStream !== undefined) {
    // The other node does not know that its client listens here.
    void cluster.send(node, { kind: 'listening', session: session.id, node: cluster.node, on: true });
    return;
  }
  session.home = node;
  passOn(endpoint, session, node);
}

/** Passes what waits for a client on to another node. While the bus does not take it, it waits here. */
function passOn({ cluster }: Endpoint, session: HttpSession, node: string): void {
  if (cluster === undefined) return;
  const { id, pendingChanges, pendingMessages } = session;
  session.pendingChanges = session.pendingMessages = undefined;
  if (pendingChanges !== undefined) {
    const changes = [...pendingChanges.values()];
    void andThen(cluster.send(node, { kind: 'untold', session: id, changes }), (isSent) => {
      if (!isSent) for (const change of changes) keepPendingChange(session, change);
    });
  }
  if (pendingMessages !== undefined)
    void andThen(cluster.send(node, { kind: 'unsent', session: id, messages: pendingMessages }), (isSent) => {
      if (!isSent) for (const text of pendingMessages) keepPendingMessage(session, text);
    });
}

/** Passes everything that waits for clients to the homes of their sessions, before this node ends. */
export function passOnAll(endpoint: Endpoint): void {
  const { cluster, sessions } = endpoint;
  if (cluster === undefined) return;
  for (const session of sessions.all()) if (session.home !== cluster.node) passOn(endpoint, session, session.home);
}
