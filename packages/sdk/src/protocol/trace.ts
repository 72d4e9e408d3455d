/** An event between a client and a server, as the recording side saw it. */
export interface TraceEntry {
  /**
   * `junk`: a text that is not a message at all; a malformed message is `received`. `lost`: input that was dropped, such as a line without
   * end. `stderr`, `exit`: of a server process. `open`: a connection, or a process, started. `http`: a part of an HTTP exchange that is not
   * a message.
   */
  readonly kind: 'open' | 'http' | 'sent' | 'received' | 'junk' | 'lost' | 'stderr' | 'exit';
  /** From a monotonic clock, in milliseconds. */
  readonly at: number;
  /** The text as it was on the wire; for `lost`, `exit`, `open` and `http` a description without credentials. */
  readonly text: string;
  /** Over HTTP: the number of the exchange that carried it, counted from 1. */
  readonly exchange?: number;
  /** For entries of kind `http`. */
  readonly http?: HttpTrace;
  /** In traces of an HTTP server: the number of the legacy client's session, counted from 1. The session id itself is never recorded. */
  readonly session?: number;
}

/**
 * A part of an HTTP exchange. Each exchange has one `request` and one `end`; between them come the head of the `answer`, the `event`s of a
 * stream, and a `body` if the content is not a message.
 */
export interface HttpTrace {
  /** Which part of the exchange. */
  readonly part: 'request' | 'answer' | 'event' | 'body' | 'end';
  /** The number of the exchange, counted from 1. */
  readonly exchange: number;
  /** For requests. */
  readonly method?: string;
  /** For requests, without query and fragment. A server knows only the path. */
  readonly url?: string;
  /** For answers. */
  readonly status?: number;
  /** For requests and answers: all headers, by names in lower case. Values that may be secret are replaced by `…`. */
  readonly headers?: Readonly<Record<string, string>>;
  /** For events of a stream: the event's name, and the last id of the stream. */
  readonly event?: {
    /** The name of the event. */
    readonly name: string;
    /** The last id of the stream; empty if it has none. */
    readonly id: string;
  };
  /**
   * For a client's request: the message it carries, which also has an entry of its own when it is sent for the first time. For a body: the
   * text.
   */
  readonly body?: string | undefined;
  /** For an end: why the connection failed. */
  readonly error?: string;
  /** For an end: the recording side disconnected before the exchange was complete. */
  readonly left?: true;
}
