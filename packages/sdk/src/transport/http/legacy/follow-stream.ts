import { isUnavailable } from '../../../store/unavailable.ts';
import type { Endpoint } from '../endpoint.ts';
import { EventStream, TICKS, writeEvent } from '../event-stream.ts';
import type { HttpExchange } from '../http-exchange.ts';
import type { TickListener } from '../ticker.ts';
import type { EventStore } from './event-log.ts';
import type { HttpSession } from './http-session.ts';
import {
  eventsOf,
  eventTexts,
  type PublishedEvents,
  readStream,
  type StoredEvent,
  type StreamPart,
  type StreamPosition,
  topicOf,
  writeResumption,
} from './stored-events.ts';

/**
 * Sends the rest of the answer to a call that has ended, or runs on another node. Resolves with false if its events are not stored. Rejects
 * if the store fails.
 */
export async function followStream(
  { events, streams }: Endpoint,
  { reply, headers }: HttpExchange,
  session: HttpSession,
  { stream, after }: Pick<StreamPosition, 'stream' | 'after'>,
): Promise<boolean> {
  const position = { session: session.id, stream, after };
  const meanwhile: PublishedEvents[] = [];
  let hear = (published: PublishedEvents): void => void meanwhile.push(published);
  const subscribed = events.bus?.subscribe(topicOf(session.id, stream), (published) =>
    hear(published as PublishedEvents),
  );
  try {
    const isLive = subscribed !== undefined && (await subscribed.atOnce);
    const kept = await readStream(events.store, position);
    const owned = kept && !reply.closed ? await resumeHere(events, position, kept, isLive) : undefined;
    if (owned === undefined || reply.closed) {
      subscribed?.end();
      return false;
    }
    const out = new EventStream(reply, headers ?? {}, streams);
    session.followed++;
    const follower = new StreamFollower(out, events, { ...position, owner: owned.owner, from: owned.end }, () => {
      session.followed--;
      subscribed?.end();
    });
    hear = (published) => follower.hear(published);
    for (const event of owned.events) follower.take(event);
    for (const published of meanwhile) follower.hear(published);
    // Without a bus, the client resumes again.
    if (!isLive) follower.end();
    else reply.onGone(() => follower.end());
    return true;
  } catch (error) {
    subscribed?.end();
    throw error;
  }
}

/**
 * Writes into the log that the client goes on here: then no other connection gets the events that follow, whatever its node hears. Resolves
 * with the events before that, and with later ones if there are any. `owner` is the position of its entry.
 */
async function resumeHere(
  { store, openMs }: EventStore,
  position: StreamPosition,
  kept: StreamPart,
  isLive: boolean,
): Promise<Pick<StreamPart, 'events' | 'owner' | 'end'> | undefined> {
  // Nothing follows the last event. A client that comes back again and again, since it is told of nothing, says so once.
  if (kept.events.at(-1)?.last === true || (!isLive && kept.endsWithResumption)) return kept;
  const after = position.after + kept.events.length;
  const owner = await writeResumption(store, { ...position, after }, openMs);
  const meanwhile = await readStream(store, { ...position, after, from: kept.end });
  return meanwhile && { events: [...kept.events, ...meanwhile.events], owner, end: meanwhile.end };
}

/** Passes on the events that another node publishes. The bus may lose some: those are read from the store. */
class StreamFollower implements TickListener {
  place = 0;
  readonly #out: EventStream;
  readonly #events: EventStore;
  readonly #position: StreamPosition & { readonly owner: number };
  /** The position of the last entry that was read. */
  #read: number;
  readonly #onEnd: () => void;
  readonly #text: (at: number, message: string) => string;
  /** The last event that was sent. */
  #seen: number;
  #ticks = 0;
  #reading = false;
  #ended = false;

  constructor(
    out: EventStream,
    events: EventStore,
    position: StreamPosition & { readonly owner: number; readonly from: number },
    onEnd: () => void,
  ) {
    this.#out = out;
    this.#events = events;
    this.#position = position;
    this.#onEnd = onEnd;
    this.#text = eventTexts(position.stream);
    this.#seen = position.after;
    this.#read = position.from;
    events.ticker.add(this);
  }

  /** Takes events that were published. */
  hear(published: PublishedEvents): void {
    const { owner } = this.#position;
    // Those for earlier connections were read before. A stream without a last event ends with number 0.
    if (published.owner === owner || published.at === 0) for (const event of eventsOf(published)) this.take(event);
    else if (published.owner > owner) this.end();
  }

  take({ at, message, last }: StoredEvent): void {
    if (this.#ended) return;
    if (at > this.#seen + 1) return void this.#catchUp();
    if (at > this.#seen) {
      this.#seen = at;
      writeEvent(this.#out, this.#text(at, message), message, last);
    }
    if (last) this.end();
  }

  /** Now and then: the last events may have been lost, or the node that runs the call. */
  tick(): void {
    if (++this.#ticks % TICKS === 0) void this.#catchUp();
  }

  end(): void {
    if (this.#ended) return;
    this.#ended = true;
    this.#events.ticker.delete(this);
    this.#onEnd();
    this.#out.end();
  }

  async #catchUp(): Promise<void> {
    if (this.#reading) return;
    this.#reading = true;
    const { owner } = this.#position;
    try {
      const missed = await readStream(this.#events.store, { ...this.#position, after: this.#seen, from: this.#read });
      // They are lost, or the stream is. The client learns that when it resumes. Or it has resumed on another connection.
      if (missed === undefined || missed.owner > owner) return this.end();
      this.#read = missed.end;
      for (const event of missed.events) this.take(event);
    } catch (error) {
      const message = 'Events of a stream could not be read';
      this.#events.faults({ level: 'error', event: 'store-failed', message, details: error });
      if (!isUnavailable(error)) this.end();
    } finally {
      this.#reading = false;
    }
  }
}
