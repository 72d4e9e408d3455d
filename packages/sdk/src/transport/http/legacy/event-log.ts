import { andThen, isLater, type Maybe, settle } from '../../../protocol/maybe.ts';
import type { Logger } from '../../../protocol/log.ts';
import type { Store } from '../../../store/store.ts';
import { isUnavailable } from '../../../store/unavailable.ts';
import type { NodeBus } from '../node-bus.ts';
import type { TickListener, Ticker } from '../ticker.ts';
import {
  type Entry,
  entryOf,
  type EventGroup,
  eventTexts,
  keyOf,
  numberOf,
  ownerIn,
  type PublishedEvents,
  readStream,
  RESUMED,
  type StoredEvent,
  type StreamKind,
  topicOf,
} from './stored-events.ts';

/** Where the events of sessions are stored. */
export interface EventStore {
  readonly store: Store;
  /** Can other nodes read and write the events? */
  readonly isShared: boolean;
  /** Notifies other nodes, to which the client may have reconnected. */
  readonly bus: NodeBus | undefined;
  /** How long the events are kept after the stream has ended, in milliseconds. */
  readonly lifeMs: number;
  /** How long the log of an open stream lives after its last renewal, in milliseconds. */
  readonly openMs: number;
  readonly ticker: Ticker;
  readonly faults: Logger;
}

/** How many groups of events of a stream wait for the bus. */
const MAX_UNPUBLISHED = 100;
/** How many times an open stream renews its log within `openMs`. */
const RENEWALS = 3;
/** How many entries wait until the store is available again, and how many characters of them. */
const MAX_WAITING = { entries: 100, characters: 256 * 1024 };

/**
 * The stored events of one stream of a session, with which a client can resume it. Its name, and so the beginning of every event id, is
 * random. It uses no memory before the first event, and lives as long as its stream, even if that is silent.
 */
export class EventLog implements TickListener {
  place = 0;
  readonly #events: EventStore;
  readonly #session: string;
  readonly #kind: StreamKind;
  #name: string | undefined;
  #texts: ((at: number, message: string) => string) | undefined;
  /** Its key in the store, made once: streams have many events. */
  #key: string | undefined;
  /** The number of the last event that was stored. */
  #lastStored = 0;
  /** When the log was last written to, by the clock of the ticker. Undefined if it was written to since the last tick. */
  #writtenAt: number | undefined;
  /** Entries that could not be stored, because the store was unavailable. They are stored with the next event, or at the next tick. */
  #waiting: Entry[] | undefined;
  #storing: Promise<void> | undefined;
  /** The stream has ended; entries may still wait. */
  #ended = false;
  /** It was deleted. */
  #closed = false;
  /** The position of the last entry of this log. */
  #position = 0;
  #owner = 0;
  /** How many groups of events wait for the bus. */
  #unpublished = 0;

  constructor(events: EventStore, session: string, kind: StreamKind) {
    this.#events = events;
    this.#session = session;
    this.#kind = kind;
  }

