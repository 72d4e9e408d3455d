import { type SseEvent, SseParser } from '../../wire/sse-parser.ts';
import { retryAfterOf } from './http-errors.ts';
import { decodePieces } from '../../wire/byte-pieces.ts';
import { mediaTypeOf } from '../../wire/media-type.ts';
import { type AnswerHead, type HttpSend, type Incoming, NOT_SENT, type Outgoing, type SentRequest } from './send.ts';

/** Receives the answer to an HTTP request. */
export interface AnswerEvents {
  /** The status and header fields. */
  head(answer: AnswerHead): void;
  /** The whole body of an answer that is not a stream, or why it cannot be read. */
  body(body: string | UnreadableAnswer, status: number, type: string): void;
  /** An event of a stream. */
  event(event: SseEvent): void;
  /** The end of the answer; with an error if it ended too early. */
  end(ended: AnswerEnd): void;
}

/** A body that is too large, or not UTF-8. */
export interface UnreadableAnswer {
  /** The problem, as a continuation of "The answer". */
  readonly problem: string;
}

export interface AnswerEnd {
  readonly error: Error | undefined;
  /** The request may have reached the server. */
  readonly delivered: boolean;
  readonly status: number | undefined;
  /** The delay before resuming that the server asked for, in milliseconds. */
  readonly retry: number | undefined;
}

/** How much of an error body is read. */
const ERROR_BYTES = 64 * 1024;
const BYTE_ORDER_MARK = 0xfeff;

/** Reads an answer up to `maxBytes`: a body, or a stream of events. A request whose body is larger is aborted. */
export class AnswerReader implements Incoming, SentRequest {
  readonly #events: AnswerEvents;
  readonly #maxBytes: number;
  #sent = NOT_SENT;
  #status: number | undefined;
  #retryAfter: number | undefined;
  #type = '';
  #parser: SseParser | undefined;
  #chunks: Uint8Array[] = [];
  #size = 0;
  #over = false;

  constructor(events: AnswerEvents, maxBytes: number) {
    this.#events = events;
    this.#maxBytes = maxBytes;
  }

  /** Sends the request, and reads its answer. */
  send(send: HttpSend, request: Outgoing): void {
    this.#sent = send(request, this);
  }

  abort(): void {
    this.#sent.abort();
  }

  head(answer: AnswerHead): void {
    if (this.#over) return;
    const { status } = answer;
    this.#status = status;
    this.#retryAfter = retryAfterOf(answer);
    try {
      this.#type = mediaTypeOf(answer.header('content-type') ?? '');
      this.#events.head(answer);
      if (status >= 200 && status < 300 && this.#type === 'text/event-stream')
        this.#parser = new SseParser((event) => this.#over || this.#events.event(event), {
          maxBytes: this.#maxBytes,
        });
    } catch (error) {
      this.#fail(error);
    }
  }

  data(chunk: Uint8Array): void {
    if (this.#over) return;
    if (this.#parser !== undefined) {
      try {
        this.#parser.push(chunk);
      } catch (error) {
        this.#fail(error);
      }
      return;
    }
    this.#size += chunk.byteLength;
    const max = this.#status !== undefined && this.#status < 300 ? this.#maxBytes : ERROR_BYTES;
    if (this.#size <= max) {
      this.#chunks.push(chunk);
      return;
    }
    this.abort();
    this.#chunks = [];
    this.#events.body({ problem: `is larger than ${max} bytes` }, this.#status ?? 0, this.#type);
    this.#end(undefined, true);
  }

  end(error?: Error, delivered = true): void {
    if (this.#over) return;
    if (error === undefined && this.#parser === undefined && this.#status !== undefined) {
      try {
        this.#events.body(bodyOf(this.#chunks), this.#status, this.#type);
      } catch (failure) {
        this.#fail(failure);
      }
    }
    this.#end(error, delivered);
  }

  /** Turns an error into the end of the exchange: this runs in platform callbacks, where an uncaught error ends the process. */
  #fail(error: unknown): void {
    this.abort();
    this.#end(error as Error, true);
  }

  #end(error: Error | undefined, delivered: boolean): void {
    if (this.#over) return;
    this.#over = true;
    const retry = this.#parser?.retry ?? this.#retryAfter;
    this.#events.end({ error, delivered, status: this.#status, retry });
  }
}

/** Decodes a body without its byte order mark. */
function bodyOf(chunks: readonly Uint8Array[]): string | UnreadableAnswer {
  const text = decodePieces(chunks);
  if (text === undefined) return { problem: 'is not valid UTF-8' };
  return text.charCodeAt(0) === BYTE_ORDER_MARK ? text.slice(1) : text;
}
