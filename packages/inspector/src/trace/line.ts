/** The version of the format this program writes. A reader refuses what is newer. */
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

/** Whose doing a line is. */
export type Side = 'client' | 'server';

/**
 * What happened. `session`: a client turned to a server. `open`: a process or a connection began. `message`: a JSON-RPC message, well or
 * malformed. `junk`: text in the place of a message that is none. `lost`: input that was not kept. `stderr`, `exit`: of a server process.
 * `http`: a part of an HTTP exchange. `auth`: the same, of OAuth. `timer`: something ran out. `note`: what the recorder did or saw itself.
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

/** One thing that happened: every line of a trace but the first. */
export interface TraceLine {
  /** 1, 2, 3 … without gaps. What cites a line cites this. */
  readonly n: number;
  /** Milliseconds since the trace began, of a clock that only goes forward. */
  readonly at: number;
  /** The name of the connection. */
  readonly session: string;
  /** What happened. */
  readonly kind: LineKind;
  /** Who wrote it. Missing where it was neither. */
  readonly from?: Side;
  /** The text as it was on the wire, without secrets; for other kinds than `message`, `junk` and `stderr` a description. */
  readonly text: string;
  /** The line that brought this one about, where the recorder saw which. */
  readonly cause?: number;
  /** Of `http` and `auth`. */
  readonly http?: HttpPart;
  /** Of `session`. */
  readonly about?: SessionHead;
  /** Something was taken out of the text because it is secret. */
  readonly redacted?: true;
}

/** What a session is between, as far as the recorder knows. */
export interface SessionHead {
  /** What the server is called by who uses it. */
  readonly name: string;
  /** How the two are connected. `sse`: the HTTP+SSE transport of 2024-11-05. */
  readonly transport: 'stdio' | 'http' | 'sse' | 'memory' | 'channel';
  /** The command or the address, without secrets. */
  readonly target: string;
  /** Which side recorded it: a client, a server, or something between the two. */
  readonly recorder: Side | 'tap';
}

/** A part of an HTTP exchange. Header names in lower case; values that may be secret are `…`. */
export interface HttpPart {
  /** Counts the exchanges of the session. */
  readonly exchange: number;
  /** `request`: a request. `answer`: its status and headers. `event`: an event of a stream. `body`: one that is no message. `end`: nothing more comes. */
  readonly part: 'request' | 'answer' | 'event' | 'body' | 'end';
  /** Of a request: the HTTP method. */
  readonly method?: string;
  /** Without user, password, query and fragment. */
  readonly url?: string;
  /** Of an answer: the HTTP status. */
  readonly status?: number;
  /** Of a request or an answer. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Of an event of a stream: its name and id. */
  readonly event?: {
    /** `message` if it says nothing else. */
    readonly name: string;
    /** The last id that the stream has said; empty if it said none. */
    readonly id: string;
  };
  /** Of OAuth: which step this is. */
  readonly step?: AuthStep;
  /** Of OAuth: the body, without secrets. Of others the message has a line of its own. */
  readonly body?: string;
}

/** The hops of getting a token, in the order they usually come. */
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
