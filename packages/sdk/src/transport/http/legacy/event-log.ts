import { andThen, isLater, type Maybe, settle } from '../../../protocol/maybe.ts';
import type { Logger } from '../../../protocol/log.ts';
import type { LogPart, Store } from '../../../store/store.ts';
import { isUnavailable } from '../../../store/unavailable.ts';
import { messageEvent, ssePriming } from '../../../wire/sse.ts';
import type { NodeBus } from '../node-bus.ts';
import type { TickListener, Ticker } from '../ticker.ts';

/** An event of a stream, as it is stored. */
export interface StoredEvent {
  /** Its number: 1, 2, 3 … */
  readonly at: number;
  readonly message: string;
  /** No event follows it. */
  readonly last: boolean;
}

/** Where the events of sessions are stored. */
export interface EventStore {
  readonly store: Store;
  /** Notifies other nodes, to which the client may have reconnected. */
  readonly bus: NodeBus | undefined;
  /** How long the events are kept after the stream has ended, in milliseconds. */
  readonly lifeMs: number;
  /** How long the log of an open stream lives after its last renewal, in milliseconds. */
  readonly openMs: number;
  readonly ticker: Ticker;
  readonly faults: Logger;
}

/**
 * An entry of the log: the message of an event, whether it is the last, and its number. An entry with a number alone only renews the log: the
 * stream is open, and its last event had this number. We count events ourselves, because a store that lost a log starts again at position 1.
 */
type Entry = readonly [message: string, last: 0 | 1, at: number] | readonly [at: number];

const MARK = '_';
/** How many times an open stream renews its log within `openMs`. */
const RENEWALS = 3;
/** How many entries wait until the store is available again, and how many characters of them. */
const MAX_WAITING = { entries: 100, characters: 256 * 1024 };

/** The kind of a stream, with which its name begins: the answer to a call, or notifications. */
export type StreamKind = 'call' | 'note';

/** Reads an event id. Undefined if this server did not make it. */
export function readEventId(
  text: string,
): { readonly kind: StreamKind; readonly stream: string; readonly at: number } | undefined {
  const [, stream, kind, at] = /^((call|note)-[0-9a-f-]{36})_(\d{1,15})$/.exec(text) ?? [];
  return stream === undefined ? undefined : { kind: kind as StreamKind, stream, at: Number(at) };
}

function keyOf(session: string, stream: string): string {
  return `tenon/events/${session}/${stream}`;
}

/** The topic on which the events of a stream are published. */
export function topicOf(session: string, stream: string): string {
  return `tenon/stream/${session}/${stream}`;
}

/**
 * The stored events of one stream of a session, with which a client can resume it. Its name, and so the beginning of every event id, is
 * random. It uses no memory before the first event, and lives as long as its stream, even if that is silent.
 */
export class EventLog implements TickListener {
  readonly #events: EventStore;
  readonly #session: string;
  readonly #kind: StreamKind;
  #name: string | undefined;
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

  constructor(events: EventStore, session: string, kind: StreamKind) {
    this.#events = events;
    this.#session = session;
    this.#kind = kind;
  }

  get id(): string {
    return (this.#name ??= `${this.#kind}-${crypto.randomUUID()}`);
  }

  idOf(at: number): string {
    return `${this.id}${MARK}${at}`;
  }

  /** An event as text. */
  text(at: number, message: string): string {
    return eventText(this.idOf(at), message);
  }

  /** Stores the event with this number. If the store fails, the event may not be sent again, but the stream continues. */
  store(at: number, message: string, last: boolean): Maybe<void> {
    const { bus, lifeMs, openMs, ticker } = this.#events;
    // Entries that wait are tried again at the next ticks, also after the last event.
    if (last && this.#waiting === undefined) ticker.delete(this);
    else ticker.add(this);
    this.#writtenAt = undefined;
    this.#ended = last;
    const entry: Entry = [message, last ? 1 : 0, at];
    let stored: Maybe<unknown>;
    try {
      stored = this.#waiting === undefined ? this.#append(entry, last ? lifeMs : openMs) : this.#storeLater(entry);
    } catch (error) {
      this.#failed(error, entry);
      return this.#publish(at, message, last);
    }
    // The store in memory answers at once: nothing is created to wait for it.
    if (!isLater(stored)) {
      this.#lastStored = at;
      return bus === undefined ? undefined : this.#publish(at, message, last);
    }
    return settle(
      () => stored,
      () => {
        if (this.#waiting === undefined) this.#lastStored = at;
        return this.#publish(at, message, last);
      },
      (error) => {
        this.#failed(error, entry);
        // Another node that has the client's connection can still send it.
        return this.#publish(at, message, last);
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
    this.#stop();
    if (name === undefined) return;
    void settle(
      () => store.delete(keyOf(this.#session, name)),
      () => {},
      (error) => this.#report(error),
    );
    void this.#publish(0, '', true);
  }

  /** The events after the one with this number; undefined if some of them are no longer stored. */
  since(after: number): Maybe<readonly StoredEvent[] | undefined> {
    const read = () => readEvents(this.#events.store, this.#session, this.id, after);
    return this.#waiting === undefined ? read() : this.#storeWaiting().then(read);
  }

  #append(entry: Entry, lifeMs: number): Maybe<number> {
    this.#key ??= keyOf(this.#session, this.id);
    return this.#events.store.append(this.#key, entry, lifeMs);
  }

  #publish(at: number, message: string, last: boolean): Maybe<void> {
    const sent = this.#events.bus?.publish(topicOf(this.#session, this.id), { at, message, last });
    return isLater(sent) ? sent.then(() => {}) : undefined;
  }

  /** Stores an entry after those that wait. Never rejects. */
  #storeLater(entry: Entry): Promise<void> {
    const waiting = this.#waiting!;
    waiting.push(entry);
    const characters = waiting.reduce((sum, [first]) => sum + String(first).length, 0);
    if (waiting.length > MAX_WAITING.entries || characters > MAX_WAITING.characters) this.#waiting = undefined;
    return this.#storeWaiting();
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
        this.#lastStored = entry.length === 1 ? entry[0] : entry[2];
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

/** An event as text. */
export function eventText(id: string, message: string): string {
  return message === '' ? ssePriming(id) : messageEvent(message, id);
}

/** The events of a stream of a session after the one with this number; undefined if some or all of them are not stored. */
export function readEvents(
  store: Store,
  session: string,
  stream: string,
  after: number,
): Maybe<readonly StoredEvent[] | undefined> {
  const key = keyOf(session, stream);
  // An event is never stored before the position of its number, unless the log was lost and started again.
  return andThen(store.read(key, after), (part) => {
    const events = eventsAfter(part, after);
    if (part === undefined || events !== undefined || after === 0) return events;
    return andThen(store.read(key, 0), (whole) => eventsAfter(whole, after));
  });
}

/** The events after a number; undefined if one is missing, or if there is no entry that proves there are none. */
function eventsAfter(part: LogPart | undefined, after: number): readonly StoredEvent[] | undefined {
  const events: StoredEvent[] = [];
  let seen = -1;
  for (const value of part?.values ?? []) {
    const entry = value as Entry;
    const at = entry.length === 1 ? entry[0] : entry[2];
    const next = after + events.length + 1;
    // A renewal comes after the event whose number it has.
    if (entry.length === 1 ? at >= next : at > next) return undefined;
    seen = Math.max(seen, at);
    if (entry.length === 3 && at === next) events.push({ at, message: entry[0], last: entry[1] === 1 });
  }
  return seen < after ? undefined : events;
}
