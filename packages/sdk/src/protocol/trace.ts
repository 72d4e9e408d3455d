/** One thing that passed between a client and a server, as the side that tells it saw it. */
export interface TraceEntry {
  /**
   * `junk`: a text in the place of a message that is none; a malformed message is `received`. `lost`: input that was not kept, a line
   * without end for example. `stderr`, `exit`: of a server process. `open`: a connection, or a process, began. `http`: a part of an HTTP
   * exchange that is no message.
   */
  readonly kind: 'open' | 'http' | 'sent' | 'received' | 'junk' | 'lost' | 'stderr' | 'exit';
  /** Milliseconds of a clock that only goes forward. */
  readonly at: number;
  /** The text as it was on the wire; for `lost`, `exit`, `open` and `http` a description, in which credentials are left out. */
  readonly text: string;
  /** Over HTTP: the exchange that carried it. They are counted from 1. */
  readonly exchange?: number;
  /** Of `http`. */
  readonly http?: HttpTrace;
  /** Told by a server over HTTP: the session of a legacy client that it belongs to. They are counted from 1; the id is told to nobody. */
  readonly session?: number;
}

/**
 * A part of an HTTP exchange. Each has one `request` and one `end`; between them come the head of the `answer`, the `event`s of a stream,
 * and a `body` where what came is no message.
 */
export interface HttpTrace {
  readonly part: 'request' | 'answer' | 'event' | 'body' | 'end';
  readonly exchange: number;
  /** Of a request. */
  readonly method?: string;
  /** Of a request, without query and fragment. A server knows only the path. */
  readonly url?: string;
  /** Of an answer. */
  readonly status?: number;
  /** Of requests and answers: all there are, by names in lower case. A value that may be secret is `…`. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Of an event of a stream: its name, and the last id the stream has said. */
  readonly event?: { readonly name: string; readonly id: string };
  /** Of a client's request: the message it carries, which has an entry of its own when it is sent for the first time. Of a body: the text. */
  readonly body?: string;
  /** Of an end: why the connection failed. */
  readonly error?: string;
  /** Of an end: the side that tells this wanted no more, and left before all was said. */
  readonly left?: true;
}
