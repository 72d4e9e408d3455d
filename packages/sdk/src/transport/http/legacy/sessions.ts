import type { ClientCapabilities } from '../../../protocol/capabilities.ts';
import type { Implementation } from '../../../protocol/entities.ts';
import type { Principal } from '../../../protocol/request-context.ts';
import type { Limits } from '../../../protocol/limits.ts';
import type { Logger, LogLevel } from '../../../protocol/log.ts';
import { andThen, type Maybe } from '../../../protocol/maybe.ts';
import type { Revision } from '../../../protocol/revision.ts';
import { withoutUndefined } from '../../../protocol/without-undefined.ts';
import type { Store } from '../../../store/store.ts';
import type { NextId } from '../../serving/client-requests.ts';
import type { Peer } from '../../serving/server-call.ts';
import { type Agreement, Session } from '../../serving/session.ts';
import { listSet } from '../../serving/updates.ts';
import { belongsTo, endSession, type HttpSession } from './http-session.ts';
import { findLeastUseful } from './session-eviction.ts';
import { quotaKeyOfPrincipal } from '../quota-key.ts';
import { KeyCounter } from '../key-counter.ts';

/** The state of a session that nodes share. */
interface SessionRecord {
  readonly revision: Revision;
  readonly capabilities: ClientCapabilities;
  readonly client?: Implementation;
  readonly lists: readonly string[];
  readonly owner?: string;
  readonly home: string;
  readonly level: LogLevel;
  readonly initialized: boolean;
  readonly subscribed: readonly string[];
}

/** The sessions of legacy clients. */
export interface Sessions {
  /** Begins a session. If there are too many, the least useful one is ended; undefined when all are in use. */
  begin(agreed: Agreement, client: Peer): Maybe<HttpSession | undefined>;
  /** The session with this id, if it is alive and belongs to this caller. */
  find(id: string, principal: Principal | undefined): Maybe<HttpSession | undefined>;
  /** The session, if this node knows it. */
  known(id: string): HttpSession | undefined;
  /** Runs a function that changes the agreement, and shares the result with other nodes. */
  change(session: HttpSession, act: () => Maybe<void>): Maybe<void>;
  /** Ends a session everywhere. */
  end(session: HttpSession): Maybe<void>;
  /** Removes a session that ended or changed on another node. */
  forget(id: string, ended: boolean): void;
  all(): Iterable<HttpSession>;
  readonly size: number;
  close(): void;
}

export interface SessionsOptions {
  readonly limits: Limits;
  /** Shared with other nodes. Undefined: this is the only node. */
  readonly store: Store | undefined;
  /** The name of this node. */
  readonly node: string;
  readonly nextId: NextId;
  readonly log: Logger;
  /** Sends a message that belongs to no call. */
  readonly deliver: (session: HttpSession, text: string) => void;
  /** A monotonic clock, in milliseconds. */
  readonly now?: () => number;
}

function keyOf(id: string): string {
  return `tenon/session/${id}`;
}

