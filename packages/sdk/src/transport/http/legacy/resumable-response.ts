import { CODE } from '../../../protocol/errors.ts';
import type { RequestId } from '../../../protocol/jsonrpc.ts';
import { andThen, isLater, type Maybe, settle } from '../../../protocol/maybe.ts';
import { type MessageText, wholeText } from '../../../protocol/message-text.ts';
import type { UnorderedList } from '../../../protocol/unordered-list.ts';
import { UnavailableError } from '../../../store/unavailable.ts';
import { sseEvent } from '../../../wire/sse.ts';
import type { Failure, ResponseWriter } from '../../serving/server-call.ts';
import type { EventLog } from './event-log.ts';
import { type EventGroup, eventsOf, type PublishedEvents } from './stored-events.ts';
import { EventStream, type StreamContext, writeEvent } from '../event-stream.ts';
import { afterTurn, MAX_COLLECTED } from '../after-turn.ts';
import { EVENT_STREAM, type Headers, type HttpReply, JSON_TYPE } from '../http-message.ts';
import { sendError, sendErrorText, sendUnavailable } from '../send-error.ts';
import type { TickListener } from '../ticker.ts';

/** The parts of the response to a POST in a session. */
export interface ResumableResponseOptions {
  /** The id of the request; undefined for a batch. */
  readonly id: RequestId | undefined;
  /** Makes the log of its events, when there is a first one: most calls are answered without. */
  readonly createLog: () => EventLog;
  readonly context: StreamContext;
  readonly headers: Headers | undefined;
  /** Clients of its revision support events that have only an id. */
  readonly priming: boolean;
  /** The open responses of the session, which the client may resume. */
  readonly open: UnorderedList<ResumableResponse>;
}

/** Events that are collected until the end of a turn. */
interface CollectedEvents {
  readonly at: number;
  count: number;
  readonly firstMessage: string;
  /** All of them, as text. */
  text: string;
}

/**
 * The response to one POST in a session: one JSON body, or a stream of events that the client can resume when it loses the connection
 * (2025-11-25, "Resumability and Redelivery"). A lost connection does not cancel the call; events sent meanwhile are kept.
 */
export class ResumableResponse implements ResponseWriter {
  /** Its place among the open responses of the session. */
  place = 0;
  readonly #ticks: TickListener = { place: 0, tick: (now) => this.#tick(now) };
  readonly #options: ResumableResponseOptions;
  #madeLog: EventLog | undefined;
  /** When the current connection began. Undefined until something waits for the response: most calls are answered at once. */
  #since: number | undefined;
  /** The reply to the POST, until it is decided which kind of answer it gets. */
  #reply: HttpReply | undefined;
  #stream: EventStream | undefined;
  #begun = false;
  #ended = false;
  /** The number of the last event. */
  #last = 0;
  /** Events that will be stored and sent at the end of this turn. */
  #collected: CollectedEvents | undefined;
  #scheduled = false;
  /** The number of the last event that was stored, or failed to be. */
  #delivered = 0;
  /** The number of the last stored event that was read for a client that resumes. Other nodes may not have been told of it yet. */
  #resent = 0;
  /** Which connection of the client this node has, as the log counts them. */
  #owner = 0;
  /** The log stores one group of events after the other. */
  #storing: Promise<void> | undefined;
  /** Events that arrive while earlier ones are read for a client that resumes. */
  #arrivedMeanwhile: PublishedEvents[] | undefined;

  constructor(reply: HttpReply, options: ResumableResponseOptions) {
    this.#reply = reply;
    this.#options = options;
  }

  get id(): string {
    return this.#log.id;
  }

  get #log(): EventLog {
    return (this.#madeLog ??= this.#options.createLog());
  }

  /** Is its client connected? */
  get attended(): boolean {
    return this.#reply?.closed === false || this.#stream?.ended === false;
  }

