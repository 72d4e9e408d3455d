import type { CheckRow, Finding } from '../rules/finding.ts';
import type { Facts } from '../trace/facts.ts';
import type { AuthStep, TraceLine } from '../trace/line.ts';

// What the inspector's server answers and pushes to its page. All of it is plain JSON.

/** Everything that is known when a page opens. */
export interface StateView {
  /** Name and version of this program. */
  readonly by: string;
  readonly trace: TraceView;
  readonly servers: readonly ServerView[];
  readonly inbox: readonly InboxItem[];
  /** The scripted answers: a JSON object as text. */
  readonly script: string;
  readonly findings: readonly Finding[];
  readonly auth: readonly AuthView[];
  /** Where `mcp.test.json` is or would be written; undefined: nowhere, a trace is only looked at. */
  readonly testFile?: string;
  /** A trace that was opened: nothing is connected. */
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
  /** Names it in every address of the API. */
  readonly id: string;
  readonly name: string;
  readonly transport: 'stdio' | 'http';
  /** The command or the address, without secrets. */
  readonly target: string;
  /** The same in parts. Undefined where only a trace tells of it. */
  readonly launch?: LaunchView;
  readonly status: ServerStatus;
  /** The session of the trace that is its newest connection. */
  readonly session?: string;
  readonly pinned?: string;
  readonly revision?: string;
  readonly era?: 'legacy' | 'modern';
  readonly server?: { readonly name?: string; readonly version?: string; readonly title?: string };
  /** As the server wrote them. */
  readonly capabilities?: Readonly<Record<string, unknown>>;
  readonly instructions?: string;
  readonly connectMs?: number;
  readonly problem?: ProblemView;
  readonly doctor: readonly DoctorStep[];
  readonly lists: readonly ListView[];
  /** Grows with every change of what it offers. */
  readonly generation: number;
  /** Requests that pages have sent and that have not ended. */
  readonly running?: readonly RunningView[];
  /** Resources that are watched. */
  readonly watched: readonly string[];
  /** The folders that the server is told of, as URIs. */
  readonly roots?: readonly string[];
  /** Who looks at the inbox is asked each time that the server wants to know them. */
  readonly asksRoots?: boolean;
}

/** How a server is started or reached, in parts that commands can be made of, without secrets. */
export interface LaunchView {
  /** The command and each of its arguments; or the address alone. */
  readonly words: readonly string[];
  /** Its variables: `NAME=value`, or `NAME` alone where the value is secret or that of whoever starts it. */
  readonly env: readonly string[];
  readonly cwd?: string;
  /** Names of headers that each request has. Their values are nobody else's business. */
  readonly headers: readonly string[];
  /** It is spoken to over the two streams of 2024-11-05 (HTTP+SSE). */
  readonly pair?: boolean;
}

/** A request that has not ended. */
export interface RunningView {
  /** As in `RequestBody`. */
  readonly key: string;
  readonly method: string;
  /** The name of the tool or the prompt, or the URI. */
  readonly subject?: string;
}

/** Why something failed, in words for people. */
export interface ProblemView {
  readonly message: string;
  readonly blame: Finding['blame'];
  readonly fix?: string;
  readonly evidence: readonly number[];
  /** What it comes to, where programs act on that: `auth`: credentials are wanted; `timeout`: nothing came in time. */
  readonly kind?: 'auth' | 'timeout';
}

/** One step of looking a server over. */
export interface DoctorStep {
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
  readonly title: string;
  readonly status: 'running' | 'pass' | 'warn' | 'fail' | 'skip';
  readonly detail?: string;
  readonly ms?: number;
  readonly evidence: readonly number[];
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
  /** The line of the request; undefined if none was sent. Of several, because it answered questions in between, the first. */
  readonly request?: number;
  /** The line of its answer; of several the last. */
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
  /** Only so many lines have been looked at, because the search takes long: ask again. Missing: all have. */
  readonly searched?: number;
}

/** A line of the trace in a list: its facts, and how its text begins. */
export interface TraceRow extends Facts {
  readonly text: string;
}

export interface LinesAnswer {
  readonly lines: readonly CutLine[];
}
export interface CutLine extends TraceLine {
  /** The text was cut because it is too long: how many characters it has in the trace. */
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
  /** Requests that went on in this time, at most 500: the longest of each part of it. */
  readonly spans: readonly Span[];
  /** How many there are. */
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

/** What the server wants of the person. */
export interface InboxItem {
  readonly id: string;
  readonly server: string;
  readonly kind: 'form' | 'url' | 'sampling' | 'roots';
  readonly session: string;
  /** The line that asks. */
  readonly line?: number;
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
  /** By which scripts know it: the name of the question or the method, where it has one. */
  readonly key?: string;
  readonly status: 'open' | 'answered' | 'withdrawn';
  readonly answer?: string;
  /** Nobody was asked: a script had the answer, or the roots that are set were it. */
  readonly by?: 'script' | 'setting';
  /** Why a scripted answer could not be used. */
  readonly problem?: string;
}

/** How a server is logged in at. */
export interface AuthView {
  readonly server: string;
  readonly status: 'none' | 'running' | 'paused' | 'waiting-for-browser' | 'done' | 'failed';
  readonly hops: readonly AuthHop[];
  /** Stop before each hop. */
  readonly pausing: boolean;
  /** The login there was is forgotten, and nothing has been asked since. */
  readonly forgotten?: boolean;
  /** Where to log in; http or https only. */
  readonly loginUrl?: string;
  readonly problem?: ProblemView;
}
export interface AuthHop {
  readonly id: string;
  readonly step: AuthStep;
  readonly title: string;
  readonly method: string;
  readonly url: string;
  readonly status: 'paused' | 'running' | 'pass' | 'fail';
  readonly httpStatus?: number;
  readonly ms?: number;
  /** The lines of request and answer. */
  readonly evidence: readonly number[];
  /** Which section of which RFC says how it must be. */
  readonly clause?: string;
  readonly verdict?: string;
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
}

/** What pages are sent when something changes. */
export type PushEvent =
  | { readonly type: 'state'; readonly state: StateView }
  | { readonly type: 'server'; readonly server: ServerView }
  | { readonly type: 'trace'; readonly length: number }
  | { readonly type: 'inbox'; readonly items: readonly InboxItem[] }
  | { readonly type: 'script'; readonly text: string }
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

/** Where HTML of servers is shown. */
export interface SandboxAnswer {
  /** Of the frame: messages from it say this origin, and messages to it must be sent to it. */
  readonly origin: string;
  /** The address of the frame. `&connect=`, `&resource=`, `&frame=` and `&base=` may be added, each with an origin that the HTML may use. */
  readonly frame: string;
}

/** What every refusal looks like. */
export interface ErrorAnswer {
  readonly error: { readonly code: string; readonly message: string; readonly fix?: string };
}
