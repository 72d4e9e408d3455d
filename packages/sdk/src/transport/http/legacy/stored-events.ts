import { andThen, type Maybe } from '../../../protocol/maybe.ts';
import type { LogPart, Store } from '../../../store/store.ts';
import { numberedEvents } from '../../../wire/sse.ts';

/** An event of a stream, as it is stored. */
export interface StoredEvent {
  /** Its number: 1, 2, 3 … */
  readonly at: number;
  readonly message: string;
  /** No event follows it. */
  readonly last: boolean;
}

/** Events of a stream that are stored and sent together, because they were sent in the same turn. */
export interface EventGroup {
  /** The number of the first one. */
  readonly at: number;
  readonly count: number;
  /** The message, if there is one event; otherwise all of them as text. */
  readonly content: string;
  /** No event follows them. */
  readonly last: boolean;
}

/** Events of a stream, as other nodes are told of them. */
export interface PublishedEvents extends EventGroup {
  /** The connection that the events are for: the position of its entry in the log. 0: that of the request. */
  readonly owner: number;
}

/**
 * An entry of the log: the content of a group of events, whether the last one is among them, the number of the first, and how many there are
 * if there are several. An entry with a number alone only renews the log: the stream is open, and its last event had this number. One with
 * a mark beside it says that a client resumes the stream: from then on, the events are for that connection alone. The log has one order for
 * all nodes, so they agree on it even if they do not hear of each other. We count events ourselves, because a store that lost a log starts
 * again at position 1.
 */
export type Entry = EventsEntry | readonly [at: number] | readonly [at: number, mark: typeof RESUMED];

type EventsEntry = readonly [content: string, last: 0 | 1, at: number, count?: number];

export const RESUMED = 'resumed';

/** The entry for a group of events. */
export function entryOf({ content, last, at, count }: EventGroup): Entry {
  return count === 1 ? [content, last ? 1 : 0, at] : [content, last ? 1 : 0, at, count];
}

/** The group of events of an entry; undefined if it has none. */
function groupOf(entry: Entry): EventGroup | undefined {
  if (entry.length < 3) return undefined;
  const [content, last, at, count = 1] = entry as EventsEntry;
  return { at, count, content, last: last === 1 };
}

/** The number of the last event of an entry, or of the last one before an entry without events. */
export function numberOf(entry: Entry): number {
  const group = groupOf(entry);
  return group === undefined ? (entry[0] as number) : group.at + group.count - 1;
}

/** The events of a group, one by one. */
export function eventsOf({ at, count, content, last }: EventGroup): readonly StoredEvent[] {
  if (count === 1) return [{ at, message: content, last }];
  // Messages are JSON on one line, so the first empty line is the end of an event.
  const texts = content.split('\n\n').slice(0, count);
  return texts.map((text, index) => ({
    at: at + index,
    message: text.slice(text.indexOf(DATA) + DATA.length),
    last: last && index === count - 1,
  }));
}

const DATA = '\ndata: ';

/** The kind of a stream, with which its name begins: the answer to a call, or notifications. */
export type StreamKind = 'call' | 'note';

/** Reads an event id. Undefined if this server did not make it. */
export function readEventId(
  text: string,
): { readonly kind: StreamKind; readonly stream: string; readonly at: number } | undefined {
  const [, stream, kind, at] = /^((call|note)-[0-9a-f-]{36})_(\d{1,15})$/.exec(text) ?? [];
  return stream === undefined ? undefined : { kind: kind as StreamKind, stream, at: Number(at) };
}

/** The key of the log of a stream. */
export function keyOf(session: string, stream: string): string {
  return `tenon/events/${session}/${stream}`;
}

/** The topic on which the events of a stream are published. */
export function topicOf(session: string, stream: string): string {
  return `tenon/stream/${session}/${stream}`;
}

/** Returns a function that writes the events of a stream as text. */
export function eventTexts(stream: string): (at: number, message: string) => string {
  return numberedEvents(`${stream}_`);
}

/** A part of a stream. */
export interface StreamPart {
  readonly events: readonly StoredEvent[];
  /** The connection that later events are for, as far as this part tells. */
  readonly owner: number;
  /** Was the stream resumed after all of these events? */
  readonly endsWithResumption: boolean;
  /** The position of its last entry in the log. */
  readonly end: number;
}

/** An event of a stream of a session. */
export interface StreamPosition {
  readonly session: string;
  readonly stream: string;
  /** The number of the last event that the client has received. */
  readonly after: number;
  /** The position of an entry up to which the log was read before, if it was. That event is in it, or before it. */
  readonly from?: number;
}

/**
 * The part of a stream after an event, up to the entry at the position `end`. Undefined if some or all of its events are not stored.
 */
export function readStream(
  store: Store,
  { session, stream, after, from }: StreamPosition,
  end = Infinity,
): Maybe<StreamPart | undefined> {
  const key = keyOf(session, stream);
  // Events that were sent one by one have the position of their number or a later one, so usually the end of the log is enough.
  const start = Math.max(0, (from ?? after) - 1);
  return andThen(store.read(key, start), (part) => {
    const found = partAfter(part, after, end);
    const isKnown = found !== undefined && (from !== undefined || reachesBackTo(part!, after));
    if (part === undefined || start === 0 || isKnown) return found;
    return andThen(store.read(key, 0), (whole) => partAfter(whole, after, end));
  });
}

/**
 * Does a part of a log contain all that follows an event? Only events prove it: groups have earlier positions than the numbers of their
 * events, and entries without events can come after entries that the part does not contain.
 */
function reachesBackTo({ values }: LogPart, after: number): boolean {
  return values.some((value) => (groupOf(value as Entry)?.at ?? Infinity) <= after + 1);
}

/**
 * Writes into a stream that its client has resumed it after this event. Resolves with the position of the entry: later events are for that
 * connection alone.
 */
export async function writeResumption(
  store: Store,
  { session, stream, after }: StreamPosition,
  lifeMs: number,
): Promise<number> {
  return store.append(keyOf(session, stream), [after, RESUMED] satisfies Entry, lifeMs);
}

/** The position of the last entry that marks a resumption; 0 if the stream was never resumed. */
export function ownerIn(part: LogPart | undefined): number {
  const marks = part?.values.map((entry) => isResumption(entry as Entry)) ?? [];
  return part === undefined || !marks.includes(true) ? 0 : part.first + marks.lastIndexOf(true);
}

function isResumption(entry: Entry | undefined): boolean {
  return entry?.length === 2;
}

/** The part after a number; undefined if an event is missing, or if there is no entry that proves that there are none. */
function partAfter(part: LogPart | undefined, after: number, end: number): StreamPart | undefined {
  const events: StoredEvent[] = [];
  let seen = -1;
  let position = 0;
  for (const [index, value] of (part?.values ?? []).entries()) {
    if (part!.first + index > end) break;
    position = part!.first + index;
    const entry = value as Entry;
    const group = groupOf(entry);
    const next = after + events.length + 1;
    // Entries without events come after the event whose number they have.
    if (group === undefined ? numberOf(entry) >= next : group.at > next) return undefined;
    seen = Math.max(seen, numberOf(entry));
    if (group !== undefined) events.push(...eventsOf(group).filter(({ at }) => at >= next));
  }
  if (seen < after) return undefined;
  const endsWithResumption = isResumption(part?.values.at(-1) as Entry | undefined);
  return { events, owner: ownerIn(part), endsWithResumption, end: position };
}
