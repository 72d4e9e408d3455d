import { sseEvent } from '../../wire/sse.ts';
import { isExpendable } from '../../wire/text.ts';
import type { Failure, ResponseWriter, RunningCall } from '../serving/running-call.ts';
import type { HttpCall } from './call.ts';
import { EventStream, type StreamContext } from './event-stream.ts';
import { JSON_TYPE } from './message.ts';
import { sendErrorText } from './send-error.ts';
import { statusOf } from './status.ts';
import type { Ticked } from './ticker.ts';

/**
 * The answer to a POST that belongs to no session: one JSON body, unless something has to be sent before it, or it takes long and the client
 * takes streams. Then it is a stream of events without ids, and errors are events, too.
 */
export class Answer implements ResponseWriter, Ticked {
  readonly #http: HttpCall;
  readonly #context: StreamContext;
  #stream: EventStream | undefined;
  #since = 0;
  #over = false;

  constructor(http: HttpCall, context: StreamContext) {
    this.#http = http;
    this.#context = context;
  }

  /** From now on it may become a stream. That a modern client goes away cancels its call (2026-07-28, "Cancellation"). */
  wait(call: RunningCall): void {
    const { reply, accepts, era } = this.#http;
    reply.onGone(() => {
      this.#leave();
      if (era === 'modern') call.cancel('The client closed the connection');
    });
    if (!accepts.stream) return;
    this.#since = performance.now();
    this.#context.ticker.add(this);
  }

  send(message: string): void | Promise<void> {
    // Clients that take no streams get the result alone.
    if (this.#closed || !this.#http.accepts.stream) return undefined;
    return this.#begin().write(sseEvent({ event: 'message', data: message }), isExpendable(message));
  }

  finish(message: string, failure?: Failure): void {
    if (this.#closed) return this.#leave();
    const stream = this.#stream;
    if (stream === undefined) this.#reply(message, failure);
    else stream.finish(sseEvent({ event: 'message', data: message }));
    this.#leave();
  }

  drop(): void {
    if (!this.#closed && this.#stream !== undefined) this.#stream.end();
    else if (!this.#closed) this.#http.reply.destroy();
    this.#leave();
  }

  /** Ends without any message: the body had no request that is answered. */
  accept(): void {
    if (!this.#closed) this.#http.reply.send(202, this.#http.headers ?? {});
    this.#leave();
  }

  tick(now: number): void {
    if (this.#stream === undefined && now - this.#since >= this.#context.limits.keepAliveMs) this.#begin();
  }

  get #closed(): boolean {
    return this.#over || this.#http.reply.closed;
  }

  #reply(message: string, failure: Failure | undefined): void {
    const { reply, headers, era } = this.#http;
    if (failure?.refused === 'overload' && era === 'modern')
      return sendErrorText(reply, 503, message, { ...headers, 'retry-after': '5' });
    const status = failure === undefined ? 200 : statusOf(failure.code, era);
    return reply.send(status, headers === undefined ? JSON_TYPE : { ...JSON_TYPE, ...headers }, message);
  }

  #begin(): EventStream {
    if (this.#stream !== undefined) return this.#stream;
    this.#context.ticker.delete(this);
    return (this.#stream = new EventStream(this.#http.reply, this.#http.headers ?? {}, this.#context));
  }

  #leave(): void {
    this.#over = true;
    this.#context.ticker.delete(this);
  }
}
