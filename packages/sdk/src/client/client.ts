import type { ServerCapabilities } from '../protocol/capabilities.ts';
import type { Contract } from '../protocol/contract.ts';
import type { Implementation, PromptEntry, ResourceEntry, TemplateEntry, ToolEntry } from '../protocol/entities.ts';
import type { ConnectionError } from '../protocol/errors.ts';
import type { JsonObject } from '../protocol/jsonrpc.ts';
import type { LogLevel } from '../protocol/log.ts';
import type { CallToolResult, Completion, GetPromptResult, ReadResourceResult } from '../protocol/results.ts';
import type { Era, Revision } from '../protocol/revision.ts';
import type { AskingResults, SuspendedCall } from './server-question.ts';
import { type Answerer, createAnswerer } from './answerer.ts';
import type { NegotiationResult, ServerConnection, ChangeListener } from './server-connection.ts';
import { ConnectionManager } from './connection-manager.ts';
import type { Dialer, Explain } from './dialer.ts';
import { checkLogLevel, type ClientOptions, type RootsOption, type Settings, settingsOf } from './options.ts';
import { createReport, type Report } from './report.ts';
import { RequestSender } from './request-sender.ts';
import { checkedRoots } from './roots.ts';
import { LazyCache } from './lazy-cache.ts';
import { isEmpty, type ListName, taskTopic } from './topics.ts';
import type { SavedTask, Task } from './tasks/task.ts';
import type { TaskCalls } from './tasks/task-calls.ts';
import type {
  Agreement,
  CallOptions,
  Client,
  CompletionInput,
  CompletionRef,
  FetchOptions,
  Listing,
  Watch,
  WatchTarget,
} from './types.ts';
import { valueOf } from './result-value.ts';
import { LateWatch } from './late-watch.ts';
import type { Watches } from './watch.ts';

/** Older browsers do not have this symbol. */
const ASYNC_DISPOSE: typeof Symbol.asyncDispose = Symbol.asyncDispose ?? Symbol.for('Symbol.asyncDispose');

const NO_OPTIONS: CallOptions = {};

function cacheOf({ server, partition }: Dialer, { cache, clock, limits }: Settings, report: Report): LazyCache {
  return new LazyCache(
    async () => {
      const { createCache } = await import('./cache.ts');
      return createCache({ store: cache, clock, limits, server, partition, report });
    },
    typeof cache === 'object',
  );
}

class ClientImpl implements Omit<Client, 'call' | 'result' | 'start' | 'task' | 'request' | 'notify'> {
  readonly closed: Promise<ConnectionError | undefined>;
  readonly #settings: Settings;
  readonly #report: Report;
  readonly #answerer: Answerer;
  readonly #cache: LazyCache;
  /** Loaded with the first watch. */
  #watches: Watches | undefined;
  #watchesLoading: Promise<Watches> | undefined;
  #tasksLoading: Promise<TaskCalls> | undefined;
  readonly #connections: ConnectionManager;
  readonly #requests: RequestSender;
  readonly #explain: Explain | undefined;
  #agreement!: Agreement;
  #logLevel: LogLevel | undefined;