  get id(): string {
    return (this.#name ??= `${this.#kind}-${crypto.randomUUID()}`);
  }

  /**
   * The connection of the client that the events are for: the position of the entry with which it resumed the stream, here or at another
   * node. 0: that of the request.
   */
  get owner(): number {
    return this.#owner;
  }

  /** The client resumes the stream on another connection. From now on the events are for that one alone. Returns its position. */
  resume(): Maybe<number> {
    const { isShared, openMs } = this.#events;
    if (!isShared || this.#ended) return this.#owner;
    return andThen(this.#append([this.#lastStored, RESUMED], openMs), (position) => (this.#owner = position));
  }

  /** An event as text. */
  text(at: number, message: string): string {
    this.#texts ??= eventTexts(this.id);
    return this.#texts(at, message);
  }

  /** Stores events. If the store fails, they may not be sent again, but the stream continues. */
  store(group: EventGroup): Maybe<void> {
    // Events that were still waiting for earlier ones to be stored.
    if (this.#closed) return undefined;
    const { last } = group;
    const { lifeMs, openMs, ticker } = this.#events;
    // Entries that wait are tried again at the next ticks, also after the last event.
    if (last && this.#waiting === undefined) ticker.delete(this);
    else ticker.add(this);
    this.#writtenAt = undefined;
    this.#ended = last;
    const entry = entryOf(group);
    let stored: Maybe<unknown>;
    try {
      stored = this.#waiting === undefined ? this.#append(entry, last ? lifeMs : openMs) : this.#storeLater(entry);
    } catch (error) {
      this.#failed(error, entry);
      return this.#publish(group);
    }
    // The store in memory answers at once: nothing is created to wait for it.
    if (!isLater(stored)) {
      if (this.#waiting === undefined) this.#lastStored = numberOf(entry);
      return this.#publish(group);
    }
    return settle(
      () => stored,
      () => {
        if (this.#waiting === undefined) this.#lastStored = numberOf(entry);
        return this.#publish(group);
      },
      (error) => {
        this.#failed(error, entry);
        // Another node that has the client's connection can still send it.
        return this.#publish(group);
      },
    );
  }

  tick(now: number): void {
    const { lifeMs, openMs } = this.#events;
    this.#writtenAt ??= now;
    if (this.#waiting !== undefined && (!this.#ended || now - this.#writtenAt < lifeMs))
      return void this.#storeWaiting();
    if (this.#ended) return this.#stop();
    if (now - this.#writtenAt < openMs / RENEWALS) return;
    this.#writtenAt = now;
    this.#renew(openMs);
  }

  /** The stream has ended without a last event: its events are kept for a while. */
  rest(): void {
    this.#ended = true;
    if (this.#waiting !== undefined) return;
    this.#stop();
    if (this.#lastStored > 0) this.#renew(this.#events.lifeMs);
  }

  /** The stream has ended without a last message. */
  close(): void {
    const { store } = this.#events;
    const name = this.#name;
    this.#closed = true;
    this.#stop();
    if (name === undefined) return;
    void settle(
      () => store.delete(keyOf(this.#session, name)),
      () => {},
      (error) => this.#report(error),
    );
    this.#publish({ at: 0, count: 1, content: '', last: true });
  }

  /** The events after the one with this number; undefined if some of them are no longer stored. */
  since(after: number): Maybe<readonly StoredEvent[] | undefined> {
    const read = () =>
      andThen(
        readStream(this.#events.store, { session: this.#session, stream: this.id, after }),
        (part) => part?.events,
      );
    return this.#waiting === undefined ? read() : this.#storeWaiting().then(read);
  }

  #append(entry: Entry, lifeMs: number): Maybe<number> {
    this.#key ??= keyOf(this.#session, this.id);
    const { isShared, store } = this.#events;
    const appended = store.append(this.#key, entry, lifeMs);
    return isShared ? andThen(appended, (position) => this.#noteOwner(position)) : appended;
  }

  /** Looks at entries of other nodes before an entry of this one: there the client may have resumed the stream. */
  #noteOwner(position: number): Maybe<number> {
    const before = this.#position;
    // The log begins again at 1 if it was lost.
    if (position <= before + 1) {
      if (position > before || position === 1) this.#position = position;
      return position;
    }
    return settle(
      () => this.#events.store.read(this.#key!, before),
      (part) => {
        this.#owner = Math.max(this.#owner, ownerIn(part));
        this.#position = Math.max(this.#position, position);
        return position;
      },
      (error) => {
        // The next entry looks again.
        this.#report(error);
        return position;
      },
    );
  }

  /** Tells other nodes of events, without waiting for the bus: it may be away, and what they miss they read from the store. */
  #publish(group: EventGroup): void {
    const { bus } = this.#events;
    if (bus === undefined || this.#unpublished >= MAX_UNPUBLISHED) return;
    const events: PublishedEvents = { ...group, owner: this.#owner };
    const sent = bus.publish(topicOf(this.#session, this.id), events);
    if (!isLater(sent)) return;
    this.#unpublished++;
    void sent.then(() => this.#unpublished--);
  }

  /** Stores an entry after those that wait. The call does not wait for it: an unavailable store may take seconds to say so. */
  #storeLater(entry: Entry): void {
    const waiting = this.#waiting!;
    waiting.push(entry);
    const characters = waiting.reduce((sum, [first]) => sum + String(first).length, 0);
    if (waiting.length > MAX_WAITING.entries || characters > MAX_WAITING.characters) this.#waiting = undefined;
    else void this.#storeWaiting();
  }

  /** Stores the entries that wait, one after the other. Never rejects. */
  #storeWaiting(): Promise<void> {
    return (this.#storing ??= this.#storeAll().finally(() => (this.#storing = undefined)));
  }

  async #storeAll(): Promise<void> {
    const { lifeMs, openMs } = this.#events;
    const waiting = this.#waiting ?? [];
    try {
      for (let entry = waiting[0]; entry !== undefined; entry = waiting[0]) {
        await this.#append(entry, this.#ended ? lifeMs : openMs);
        this.#lastStored = numberOf(entry);
        waiting.shift();
      }
    } catch (error) {
      return this.#report(error);
    }
    if (this.#waiting === waiting) this.#waiting = undefined;
    if (this.#ended) this.#stop();
  }

  #stop(): void {
    this.#waiting = undefined;
    this.#events.ticker.delete(this);
  }

  #renew(lifeMs: number): void {
    void settle(
      () => this.#append([this.#lastStored], lifeMs),
      () => {},
      (error) => this.#report(error),
    );
  }

  /** An entry could not be stored. It waits if the store will be available again. */
  #failed(error: unknown, entry: Entry): void {
    this.#report(error);
    if (!isUnavailable(error)) return;
    (this.#waiting ??= []).push(entry);
    this.#events.ticker.add(this);
  }

  #report(error: unknown): void {
    const message =
      'Events of a stream could not be stored: a client that loses its connection may not be able to resume with them';
    this.#events.faults({ level: 'error', event: 'store-failed', message, details: error });
  }
}
