import { abortError } from '../protocol/abort-error.ts';
import { CODE, ConnectionError, ProtocolError } from '../protocol/errors.ts';
import { isObject, type JsonObject } from '../protocol/jsonrpc.ts';
import { andThen, type Maybe } from '../protocol/maybe.ts';
import { META } from '../protocol/meta.ts';
import type { CallToolResult, ListMethod, Lists } from '../protocol/results.ts';
import type { SuspendedCall } from './server-question.ts';
import type { LazyCache } from './lazy-cache.ts';
import { afterUnknown } from './after-unknown.ts';
import type { SendOptions, ServerConnection } from './server-connection.ts';
import type { Explain } from './dialer.ts';
import type { ConnectionManager } from './connection-manager.ts';
import type { Listings } from './listings.ts';
import type { Page } from './pages.ts';
import { checkTime, type Settings } from './options.ts';
import type { OutputChecker } from './output-checker.ts';
import { checkMeta } from './request-meta.ts';
import type { Report } from './report.ts';
import type { CallOptions, FetchOptions, Listing, Agreement } from './types.ts';
import type { TaskCalls, ToolCallParams } from './tasks/task-calls.ts';
import type { ServerCapabilities } from '../protocol/capabilities.ts';
import { methodOf } from '../protocol/methods.ts';
import { featuresOf, type Revision } from '../protocol/revision.ts';
import { becameTask } from '../protocol/tasks.ts';

/** Throws a `TypeError` for invalid options. */
function checkCallOptions({ timeout, maxTimeout, _meta }: CallOptions): void {
  if (timeout !== undefined) checkTime('timeout', timeout);
  if (maxTimeout !== undefined) checkTime('maxTimeout', maxTimeout);
  if (_meta !== undefined) checkMeta(_meta);
}

function needsCheck({ timeout, maxTimeout, _meta }: CallOptions): boolean {
  return timeout !== undefined || maxTimeout !== undefined || _meta !== undefined;
}

/** Sends a client's requests over its current connection: looks in the cache first, and checks tool results afterwards. */
export class RequestSender {
  /** Checks tool results against the output schemas of the tools. Loaded when tools are listed, or one gives structured content. */
  #outputs: OutputChecker | undefined;
  #listings: Listings | undefined;
  readonly #settings: Settings;
  readonly #connections: ConnectionManager;
  readonly #cache: LazyCache;
  readonly #report: Report;
  /** Adds the cause to an error of a server in the same program. */
  readonly #explain: Explain | undefined;
  /** Loads the code for calls that become tasks. */
  readonly #tasks: () => Promise<TaskCalls>;
  /** Tools whose annotations say that calling them again has no further effect. */
  readonly #retryable = new Set<string>();
  #toolLists = 0;
  /** Requested features that the server does not declare. */
  readonly #undeclared = new Set<string>();

  constructor(
    settings: Settings,
    report: Report,
    connections: ConnectionManager,
    cache: LazyCache,
    explain: Explain | undefined,
    tasks: () => Promise<TaskCalls>,
  ) {
    this.#settings = settings;
    this.#tasks = tasks;
    this.#explain = explain;
    this.#connections = connections;
    this.#cache = cache;
    this.#report = report;
  }

  /** The current connection, or the next one once it is made. */
  async connection(options: CallOptions): Promise<ServerConnection> {
    checkCallOptions(options);
    return this.#connections.current ?? this.#connections.whenConnected(options);
  }

  /** Sends a request if the server offers the feature. `onRound` is called when the server first asks for input. */
  send(method: string, params: JsonObject, options: SendOptions, onRound?: () => void): Promise<JsonObject> {
    const { use } = this.#settings;
    const sent =
      use === undefined
        ? this.#send(method, params, options, onRound)
        : this.#around(use, method, params, options, (chosen) => this.#send(method, params, chosen, onRound));
    return this.#explain === undefined ? sent : sent.catch(this.#explain);
  }

