import type { ClientCapabilities } from '../protocol/capabilities.ts';
import type { Implementation, JsonSchema, Root } from '../protocol/entities.ts';
import type { JsonObject } from '../protocol/jsonrpc.ts';
import { type Limits, withLimits } from '../protocol/limits.ts';
import { isLogLevel, type Logger, type LogLevel, silent } from '../protocol/log.ts';
import { isRevision, REVISIONS, type Revision } from '../protocol/revision.ts';
import type { ElicitResult, ElicitValue, SampleParams, SampleResult } from '../protocol/results.ts';
import type { SuspendedCall } from './asked.ts';
import type { CacheStore } from './cache.ts';
import { type Clock, systemClock } from './clock.ts';
import type { EraMemory } from './eras.ts';
import { extensionProblem } from './request-meta.ts';
import { checkedRoots } from './roots.ts';
import type { TraceEntry } from '../protocol/trace.ts';

/** What a server asks a person. */
export type Question = FormQuestion | UrlQuestion;

/** A form to fill in. */
export interface FormQuestion {
  readonly mode: 'form';
  /** What the server gave the question for a name, if it did. */
  readonly name: string | undefined;
  readonly message: string;
  /** A flat object schema. */
  readonly schema: JsonSchema;
  /** What the fields begin with. */
  readonly defaults: Readonly<Record<string, ElicitValue>>;
}

/**
 * A page to visit. Show the whole address and who asks, and open it only with the person's consent, in a browser that neither
 * this program nor a model can look into. Never fetch it.
 */
export interface UrlQuestion {
  readonly mode: 'url';
  readonly name: string | undefined;
  readonly message: string;
  readonly url: string;
  /** 2025-11-25 only. */
  readonly elicitationId: string | undefined;
}

/** What a handler of a server's questions knows beside the question. */
export interface AskContext {
  /** Aborted when the answer is no longer wanted. */
  readonly signal: AbortSignal;
  /** Who asks, in its own words: for display, not for decisions. */
  readonly server: Implementation | undefined;
  /** The `_meta` of the request. */
  readonly _meta: Readonly<Record<string, unknown>>;
  /** The call that asks, where the revision says which (2026-07-28). Keep it, and `resume` can go on with it when this program is gone. */
  readonly call: SuspendedCall | undefined;
}

/** Asks the person. `content` is checked against the schema before it is sent; defaults are filled in. */
export type ElicitHandler = (question: Question, context: AskContext) => ElicitResult | Promise<ElicitResult>;

/** What a sampling handler knows beside the request. */
export interface SampleContext extends AskContext {
  /** Turns the request down in the name of the person: throws. */
  reject(reason?: string): never;
}

/** Asks a model. */
export type SampleHandler = (params: SampleParams, context: SampleContext) => SampleResult | Promise<SampleResult>;

/** What a scripted question is answered with: the content of the form, or an action. */
export type Answer = Readonly<Record<string, ElicitValue>> | 'accept' | 'decline' | 'cancel';

/** Scripted answers by question name, by exact message, or `*` for any other. */
export type Answers = Readonly<Record<string, Answer | ((question: Question) => Answer | Promise<Answer>)>>;

/** The roots of a client: a list, or a function that gives the list of the moment to who asks. A string is a `file://` URI. */
export type RootsOption =
  | readonly (Root | string)[]
  | ((context: AskContext) => readonly (Root | string)[] | Promise<readonly (Root | string)[]>);

/** A log message of a server. */
export interface ServerLog {
  readonly level: LogLevel;
  readonly logger: string | undefined;
  readonly data: unknown;
}

