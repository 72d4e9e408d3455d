import type { CheckRow, Finding } from '../rules/finding.ts';
import type { Facts } from '../trace/facts.ts';
import type { TraceLine } from '../trace/line.ts';
import type { AuthView } from './auth-views.ts';
import type { ProblemView } from './problem-view.ts';

export type { AuthHop, AuthView } from './auth-views.ts';
export type { ProblemView } from './problem-view.ts';

// What the inspector's server answers and pushes to its page. All of it is plain JSON.

/** The whole state of the inspector, as a page gets it first. */
export interface StateView {
  /** Name and version of this program. */
  readonly by: string;
  readonly trace: TraceView;
  readonly servers: readonly ServerView[];
  /** What the terminal was asked last. */
  readonly asked?: readonly AskedView[];
  readonly inbox: readonly InboxItem[];
  /** The scripted answers: a JSON object as text. */
  readonly script: string;
  readonly findings: readonly Finding[];
  readonly auth: readonly AuthView[];
  /** Where `mcp.test.json` is or would be written; undefined: nowhere, the trace is read-only. */
  readonly testFile?: string;
  /** A recorded trace is shown: nothing is connected. */
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
  /** What people call it. */
  readonly name: string;
  /** Whether it is a process or at an address. */
  readonly transport: 'stdio' | 'http';
  /** The command or the address, without secrets. */
  readonly target: string;
  /** The same in parts. Undefined for servers of a recorded trace. */
  readonly launch?: LaunchView;
  /** `login`: it waits for the user to log in. `failed`: `problem` says why. */
  readonly status: ServerStatus;
  /** The session of its newest connection in the trace. */
  readonly session?: string;
  /** The only revision that it may speak. Undefined: any. */
  readonly pinned?: string;
  /** The revision of the connection. This and what follows is undefined unless it is connected. */
  readonly revision?: string;
  /** `modern`: 2026-07-28 or newer, without a handshake. */
  readonly era?: 'legacy' | 'modern';
  /** What the server says of itself. */
  readonly server?: {
    /** Its name for programs. */
    readonly name?: string;
    /** Its version, in any form. */
    readonly version?: string;
    /** Its name for people. */
    readonly title?: string;
  };
  /** As the server wrote them. */
  readonly capabilities?: Readonly<Record<string, unknown>>;
  /** What the server wants models to know of it. */
  readonly instructions?: string;
  /** How long it took to connect, in milliseconds. */
  readonly connectMs?: number;
  /** Why it could not be connected to, or why the connection ended. */
  readonly problem?: ProblemView;
  /** The steps of the newest connection, in order. */
  readonly doctor: readonly DoctorStep[];
  /** Its lists, as far as they were read. */
  readonly lists: readonly ListView[];
  /** Incremented with every change of its lists. */
  readonly generation: number;
  /** Requests that pages have sent and that have not ended. */
  readonly running?: readonly RunningView[];
  /** Tasks that the server made of calls and that have not ended, as far as they are followed. */
  readonly tasks?: readonly TaskView[];
  /** Resources that are watched. */
  readonly watched: readonly string[];
  /** The least severe log messages that are requested; undefined: none are, so a server of an earlier revision sends what it likes. */
  readonly logLevel?: string;
  /** The roots that the server gets, as URIs. */
  readonly roots?: readonly string[];
  /** The user is asked in the inbox each time that the server requests its roots. */
  readonly asksRoots?: boolean;
}

/** How a server is started or reached, in parts from which commands can be composed, without secrets. */
export interface LaunchView {
  /** The command and each of its arguments; or the address alone. */
  readonly words: readonly string[];
  /** Its variables: `NAME=value`, or `NAME` alone if the value is secret or inherited. */
  readonly env: readonly string[];
  readonly cwd?: string;
  /** Names of headers that each request has. Their values may be secret. */
  readonly headers: readonly string[];
  /** It uses the HTTP+SSE transport of 2024-11-05. */
  readonly pair?: boolean;
  /** What can be changed about a process; undefined: it is at an address. */
  readonly parts?: LaunchParts;
}

/** How a process is started, in parts that can be changed, without secrets. */
export interface LaunchParts {
  /** The program. `secret`: as of arguments. */
  readonly command: { readonly text: string; readonly secret: boolean };
  /** The folder in which it runs; undefined: that of the inspector. */
  readonly cwd?: string;
  /** The arguments, in order. `secret`: it holds a secret, which the text does not show. */
  readonly args: readonly { readonly text: string; readonly secret: boolean }[];
  /** The variables that it gets besides the usual ones. */
  readonly env: readonly {
    readonly name: string;
    /** Undefined: it is not told. */
    readonly value?: string;
    /** Why it is not: it is secret, or it is the one of the terminal. */
    readonly kept?: 'secret' | 'inherited';
  }[];
}