  /** Runs the middleware of the client around a call. Its code is loaded with the first one. */
  async #around(
    use: NonNullable<Settings['use']>,
    method: string,
    params: JsonObject | undefined,
    options: SendOptions,
    send: (options: SendOptions) => Promise<JsonObject>,
  ): Promise<JsonObject> {
    const { sendThrough } = await import('./through-middleware.ts');
    const { agreement } = await this.connection(options);
    return sendThrough(use, { method, params, options, url: this.#connections.url, agreement, send });
  }

  #send(method: string, params: JsonObject, options: SendOptions, onRound?: () => void): Promise<JsonObject> {
    const { current } = this.#connections;
    return current === undefined || needsCheck(options)
      ? this.connection(options).then((connection) => this.#sendOver(connection, method, params, options, onRound))
      : this.#sendOver(current, method, params, options, onRound);
  }

  /** Sends a request over a connection, and once more in the next session if the server has forgotten this one. */
  #sendOver(
    connection: ServerConnection,
    method: string,
    params: JsonObject,
    options: SendOptions,
    onRound?: () => void,
  ): Promise<JsonObject> {
    const sent = this.#sendIfOffered(connection, method, params, options, onRound);
    if (connection.rpc.perRequest === undefined) return sent;
    return sent.catch((error: unknown) => {
      if (!(error instanceof ConnectionError) || !connection.rpc.broken) throw error;
      const mayHaveRun = error.processed !== 'no';
      // Another request may have found out that the session is gone: then this one may have been processed before.
      const isRepeated = mayHaveRun
        ? error.code === 'session-lost' && this.canRetry(connection.agreement.revision, method, params)
        : error.status === 404;
      if (!isRepeated) throw error;
      const again = this.connection(options).then((next) =>
        this.#sendIfOffered(next, method, params, options, onRound),
      );
      return mayHaveRun ? again.catch((failure: unknown) => Promise.reject(afterUnknown(failure))) : again;
    });
  }

  #sendIfOffered(
    connection: ServerConnection,
    method: string,
    params: JsonObject,
    options: SendOptions,
    onRound?: () => void,
  ): Promise<JsonObject> {
    const problem = this.#notOfferedError(connection.agreement, method);
    return problem === undefined ? connection.request(method, params, options, onRound) : Promise.reject(problem);
  }

  /**
   * The error for a request that is not sent because the server does not offer the feature; undefined if it may be sent.
   * A feature for which the revision has no capability may be tried.
   */
  #notOfferedError({ revision, capabilities }: Agreement, method: string): ProtocolError | undefined {
    const need = methodOf(revision, method)?.needs;
    if (need === undefined || offers(capabilities, need)) return undefined;
    if (need === 'completions' && !featuresOf(revision).completionsCapability) return undefined;
    const message = `The server does not offer ${need}, so ${method} was not sent`;
    const { tools, prompts, resources } = capabilities;
    // A server that declares nothing at all probably forgot to declare its capabilities.
    const isEmpty = (tools ?? prompts ?? resources) == null;
    const what = isEmpty ? 'tools, prompts or resources' : need;
    if (!this.#undeclared.has(what)) {
      this.#undeclared.add(what);
      const level = isEmpty ? 'warn' : 'info';
      this.#report(level, 'not-offered', `The server does not declare ${what}. If it has any, they cannot be used`);
    }
    return new ProtocolError(CODE.methodNotFound, message);
  }

  /**
   * May a request whose answer was lost be sent again? A tool call only if the tool is annotated as read-only or idempotent; a method of an
   * extension never, because its effect is unknown.
   */
  canRetry(revision: Revision, method: string, params: JsonObject | undefined): boolean {
    if (methodOf(revision, method) === undefined) return false;
    return method !== 'tools/call' || this.#retryable.has(String(params?.['name']));
  }

  /** Calls a tool, checks its result, and returns what `read` makes of it. `declares`: the tool has an output schema. */
  call<T>(
    name: string,
    args: JsonObject | undefined,
    options: CallOptions,
    read: (result: CallToolResult, declares: boolean) => T,
  ): Promise<T> {
    const plain = args === undefined ? { name } : { name, arguments: args };
    const sent = this.#mayNeedTask()
      ? this.#asTaskIfRequired(plain).then((params) => this.sendCall(params, options))
      : this.sendCall(plain, options);
    return sent.then((answer) =>
      andThen(this.#resultOf(name, answer, options), (result) => read(result, this.declaresOutput(name))),
    );
  }

  /**
   * Sends a tool call, and returns the answer. Its result is not checked, and may say that the call has become a task. A call is only
   * repeated where requests are sent separately, because nothing is mirrored in headers elsewhere.
   */
  sendCall(params: ToolCallParams, options: SendOptions): Promise<JsonObject> {
    const sent = this.send('tools/call', params, options);
    const { current } = this.#connections;
    return current !== undefined && current.rpc.perRequest === undefined
      ? sent
      : sent.catch((error: unknown) => this.#callAgain(error, params, options));
  }

  /** Repeats a refused call in another form that the server may accept. Rejects with the server's error if there is none. */
  async #callAgain(error: unknown, params: ToolCallParams, options: SendOptions): Promise<JsonObject> {
    const { current } = this.#connections;
    const mismatch = error instanceof ProtocolError && error.code === CODE.headerMismatch;
    if (!mismatch || current?.rpc.perRequest === undefined) throw error;
    await this.#relearn(params.name);
    return this.send('tools/call', params, options);
  }

  /** In 2025-11-25 the client has to know which tools can only be called as tasks. */
  #mayNeedTask(): boolean {
    const { current } = this.#connections;
    return current?.agreement.capabilities.tasks !== undefined && featuresOf(current.agreement.revision).coreTasks;
  }

  async #asTaskIfRequired(params: ToolCallParams): Promise<ToolCallParams> {
    return (await this.#tasks()).asTaskIfRequired(params);
  }

  /** The result in the answer to a call, or that of the task that the call has become. */
  #resultOf(name: string, sent: JsonObject, options: CallOptions): Maybe<CallToolResult> {
    if (becameTask(sent)) return this.#waitForTask(name, sent, options);
    const result = sent as unknown as CallToolResult;
    return andThen(this.check(name, result), () => result);
  }

  async #waitForTask(name: string, sent: JsonObject, options: CallOptions): Promise<CallToolResult> {
    return (await this.#tasks()).wait(name, sent, options);
  }

  /** Sends a request unchanged, even if the server does not offer the feature. */
  async raw(method: string, params: JsonObject | undefined, options: SendOptions): Promise<JsonObject> {
    const { use } = this.#settings;
    const send = async (chosen: SendOptions) => (await this.connection(chosen)).raw(method, params, chosen);
    const sent = use === undefined ? send(options) : this.#around(use, method, params, options, send);
    return this.#explain === undefined ? sent : sent.catch(this.#explain);
  }

  /** Continues a call that waits for answers, and checks its result. */
  async resume(call: SuspendedCall, options: CallOptions): Promise<JsonObject> {
    if (!isObject(call)) throw new TypeError('resume needs a suspended call: the `call` of a question');
    const { use } = this.#settings;
    const send = async (chosen: CallOptions) => (await this.connection(chosen)).resume(call, chosen);
    const resumed = use === undefined ? send(options) : this.#around(use, call.method, call.params, options, send);
    const result = await (this.#explain === undefined ? resumed : resumed.catch(this.#explain));
    if (call.method !== 'tools/call') return result;
    return (await this.#resultOf(String(call.params['name']), result, options)) as unknown as JsonObject;
  }

  /** The list of tools has changed, so known output schemas may be outdated. */
  markStale(): void {
    this.#toolLists++;
    this.#outputs?.markStale();
  }

  /** Counts how often the list of tools may have changed. */
  get toolLists(): number {
    return this.#toolLists;
  }

  async #outputChecker(): Promise<OutputChecker> {
    const { compileOutput, OutputChecker } = await import('./output-checker.ts');
    const report = this.#report;
    return (this.#outputs ??= new OutputChecker({
      clock: this.#settings.clock,
      report,
      list: () => this.list('tools/list', { fresh: true }),
      compile: (schema) =>
        compileOutput(schema, (warning) =>
          report('warn', 'schema', `A part of an output schema is not checked: ${warning}`),
        ),
    }));
  }

  /** Is the tool known to have an output schema? */
  declaresOutput(tool: string): boolean {
    return this.#outputs?.declares(tool) === true;
  }

  /** Throws a `PeerError` if a result does not match the output schema of its tool. */
  check(tool: string, result: CallToolResult): void | Promise<void> {
    if (this.#outputs !== undefined) return this.#outputs.check(tool, result);
    if (result.structuredContent === undefined || result.isError === true) return;
    return this.#outputChecker().then((outputs) => outputs.check(tool, result));
  }

  /** Our copy of the tool is outdated: other arguments must be mirrored in headers now ("Client Behavior"). */
  async #relearn(name: string): Promise<void> {
    for await (const tool of this.list('tools/list', { fresh: true })) if (tool.name === name) break;
  }

  /** Sends a request whose result may be cached. */
  async fetch(method: string, params: JsonObject, options: FetchOptions): Promise<Page> {
    const connection = await this.connection(options);
    const { era, revision } = connection.agreement;
    const { signal, _meta } = options;
    if (signal?.aborted === true) throw abortError(signal);
    const cache = era === 'modern' && this.#settings.cache !== false ? await this.#cache.get() : undefined;
    // The result may depend on the client's capabilities and the other `_meta` of the request.
    const claim = { [META.protocolVersion]: revision, [META.clientCapabilities]: this.#settings.capabilities };
    const cacheParams = { ...params, _meta: { ..._meta, ...claim } };
    const cached = options.fresh === true ? undefined : cache?.get(method, cacheParams);
    if (cached !== undefined) return { result: cached, cached: true, connection };
    let store = cache?.storeLater(method, cacheParams);
    const result = await this.send(method, params, options, () => {
      // A result that took several rounds depends on the answers to the server's questions.
      store = undefined;
    });
    store?.(result);
    return { result, cached: false, connection };
  }

  list<M extends ListMethod>(method: M, options: FetchOptions = {}): Listing<Lists[M]['entry']> {
    const open = async (): Promise<Listing<Lists[M]['entry']>> =>
      // Kept, because even importing a loaded module takes time.
      (this.#listings ??= await this.#loadListings()).open(method, options);
    return {
      async *[Symbol.asyncIterator]() {
        yield* await open();
      },
      all: async () => (await open()).all(),
    };
  }

  async #loadListings(): Promise<Listings> {
    const { Listings } = await import('./listings.ts');
    return new Listings({
      maxPages: this.#settings.limits.pages,
      report: this.#report,
      retryable: this.#retryable,
      connection: (options) => this.connection(options),
      isOffered: (agreement, method) => this.#notOfferedError(agreement, method) === undefined,
      outputs: async () => this.#outputs ?? this.#outputChecker(),
      fetch: (method, params, options) => this.fetch(method, params, options),
      forget: (method) => this.#cache.remove((cache) => cache.forget(method)),
    });
  }
}

function offers(capabilities: ServerCapabilities, need: string): boolean {
  return need === 'resources.subscribe'
    ? capabilities.resources?.subscribe === true
    : capabilities[need as keyof ServerCapabilities] != null;
}