  /** From now on the client may resume it; after some time it becomes a stream. */
  wait(): void {
    if (this.#ended) return;
    this.#since = performance.now();
    this.#options.open.add(this);
    this.#options.context.ticker.add(this.#ticks);
  }

  #tick(now: number): void {
    const { limits, polling } = this.#options.context;
    const since = now - (this.#since ?? now);
    if (polling !== undefined && this.#options.priming) {
      if (since >= polling.afterMs && (this.#reply !== undefined || this.#stream?.ended === false))
        this.#release(polling.retryMs);
    } else if (!this.#begun && since >= limits.keepAliveMs) this.#begin();
  }

  send(message: string): void | Promise<void> {
    if (this.#ended) return undefined;
    this.#begin();
    this.#emit(message);
    return this.#storing ?? this.#stream?.blocked;
  }

  /** Sends the last message. */
  finish(message: MessageText, failure?: Failure): void {
    if (this.#ended) return;
    const reply = this.#reply;
    this.#ended = true;
    if (this.#begun) {
      this.#emit(wholeText(message));
      this.#flush(true);
    } else if (reply !== undefined && !reply.closed) {
      const { headers } = this.#options;
      if (failure?.refused === 'id in use') sendErrorText(reply, 409, message, headers);
      else if (failure?.error instanceof UnavailableError) sendUnavailable(reply, message, headers);
      else reply.send(200, headers === undefined ? JSON_TYPE : { ...JSON_TYPE, ...headers }, message);
    }
    this.#end();
  }

  /** Ends without a response: the call was cancelled, or the body had no request. */
  drop(): void {
    this.#close((reply) => reply.send(202, this.#options.headers ?? {}));
  }

  /**
   * The session ended before the call did. If its client has ended it, the answer is an empty stream: clients that close do not expect an error
   * for a request that they do not wait for any more.
   */
  abandon(byClient: boolean): void {
    const { headers, id } = this.#options;
    const error = { code: CODE.internalError, message: 'The session ended before the request was answered' };
    this.#close((reply) => {
      if (!byClient) return sendError(reply, 503, error, headers, id);
      reply.stream({ ...EVENT_STREAM, ...headers });
      return reply.end();
    });
  }

  /** `answer` is used if nothing has been sent yet. */
  #close(answer: (reply: HttpReply) => void): void {
    if (this.#ended) return;
    this.#flush();
    this.#ended = true;
    if (this.#begun) this.#log.close();
    this.#stream?.end();
    if (!this.#begun && this.#reply?.closed === false) answer(this.#reply);
    this.#end();
  }

  /** Closes the connection and lets the client resume after `retryMs` (2025-11-25, "Sending Messages to the Server"). */
  #release(retryMs: number): void {
    this.#begin();
    this.#flush();
    const stream = this.#stream;
    const release = (): void => {
      if (stream === undefined || this.#stream !== stream) return;
      void stream.write(sseEvent({ retry: retryMs }));
      stream.end();
      this.#stream = undefined;
    };
    // The client needs the id of an event to resume, and an event is sent when it is stored.
    if (this.#storing === undefined) release();
    else void this.#storing.then(release);
  }

  /** Continues on another connection of the client, after the last event it received. The earlier connection ends. */
  resume(reply: HttpReply, headers: Headers, after: number): Maybe<boolean> {
    const { context } = this.#options;
    const log = this.#log;
    this.#flush();
    if (after > this.#last) return false;
    this.#stream?.end();
    this.#arrivedMeanwhile = [];
    const delivered = this.#delivered;
    // A client that has received all events can continue even if the log was lost.
    const read = (owner: number) => {
      this.#owner = owner;
      return after === this.#last ? [] : log.since(after);
    };
    return settle(
      () => andThen(log.resume(), read),
      (events) => {
        const meanwhile = this.#arrivedMeanwhile ?? [];
        this.#arrivedMeanwhile = undefined;
        if (events === undefined || after + events.length < delivered) return false;
        const stream = new EventStream(reply, headers, context);
        // Another connection may have resumed at the same time.
        this.#stream?.end();
        this.#stream = stream;
        this.#since = performance.now();
        this.#resent = after + events.length;
        for (const { at, message, last } of [
          ...events,
          ...meanwhile
            .filter(({ at, owner }) => at > this.#resent && owner === this.#owner)
            .flatMap((group) => eventsOf(group)),
        ]) {
          writeEvent(stream, log.text(at, message), message, last);
        }
        return true;
      },
      (error) => {
        // No connection is left: events are only stored until the client tries again.
        this.#arrivedMeanwhile = this.#stream = undefined;
        throw error;
      },
    );
  }

  #begin(): void {
    if (this.#begun) return;
    const { context, headers, priming } = this.#options;
    this.#begun = true;
    if (context.polling === undefined) context.ticker.delete(this.#ticks);
    // Scheduled before the stream's own write, so that its first write contains the events of this turn.
    this.#flushAfterTurn();
    const reply = this.#reply;
    this.#reply = undefined;
    if (reply === undefined || reply.closed) return;
    this.#stream = new EventStream(reply, headers ?? {}, context);
    if (priming) this.#emit('');
  }

  /** Sends an event at the end of this turn, together with those that follow it. */
  #emit(message: string): void {
    const at = ++this.#last;
    const text = this.#log.text(at, message);
    if (this.#collected !== undefined && this.#collected.text.length + text.length > MAX_COLLECTED) this.#flush();
    if (this.#collected === undefined) {
      this.#collected = { at, count: 1, firstMessage: message, text };
      this.#flushAfterTurn();
    } else {
      this.#collected.count++;
      this.#collected.text += text;
    }
  }

  #flushAfterTurn(): void {
    if (this.#scheduled) return;
    this.#scheduled = true;
    afterTurn(() => {
      this.#scheduled = false;
      this.#flush();
    });
  }

  /** Stores and sends the events of this turn. They are stored first: the client can resume from every event that it has received. */
  #flush(last = false): void {
    const collected = this.#collected;
    if (collected === undefined) return;
    this.#collected = undefined;
    const { at, count, firstMessage, text } = collected;
    const group: EventGroup = { at, count, content: count === 1 ? firstMessage : text, last };
    if (this.#storing !== undefined) this.#storing = this.#storing.then(() => this.#keep(group, text));
    else {
      const kept = this.#keep(group, text);
      if (isLater(kept)) this.#storing = Promise.resolve(kept);
    }
  }

  #keep(group: EventGroup, text: string): Maybe<void> {
    const stored = this.#log.store(group);
    return isLater(stored) ? stored.then(() => this.#deliver(group, text)) : this.#deliver(group, text);
  }

  #deliver(group: EventGroup, text: string): void {
    const { at, count, last } = group;
    this.#delivered = at + count - 1;
    if (this.#arrivedMeanwhile !== undefined) {
      this.#arrivedMeanwhile.push({ ...group, owner: this.#log.owner });
      return;
    }
    // The client resumed at another node, where it gets these events. None may be sent on two connections.
    if (this.#log.owner !== this.#owner) {
      this.#stream?.end();
      this.#stream = undefined;
    }
    const stream = this.#stream;
    if (stream === undefined || at <= this.#resent) return;
    if (count === 1 || stream.blocked === undefined) return writeEvent(stream, text, group.content, last);
    // The client is behind, so some of them may be dropped.
    for (const event of eventsOf(group))
      writeEvent(stream, this.#log.text(event.at, event.message), event.message, event.last);
  }

  #end(): void {
    if (this.#since === undefined) return;
    this.#options.context.ticker.delete(this.#ticks);
    this.#options.open.delete(this);
  }
}