/** Makes the table of sessions. The shared store, if there is one, is authoritative. */
export function createSessions({
  limits,
  store,
  node,
  nextId,
  log,
  deliver,
  now = () => performance.now(),
}: SessionsOptions): Sessions {
  const sessions = new Map<string, HttpSession>();
  /** The number of sessions of each client. */
  const counts = new KeyCounter();
  const { sessionIdleMs } = limits;

  const drop = (session: HttpSession): void => {
    if (sessions.get(session.id) === session && sessions.delete(session.id)) counts.remove(session.agreed.quotaKey);
  };

  const add = (
    id: string,
    agreed: Agreement,
    { owner, quotaKey, home }: Pick<HttpSession, 'owner' | 'home'> & Pick<Peer, 'quotaKey'>,
  ): HttpSession => {
    const session: HttpSession = {
      id,
      owner,
      home,
      agreed: new Session(agreed, { principal: undefined, quotaKey }, nextId, limits, {
        send: (text) => deliver(session, text),
      }),
      lastUsed: now(),
      lastRefreshed: now(),
      callService: undefined,
      responses: undefined,
      notificationStream: undefined,
      listensElsewhere: false,
      pendingChanges: undefined,
      pendingMessages: undefined,
      ended: false,
    };
    sessions.set(id, session);
    counts.add(quotaKey);
    sweepLater();
    return session;
  };

  /** Is its client connected? It listens, or waits for an answer. A call whose client has disconnected does not keep a session alive. */
  const isAttended = ({ notificationStream, responses }: HttpSession): boolean =>
    notificationStream !== undefined || (responses !== undefined && [...responses].some(({ attended }) => attended));

  /** Makes room for one more session, among those of one client or all. The shared state of the ended session stays until it expires. */
  const makeRoom = (quotaKey?: string): boolean => {
    const least = findLeastUseful(sessions.values(), { now: now(), counts, quotaKey });
    if (least === undefined) return false;
    drop(least);
    endSession(least);
    const why = quotaKey === undefined ? 'there are as many as there may be' : 'its client has as many as it may have';
    log({ level: 'info', event: 'session-ended', message: `A session that was not in use was ended: ${why}` });
    return true;
  };

  let sweeping: ReturnType<typeof setInterval> | undefined;
  const sweep = (): void => {
    const before = now() - sessionIdleMs;
    for (const session of sessions.values()) {
      if (session.lastUsed > before) continue;
      if (isAttended(session)) {
        session.lastUsed = now();
        if (store !== undefined) void refresh(session);
        continue;
      }
      drop(session);
      endSession(session);
    }
    if (sessions.size > 0) return;
    clearInterval(sweeping);
    sweeping = undefined;
  };
  const sweepLater = (): void => {
    if (sweeping !== undefined) return;
    sweeping = setInterval(sweep, Math.min(Math.max(sessionIdleMs / 4, 10), 60_000));
    (sweeping as { unref?: () => void }).unref?.();
  };

  /** Extends the life of a session in the shared store when it is used. */
  const refresh = (session: HttpSession): Maybe<void> => {
    session.lastRefreshed = now();
    return andThen(store!.get(keyOf(session.id)), (record) =>
      record === undefined
        ? undefined
        : andThen(store!.swap(keyOf(session.id), record, record, sessionIdleMs), () => {}),
    );
  };

  const recordOf = ({ agreed, owner, home }: HttpSession): SessionRecord =>
    // A store gets JSON.
    withoutUndefined({
      revision: agreed.revision,
      capabilities: agreed.capabilities,
      client: agreed.client,
      lists: [...agreed.lists],
      owner,
      home,
      level: agreed.level,
      initialized: agreed.initialized,
      subscribed: [...agreed.subscribed],
    });

  /** Updates this node's copy of a session from the stored state. */
  const applyRecord = (id: string, record: SessionRecord): HttpSession => {
    const { revision, capabilities, client, lists, owner, home } = record;
    const quotaKey = owner === undefined ? undefined : quotaKeyOfPrincipal(owner);
    const session =
      sessions.get(id) ?? add(id, { revision, capabilities, client, lists: listSet(lists) }, { owner, quotaKey, home });
    const { agreed } = session;
    agreed.level = record.level;
    if (record.initialized && !agreed.initialized) agreed.markInitialized();
    for (const uri of agreed.subscribed) if (!record.subscribed.includes(uri)) agreed.unsubscribe(uri);
    for (const uri of record.subscribed) agreed.subscribe(uri);
    return session;
  };

  /** Merges a change of this node with changes of other nodes. */
  const merge = (session: HttpSession, before: SessionRecord): Maybe<void> => {
    const after = recordOf(session);
    const key = keyOf(session.id);
    return andThen(store!.get(key), (found) => {
      if (found === undefined) return undefined;
      const kept = found as SessionRecord;
      const removed = before.subscribed.filter((uri) => !after.subscribed.includes(uri));
      const next: SessionRecord = {
        ...kept,
        level: after.level === before.level ? kept.level : after.level,
        initialized: kept.initialized || after.initialized,
        subscribed: [...new Set([...kept.subscribed, ...after.subscribed])].filter((uri) => !removed.includes(uri)),
      };
      return andThen(store!.swap(key, kept, next, sessionIdleMs), (done) =>
        done ? undefined : merge(session, before),
      );
    });
  };

  const use = (session: HttpSession | undefined, principal: Principal | undefined): HttpSession | undefined => {
    if (session === undefined || session.ended || !belongsTo(session, principal)) return undefined;
    session.lastUsed = now();
    session.agreed.principal = principal;
    return session;
  };

  const lives = (session: HttpSession | undefined): HttpSession | undefined => {
    if (session === undefined || session.lastUsed > now() - sessionIdleMs || isAttended(session)) return session;
    drop(session);
    endSession(session);
    return undefined;
  };

  return {
    begin(agreed, { principal, quotaKey }) {
      const owner = principal?.id;
      if (owner !== undefined && counts.count(quotaKey) >= limits.sessionsPerPrincipal && !makeRoom(quotaKey))
        return undefined;
      if (sessions.size >= limits.sessions && !makeRoom()) return undefined;
      const session = add(crypto.randomUUID(), agreed, { owner, quotaKey, home: node });
      session.agreed.principal = principal;
      return store === undefined
        ? session
        : andThen(store.set(keyOf(session.id), recordOf(session), sessionIdleMs), () => session);
    },
    find(id, principal) {
      const here = lives(sessions.get(id));
      if (store === undefined) return use(here, principal);
      return andThen(store.get(keyOf(id)), (record) => {
        if (record === undefined) {
          if (here !== undefined) {
            drop(here);
            endSession(here);
          }
          return undefined;
        }
        const session = use(applyRecord(id, record as SessionRecord), principal);
        // Not with every request: a tenth of its life is often enough.
        const due = session !== undefined && now() - session.lastRefreshed > sessionIdleMs / 10;
        return due ? andThen(refresh(session), () => session) : session;
      });
    },
    known: (id) => sessions.get(id),
    change(session, act) {
      if (store === undefined) return act();
      const before = recordOf(session);
      return andThen(act(), () => merge(session, before));
    },
    end(session) {
      drop(session);
      endSession(session);
      return store?.delete(keyOf(session.id));
    },
    forget(id, ended) {
      const session = sessions.get(id);
      if (session === undefined) return;
      if (ended) {
        drop(session);
        endSession(session);
      } else if (store !== undefined) {
        void andThen(store.get(keyOf(id)), (record) => {
          if (record !== undefined && sessions.has(id)) applyRecord(id, record as SessionRecord);
        });
      }
    },
    all: () => sessions.values(),
    get size() {
      return sessions.size;
    },
    close() {
      clearInterval(sweeping);
      for (const session of sessions.values()) endSession(session);
      sessions.clear();
      counts.clear();
    },
  };
}
