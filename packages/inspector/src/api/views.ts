import type { CheckRow, Finding } from '../rules/finding.ts';
import type { Facts } from '../trace/facts.ts';
import type { TraceLine } from '../trace/line.ts';
import type { AuthView } from './auth-views.ts';
import type { ProblemView } from './problem-view.ts';

export type { AuthHop, AuthView } from './auth-views.ts';
export type { ProblemView } from './problem-view.ts';

// The answers and events that the inspector's server sends to its page. All of it is plain JSON.

/** The whole state of the inspector, as a page first receives it. */
export interface StateView {
  /** Name and version of this program. */
  readonly by: string;
  readonly trace: TraceView;
  readonly servers: readonly ServerView[];
  /** The latest confirmations requested in the terminal. */
  readonly asked?: readonly AskedView[];
  readonly inbox: readonly InboxItem[];
  /** The scripted answers: a JSON object as text. */
  readonly script: string;
  readonly findings: readonly Finding[];
  readonly auth: readonly AuthView[];
  /** Where `mcp.test.json` is or would be written. Undefined: tests cannot be saved, because the trace is read-only. */
  readonly testFile?: string;
  /** A recorded trace is shown; nothing is connected. */
  readonly readOnly: boolean;
}

export interface TraceView {
  readonly file: string;
  readonly began: string;
  readonly length: number;
}

export type ServerStatus = 'idle' | 'connecting' | 'login' | 'ready' | 'failed' | 'closed';

/** One server under test. */
export interface ServerView {
  /** Identifies it in every path of the API. */
  readonly id: string;
  /** Its name for people. */
  readonly name: string;
  /** A process, or a server at a URL. */
  readonly transport: 'stdio' | 'http';
  /** The command or the URL, without secrets. */
  readonly target: string;
  /** The same in parts. Undefined for servers of a recorded trace. */
  readonly launch?: LaunchView;
  /** `login`: it waits for the user to log in. `failed`: `problem` says why. */
  readonly status: ServerStatus;
  /** The session of its newest connection in the trace. */
  readonly session?: string;
  /** The only revision that the client may use. Undefined: any. */
  readonly pinned?: string;
  /** The revision of the connection. This and the members below are undefined unless it is connected. */
  readonly revision?: string;
  /** `modern`: 2026-07-28 or newer, without a handshake. */
  readonly era?: 'legacy' | 'modern';
  /** The server's description of itself. */
  readonly server?: {
    /** Its name for programs. */
    readonly name?: string;
    /** Its version, in any form. */
    readonly version?: string;
    /** Its name for people. */
    readonly title?: string;
  };
  /** Exactly as the server sent them. */
  readonly capabilities?: Readonly<Record<string, unknown>>;
  /** The server's instructions for models. */
  readonly instructions?: string;
  /** The duration of connecting, in milliseconds. */
  readonly connectMs?: number;
  /** Why connecting failed, or why the connection ended. */
  readonly problem?: ProblemView;
  /** The steps of the newest connection, in order. */
  readonly doctor: readonly DoctorStep[];
  /** Its lists that have been read. */
  readonly lists: readonly ListView[];
  /** Incremented with every change of its lists. */
  readonly generation: number;
  /** Requests from pages that have not ended. */
  readonly running?: readonly RunningView[];
  /** Tasks that the server created for calls and that have not ended, as far as they are followed. */
  readonly tasks?: readonly TaskView[];
  /** Resources that are watched. */
  readonly watched: readonly string[];
  /** The log level requested. Undefined: none is, so a server of an earlier revision sends whatever it likes. */
  readonly logLevel?: string;
  /** The roots that the server receives, as URIs. */
  readonly roots?: readonly string[];
  /** The user is asked in the inbox each time the server requests its roots. */
  readonly asksRoots?: boolean;
}

/** How a server is started or reached, in parts from which commands can be composed, without secrets. */
export interface LaunchView {
  /** The command and each of its arguments, or only the URL. */
  readonly words: readonly string[];
  /** Its variables: `NAME=value`, or `NAME` alone if the value is secret or inherited. */
  readonly env: readonly string[];
  readonly cwd?: string;
  /** Names of the headers that each request has. Their values may be secret. */
  readonly headers: readonly string[];
  /** It uses the HTTP+SSE transport of 2024-11-05. */
  readonly pair?: boolean;
  /** The parts of a process that can be changed. Undefined: the server is at a URL. */
  readonly parts?: LaunchParts;
}

