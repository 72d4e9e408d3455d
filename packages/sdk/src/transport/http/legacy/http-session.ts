import type { Principal } from '../../../protocol/request-context.ts';
import type { UnorderedList } from '../../../protocol/unordered-list.ts';
import type { SharedChange } from '../../../server/changes.ts';
import type { CallTracker } from '../../serving/call-tracker.ts';
import type { CallService } from '../../serving/serve-call.ts';
import type { Session } from '../../serving/session.ts';
import type { ResumableResponse } from './resumable-response.ts';
import type { NotificationStream } from './notification-stream.ts';

/** A legacy client's session on this node. Members that few sessions need are created on demand. */
export interface HttpSession {
  readonly id: string;
  /** The id of the principal that began it; requests of others are refused. */
  readonly owner: string | undefined;
  /** The node that keeps the pending changes: where its client listened last or, if it never did, where the session began. */
  home: string;
  /** The number of the newest stream for notifications that this node knows of, as all nodes count them. */
  streams: number;
  readonly agreed: Session;
  /** When it was last used, by a monotonic clock in milliseconds. */
  lastUsed: number;
  /** When its use was last reported to other nodes, by the same clock. */
  lastRefreshed: number;
  /** Serves its calls; created with the first of them. */
  callService: (CallService & { readonly calls: CallTracker }) | undefined;
  /** Responses that have not ended. */
  responses: UnorderedList<ResumableResponse> | undefined;
  /** The stream for notifications. */
  notificationStream: NotificationStream | undefined;
  /** The notification stream is on another node. */
  listensElsewhere: boolean;
  /** The number of answers of other nodes that the client receives here. */
  followed: number;
  /** Changes to send when there is a stream, by their subject. */
  pendingChanges: Map<string, SharedChange> | undefined;
  /** Other messages to send when there is a stream. */
  pendingMessages: string[] | undefined;
  /** Runs while the node that kept what its client has to be told may still pass that on. */
  expecting: ReturnType<typeof setTimeout> | undefined;
  ended: boolean;
}

/** Does the session belong to this caller? */
export function belongsTo({ owner }: HttpSession, principal: Principal | undefined): boolean {
  return owner === principal?.id;
}

/** Is its client connected? It listens, or waits for an answer. A call whose client has disconnected does not keep a session alive. */
export function isAttended({ notificationStream, responses, followed }: HttpSession): boolean {
  return (
    notificationStream !== undefined ||
    followed > 0 ||
    (responses !== undefined && [...responses].some(({ attended }) => attended))
  );
}

/** Would something be lost if this node forgot the session, while other nodes keep it? */
export function holdsState({ callService, responses, pendingChanges, pendingMessages }: HttpSession): boolean {
  return (
    callService?.calls.anyOpen === true ||
    (responses?.size ?? 0) > 0 ||
    (pendingChanges?.size ?? 0) > 0 ||
    (pendingMessages?.length ?? 0) > 0
  );
}

/** Keeps a change until it can be sent to the client. */
export function keepPendingChange(session: HttpSession, change: SharedChange): void {
  (session.pendingChanges ??= new Map()).set(Object.entries(change).join(), change);
}

/** How many messages are kept for a client that has not opened its stream. Usually it is about to. */
const MAX_PENDING_MESSAGES = 100;
/** And how many characters of them. */
const MAX_PENDING_LENGTH = 1_000_000;

/** Keeps a message until it can be sent to the client; returns false if there is no room. */
export function keepPendingMessage(session: HttpSession, text: string): boolean {
  const pending = (session.pendingMessages ??= []);
  const length = pending.reduce((sum, { length }) => sum + length, text.length);
  if (pending.length >= MAX_PENDING_MESSAGES || length > MAX_PENDING_LENGTH) return false;
  pending.push(text);
  return true;
}

/** Ends everything that belongs to a session. `byClient`: its client has ended it. */
export function endSession(session: HttpSession, byClient: boolean): void {
  if (session.ended) return;
  session.ended = true;
  clearTimeout(session.expecting);
  session.agreed.close();
  // Answers come first: a cancelled call would end its stream without an answer.
  for (const response of session.responses ?? []) response.abandon(byClient);
  session.callService?.calls.cancelAll('The session ended');
  session.notificationStream?.end();
  session.responses = session.pendingChanges = session.pendingMessages = session.notificationStream = undefined;
}