  constructor(dialer: Dialer, options: ClientOptions) {
    const settings = settingsOf(options);
    this.#settings = settings;
    this.#logLevel = settings.logLevel;
    this.#report = createReport(settings.log);
    this.#answerer = createAnswerer(settings);
    this.#cache = cacheOf(dialer, settings, this.#report);
    this.#connections = new ConnectionManager({
      dialer,
      settings,
      report: this.#report,
      onConnected: (negotiated, isReconnect) => this.#begin(negotiated, isReconnect),
      onLost: () => this.#tellWatches((watches) => watches.lost(watches.topics)),
      isNeeded: () => this.#watches !== undefined && !isEmpty(this.#watches.topics),
    });
    this.#explain = dialer.explain;
    this.#requests = new RequestSender(settings, this.#report, this.#connections, this.#cache, this.#explain, () =>
      this.#tasks(),
    );
    this.closed = this.#connections.closed;
  }

  connect(): Promise<void> {
    return this.#connections.connect();
  }

  get revision(): Revision {
    return this.#agreement.revision;
  }

  get era(): Era {
    return this.#agreement.era;
  }

  get server(): Implementation | undefined {
    return this.#agreement.server;
  }

  get capabilities(): ServerCapabilities {
    return this.#agreement.capabilities;
  }

  get instructions(): string | undefined {
    return this.#agreement.instructions;
  }

  call(name: string, args?: JsonObject, options?: CallOptions): Promise<unknown> {
    return this.#requests.call(name, args, options ?? NO_OPTIONS, this.#readValue);
  }

  result(name: string, args?: JsonObject, options?: CallOptions): Promise<CallToolResult> {
    return this.#requests.call(name, args, options ?? NO_OPTIONS, (result) => result);
  }

  async start(name: string, args?: JsonObject, options: CallOptions = NO_OPTIONS): Promise<Task> {
    return (await this.#tasks()).start(name, args, options);
  }

  async task(saved: SavedTask): Promise<Task> {
    return (await this.#tasks()).open(saved);
  }

  #tasks(): Promise<TaskCalls> {
    this.#tasksLoading ??= this.#loadTasks();
    return this.#tasksLoading;
  }

  async #loadTasks(): Promise<TaskCalls> {
    const { TaskCalls } = await import('./tasks/task-calls.ts');
    return new TaskCalls({
      settings: this.#settings,
      report: this.#report,
      answerer: this.#answerer,
      requests: this.#requests,
      agreement: () => this.#agreement,
      read: this.#readValue,
      watch: (id, signal) => this.watch({ uri: taskTopic(id) }, { signal }),
    });
  }

  readonly #readValue = (result: CallToolResult, declares: boolean): unknown => {
    try {
      return valueOf(result, this.#settings.limits, declares);
    } catch (error) {
      this.#explain?.(error);
      throw error;
    }
  };

  tools(options?: FetchOptions): Listing<ToolEntry> {
    return this.#requests.list('tools/list', options);
  }

  resources(options?: FetchOptions): Listing<ResourceEntry> {
    return this.#requests.list('resources/list', options);
  }

  templates(options?: FetchOptions): Listing<TemplateEntry> {
    return this.#requests.list('resources/templates/list', options);
  }

  prompts(options?: FetchOptions): Listing<PromptEntry> {
    return this.#requests.list('prompts/list', options);
  }

  async read(uri: string, options: FetchOptions = {}): Promise<ReadResourceResult> {
    return (await this.#requests.fetch('resources/read', { uri }, options)).result as unknown as ReadResourceResult;
  }

  async prompt(
    name: string,
    args?: Readonly<Record<string, string>>,
    options: CallOptions = {},
  ): Promise<GetPromptResult> {
    return (await this.#requests.send('prompts/get', { name, arguments: args }, options)) as unknown as GetPromptResult;
  }

  async complete(
    ref: CompletionRef,
    { argument, value, resolved }: CompletionInput,
    options: CallOptions = {},
  ): Promise<Completion> {
    const params = {
      ref: 'prompt' in ref ? { type: 'ref/prompt', name: ref.prompt } : { type: 'ref/resource', uri: ref.template },
      argument: { name: argument, value },
      context: resolved && { arguments: resolved },
    };
    return (await this.#requests.send('completion/complete', params, options))['completion'] as Completion;
  }

  watch(what: WatchTarget, { signal }: { readonly signal?: AbortSignal } = {}): Watch {
    const name = 'uri' in what ? what.uri : what.list;
    this.#watchesLoading ??= this.#loadWatches();
    return new LateWatch(this.#watchesLoading.then((watches) => watches.open(name, signal)));
  }

  /** Changes that arrive while the code of watches is loading reach watches that were opened before. */
  #tellWatches(tell: (watches: Watches) => void): void {
    this.#watchesLoading?.then(tell, () => {});
  }

  async #loadWatches(): Promise<Watches> {
    const { Watches } = await import('./watch.ts');
    const watches = new Watches(this.#settings.limits.subscriptionUris, (topics) => {
      if (this.#connections.current !== undefined) this.#connections.current.setTopics(topics);
      else this.#connections.connectIfNeeded();
    });
    void this.closed.then((reason) => watches.end(reason));
    return (this.#watches = watches);
  }

  async setRoots(roots: RootsOption): Promise<void> {
    if (this.#settings.capabilities.roots === undefined) {
      throw new TypeError('`connect` was called without `roots`, so the server expects none');
    }
    if (typeof roots !== 'function') checkedRoots(roots);
    this.#answerer.roots = roots;
    await this.#connections.current?.rootsChanged();
  }

  async setLogLevel(level: LogLevel): Promise<void> {
    checkLogLevel(level);
    this.#logLevel = level;
    await (await this.#requests.connection({})).setLogLevel(level);
  }

  async resume<M extends keyof AskingResults>(
    call: SuspendedCall<M>,
    options: CallOptions = {},
  ): Promise<AskingResults[M]> {
    return (await this.#requests.resume(call, options)) as unknown as AskingResults[M];
  }

  async request(method: string, params?: JsonObject, options: CallOptions = {}): Promise<JsonObject> {
    return this.#requests.raw(method, params, options);
  }

  async notify(method: string, params?: JsonObject): Promise<void> {
    await (await this.#requests.connection({})).notify(method, params);
  }

  async ping(options: CallOptions = {}): Promise<void> {
    await (await this.#requests.connection(options)).ping(options);
  }

  async close(): Promise<void> {
    await this.#connections.close();
    await this.closed;
  }

  [ASYNC_DISPOSE](): Promise<void> {
    return this.close();
  }

  #begin({ rpc, agreement, start }: NegotiationResult, isReconnect: boolean): ServerConnection {
    this.#agreement = agreement;
    const context = {
      rpc,
      agreement,
      settings: { ...this.#settings, logLevel: this.#logLevel },
      answerer: this.#answerer,
      listener: this.#listener(),
      report: this.#report,
      canRetry: (method: string, params: JsonObject | undefined) =>
        this.#requests.canRetry(agreement.revision, method, params),
    };
    const connection = start(context);
    const { pingEvery } = this.#settings;
    // Loaded on demand: it is off by default.
    if (pingEvery !== undefined)
      void import('./heartbeat.ts').then(({ startHeartbeat }) => startHeartbeat(connection, context, pingEvery));
    if (isReconnect) {
      this.#cache.remove((cache) => cache.clear());
      this.#requests.markStale();
      if (this.#watches !== undefined) connection.setTopics(this.#watches.topics);
    }
    return connection;
  }

  /** Changes that the server announces also invalidate cached results. */
  #listener(): ChangeListener {
    return {
      listChanged: (list: ListName) => {
        this.#cache.remove((cache) => cache.listChanged(list));
        if (list === 'tools') this.#requests.markStale();
        this.#tellWatches((watches) => watches.listChanged(list));
      },
      updated: (uri: string) => {
        this.#cache.remove((cache) => cache.updated(uri));
        this.#tellWatches((watches) => watches.updated(uri));
      },
      watching: (topics) => this.#tellWatches((watches) => watches.watching(topics)),
      lost: (topics) => this.#tellWatches((watches) => watches.lost(topics)),
      refused: (topics, reason) => this.#tellWatches((watches) => watches.refused(topics, reason)),
    };
  }
}

/** Connects to the server that the dialer reaches, and returns the client. Throws and rejects as `connect` does. */
export async function openClient<C extends Contract>(dialer: Dialer, options: ClientOptions): Promise<Client<C>> {
  const client = new ClientImpl(dialer, options);
  await client.connect();
  // The contract exists only in the types.
  return client as unknown as Client<C>;
}
