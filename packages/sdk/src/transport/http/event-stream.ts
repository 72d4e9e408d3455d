import type { Logger } from '../../protocol/log.ts';
import { SSE_KEEP_ALIVE } from '../../wire/sse.ts';
import { EVENT_STREAM, type Headers, type HttpReply } from './message.ts';
import type { Ticked, Ticker } from './ticker.ts';

/** Bounds of streams. */
interface StreamLimits {
  readonly keepAliveMs: number;
  readonly streamBytes: number;
}

/** What the streams of one endpoint share. */
export interface StreamContext {
  readonly ticker: Ticker;
  readonly limits: StreamLimits;
  /** What peers do wrong. */
  readonly faults: Logger;
  /** When a stream that its client can take up again is left, and when the client should come back; in milliseconds. */
  readonly polling: { readonly afterMs: number; readonly retryMs: number } | undefined;
}

/** A peer that takes nothing for this many intervals of keep-alive is gone, or might as well be. */
const STUCK = 2;

/** An answer that is a stream of events: kept open by comments, cut when the peer does not read. */
export class EventStream implements Ticked {
  readonly #reply: HttpReply;
  readonly #context: StreamContext;
  #quietSince = performance.now();
  #stuck = 0;
  #unsent = 0;
  #over = false;
  /** Settles when the peer can take more; undefined while it can. */
  blocked: Promise<void> | undefined;

  constructor(reply: HttpReply, headers: Headers, context: StreamContext) {
    this.#reply = reply;
    this.#context = context;
    reply.stream({ ...EVENT_STREAM, ...headers });
    context.ticker.add(this);
    reply.onGone(() => this.#leave());
  }

  /** Nothing more can be written. */
  get over(): boolean {
    return this.#over || this.#reply.closed;
  }

  /** Writes an event that is text already. A returned promise settles when the peer can take more. */
  write(text: string): void | Promise<void> {
    if (this.over) return undefined;
    this.#quietSince = performance.now();
    const wait = this.#reply.write(text);
    if (wait === undefined) return undefined;
    if (this.#reply.unsent > this.#context.limits.streamBytes + text.length) return void this.cut();
    const settled: Promise<void> = wait.then(() => {
      if (this.blocked === settled) this.blocked = undefined;
    });
    return (this.blocked = settled);
  }

  end(): void {
    if (this.over) return;
    this.#leave();
    this.#reply.end();
  }

  /** Ends it without a last word: the peer does not read. */
  cut(): void {
    this.#context.faults({
      level: 'warn',
      event: 'stream-cut',
      message: `A stream was cut off: its client does not read, and ${this.#reply.unsent} bytes wait for it`,
    });
    this.#leave();
    this.#reply.destroy();
  }

  tick(now: number): void {
    const { unsent } = this.#reply;
    this.#stuck = unsent > 0 && unsent >= this.#unsent ? this.#stuck + 1 : 0;
    this.#unsent = unsent;
    if (this.#stuck >= STUCK * TICKS) return this.cut();
    if (unsent === 0 && now - this.#quietSince >= this.#context.limits.keepAliveMs) void this.write(SSE_KEEP_ALIVE);
  }

  #leave(): void {
    this.#over = true;
    this.#context.ticker.delete(this);
  }
}

/** How often the ticker ticks within one interval of keep-alive. */
export const TICKS = 3;
