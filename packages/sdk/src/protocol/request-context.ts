import type { ClientCapabilities } from './capabilities.ts';
import type { Implementation } from './entities.ts';
import type { JsonSchema } from './entities.ts';
import type { JsonObject, RequestId } from './jsonrpc.ts';
import type { LogLevel } from './log.ts';
import type { Meta } from './meta.ts';
import type { QuestionStep, SendQuestion } from './question-step.ts';
import type { Progress } from './results.ts';
import type { Revision } from './revision.ts';
import type { TaskOfCall } from './tasks.ts';

/** The caller, as the transport established it: by a verified token, or by configuration, never by what the peer claims. */
export interface Principal {
  /** Stable and unique. State and caches are bound to it. */
  readonly id: string;
  /** The OAuth scopes of the token. Default: none, so that tools with `scopes` are refused. */
  readonly scopes?: readonly string[];
  /** What else is known about the caller, such as the claims of the token. */
  readonly claims?: Readonly<Record<string, unknown>>;
}

/** The parts of a tool that the transport may check before a call runs. */
export interface KnownTool {
  readonly name: string;
  readonly entry: { readonly inputSchema: JsonSchema };
}

/**
 * The properties of one request besides its method and params, created by the transport. It is the only difference between the
 * eras that a server sees.
 */
export interface RequestContext {
  readonly revision: Revision;
  readonly id: RequestId;
  /** Chosen by the client: for display and logs only. */
  readonly client: Implementation | undefined;
  readonly capabilities: ClientCapabilities;
  readonly principal: Principal | undefined;
  /** The key under which the usage of the caller is counted; undefined if callers cannot be told apart. */
  readonly quotaKey?: string | undefined;
  /** The `session` of handlers: identifies the connection or session of the peer. Undefined where each request stands alone. */
  readonly session?: object | undefined;
  /** The `_meta` of the request. */
  readonly meta: Meta;
  /** Aborted when the caller cancelled or disconnected. */
  readonly signal: AbortSignal;
  /** The same as `signal.aborted`, without creating the signal. */
  readonly cancelled: boolean;
  /** A header of the HTTP request that brought it, by its name in lower case. Undefined on other transports. */
  readonly header?: ((name: string) => string | null | undefined) | undefined;
  /** Log messages below this level are not sent; undefined: no log messages are sent. */
  readonly logLevel: LogLevel | undefined;
  /** The members that middleware added for the handler. */
  state?: object | undefined;
  /** The code of middleware around questions that are sent as separate requests. */
  aroundQuestion?: QuestionStep<SendQuestion> | undefined;
  /** Cancels the task that the request became, because its client does not learn of it. Undefined: it did not become a task. */
  dropTask?: (() => Promise<void>) | undefined;
  /** Set for a run of a task. */
  readonly task?: TaskOfCall | undefined;
  /** Does the call wait for an answer of the client? */
  readonly asking?: boolean;
  /** Aborts the signal. Unlike a call that its client cancelled, this one is still answered. */
  stop?(reason: string): void;
  /** Called once the tool of a call is known, before its arguments are checked. May throw the error of the call. */
  readonly checkTool?: ((tool: KnownTool, args: JsonObject) => void) | undefined;
  /** Called with each report of progress, even if the client did not request it. */
  onProgress?(report: Progress): void;
  /** Sends a notification that belongs to this call. Dropped when the call has been answered or cancelled. */
  notify(method: string, params: JsonObject): void | Promise<void>;
  /** Sends a notification that may also be sent after the answer, over the session. */
  announce?(method: string, params: JsonObject): void | Promise<void>;
  /**
   * Sends a request to the client, encoded for its revision, and waits for the response. Exists only where the era lets servers send
   * requests.
   */
  readonly sendRequest?: (method: string, params: JsonObject) => Promise<JsonObject>;
}
