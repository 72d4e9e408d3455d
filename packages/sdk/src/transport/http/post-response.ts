import { messageEvent } from '../../wire/sse.ts';
import type { Failure, ResponseWriter, ServerCall } from '../serving/server-call.ts';
import type { HttpExchange } from './http-exchange.ts';
import { EventStream, type StreamContext } from './event-stream.ts';
import { JSON_TYPE } from './http-message.ts';
import { UnavailableError } from '../../store/unavailable.ts';
import { sendErrorText, sendUnavailable } from './send-error.ts';
import type { TickListener } from './ticker.ts';
import { CODE } from '../../protocol/errors.ts';
import { type MessageText, wholeText } from '../../protocol/message-text.ts';
import type { Era } from '../../protocol/revision.ts';

/**
 * The response to a POST outside a session: one JSON body, unless a message has to be sent before it, or the call takes long and the client
 * accepts streams. Then it is a stream of events without ids, and errors are sent as events, too.
 */
export class PostResponse implements ResponseWriter, TickListener {
  place = 0;
  readonly #http: HttpExchange;
  readonly #context: StreamContext;
  #stream: EventStream | undefined;
  /** When the call began to wait. Undefined until then: most calls are answered at once. */
  #since: number | undefined;
  #ended = false;

  constructor(http: HttpExchange, context: StreamContext) {
    this.#http = http;
    this.#context = context;
  }

  /** From now on it may become a stream. If a modern client disconnects, its call is cancelled (2026-07-28, "Cancellation"). */
  wait(call: ServerCall): void {
    const { reply, accepts, era } = this.#http;
    reply.onGone(() => {
      this.#stopTicking();
      if (era === 'modern') call.cancel('The client closed the connection');
    });
    if (!accepts.stream) return;
    this.#since = performance.now();
    this.#context.ticker.add(this);
  }

  send(message: string): void | Promise<void> {
    // Clients that do not accept streams get only the result.
    if (this.#closed || !this.#http.accepts.stream) return undefined;
    return this.#begin().write(messageEvent(message), message);
  }

  finish(message: MessageText, failure?: Failure): void {
    if (this.#ended) return;
    const stream = this.#stream;
    if (stream === undefined) this.#reply(message, failure);
    else stream.finish(messageEvent(wholeText(message)));
    this.#stopTicking();
  }

  drop(): void {
    if (!this.#closed && this.#stream !== undefined) this.#stream.end();
    else if (!this.#closed) this.#http.reply.destroy();
    this.#stopTicking();
  }

  /** Ends with 202: nothing in the body needs a response. */
  accept(): void {
    if (!this.#closed) this.#http.reply.send(202, this.#http.headers ?? {});
    this.#stopTicking();
  }

  tick(now: number): void {
    if (this.#stream === undefined && now - (this.#since ?? now) >= this.#context.limits.keepAliveMs) this.#begin();
  }

  get #closed(): boolean {
    return this.#ended || this.#http.reply.closed;
  }

  #reply(message: MessageText, failure: Failure | undefined): void {
    const { reply, headers, era } = this.#http;
    const all = headers === undefined ? JSON_TYPE : { ...JSON_TYPE, ...headers };
    if (failure === undefined) return reply.send(200, all, message);
    if (failure.error instanceof UnavailableError) return sendUnavailable(reply, message, headers);
    if (failure.refused === 'overload' && era === 'modern')
      return sendErrorText(reply, 503, message, { ...headers, 'retry-after': '5' });
    return reply.send(statusOf(failure.code, era), all, message);
  }

  #begin(): EventStream {
    if (this.#stream !== undefined) return this.#stream;
    this.#context.ticker.delete(this);
    return (this.#stream = new EventStream(this.#http.reply, this.#http.headers ?? {}, this.#context));
  }

  #stopTicking(): void {
    this.#ended = true;
    if (this.#since !== undefined) this.#context.ticker.delete(this);
  }
}

const STATUS: ReadonlyMap<number, number> = new Map<number, number>([
  [CODE.parseError, 400],
  [CODE.invalidRequest, 400],
  [CODE.headerMismatch, 400],
  [CODE.missingCapability, 400],
  [CODE.unsupportedVersion, 400],
  [CODE.methodNotFound, 404],
]);

/**
 * The HTTP status for an error of a method, if nothing has been sent yet. Errors that concern the call and not the request have status 200,
 * like results. So do all errors of the legacy era.
 */
export function statusOf(code: number, era: Era): number {
  return era === 'modern' ? (STATUS.get(code) ?? 200) : 200;
}