/** A task that a server made of a call. */
export interface TaskView {
  readonly id: string;
  /** One of the specification, or whatever the server says. */
  readonly status: string;
  /** What the server says of it. */
  readonly message?: string;
  /** How often it is asked about, in milliseconds. */
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
  /** What is examined: the process, the address, what it writes to stdout, each era, the login, what it declares, its lists. */
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
  /** What was seen. */
  readonly detail?: string;
  /** How long it took, in milliseconds. */
  readonly ms?: number;
  /** The lines of the trace that show it. */
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

/** The entries of a list as the server wrote them, one JSON text each. */
export interface ListAnswer {
  readonly generation: number;
  readonly entries: readonly string[];
}

/** How a request ended. What was sent and what came is in the trace. */
export interface RequestAnswer {
  /** `running`: it has not ended; the answer is at `ROUTES.answer` once `ServerView.running` no longer has it. */
  readonly outcome: 'ok' | 'error' | 'tool-error' | 'timeout' | 'cancelled' | 'lost' | 'running';
  /** The line of the request; undefined if none was sent. If it was retried with answers to questions, the first. */
  readonly request?: number;
  /** The line of the answer; of several, the last. */
  readonly response?: number;
  /** The lines of all its requests and their answers, in order. */
  readonly lines?: readonly number[];
  /** From the first request to the last answer. */
  readonly ms: number;
  /** Of the answer, in bytes. */
  readonly bytes: number;
  readonly tokens: number;
  /** The result, or the error object, as the server wrote it. */
  readonly result?: string;
  readonly error?: string;
  readonly problem?: ProblemView;
  /** What the diagnosis found about this request or its answer. */
  readonly findings: readonly Finding[];
}

export interface FrameAnswer {
  readonly line: number;
}

export interface CompleteAnswer {
  readonly values: readonly string[];
  readonly hasMore: boolean;
}

/** Rows that match a filter, by their place among the matches. */
export interface TraceAnswer {
  /** Lines of the whole trace. */
  readonly length: number;
  /** How many match. */
  readonly matches: number;
  readonly from: number;
  readonly rows: readonly TraceRow[];
  /** What is wrong with the filter. */
  readonly problem?: string;
  /** How many lines have been searched, if the search is not complete: ask again. Missing: all. */
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
  /** If the text was cut because it is too long: its length in the trace, in characters. */
  readonly cut?: number;
}

/** How much happened when, in each session. Times in milliseconds. */
export interface LanesAnswer {
  readonly from: number;
  readonly to: number;
  readonly lanes: readonly Lane[];
}
export interface Lane {
  readonly session: string;
  readonly name: string;
  /** Lines in each part of the time. */
  readonly counts: readonly number[];
  /** Requests that ran in this time, at most 500: the longest of each part of it. */
  readonly spans: readonly Span[];
  /** How many requests ran in this time. */
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
  /** The line that asks. */
  readonly line?: number;
  /** The task that asks, where a task does. */
  readonly task?: string;
  /** Milliseconds since the trace began. */
  readonly at: number;
  readonly message: string;
  /** Of a form: its schema, as text. */
  readonly schema?: string;
  readonly defaults?: Readonly<Record<string, unknown>>;
  readonly url?: string;
  /** Of sampling: the whole request, as text. */
  readonly request?: string;
  /** Of roots: the answer with those that are set, as text. */
  readonly roots?: string;
  /** The key of its answer in a script: the name of the question, or the method. */
  readonly key?: string;
  readonly status: 'open' | 'answered' | 'withdrawn';
  readonly answer?: string;
  /** It was answered automatically: by a script, or with the roots that are set. */
  readonly by?: 'script' | 'setting';
  /** Why a scripted answer could not be used. */
  readonly problem?: string;
}

export interface CheckAnswer {
  readonly rows: readonly CheckRow[];
}

/** Where a call was kept as a test. */
export interface SaveTestAnswer {
  readonly file: string;
  /** Its name there: another call may have had the one that was asked for. */
  readonly name: string;
}

export interface TargetAnswer {
  readonly status: 'added' | 'asked-in-terminal';
  readonly servers: readonly string[];
  /** What of the text cannot be used, each with the reason, for people. */
  readonly leftOut: readonly string[];
  /** What the terminal is asked: it is among `StateView.asked`. */
  readonly asked?: string;
}

/** What the terminal was asked because a page wanted it. */
export interface AskedView {
  readonly id: string;
  readonly status: 'waiting' | 'yes' | 'no';
}

/** What pages are sent when something changes. */
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

/** The page of an app, as its server wrote it: it is shown in the sandbox, and nothing is taken out of it. */
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

/** Where HTML of servers is shown. */
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