/** How a client behaves. Everything is optional. */
export interface ClientOptions {
  /** Speak exactly this revision, or fail. Default: the newest both sides know. */
  readonly revision?: Revision;
  /** Name and version of this program, shown to the server. */
  readonly info?: Implementation;
  /** Answers questions to the user. A function takes forms; with `url: true` pages to visit too. */
  readonly elicit?:
    | ElicitHandler
    | { readonly handler: ElicitHandler; readonly form?: boolean; readonly url?: boolean };
  /** Answers questions by a script, in tests and in programs without a person. Takes forms and pages. */
  readonly answers?: Answers;
  /** Lets the server ask a model. `tools`, `context`: it may also offer tools, and include context. */
  readonly sample?:
    | SampleHandler
    | { readonly handler: SampleHandler; readonly tools?: boolean; readonly context?: boolean };
  /** The directories the server may know of, as `file://` URIs. */
  readonly roots?: RootsOption;
  /** Extensions of the protocol this program supports, with their settings. */
  readonly extensions?: JsonObject;
  /** How long a request may take without news, in milliseconds. Default 60,000. */
  readonly timeout?: number;
  /** How long a request may take at all, in milliseconds. Default 600,000. */
  readonly maxTimeout?: number;
  readonly limits?: Partial<Limits>;
  /** The operator's log. */
  readonly log?: Logger;
  /** Where results are kept that a server allows to keep. Default: in this client. `false`: nowhere. */
  readonly cache?: false | CacheStore;
  /** The least severe log messages wanted from the server. Default `info` if there is an `onLog`. */
  readonly logLevel?: LogLevel;
  readonly onLog?: (message: ServerLog) => void;
  /** Gets notifications that have no other taker: those of extensions, for example. */
  readonly onNotification?: (method: string, params: JsonObject | undefined) => void;
  /** Gets everything that passes, in both directions. It may contain secrets. */
  readonly onTrace?: (entry: TraceEntry) => void;
  /** Aborts connecting. */
  readonly signal?: AbortSignal;
  /** Where it is remembered which servers do not know modern revisions. Default: in this process. */
  readonly eras?: EraMemory;
  /** Source of time: for tests, see `fakeClock` of `tenon/testing`. */
  readonly clock?: Clock;
}

/** What the options come to. */
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
}

/** The version of this package. */
const VERSION = '0.1.0';

const capabilitiesOf = ({ elicit, answers, sample, roots, extensions }: ClientOptions): ClientCapabilities => {
  const modes =
    answers !== undefined
      ? { form: true, url: true }
      : typeof elicit === 'object'
        ? { form: true, ...elicit }
        : { form: elicit !== undefined };
  const abilities: { readonly tools?: boolean; readonly context?: boolean } = typeof sample === 'object' ? sample : {};
  return {
    ...(roots === undefined ? {} : { roots: { listChanged: true } }),
    ...(sample === undefined
      ? {}
      : {
          sampling: {
            ...(abilities.tools === true ? { tools: {} } : {}),
            ...(abilities.context === true ? { context: {} } : {}),
          },
        }),
    ...(modes.form || modes.url === true
      ? { elicitation: { ...(modes.form ? { form: {} } : {}), ...(modes.url === true ? { url: {} } : {}) } }
      : {}),
    ...(extensions === undefined ? {} : { extensions }),
  };
};

const milliseconds = (name: string, value: number): number => {
  if (typeof value === 'number' && value > 0) return value;
  throw new TypeError(`${name} must be a positive number of milliseconds, got ${String(value)}`);
};

const handlerOf = <H>(option: H | { readonly handler: H } | undefined): H | undefined =>
  typeof option === 'object' && option !== null ? (option as { handler: H }).handler : (option as H | undefined);

/** Checks the options and fills in the defaults. Throws a `TypeError` that names what is wrong. */
export const settingsOf = (options: ClientOptions): Settings => {
  const { revision, logLevel, onLog, roots } = options;
  if (revision !== undefined && !isRevision(revision)) {
    throw new TypeError(`There is no revision '${String(revision)}'; known are ${REVISIONS.join(', ')}`);
  }
  if (logLevel !== undefined && !isLogLevel(logLevel))
    throw new TypeError(`There is no log level '${String(logLevel)}'`);
  for (const id of Object.keys(options.extensions ?? {})) {
    const problem = extensionProblem(id);
    if (problem !== undefined) throw new TypeError(`This is no name of an extension: ${problem}`);
  }
  if (Array.isArray(roots)) checkedRoots(roots as readonly (Root | string)[]);
  const limits = withLimits(options.limits);
  const timeout = milliseconds('timeout', options.timeout ?? limits.requestMs);
  return {
    revision,
    info: options.info ?? { name: 'tenon', version: VERSION },
    capabilities: capabilitiesOf(options),
    elicit: handlerOf(options.elicit),
    answers: options.answers,
    sample: handlerOf(options.sample),
    roots,
    timeout,
    maxTimeout: milliseconds('maxTimeout', options.maxTimeout ?? Math.max(timeout, limits.requestMaxMs)),
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
  };
};
