import type { Principal } from '../../protocol/exchange.ts';
import type { Change } from '../../server/changes.ts';
import type { Calls } from '../serving/calls.ts';
import type { CallScope } from '../serving/serve-call.ts';
import type { Session } from '../serving/session.ts';
import type { CallStream } from './call-stream.ts';
import type { NotificationStream } from './notification-stream.ts';

/** A legacy client's session, as this node knows it. What most sessions never need is not made. */
export interface HttpSession {
  readonly id: string;
  /** The principal that began it; nobody else gets in. */
  readonly owner: string | undefined;
  /** As it came with the last request. */
  principal: Principal | undefined;
  /** The node that keeps what its client has not been told. */
  readonly home: string;
  readonly agreed: Session;
  /** When it was last used, in milliseconds of a clock that only goes forward. */
  seen: number;
  /** When other nodes were last told that it is used, on the same clock. */
  refreshed: number;
  /** In which its calls are served; made with the first of them. */
  scope: (CallScope & { readonly calls: Calls }) | undefined;
  /** Answers that are not complete. */
  streams: Set<CallStream> | undefined;
  /** The stream for notifications. */
  listening: NotificationStream | undefined;
  /** Another node has that stream. */
  elsewhere: boolean;
  /** Changes to tell when there is a stream, by what they are about. */
  untold: Map<string, Change> | undefined;
  ended: boolean;
}

/** Does the session belong to this caller? */
export const belongsTo = ({ owner }: HttpSession, principal: Principal | undefined): boolean => owner === principal?.id;

/** Keeps a change until the client can be told. */
export const keepUntold = (session: HttpSession, change: Change): void => {
  (session.untold ??= new Map()).set('uri' in change ? `uri ${change.uri}` : change.list, change);
};

/** Ends everything that belongs to a session. */
export const endSession = (session: HttpSession): void => {
  if (session.ended) return;
  session.ended = true;
  session.agreed.close();
  // First the answers: a call that is cancelled ends its stream without one.
  for (const stream of [...(session.streams ?? [])]) stream.abandon();
  session.scope?.calls.cancelAll('The session ended');
  session.listening?.end();
  session.streams = session.untold = session.listening = undefined;
};
