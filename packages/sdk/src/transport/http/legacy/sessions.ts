import type { Principal } from '../../../protocol/request-context.ts';
import type { Limits } from '../../../protocol/limits.ts';
import type { Logger } from '../../../protocol/log.ts';
import { andThen, type Maybe, settle } from '../../../protocol/maybe.ts';
import type { Store } from '../../../store/store.ts';
import { isUnavailable, refuseWhereUnavailable, UnavailableError } from '../../../store/unavailable.ts';
import type { NextId } from '../../serving/client-requests.ts';
import type { Peer } from '../../serving/server-call.ts';
import { type Agreement, Session } from '../../serving/session.ts';
import { listSet } from '../../serving/updates.ts';
import { belongsTo, endSession, holdsState, type HttpSession, isAttended } from './http-session.ts';
import { findLeastUseful } from './session-eviction.ts';
import { leaveStream, storeStream } from './session-streams.ts';
import { changeRecord, keyOf, readableRecord, recordIn, recordOf, type SessionRecord } from './session-record.ts';
import { quotaKeyOfPrincipal } from '../quota-key.ts';
import { KeyCounter } from '../key-counter.ts';

export interface SessionsOptions {
  readonly limits: Limits;
  /** Shared with other nodes, and with the next process. Undefined: sessions end with this process. */
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

/** The sessions of legacy clients. The shared store, if there is one, is authoritative. */
export class Sessions {
  readonly #options: SessionsOptions;
  readonly #now: () => number;
  readonly #idleMs: number;
  readonly #sessions = new Map<string, HttpSession>();
  /** The number of sessions of each client. */
  readonly #counts = new KeyCounter();
  #sweeping: ReturnType<typeof setInterval> | undefined;

  constructor(options: SessionsOptions) {
    this.#options = options;
    this.#now = options.now ?? (() => performance.now());
    this.#idleMs = options.limits.sessionIdleMs;
  }

  /** Can other nodes serve the sessions? */
  get areShared(): boolean {
    return this.#options.store !== undefined;
  }

  get size(): number {
    return this.#sessions.size;
  }

  all(): Iterable<HttpSession> {
    return this.#sessions.values();
  }

  /** The session, if this node knows it. */
  known(id: string): HttpSession | undefined {
    return this.#sessions.get(id);
  }

