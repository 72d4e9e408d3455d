import { andThen, type Maybe } from '../../../protocol/maybe.ts';
import type { Store } from '../../../store/store.ts';
import type { HttpSession } from './http-session.ts';
import { changeRecord, type SessionRecord } from './session-record.ts';

/** Counts, for all nodes, a stream for notifications that the client of a session opens at this node. */
export function storeStream(store: Store, session: HttpSession, lifeMs: number): Maybe<void> {
  const { home, id } = session;
  const count = (kept: SessionRecord): SessionRecord => ({ ...kept, home, streams: kept.streams + 1 });
  return andThen(changeRecord(store, id, lifeMs, count), (stored) => {
    if (stored !== undefined) session.streams = Math.max(session.streams, stored.streams);
  });
}

/** The client of a session has opened a newer stream, perhaps at another node. This node may not have heard of it. */
export function leaveStream(session: HttpSession, { streams, home }: SessionRecord, node: string): void {
  session.streams = streams;
  session.home = home;
  if (home === node) return;
  session.listensElsewhere = true;
  void session.notificationStream?.end();
  session.notificationStream = undefined;
}