/** How a process is started, in parts that can be changed, without secrets. */
export interface LaunchParts {
  /** The program. `secret`: as for arguments. */
  readonly command: { readonly text: string; readonly secret: boolean };
  /** The folder in which it runs. Undefined: the folder of the inspector. */
  readonly cwd?: string;
  /** The arguments, in order. `secret`: the argument contains a secret, which the text hides. */
  readonly args: readonly { readonly text: string; readonly secret: boolean }[];
  /** The variables that it gets besides the usual ones. */
  readonly env: readonly {
    readonly name: string;
    /** Undefined: not shown. */
    readonly value?: string;
    /** Why it is not shown: it is secret, or inherited from the terminal. */
    readonly kept?: 'secret' | 'inherited';
  }[];
}

/** A task that a server created for a call. */
export interface TaskView {
  readonly id: string;
  /** A status of the specification, or any other text that the server sent. */
  readonly status: string;
  /** The server's status message. */
  readonly message?: string;
  /** The polling interval, in milliseconds. */
  readonly pollMs: number;
  /** Why it is no longer followed. */
  readonly problem?: ProblemView;
}

/** A request that has not ended. */
export interface RunningView {
  /** As in `RequestBody`. */
  readonly key: string;
  readonly method: string;
  /** The name of the tool or the prompt, or the URI. */
  readonly subject?: string;
}

/** One step of the doctor, which examines a connection. */
export interface DoctorStep {
  /** The object of the check: the process, the address, its stdout, each era, the login, its capabilities, its lists. */
  readonly id:
    | 'spawn'
    | 'lasting'
    | 'reach'
    | 'stdout'
    | 'modern'
    | 'legacy'
    | 'login'
    | 'capabilities'
    | 'lists'
    | 'ping';
  /** The same for people. */
  readonly title: string;
  /** The outcome. `skip`: there was nothing to examine. */
  readonly status: 'running' | 'pass' | 'warn' | 'fail' | 'skip';
  /** What was observed. */
  readonly detail?: string;
  /** Its duration, in milliseconds. */
  readonly ms?: number;
  /** The lines of the trace that prove it. */
  readonly evidence: readonly number[];
  /** What to do about it. */
  readonly fix?: string;
}

export const LIST_KINDS = ['tools', 'resources', 'templates', 'prompts', 'tasks'] as const;
export type ListKind = (typeof LIST_KINDS)[number];

export interface ListView {
  readonly kind: ListKind;
  readonly count: number;
  readonly ms: number;
  readonly bytes: number;
  /** Estimated: a quarter of the characters. */
  readonly tokens: number;
  /** Why it could not be read. */
  readonly problem?: ProblemView;
}

/** The entries of a list, exactly as the server sent them, one JSON text each. */
export interface ListAnswer {
  readonly generation: number;
  readonly entries: readonly string[];
}

/** How a request ended. The messages themselves are in the trace. */
export interface RequestAnswer {
  /** `running`: it has not ended; `ROUTES.answer` has the answer once `ServerView.running` no longer lists it. */
  readonly outcome: 'ok' | 'error' | 'tool-error' | 'timeout' | 'cancelled' | 'lost' | 'running';
  /** The line of the request; undefined if none was sent. If answers to questions made it retry, the first of them. */
  readonly request?: number;
  /** The line of the answer; of several, the last. */
  readonly response?: number;
  /** The lines of all its requests and their answers, in order. */
  readonly lines?: readonly number[];
  /** From the first request to the last answer. */
  readonly ms: number;
  /** The size of the answer, in bytes. */
  readonly bytes: number;
  readonly tokens: number;
  /** The result, or the error object, exactly as the server sent it. */
  readonly result?: string;
  readonly error?: string;
  readonly problem?: ProblemView;
  /** The findings about this request or its answer. */
  readonly findings: readonly Finding[];
}

export interface FrameAnswer {
  readonly line: number;
}

export interface CompleteAnswer {
  readonly values: readonly string[];
  readonly hasMore: boolean;
}

/** Rows that match a filter, by their index among the matches. */
export interface TraceAnswer {
  /** Number of lines in the whole trace. */
  readonly length: number;
  /** Number of matches. */
  readonly matches: number;
  readonly from: number;
  readonly rows: readonly TraceRow[];
  /** Why the filter is invalid. */
  readonly problem?: string;
  /** The number of lines searched so far, if the search is not complete: ask again. Missing: all. */
  readonly searched?: number;
}

/** A line of the trace in a list: its facts, and the beginning of its text. */
export interface TraceRow extends Facts {
  readonly text: string;
}

