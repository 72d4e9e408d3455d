import { andThen, isLater, type Maybe, settle } from '../../../protocol/maybe.ts';
import type { Logger } from '../../../protocol/log.ts';
import type { Bus } from '../../../store/bus.ts';
import type { LogPart, Store } from '../../../store/store.ts';
import { messageEvent, ssePriming } from '../../../wire/sse.ts';
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
  readonly bus: Bus | undefined;
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

  /** Stores the event with this number. If the store fails, the event cannot be sent again, but the stream continues. */
  store(at: number, message: string, last: boolean): Maybe<void> {
    const { bus, lifeMs, openMs, ticker } = this.#events;
    if (last) ticker.delete(this);
    else ticker.add(this);
    this.#writtenAt = undefined;
    let appended: Maybe<number>;
    try {
      appended = this.#append([message, last ? 1 : 0, at], last ? lifeMs : openMs);
    } catch (error) {
      return this.#failed(error);
    }
    // The store in memory answers at once: nothing is created to wait for it.
    if (bus === undefined && !isLater(appended)) {
      this.#lastStored = at;
      return undefined;
    }
    return settle(
      () =>
        andThen(appended, () => {
          this.#lastStored = at;
          return bus?.publish(topicOf(this.#session, this.id), { at, message, last });
        }),
      () => {},
      (error) => this.#failed(error),
    );
  }

  tick(now: number): void {
    const { openMs } = this.#events;
    this.#writtenAt ??= now;
    if (now - this.#writtenAt < openMs / RENEWALS) return;
    this.#writtenAt = now;
    this.#renew(openMs);
  }

  /** The stream has ended without a last event: its events are kept for a while. */
  rest(): void {
    const { ticker, lifeMs } = this.#events;
    ticker.delete(this);
    if (this.#lastStored > 0) this.#renew(lifeMs);
  }

  /** The stream has ended without a last message. */
  close(): void {
    const { store, bus, ticker } = this.#events;
    const name = this.#name;
    ticker.delete(this);
    if (name === undefined) return;
    void settle(
      () => store.delete(keyOf(this.#session, name)),
      () => {},
      (error) => this.#failed(error),
    );
    void bus?.publish(topicOf(this.#session, name), { at: 0, message: '', last: true });
  }

  /** The events after the one with this number; undefined if some of them are no longer stored. */
  since(after: number): Maybe<readonly StoredEvent[] | undefined> {
    return readEvents(this.#events.store, this.#session, this.id, after);
  }

  #append(entry: Entry, lifeMs: number): Maybe<number> {
    this.#key ??= keyOf(this.#session, this.id);
    return this.#events.store.append(this.#key, entry, lifeMs);
  }

  #renew(lifeMs: number): void {
    void settle(
      () => this.#append([this.#lastStored], lifeMs),
      () => {},
      (error) => this.#failed(error),
    );
  }

  #failed(error: unknown): void {
    const message =
      'Events of a stream could not be stored: a client that loses its connection cannot resume with them';
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
