import type { Logger } from '../../protocol/log.ts';
import { SSE_KEEP_ALIVE } from '../../wire/sse.ts';
import { isExpendable } from '../../wire/expendable.ts';
import { EVENT_STREAM, type Headers, type HttpReply } from './http-message.ts';
import type { TickListener, Ticker } from './ticker.ts';

/** Limits of streams. */
interface StreamLimits {
  readonly keepAliveMs: number;
  readonly streamBytes: number;
}

/** The state that the streams of one endpoint share. */
export interface StreamContext {
  readonly ticker: Ticker;
  readonly limits: StreamLimits;
  /** Logs errors of peers. */
  readonly faults: Logger;
  /**
   * When the server closes the connection of a stream that the client can resume, and when the client should reconnect; in milliseconds.
   */
  readonly polling: { readonly afterMs: number; readonly retryMs: number } | undefined;
}

/** The part of the keep-alive interval after which a comment is sent: a tick may come a little early. */
const NEARLY = 0.9;

/** A peer that reads nothing for this many keep-alive intervals is treated as gone. */
const MAX_STUCK_INTERVALS = 2;

/** A response that is a stream of events: kept open by comments, and cut off if the peer does not read. */
export class EventStream implements TickListener {
  place = 0;
  readonly #reply: HttpReply;
  readonly #context: StreamContext;
  /** Since when nothing has been sent, by the clock of the ticker. Undefined if something was sent since the last tick. */
  #silentSince: number | undefined;
  #stuck = 0;
  #unsent = 0;
  #ended = false;
  /** The characters of the longest event. */
  #longest = 0;
  #hasReportedDrops = false;
  /** Resolves when the peer can take more; undefined while it can. */
  blocked: Promise<void> | undefined;

  constructor(reply: HttpReply, headers: Headers, context: StreamContext) {
    this.#reply = reply;
    this.#context = context;
    reply.stream({ ...EVENT_STREAM, ...headers });
    context.ticker.add(this);
    reply.onGone(() => this.#stop());
  }

  /** Nothing more can be written. */
  get ended(): boolean {
    return this.#ended || this.#reply.closed;
  }

  /**
   * Writes an encoded event. A returned promise resolves when the peer can take more. If too much is waiting, an event whose `message` is
   * expendable is dropped: within one turn a handler can send more than any peer can read.
   */
  write(text: string, message?: string): void | Promise<void> {
    if (this.ended) return undefined;
    const { streamBytes } = this.#context.limits;
    if (
      this.blocked !== undefined &&
      message !== undefined &&
      this.#reply.unsent + text.length > streamBytes &&
      isExpendable(message)
    )
      return this.#dropEvent();
    if (text.length > this.#longest) this.#longest = text.length;
    this.#silentSince = undefined;
    const wait = this.#reply.write(text);
    if (wait === undefined) return undefined;
    if (this.#reply.unsent > streamBytes + this.#longest) return void this.cut();
    const settled: Promise<void> = wait.then(() => {
      if (this.blocked === settled) this.blocked = undefined;
    });
    return (this.blocked = settled);
  }

  /** Writes the last event, even if much is waiting before it, and ends the stream. */
  finish(text: string): void {
    if (this.ended) return;
    void this.#reply.write(text);
    this.end();
  }

  end(): void {
    if (this.ended) return;
    this.#stop();
    this.#reply.end();
  }

  /** Breaks the connection: the peer does not read. */
  cut(): void {
    this.#context.faults({
      level: 'warn',
      event: 'stream-cut',
      message: `A stream was closed: its client does not read, and ${this.#reply.unsent} bytes wait for it`,
    });
    this.#stop();
    this.#reply.destroy();
  }

  tick(now: number): void {
    const { unsent } = this.#reply;
    this.#stuck = unsent > 0 && unsent >= this.#unsent ? this.#stuck + 1 : 0;
    this.#unsent = unsent;
    if (this.#stuck >= MAX_STUCK_INTERVALS * TICKS) return this.cut();
    this.#silentSince ??= now;
    const silentMs = now - this.#silentSince;
    if (unsent === 0 && silentMs >= NEARLY * this.#context.limits.keepAliveMs) void this.write(SSE_KEEP_ALIVE);
  }

  #dropEvent(): Promise<void> | undefined {
    if (!this.#hasReportedDrops)
      this.#context.faults({
        level: 'warn',
        event: 'messages-left-out',
        message: `Log messages or progress of a stream are dropped: ${this.#reply.unsent} bytes wait for its client`,
      });
    this.#hasReportedDrops = true;
    return this.blocked;
  }

  #stop(): void {
    this.#ended = true;
    this.#context.ticker.delete(this);
  }
}

/** How many times the ticker ticks per keep-alive interval. */
export const TICKS = 3;

/** Writes an event with a message of a call. */
export function writeEvent(stream: EventStream, text: string, message: string, last: boolean): void {
  if (last) stream.finish(text);
  else void stream.write(text, message);
}
