import { andThen, type Maybe, settle } from '../../protocol/maybe.ts';
import type { Logger } from '../../protocol/log.ts';
import type { Bus } from '../../store/bus.ts';
import type { LogPart, Store } from '../../store/store.ts';
import { sseEvent, ssePriming } from '../../wire/sse.ts';
import type { Ticked, Ticker } from './ticker.ts';

/** One event of a stream, as it is kept. */
export interface KeptEvent {
  /** Its number: 1, 2, 3 … */
  readonly at: number;
  readonly message: string;
  /** Nothing comes after it. */
  readonly last: boolean;
}

/** Where the events of sessions are kept. */
export interface EventStore {
  readonly store: Store;
  /** Tells other nodes, one of which the client may have come back to. */
  readonly bus: Bus | undefined;
  /** How long the events can be had after the stream has ended, in milliseconds. */
  readonly lifeMs: number;
  /** How long the log of a stream that goes on lives without a sign of life, in milliseconds. */
  readonly openMs: number;
  readonly ticker: Ticker;
  readonly faults: Logger;
}

/**
 * What the log has of an event: its message, whether it is the last, its number. A number alone is a sign of life: the stream goes on, and its
 * last event had this number. The numbers are our own because a store that lost a log begins again at position 1.
 */
type Entry = readonly [message: string, last: 0 | 1, at: number] | readonly [at: number];

const MARK = '_';
/** A stream shows this many signs of life within the time that its log lives without one. */
const SIGNS = 3;

/** What a stream is: the answer to a call, or notifications. Its name begins with it. */
export type StreamKind = 'call' | 'note';

/** Reads an event id. Undefined when it is none of ours. */
export const readEventId = (
  text: string,
): { readonly kind: StreamKind; readonly stream: string; readonly at: number } | undefined => {
  const [, stream, kind, at] = /^((call|note)-[0-9a-f-]{36})_(\d{1,15})$/.exec(text) ?? [];
  return stream === undefined ? undefined : { kind: kind as StreamKind, stream, at: Number(at) };
};

const keyOf = (session: string, stream: string): string => `tenon/events/${session}/${stream}`;

/** The topic on which the events of a stream are told as they come. */
export const topicOf = (session: string, stream: string): string => `tenon/stream/${session}/${stream}`;

/**
 * The events of one stream of a session, which a client can have again. Its name is random, and so is the beginning of every event id. It
 * takes no room before the first event, and lives as long as its stream, however quiet that is.
 */
export class EventLog implements Ticked {
  readonly #events: EventStore;
  readonly #session: string;
  readonly #kind: StreamKind;
  #name: string | undefined;
  /** The number of the last event that was kept. */
  #kept = 0;
  /** When the log was last written to, on the clock of the ticker. Undefined since the last tick. */
  #signedAt: number | undefined;

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

  /** Keeps the event with this number. Where the store fails, the event cannot be had again, but the stream goes on. */
  keep(at: number, message: string, last: boolean): Maybe<void> {
    const { bus, lifeMs, openMs, ticker } = this.#events;
    if (last) ticker.delete(this);
    else ticker.add(this);
    this.#signedAt = undefined;
    return settle(
      () =>
        andThen(this.#append([message, last ? 1 : 0, at], last ? lifeMs : openMs), () => {
          this.#kept = at;
          return bus?.publish(topicOf(this.#session, this.id), { at, message, last });
        }),
      () => {},
      (error) => this.#failed(error),
    );
  }

  tick(now: number): void {
    const { openMs } = this.#events;
    this.#signedAt ??= now;
    if (now - this.#signedAt < openMs / SIGNS) return;
    this.#signedAt = now;
    this.#sign(openMs);
  }

  /** The stream is over, though nothing says so: its events can be had again for a while. */
  rest(): void {
    const { ticker, lifeMs } = this.#events;
    ticker.delete(this);
    if (this.#kept > 0) this.#sign(lifeMs);
  }

  /** Nothing more comes, and there was no last message. */
  close(): void {
    const { store, bus, ticker } = this.#events;
    const name = this.#name;
    ticker.delete(this);
    if (name === undefined) return;
    void store.delete(keyOf(this.#session, name));
    void bus?.publish(topicOf(this.#session, name), { at: 0, message: '', last: true });
  }

  /** The events after the one with this number; undefined when some of them are no longer kept. */
  since(after: number): Maybe<readonly KeptEvent[] | undefined> {
    return readEvents(this.#events.store, this.#session, this.id, after);
  }

  #append(entry: Entry, lifeMs: number): Maybe<number> {
    return this.#events.store.append(keyOf(this.#session, this.id), entry, lifeMs);
  }

  #sign(lifeMs: number): void {
    void settle(
      () => this.#append([this.#kept], lifeMs),
      () => {},
      (error) => this.#failed(error),
    );
  }

  #failed(error: unknown): void {
    const message = 'Events of a stream could not be kept: a client that loses its connection cannot have them again';
    this.#events.faults({ level: 'error', event: 'store-failed', message, details: error });
  }
}

/** An event as text. */
export const eventText = (id: string, message: string): string =>
  message === '' ? ssePriming(id) : sseEvent({ event: 'message', id, data: message });

/** The events of a stream of a session after the one with a number; undefined when it is not kept, or not all of them. */
export const readEvents = (
  store: Store,
  session: string,
  stream: string,
  after: number,
): Maybe<readonly KeptEvent[] | undefined> => {
  const key = keyOf(session, stream);
  // No event stands before its number. Only in a log that was lost, and begun again, it does.
  return andThen(store.read(key, after), (part) => {
    const events = eventsAfter(part, after);
    if (part === undefined || events !== undefined || after === 0) return events;
    return andThen(store.read(key, 0), (whole) => eventsAfter(whole, after));
  });
};

/** The events after a number; undefined when one is missing, or none shows that there is nothing after it. */
function eventsAfter(part: LogPart | undefined, after: number): readonly KeptEvent[] | undefined {
  const events: KeptEvent[] = [];
  let seen = -1;
  for (const value of part?.values ?? []) {
    const entry = value as Entry;
    const at = entry.length === 1 ? entry[0] : entry[2];
    const next = after + events.length + 1;
    // A sign of life stands behind the event of its number.
    if (entry.length === 1 ? at >= next : at > next) return undefined;
    seen = Math.max(seen, at);
    if (entry.length === 3 && at === next) events.push({ at, message: entry[0], last: entry[1] === 1 });
  }
  return seen < after ? undefined : events;
}
