import { sseEvent } from '../../wire/sse.ts';
import type { Outbox } from '../connection/outbox.ts';
import { EventStream, type Surroundings } from './event-stream.ts';
import type { Open } from './keeper.ts';
import { type Headers, type HttpReply, JSON_TYPE } from './message.ts';

/** How the messages of a stream become events. */
export interface Events {
  /** The first event, before any message. */
  readonly first?: string;
  event(message: string): string;
}

/** Events without ids: what is lost is lost. */
const PLAIN_EVENTS: Events = { event: (data) => sseEvent({ event: 'message', data }) };

/**
 * The answer to one POST: one JSON body, unless something has to be sent before it, or it takes long and the peer takes streams.
 * Then it is a stream of events, and errors are events, too.
 */
export class Answer implements Outbox, Open {
  readonly #reply: HttpReply;
  readonly #headers: Headers | undefined;
  readonly #streams: boolean;
  readonly #events: Events;
  readonly #around: Surroundings;
  #stream: EventStream | undefined;
  #since = 0;
  #over = false;

  /** `streams`: the peer takes streams. */
  constructor(
    reply: HttpReply,
    headers: Headers | undefined,
    streams: boolean,
    around: Surroundings,
    events: Events = PLAIN_EVENTS,
  ) {
    this.#reply = reply;
    this.#headers = headers;
    this.#streams = streams;
    this.#around = around;
    this.#events = events;
  }

  get blocked(): Promise<void> | undefined {
    return this.#stream?.blocked;
  }

  get broken(): boolean {
    return this.#over || this.#reply.closed;
  }

  farewell(): void {}

  /** Has it begun as a stream? Then there is no status to choose any more. */
  get streaming(): boolean {
    return this.#stream !== undefined;
  }

  /** It will take a while: from now on it may become a stream, and `gone` is called when the peer does not wait for it. */
  wait(gone: () => void): void {
    this.#reply.onGone(() => {
      this.#leave();
      gone();
    });
    if (!this.#streams) return;
    this.#since = Date.now();
    this.#around.keeper.add(this);
  }

  send(message: string): void | Promise<void> {
    // Whoever takes no streams gets the result alone.
    if (this.broken || !this.#streams) return undefined;
    return this.#begin().write(this.#events.event(message));
  }

  /** Sends the last message, and with it all there is. */
  finish(status: number, message: string): void {
    if (this.broken) return this.#leave();
    const stream = this.#stream;
    if (stream === undefined)
      this.#reply.send(status, this.#headers === undefined ? JSON_TYPE : { ...JSON_TYPE, ...this.#headers }, message);
    else {
      void stream.write(this.#events.event(message));
      stream.end();
    }
    this.#leave();
  }

  /** Ends without an answer: nobody wants it any more. */
  drop(): void {
    if (!this.broken && this.#stream !== undefined) this.#stream.end();
    else if (!this.broken) this.#reply.destroy();
    this.#leave();
  }

  tick(now: number): void {
    if (this.#stream === undefined && now - this.#since >= this.#around.limits.keepAliveMs) this.#begin();
  }

  #begin(): EventStream {
    if (this.#stream !== undefined) return this.#stream;
    this.#around.keeper.delete(this);
    this.#stream = new EventStream(this.#reply, this.#headers ?? {}, this.#around);
    if (this.#events.first !== undefined) void this.#stream.write(this.#events.first);
    return this.#stream;
  }

  #leave(): void {
    this.#over = true;
    this.#around.keeper.delete(this);
  }
}