  /** Begins a session. If there are too many, the least useful one is ended; undefined when all are in use. */
  begin(agreed: Agreement, { principal, quotaKey }: Peer): Maybe<HttpSession | undefined> {
    const { node, store } = this.#options;
    const owner = principal?.id;
    if (!this.#makeRoom(owner === undefined ? undefined : quotaKey, (replaced) => this.#removeRecord(replaced)))
      return undefined;
    const session = this.#add(crypto.randomUUID(), agreed, { owner, quotaKey, home: node, streams: 0 });
    session.agreed.principal = principal;
    if (store === undefined) return session;
    return settle(
      () => refuseWhereUnavailable(() => store.set(keyOf(session.id), recordOf(session), this.#idleMs)),
      () => session,
      (error) => {
        this.#endHere(session);
        throw error;
      },
    );
  }

  /**
   * The session with this id, if it is alive and belongs to this caller. While the store is unavailable, a session that this node knows
   * continues; otherwise rejects with the error of the store.
   */
  find(id: string, principal: Principal | undefined): Maybe<HttpSession | undefined> {
    const { store } = this.#options;
    const here = this.#sessions.get(id);
    const isIdle = here !== undefined && this.#isIdle(here);
    if (store === undefined) {
      if (isIdle) this.#endHere(here);
      return this.#use(here, principal);
    }
    return settle(
      () => store.get(keyOf(id)),
      (found) => this.#found(store, id, recordIn(found), principal),
      (error) => {
        if (here === undefined || isIdle || !isUnavailable(error)) throw error;
        this.#failed(error);
        return this.#use(here, principal);
      },
    );
  }

  #found(
    store: Store,
    id: string,
    record: SessionRecord | undefined,
    principal: Principal | undefined,
  ): Maybe<HttpSession | undefined> {
    if (record === undefined) {
      const here = this.#sessions.get(id);
      if (here !== undefined) this.#endHere(here);
      return undefined;
    }
    const known = this.adopt(id, record);
    // It stays in the store: another node has room for it, or this one when a session has ended.
    if (known === undefined) throw new UnavailableError();
    const session = this.#use(known, principal);
    if (session === undefined) return undefined;
    // Another node cannot learn from the client that it is initialized: it says so once.
    const isMissing = session.agreed.initialized && !record.initialized;
    if (!isMissing && !this.#isDue(session)) return session;
    return settle(
      () => (isMissing ? this.#merge(store, session, record) : this.#refresh(store, session)),
      () => session,
      (error) => {
        // The request does not depend on it, and the next one tries again.
        this.#failed(error);
        return session;
      },
    );
  }

  /** Runs a function that changes the agreement, and shares the result with other nodes. If that is not possible, nothing is changed. */
  change(session: HttpSession, act: () => Maybe<void>): Maybe<void> {
    const { store } = this.#options;
    if (store === undefined) return act();
    const before = recordOf(session);
    const share = (): Maybe<void> =>
      settle(
        () => refuseWhereUnavailable(() => this.#merge(store, session, before)),
        () => {},
        (error) => {
          if (!session.ended) this.#applyRecord(session.id, before);
          throw error;
        },
      );
    return andThen(act(), share);
  }

  /**
   * Counts a stream for notifications that the client opens at this node: then its earlier ones, at any node, are over. While the store is
   * unavailable, only this node counts.
   */
  countStream(session: HttpSession): Maybe<void> {
    const { store, node } = this.#options;
    session.home = node;
    session.streams++;
    if (store === undefined) return undefined;
    return settle(
      () => storeStream(store, session, this.#idleMs),
      () => {},
      (error) => this.#failed(error),
    );
  }

  /** Its client ends a session, everywhere. */
  end(session: HttpSession): Maybe<void> {
    const { store } = this.#options;
    if (store === undefined) return this.#endHere(session, true);
    return andThen(
      refuseWhereUnavailable(() => store.delete(keyOf(session.id))),
      () => this.#endHere(session, true),
    );
  }

  /** Adds a session from the store, or updates it. Undefined if this node has no room for one more. */
  adopt(id: string, record: SessionRecord): HttpSession | undefined {
    if (!this.#sessions.has(id)) {
      const quotaKey = record.owner === undefined ? undefined : quotaKeyOfPrincipal(record.owner);
      if (!this.#makeRoom(quotaKey)) return undefined;
    }
    return this.#applyRecord(id, record);
  }

  /**
   * Makes room for one more session on this node. Returns false if all are in use. `quotaKey`: of a client with a principal. `onReplaced` is
   * called with a session of that client that it replaces.
   */
  #makeRoom(quotaKey: string | undefined, onReplaced: (session: HttpSession) => void = () => {}): boolean {
    const { limits } = this.#options;
    if (quotaKey !== undefined && this.#counts.count(quotaKey) >= limits.sessionsPerPrincipal) {
      const replaced = this.#replaceOne(quotaKey);
      if (replaced === undefined) return false;
      onReplaced(replaced);
    }
    return this.#sessions.size < limits.sessions || this.#replaceOne() !== undefined;
  }

  /** Removes a session from the store: its client has as many as it may have, on any node. */
  #removeRecord({ id }: HttpSession): void {
    const { store } = this.#options;
    if (store !== undefined)
      void settle(
        () => store.delete(keyOf(id)),
        () => {},
        (error) => this.#failed(error),
      );
  }

  /** Removes a session that ended or changed on another node. */
  forget(id: string, ended: boolean): void {
    const session = this.#sessions.get(id);
    if (session === undefined) return;
    const { store } = this.#options;
    if (ended) this.#endHere(session, true);
    else if (store !== undefined) {
      void settle(
        () => store.get(keyOf(id)),
        (found) => {
          const record = readableRecord(found);
          if (record !== undefined && this.#sessions.has(id)) this.#applyRecord(id, record);
        },
        (error) => this.#failed(error),
      );
    }
  }

  close(): void {
    clearInterval(this.#sweeping);
    for (const session of this.#sessions.values()) endSession(session, false);
    this.#sessions.clear();
    this.#counts.clear();
  }

  #add(
    id: string,
    agreed: Agreement,
    { owner, quotaKey, home, streams }: Pick<HttpSession, 'owner' | 'home' | 'streams'> & Pick<Peer, 'quotaKey'>,
  ): HttpSession {
    const { deliver, limits, nextId } = this.#options;
    const session: HttpSession = {
      id,
      owner,
      home,
      streams,
      agreed: new Session(agreed, { principal: undefined, quotaKey }, nextId, limits, {
        send: (text) => deliver(session, text),
      }),
      lastUsed: this.#now(),
      lastRefreshed: this.#now(),
      callService: undefined,
      responses: undefined,
      notificationStream: undefined,
      listensElsewhere: false,
      followed: 0,
      pendingChanges: undefined,
      pendingMessages: undefined,
      expecting: undefined,
      ended: false,
    };
    this.#sessions.set(id, session);
    this.#counts.add(quotaKey);
    this.#sweepLater();
    return session;
  }

  #drop(session: HttpSession): void {
    if (this.#sessions.get(session.id) === session && this.#sessions.delete(session.id))
      this.#counts.remove(session.agreed.quotaKey);
  }

  /** Ends a session on this node. `byClient`: its client has ended it. */
  #endHere(session: HttpSession, byClient = false): void {
    this.#drop(session);
    endSession(session, byClient);
  }

  #use(session: HttpSession | undefined, principal: Principal | undefined): HttpSession | undefined {
    if (session === undefined || session.ended || !belongsTo(session, principal)) return undefined;
    session.lastUsed = this.#now();
    session.agreed.principal = principal;
    return session;
  }

  /** Is its idle time over, as far as this node can tell? */
  #isIdle(session: HttpSession): boolean {
    return session.lastUsed <= this.#now() - this.#idleMs && !isAttended(session);
  }

  /** Ends a session that was not used on this node for its idle time. Other nodes may use it: then its calls here go on. */
  #endUnused(session: HttpSession): void {
    const { store } = this.#options;
    if (store === undefined || !holdsState(session)) return this.#endHere(session);
    void settle(
      () => store.get(keyOf(session.id)),
      (record) => {
        if (record === undefined) this.#endHere(session);
      },
      (error) => this.#failed(error),
    );
  }

  /** Ends the least useful session on this node, of one client or of all, and returns it. Undefined: all are in use. */
  #replaceOne(quotaKey?: string): HttpSession | undefined {
    const least = findLeastUseful(this.#sessions.values(), { now: this.#now(), counts: this.#counts, quotaKey });
    if (least === undefined) return undefined;
    this.#endHere(least);
    const why = quotaKey === undefined ? 'there are as many as there may be' : 'its client has as many as it may have';
    this.#options.log({
      level: 'info',
      event: 'session-ended',
      message: `A session that was not in use was ended: ${why}`,
    });
    return least;
  }

  #sweepLater(): void {
    if (this.#sweeping !== undefined) return;
    this.#sweeping = setInterval(() => this.#sweep(), Math.min(Math.max(this.#idleMs / 4, 10), 60_000));
    (this.#sweeping as { unref?: () => void }).unref?.();
  }

  #sweep(): void {
    const { store } = this.#options;
    const before = this.#now() - this.#idleMs;
    for (const session of this.#sessions.values()) {
      if (isAttended(session)) {
        session.lastUsed = this.#now();
        // Long before its life in the store is over, too.
        if (store !== undefined && this.#isDue(session))
          void settle(
            () => this.#refresh(store, session),
            () => {},
            (error) => this.#failed(error),
          );
      } else if (session.lastUsed <= before) this.#endUnused(session);
    }
    if (this.#sessions.size > 0) return;
    clearInterval(this.#sweeping);
    this.#sweeping = undefined;
  }

  /** Should its life in the store be extended? Only after a tenth of it, not with every request. */
  #isDue({ lastRefreshed }: HttpSession): boolean {
    return this.#now() - lastRefreshed > this.#idleMs / 10;
  }

  /** Extends the life of a session in the shared store when it is used. If another node has ended it, it ends here, too. */
  #refresh(store: Store, session: HttpSession): Maybe<void> {
    session.lastRefreshed = this.#now();
    return andThen(store.get(keyOf(session.id)), (record) => {
      if (record === undefined) return this.#endHere(session);
      const readable = readableRecord(record);
      if (readable !== undefined) this.#applyRecord(session.id, readable);
      return andThen(store.swap(keyOf(session.id), record, record, this.#idleMs), () => {});
    });
  }

  /** The store failed during an operation that no request waits for. */
  #failed(error: unknown): void {
    const message = 'The state of a session could not be read or stored';
    this.#options.log({ level: 'error', event: 'store-failed', message, details: error });
  }

  /** Updates this node's copy of a session from the stored state. */
  #applyRecord(id: string, record: SessionRecord): HttpSession {
    const { revision, capabilities, client, lists, owner, home, streams } = record;
    const quotaKey = owner === undefined ? undefined : quotaKeyOfPrincipal(owner);
    const session =
      this.#sessions.get(id) ??
      this.#add(id, { revision, capabilities, client, lists: listSet(lists) }, { owner, quotaKey, home, streams });
    if (streams > session.streams) leaveStream(session, record, this.#options.node);
    const { agreed } = session;
    agreed.level = record.level;
    if (record.initialized && !agreed.initialized) agreed.markInitialized();
    for (const uri of agreed.subscribed) if (!record.subscribed.includes(uri)) agreed.unsubscribe(uri);
    for (const uri of record.subscribed) agreed.subscribe(uri);
    return session;
  }

  /** Merges a change of this node with changes of other nodes. */
  #merge(store: Store, session: HttpSession, before: SessionRecord): Maybe<void> {
    const after = recordOf(session);
    const removed = before.subscribed.filter((uri) => !after.subscribed.includes(uri));
    const merge = (kept: SessionRecord): SessionRecord => ({
      ...kept,
      level: after.level === before.level ? kept.level : after.level,
      initialized: kept.initialized || after.initialized,
      subscribed: [...new Set([...kept.subscribed, ...after.subscribed])].filter((uri) => !removed.includes(uri)),
    });
    return andThen(changeRecord(store, session.id, this.#idleMs, merge), () => {});
  }
}
