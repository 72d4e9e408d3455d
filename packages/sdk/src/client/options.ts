import type { ClientCapabilities } from '../protocol/capabilities.ts';
import type { Implementation, JsonSchema, Root } from '../protocol/entities.ts';
import type { JsonObject } from '../protocol/jsonrpc.ts';
import { type Limits, withLimits } from '../protocol/limits.ts';
import { checkUse, type Use } from '../protocol/middleware.ts';
import { isLogLevel, type Logger, type LogLevel, silent } from '../protocol/log.ts';
import { isRevision, REVISIONS, type Revision } from '../protocol/revision.ts';
import type { ElicitResult, ElicitValue, SampleParams, SampleResult } from '../protocol/results.ts';
import type { SuspendedCall } from './server-question.ts';
import type { CacheStore } from './cache-store.ts';
import { type Clock, systemClock } from './clock.ts';
import type { EraMemory } from './eras.ts';
import type { ClientMiddleware } from './middleware.ts';
import { extensionProblem } from './request-meta.ts';
import { checkedRoots } from './roots.ts';
import { TASKS_EXTENSION } from '../protocol/tasks.ts';
import type { TraceEntry } from '../protocol/trace.ts';

/** A question of a server to the user (elicitation). */
export type Question = FormQuestion | UrlQuestion;

/** A form to fill in. */
export interface FormQuestion {
  /** Always `form`. */
  readonly mode: 'form';
  /** The name of the question, if the server gave one. */
  readonly name: string | undefined;
  /** What the server asks, in words for the user. */
  readonly message: string;
  /** An object schema without nested objects (specification, "Elicitation"). */
  readonly schema: JsonSchema;
  /** Initial values of the fields, from the `default` of each; before 2025-11-25 without lists. */
  readonly defaults: Readonly<Record<string, ElicitValue>>;
}

/**
 * A page to open (URL mode). Show the user the whole URL and the server that asks, and open it only with the user's consent, in a browser
 * that neither this program nor a model can observe. Never fetch the URL.
 */
export interface UrlQuestion {
  /** Always `url`. */
  readonly mode: 'url';
  /** The name of the question, if the server gave one. */
  readonly name: string | undefined;
  /** Why the server wants the page to be opened, in words for the user. */
  readonly message: string;
  /** The URL of the page. It is valid, but may have any scheme: check it before it is opened. */
  readonly url: string;
  /** The server's id of the question (2025-11-25 only). */
  readonly elicitationId: string | undefined;
}

/** Context of a question or another request of the server. */
export interface AskContext {
  /** Aborted when the answer is no longer wanted. */
  readonly signal: AbortSignal;
  /** The server's own name and version: for display, not for decisions. */
  readonly server: Implementation | undefined;
  /** The `_meta` of the request; empty if it has none. */
  readonly _meta: Readonly<Record<string, unknown>>;
  /** The call that the question belongs to, where the revision tells (2026-07-28). Store it to continue the call with `resume` in another process. */
  readonly call: SuspendedCall | undefined;
}

/** Asks the user. Missing fields of `content` get their defaults, and `content` is checked against the schema before it is sent. */
export type ElicitHandler = (question: Question, context: AskContext) => ElicitResult | Promise<ElicitResult>;

/** Context of a sampling request. */
export interface SampleContext extends AskContext {
  /** Rejects the request on behalf of the user, by throwing. */
  reject(reason?: string): never;
}

/** Lets a model answer a sampling request. */
export type SampleHandler = (params: SampleParams, context: SampleContext) => SampleResult | Promise<SampleResult>;

/** A scripted answer: the content of the form (action `accept`), or an action. */
export type Answer = Readonly<Record<string, ElicitValue>> | 'accept' | 'decline' | 'cancel';

/** Scripted answers by question name, by exact message, or `*` for all others. */
export type Answers = Readonly<Record<string, Answer | ((question: Question) => Answer | Promise<Answer>)>>;

/** The roots of a client: a list, or a function that returns the current list for each request. A string is a `file://` URI. */
export type RootsOption =
  | readonly (Root | string)[]
  | ((context: AskContext) => readonly (Root | string)[] | Promise<readonly (Root | string)[]>);

/** A log message of a server. */
export interface ServerLog {
  /** The severity. */
  readonly level: LogLevel;
  /** The name of the part of the server that wrote it, if the server gave one. */
  readonly logger: string | undefined;
  /** The logged data: any JSON value. */
  readonly data: unknown;
}

