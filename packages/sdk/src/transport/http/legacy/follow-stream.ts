import { isUnavailable } from '../../../store/unavailable.ts';
import type { Endpoint } from '../endpoint.ts';
import { EventStream, TICKS, writeEvent } from '../event-stream.ts';
import type { HttpExchange } from '../http-exchange.ts';
import type { TickListener } from '../ticker.ts';
import { type EventStore, eventText, readEvents, type StoredEvent, topicOf } from './event-log.ts';

/** The stream of a call of a session, and the last event of it that the client has received. */
export interface StreamPosition {
  readonly session: string;
  readonly stream: string;
  readonly after: number;
}

/**
 * Sends the rest of the answer to a call that has ended, or runs on another node. Resolves with false if its events are not stored. Rejects
 * if the store fails.
 */
export async function followStream(
  { events, streams }: Endpoint,
  { reply, headers }: HttpExchange,
  position: StreamPosition,
): Promise<boolean> {
  const { session, stream, after } = position;
  const meanwhile: StoredEvent[] = [];
  let take = (event: StoredEvent): void => void meanwhile.push(event);
  const subscribed = events.bus?.subscribe(topicOf(session, stream), (event) => take(event as StoredEvent));
  try {
    const isLive = subscribed !== undefined && (await subscribed.atOnce);
    const kept = await readEvents(events.store, session, stream, after);
    if (kept === undefined || reply.closed) {
      subscribed?.end();
      return false;
    }
    const follower = new StreamFollower(new EventStream(reply, headers ?? {}, streams), events, position, () =>
      subscribed?.end(),
    );
    take = (event) => follower.take(event);
    for (const event of [...kept, ...meanwhile]) follower.take(event);
    // Without a bus, the client resumes again.
    if (!isLive) follower.end();
    else reply.onGone(() => follower.end());
    return true;
  } catch (error) {
    subscribed?.end();
    throw error;
  }
}

/** Passes on the events that another node publishes. The bus may lose some: those are read from the store. */
class StreamFollower implements TickListener {
  readonly #out: EventStream;
  readonly #events: EventStore;
  readonly #position: StreamPosition;
  readonly #onEnd: () => void;
  /** The last event that was sent. */
  #seen: number;
  #ticks = 0;
  #reading = false;
  #ended = false;

  constructor(out: EventStream, events: EventStore, position: StreamPosition, onEnd: () => void) {
    this.#out = out;
    this.#events = events;
    this.#position = position;
    this.#onEnd = onEnd;
    this.#seen = position.after;
    events.ticker.add(this);
  }

  take({ at, message, last }: StoredEvent): void {
    if (this.#ended) return;
    if (at > this.#seen + 1) return void this.#catchUp();
    if (at > this.#seen) {
      this.#seen = at;
      writeEvent(this.#out, eventText(`${this.#position.stream}_${at}`, message), message, last);
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
    const { session, stream } = this.#position;
    try {
      const missed = await readEvents(this.#events.store, session, stream, this.#seen);
      // They are lost, or the stream is. The client learns that when it resumes.
      if (missed === undefined) return this.end();
      for (const event of missed) this.take(event);
    } catch (error) {
      const message = 'Events of a stream could not be read';
      this.#events.faults({ level: 'error', event: 'store-failed', message, details: error });
      if (!isUnavailable(error)) this.end();
    } finally {
      this.#reading = false;
    }
  }
}
