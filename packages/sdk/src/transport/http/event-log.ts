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

/** The events of one stream, which a client can have again. Its name is random, and so is the beginning of every event id. */
export interface EventLog {
  readonly id: string;
  idOf(at: number): string;
  /** An event as text. */
  text(at: number, message: string): string;
  keep(message: string, last: boolean): Maybe<void>;
  /** Nothing more comes, and there was no last message. */
  close(): void;
  /** The events after a position; undefined when some of them are no longer kept. */
  since(after: number): Maybe<readonly KeptEvent[] | undefined>;
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

/** Makes a log for a stream of a session. It takes no room before the first event. */
export const createEventLog = ({ store, bus, lifeMs }: EventStore, session: string, kind: StreamKind): EventLog => {
  let name: string | undefined;
  const idOfStream = (): string => (name ??= `${kind}-${crypto.randomUUID()}`);
  const idOf = (at: number): string => `${idOfStream()}${MARK}${at}`;
  return {
    get id() {
      return idOfStream();
    },
    idOf,
    text: (at, message) => eventText(idOf(at), message),
    keep(message, last) {
      const id = idOfStream();
      return andThen(store.append(keyOf(session, id), last ? [message, 1] : [message], lifeMs), (at) =>
        bus === undefined ? undefined : bus.publish(topicOf(session, id), { at, message, last }),
      );
    },
    close() {
      if (name === undefined) return;
      void store.delete(keyOf(session, name));
      void bus?.publish(topicOf(session, name), { at: 0, message: '', last: true });
    },
    since: (after) => readEvents(store, session, idOfStream(), after),
  };
};

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