/** Options of a client. All are optional. */
export interface ClientOptions {
  /** Use exactly this revision, or fail with a `ConnectionError`. Default: the newest that both sides support. */
  readonly revision?: Revision;
  /** Name and version of this program, shown to the server. Default: name and version of this package. */
  readonly info?: Implementation;
  /**
   * Answers questions to the user. A function takes forms only; for pages too, give `url: true`. Default: the server cannot ask the user.
   */
  readonly elicit?:
    | ElicitHandler
    | {
        /** Answers the questions. */
        readonly handler: ElicitHandler;
        /** It takes forms. Default true. */
        readonly form?: boolean;
        /** It takes pages. Default false. */
        readonly url?: boolean;
      };
  /** Scripted answers to forms and pages, for tests and programs without a user. Questions without a scripted answer go to `elicit`. */
  readonly answers?: Answers;
  /** Lets the server use a model. `tools` and `context`: requests may also offer tools to the model and include context. */
  readonly sample?:
    | SampleHandler
    | {
        /** Answers the requests. */
        readonly handler: SampleHandler;
        /** Requests may offer tools to the model. Default false. */
        readonly tools?: boolean;
        /** Requests may include context of servers. Default false: `includeContext` is then always `none`. */
        readonly context?: boolean;
      };
  /** The directories that the server may work in, as `file://` URIs. Default: the server cannot ask for them. */
  readonly roots?: RootsOption;
  /**
   * The server may run calls of tools as tasks; `call` and `result` then wait until the task has ended (the extension
   * `io.modelcontextprotocol/tasks` of 2026-07-28). `start` can be used without it. Default false.
   */
  readonly tasks?: boolean;
  /** Protocol extensions that this program supports, with their settings, by identifier. Default: none. */
  readonly extensions?: JsonObject;
  /** Features outside the specification that this program has, with their settings, by name. Default: none. */
  readonly experimental?: JsonObject;
  /** How long a request may wait for its response or for progress, in milliseconds. Default: `limits.requestMs`, 60,000. */
  readonly timeout?: number;
  /** How long a request may take in total, in milliseconds. Default: `limits.requestMaxMs`, 600,000, but never less than `timeout`. */
  readonly maxTimeout?: number;
  /**
   * How long the server may take to answer the handshake, in milliseconds. Longer than `timeout` for a command that downloads the server
   * first. Default: `timeout`.
   */
  readonly connectTimeout?: number;
  /**
   * Ping the server whenever nothing has come from it for this time, in milliseconds, at least 1,000. If it does not answer within `timeout`,
   * the connection is replaced as after any other failure. Default: no pings.
   */
  readonly pingEvery?: number;
  /** Limits that differ from the defaults. A `TypeError` is thrown for an unknown name, and a value that is not positive and finite. */
  readonly limits?: Partial<Limits>;
  /** Receives messages for the operator of this program. Default: nothing is logged. */
  readonly log?: Logger;
  /** Where results are cached for as long as the server allows (2026-07-28). Default: a store of this client. `false`: no cache. */
  readonly cache?: false | CacheStore;
  /**
   * Minimum severity of the server's log messages. Default `info` if there is an `onLog`, else servers up to 2025-11-25 decide, and later
   * ones send none.
   */
  readonly logLevel?: LogLevel;
  /** Receives the log messages of the server. */
  readonly onLog?: (message: ServerLog) => void;
  /** Receives notifications that nothing else handles, such as those of extensions. */
  readonly onNotification?: (method: string, params: JsonObject | undefined) => void;
  /** Receives all messages of both directions. They may contain secrets. */
  readonly onTrace?: (entry: TraceEntry) => void;
  /** Aborts connecting: `connect` rejects with an `AbortError`. Has no effect afterwards. */
  readonly signal?: AbortSignal;
  /** Remembers which servers only support legacy revisions. Default: shared by all clients of this process. */
  readonly eras?: EraMemory;
  /** Clock and timers: tests can use `fakeClock` of `tenon/testing`. */
  readonly clock?: Clock;
  /** Middleware around all calls, or by method: `[log, { 'tools/call': limit }]`. The first is outermost. Default: none. */
  readonly use?: readonly Use<ClientMiddleware>[];
}

/** The options with their defaults filled in. */
export interface Settings {
  readonly revision: Revision | undefined;
  readonly info: Implementation;
  readonly capabilities: ClientCapabilities;
  readonly elicit: ElicitHandler | undefined;
  readonly answers: Answers | undefined;
  readonly sample: SampleHandler | undefined;
  readonly roots: RootsOption | undefined;
  readonly timeout: number;
  readonly maxTimeout: number;
  readonly connectTimeout: number;
  readonly pingEvery: number | undefined;
  readonly limits: Limits;
  readonly log: Logger;
  readonly cache: CacheStore | undefined | false;
  readonly logLevel: LogLevel | undefined;
  readonly onLog: ((message: ServerLog) => void) | undefined;
  readonly onNotification: ((method: string, params: JsonObject | undefined) => void) | undefined;
  readonly onTrace: ((entry: TraceEntry) => void) | undefined;
  readonly signal: AbortSignal | undefined;
  readonly eras: EraMemory | undefined;
  readonly clock: Clock;
  /** Undefined if there is none. */
  readonly use: readonly Use<ClientMiddleware>[] | undefined;
}

