/** The version of the format that this program writes. A reader rejects newer versions. */
export const TRACE_VERSION = 1;

/** The first line of a trace: when it began, and who wrote it. */
export interface TraceHead {
  /** The version of the format. */
  readonly mcptrace: number;
  /** When the trace began, ISO 8601 with milliseconds. All other times count from here. */
  readonly began: string;
  /** Name and version of the program that recorded it. */
  readonly by: string;
}

/** The two sides of a connection. */
export type Side = 'client' | 'server';

/**
 * What happened. `session`: a client addressed a server. `open`: a process or a connection began. `message`: a JSON-RPC message,
 * well-formed or malformed. `junk`: text that is not a message where a message belongs. `lost`: input that was not kept.
 * `stderr`, `exit`: of a server process. `http`: a part of an HTTP exchange. `auth`: the same, of OAuth. `timer`: a time limit
 * expired. `note`: an action or observation of the recorder.
 */
export const LINE_KINDS = [
  'session',
  'open',
  'message',
  'junk',
  'lost',
  'stderr',
  'http',
  'auth',
  'timer',
  'exit',
  'note',
] as const;
/** One of `LINE_KINDS`. */
export type LineKind = (typeof LINE_KINDS)[number];

/** One event: every line of a trace except the first. */
export interface TraceLine {
  /** 1, 2, 3 … without gaps. Lines are cited by this number. */
  readonly n: number;
  /** Milliseconds since the trace began, from a monotonic clock. */
  readonly at: number;
  /** The name of the connection. */
  readonly session: string;
  /** What happened. */
  readonly kind: LineKind;
  /** Who wrote it. Missing: neither side. */
  readonly from?: Side;
  /** The text as it was on the wire, without secrets. For kinds other than `message`, `junk` and `stderr`, a description. */
  readonly text: string;
  /** The line that caused this one, if the recorder saw which. */
  readonly cause?: number;
  /** For `http` and `auth`. */
  readonly http?: HttpPart;
  /** For `session`. */
  readonly about?: SessionHead;
  /** A secret was removed from the text. */
  readonly redacted?: true;
}

/** The two sides of a session, as far as the recorder knows. */
export interface SessionHead {
  /** The user's name for the server. */
  readonly name: string;
  /** How the two are connected. `sse`: the HTTP+SSE transport of 2024-11-05. */
  readonly transport: 'stdio' | 'http' | 'sse' | 'memory' | 'channel';
  /** The command or the URL, without secrets. */
  readonly target: string;
  /** The side that recorded it: a client, a server, or a tap between the two. */
  readonly recorder: Side | 'tap';
}

/** A part of an HTTP exchange. Header names are in lower case; values that may be secret are `…`. */
export interface HttpPart {
  /** Counts the exchanges of the session. */
  readonly exchange: number;
  /**
   * `request`: a request. `answer`: its status and headers. `event`: an event of a stream. `body`: a body that is not a message.
   * `end`: the exchange has ended.
   */
  readonly part: 'request' | 'answer' | 'event' | 'body' | 'end';
  /** For a request: the HTTP method. */
  readonly method?: string;
  /** Without user, password, query and fragment. */
  readonly url?: string;
  /** For an answer: the HTTP status. */
  readonly status?: number;
  /** For a request or an answer. */
  readonly headers?: Readonly<Record<string, string>>;
  /** For an event of a stream: its name and id. */
  readonly event?: {
    /** `message` if the event has no name. */
    readonly name: string;
    /** The last id that the stream has sent; empty if none. */
    readonly id: string;
  };
  /** For OAuth: the step. */
  readonly step?: AuthStep;
  /** For OAuth: the body, without secrets. Other messages have lines of their own. */
  readonly body?: string;
}

/** The hops of getting a token, in their usual order. */
export const AUTH_STEPS = [
  'challenge',
  'resource-metadata',
  'server-metadata',
  'registration',
  'authorization',
  'token',
  'refresh',
  'retry',
  'other',
] as const;
/** One of `AUTH_STEPS`. */
export type AuthStep = (typeof AUTH_STEPS)[number];