export interface LinesAnswer {
  readonly lines: readonly CutLine[];
}
export interface CutLine extends TraceLine {
  /** If the text was too long and is cut: its full length in the trace, in characters. */
  readonly cut?: number;
}

/** The activity of each session over time. Times in milliseconds. */
export interface LanesAnswer {
  readonly from: number;
  readonly to: number;
  readonly lanes: readonly Lane[];
}
export interface Lane {
  readonly session: string;
  readonly name: string;
  /** Lines in each time slice. */
  readonly counts: readonly number[];
  /** Requests that ran in this period, at most 500: the longest of each slice. */
  readonly spans: readonly Span[];
  /** The number of requests that ran in this period. */
  readonly requests: number;
}
export interface Span {
  readonly n: number;
  readonly from: 'client' | 'server';
  readonly method: string;
  readonly subject?: string;
  readonly at: number;
  /** Undefined: not answered. */
  readonly ms?: number;
  readonly outcome: string;
}

/** A request of a server that the user answers. */
export interface InboxItem {
  readonly id: string;
  readonly server: string;
  readonly kind: 'form' | 'url' | 'sampling' | 'roots';
  readonly session: string;
  /** The line of the question. */
  readonly line?: number;
  /** The task that asks, if a task does. */
  readonly task?: string;
  /** Milliseconds since the trace began. */
  readonly at: number;
  readonly message: string;
  /** For a form: its schema, as text. */
  readonly schema?: string;
  readonly defaults?: Readonly<Record<string, unknown>>;
  readonly url?: string;
  /** For sampling: the whole request, as text. */
  readonly request?: string;
  /** For roots: the answer with the configured roots, as text. */
  readonly roots?: string;
  /** The key of its answer in a script: the name of the question, or the method. */
  readonly key?: string;
  readonly status: 'open' | 'answered' | 'withdrawn';
  readonly answer?: string;
  /** Answered automatically: by a script, or with the configured roots. */
  readonly by?: 'script' | 'setting';
  /** Why a scripted answer could not be used. */
  readonly problem?: string;
}

export interface CheckAnswer {
  readonly rows: readonly CheckRow[];
}

/** Where a call was saved as a test. */
export interface SaveTestAnswer {
  readonly file: string;
  /** The name of the test, which differs from the requested one if another test had that. */
  readonly name: string;
}

export interface TargetAnswer {
  readonly status: 'added' | 'asked-in-terminal';
  readonly servers: readonly string[];
  /** The parts of the text that cannot be used, each with the reason, for people. */
  readonly leftOut: readonly string[];
  /** The confirmation requested in the terminal: one of `StateView.asked`. */
  readonly asked?: string;
}

/** A confirmation that a page requested and the terminal asks for. */
export interface AskedView {
  readonly id: string;
  readonly status: 'waiting' | 'yes' | 'no';
}

/** The events that pages receive when something changes. */
export type PushEvent =
  | { readonly type: 'state'; readonly state: StateView }
  | { readonly type: 'server'; readonly server: ServerView }
  | { readonly type: 'trace'; readonly length: number }
  | { readonly type: 'inbox'; readonly items: readonly InboxItem[] }
  | { readonly type: 'script'; readonly text: string }
  | { readonly type: 'asked'; readonly asked: readonly AskedView[] }
  | { readonly type: 'findings'; readonly findings: readonly Finding[] }
  | { readonly type: 'auth'; readonly auth: AuthView }
  | {
      readonly type: 'progress';
      readonly server: string;
      readonly key: string;
      readonly progress: number;
      readonly total?: number;
      readonly message?: string;
    };

/** The page of an app, exactly as its server sent it. It is shown in the sandbox, and nothing is removed from it. */
export interface AppAnswer {
  readonly html: string;
  /** The origins that it may use. */
  readonly csp?: {
    readonly connectDomains?: readonly string[];
    readonly resourceDomains?: readonly string[];
    readonly frameDomains?: readonly string[];
    readonly baseUriDomains?: readonly string[];
  };
}

/** The sandbox in which HTML of servers is shown. */
export interface SandboxAnswer {
  /** The origin of the frame, for messages to and from it. */
  readonly origin: string;
  /** The URL of the frame. `&connect=`, `&resource=`, `&frame=` and `&base=` may be added, each with an origin that the HTML may use. */
  readonly frame: string;
}

/** The body of every error answer. */
export interface ErrorAnswer {
  readonly error: { readonly code: string; readonly message: string; readonly fix?: string };
}
