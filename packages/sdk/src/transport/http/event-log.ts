import { andThen, type Maybe } from '../../protocol/maybe.ts';
import type { Bus } from '../../store/bus.ts';
import type { Store } from '../../store/store.ts';
import { sseEvent, ssePriming } from '../../wire/sse.ts';

/** One event of a stream, as it is kept. */
export interface KeptEvent {
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
  readonly lifeMs: number;
}

const MARK = '_';

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
 * takes no room before the first event.
 */
export class EventLog {
  readonly #events: EventStore;
  readonly #session: string;
  readonly #kind: StreamKind;
  #name: string | undefined;

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

  keep(message: string, last: boolean): Maybe<void> {
    const { store, bus, lifeMs } = this.#events;
    const { id } = this;
    return andThen(store.append(keyOf(this.#session, id), last ? [message, 1] : [message], lifeMs), (at) =>
      bus === undefined ? undefined : bus.publish(topicOf(this.#session, id), { at, message, last }),
    );
  }

  /** Nothing more comes, and there was no last message. */
  close(): void {
    const { store, bus } = this.#events;
    const name = this.#name;
    if (name === undefined) return;
    void store.delete(keyOf(this.#session, name));
    void bus?.publish(topicOf(this.#session, name), { at: 0, message: '', last: true });
  }

  /** The events after a position; undefined when some of them are no longer kept. */
  since(after: number): Maybe<readonly KeptEvent[] | undefined> {
    return readEvents(this.#events.store, this.#session, this.id, after);
  }
}

/** An event as text. */
export const eventText = (id: string, message: string): string =>
  message === '' ? ssePriming(id) : sseEvent({ event: 'message', id, data: message });

/** The events of a stream of a session after a position; undefined when it is not kept, or not all of them. */
export const readEvents = (
  store: Store,
  session: string,
  stream: string,
  after: number,
): Maybe<readonly KeptEvent[] | undefined> =>
  andThen(store.read(keyOf(session, stream), after), (part) => {
    if (part === undefined || part.first > after + 1) return undefined;
    return part.values.map((value, index): KeptEvent => {
      const [message, last] = value as [string, number?];
      return { at: part.first + index, message, last: last === 1 };
    });
  });
