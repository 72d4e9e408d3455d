import { createSseParser, type SseEvent } from '../../wire/sse-parser.ts';
import { decodePieces } from '../../wire/byte-pieces.ts';
import type { Incoming } from './send.ts';

/** Receives the answer to an HTTP request. */
export interface AnswerEvents {
  /** The status and header fields. */
  head(status: number, header: (name: string) => string | undefined): void;
  /** The whole body of an answer that is not a stream, or why it cannot be read. */
  body(body: string | Unreadable, status: number, type: string): void;
  /** An event of a stream. */
  event(event: SseEvent): void;
  /** The end of the answer; with an error if it ended too early. */
  end(ended: Ended): void;
}

/** A body that is too large, or not UTF-8. */
export interface Unreadable {
  /** The problem, as a continuation of "The answer". */
  readonly problem: string;
}

export interface Ended {
  readonly error: Error | undefined;
  /** The request may have reached the server. */
  readonly delivered: boolean;
  readonly status: number | undefined;
  /** The delay before resuming that the server asked for, in milliseconds. */
  readonly retry: number | undefined;
}

/** How much of an error body is read. */
const ERROR_BYTES = 64 * 1024;

function essenceOf(type: string): string {
  return (type.split(';', 1)[0] ?? '').trim().toLowerCase();
}

/** Reads an answer up to `maxBytes`: a body, or a stream of events. `abort` ends the request when a body is larger. */
export function readAnswer(events: AnswerEvents, maxBytes: number, abort: () => void): Incoming {
  let status: number | undefined;
  let type = '';
  let parser: ReturnType<typeof createSseParser> | undefined;
  let chunks: Uint8Array[] = [];
  let size = 0;
  let over = false;
  const end = (error: Error | undefined, delivered: boolean): void => {
    if (over) return;
    over = true;
    events.end({ error, delivered, status, retry: parser?.retry });
  };
  /** Turns an error into the end of the exchange: this runs in platform callbacks, where an uncaught error ends the process. */
  const guarded = (work: () => void): void => {
    if (over) return;
    try {
      work();
    } catch (error) {
      abort();
      end(error as Error, true);
    }
  };
  return {
    head(code, header) {
      guarded(() => {
        status = code;
        type = essenceOf(header('content-type') ?? '');
        events.head(code, header);
        if (code >= 200 && code < 300 && type === 'text/event-stream')
          parser = createSseParser((event) => over || events.event(event), { maxBytes });
      });
    },
    data(chunk) {
      if (parser !== undefined) return guarded(() => parser?.push(chunk));
      if (over) return;
      size += chunk.byteLength;
      const max = status !== undefined && status < 300 ? maxBytes : ERROR_BYTES;
      if (size <= max) {
        chunks.push(chunk);
        return;
      }
      abort();
      chunks = [];
      events.body({ problem: `is larger than ${max} bytes` }, status ?? 0, type);
      end(undefined, true);
    },
    end(error, delivered = true) {
      if (error === undefined && parser === undefined)
        guarded(() => status === undefined || events.body(bodyOf(chunks), status, type));
      end(error, delivered);
    },
  };
}

/** Decodes a body without its byte order mark. */
function bodyOf(chunks: readonly Uint8Array[]): string | Unreadable {
  return decodePieces(chunks)?.replace(/^\ufeff/, '') ?? { problem: 'is not valid UTF-8' };
}