/** The version of this package. */
const VERSION = '0.1.0';

function capabilitiesOf({
  elicit,
  answers,
  sample,
  roots,
  extensions,
  tasks,
  experimental,
}: ClientOptions): ClientCapabilities {
  const modes =
    answers !== undefined
      ? { form: true, url: true }
      : typeof elicit === 'object'
        ? { form: true, ...elicit }
        : { form: elicit !== undefined };
  const features: { readonly tools?: boolean; readonly context?: boolean } = typeof sample === 'object' ? sample : {};
  const { form, url } = modes;
  return {
    roots: roots && { listChanged: true },
    sampling: sample && { tools: declared(features.tools), context: declared(features.context) },
    elicitation: form || url === true ? { form: declared(form), url: declared(url) } : undefined,
    extensions: tasks === true ? withTasks(extensions) : extensions,
    experimental,
  };
}

/** The extensions of a client that takes tasks. */
export function withTasks(extensions: JsonObject | undefined): JsonObject {
  return { [TASKS_EXTENSION]: {}, ...extensions };
}

/** The value that declares a capability, or undefined, which JSON leaves out. */
function declared(offered: boolean | undefined): JsonObject | undefined {
  return offered === true ? {} : undefined;
}

/** The minimum interval of pings, in milliseconds: more frequent ones would only cost resources ("Ping"). */
const MIN_PING_MS = 1_000;

/** Returns a time in milliseconds. Throws a `TypeError` if it is not a positive number, or less than `least`. */
export function checkTime(name: string, value: number, least = 0): number {
  if (typeof value === 'number' && value > 0 && value >= least) return value;
  const bound = least === 0 ? 'a positive number of milliseconds' : `at least ${least} milliseconds`;
  throw new TypeError(`${name} must be ${bound}, got ${String(value)}`);
}

/** Throws a `TypeError` if `level` is not a log level. */
export function checkLogLevel(level: LogLevel): void {
  if (!isLogLevel(level)) throw new TypeError(`There is no log level '${String(level)}'`);
}

function handlerOf<H>(option: H | { readonly handler: H } | undefined): H | undefined {
  return typeof option === 'object' && option !== null ? (option as { handler: H }).handler : (option as H | undefined);
}

/** Checks the options and fills in the defaults. Throws a `TypeError` that names the invalid option. */
export function settingsOf(options: ClientOptions): Settings {
  const { revision, logLevel, onLog, roots, use = [] } = options;
  if (revision !== undefined && !isRevision(revision)) {
    throw new TypeError(`There is no revision '${String(revision)}'. Known revisions: ${REVISIONS.join(', ')}`);
  }
  if (logLevel !== undefined) checkLogLevel(logLevel);
  checkUse(use);
  for (const id of Object.keys(options.extensions ?? {})) {
    const problem = extensionProblem(id);
    if (problem !== undefined) throw new TypeError(`Invalid extension name: ${problem}`);
  }
  if (Array.isArray(roots)) checkedRoots(roots as readonly (Root | string)[]);
  const limits = withLimits(options.limits);
  const timeout = checkTime('timeout', options.timeout ?? limits.requestMs);
  return {
    revision,
    info: options.info ?? { name: 'tenon', version: VERSION },
    capabilities: capabilitiesOf(options),
    elicit: handlerOf(options.elicit),
    answers: options.answers,
    sample: handlerOf(options.sample),
    roots,
    timeout,
    maxTimeout: checkTime('maxTimeout', options.maxTimeout ?? Math.max(timeout, limits.requestMaxMs)),
    connectTimeout: checkTime('connectTimeout', options.connectTimeout ?? timeout),
    pingEvery: options.pingEvery === undefined ? undefined : checkTime('pingEvery', options.pingEvery, MIN_PING_MS),
    limits,
    log: options.log ?? silent,
    cache: options.cache,
    logLevel: logLevel ?? (onLog === undefined ? undefined : 'info'),
    onLog,
    onNotification: options.onNotification,
    onTrace: options.onTrace,
    signal: options.signal,
    eras: options.eras,
    clock: options.clock ?? systemClock,
    use: use.length === 0 ? undefined : use,
  };
}
