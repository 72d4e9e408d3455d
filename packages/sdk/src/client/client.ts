import type { ServerCapabilities } from '../protocol/capabilities.ts';
import type { Contract } from '../protocol/contract.ts';
import type { Implementation, PromptEntry, ResourceEntry, TemplateEntry, ToolEntry } from '../protocol/entities.ts';
import type { ConnectionError } from '../protocol/errors.ts';
import type { JsonObject } from '../protocol/jsonrpc.ts';
import { isLogLevel, type LogLevel } from '../protocol/log.ts';
import type { CallToolResult, Completion, GetPromptResult, ReadResourceResult } from '../protocol/results.ts';
import type { Era, Revision } from '../protocol/revision.ts';
import type { AskingResults, SuspendedCall } from './asked.ts';
import { type Answerer, createAnswerer } from './answerer.ts';
import { type Cache, createCache, createCacheStore, noCache } from './cache.ts';
import type { Agreed, Conversation, Listener } from './conversation.ts';
import { Lifeline } from './lifeline.ts';
import type { Dialer, Explain } from './dialer.ts';
import { type ClientOptions, type RootsOption, type Settings, settingsOf } from './options.ts';
import { createReport, type Report } from './report.ts';
import { Requests } from './requests.ts';
import { checkedRoots } from './roots.ts';
import { isEmpty, type ListName } from './topics.ts';
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
import { valueOf } from './value.ts';
import { Watches } from './watch.ts';

/** Older browsers have no symbol of that name yet. */
const ASYNC_DISPOSE: typeof Symbol.asyncDispose = Symbol.asyncDispose ?? Symbol.for('Symbol.asyncDispose');

const cacheOf = (dialer: Dialer, { cache, clock, limits }: Settings): Cache =>
  cache === false
    ? noCache
    : createCache(cache ?? createCacheStore(limits.cacheEntries), clock, limits, dialer.server, dialer.partition);

class RealClient implements Omit<Client, 'call' | 'result'> {
  readonly closed: Promise<ConnectionError | undefined>;
  readonly #settings: Settings;
  readonly #report: Report;
  readonly #answerer: Answerer;
  readonly #cache: Cache;
  readonly #watches: Watches;
  readonly #lifeline: Lifeline;
  readonly #requests: Requests;
  readonly #explain: Explain | undefined;
  #agreement!: Agreement;
  #logLevel: LogLevel | undefined;

  constructor(dialer: Dialer, options: ClientOptions) {
    const settings = settingsOf(options);
    this.#settings = settings;
    this.#logLevel = settings.logLevel;
    this.#report = createReport(settings.log);
    this.#answerer = createAnswerer(settings);
    this.#cache = cacheOf(dialer, settings);
    this.#watches = new Watches(settings.limits.subscriptionUris, (topics) => {
      if (this.#lifeline.live !== undefined) this.#lifeline.live.follow(topics);
      else this.#lifeline.wake();
    });
    this.#lifeline = new Lifeline({
      dialer,
      settings,
      report: this.#report,
      begin: (agreed, again) => this.#begin(agreed, again),
      ended: () => this.#watches.lost(this.#watches.topics),
      needed: () => !isEmpty(this.#watches.topics),
    });
    this.#explain = dialer.explain;
    this.#requests = new Requests(settings, this.#report, this.#lifeline, this.#cache, this.#explain);
    this.closed = this.#lifeline.closed.then((reason) => {
      this.#watches.end(reason);
      return reason;
    });
  }

  connect(): Promise<void> {
    return this.#lifeline.connect();
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

  async call(name: string, args?: JsonObject, options: CallOptions = {}): Promise<unknown> {
    const result = await this.#requests.call(name, args, options);
    try {
      return valueOf(result, this.#settings.limits);
    } catch (error) {
      this.#explain?.(error);
      throw error;
    }
  }

  result(name: string, args?: JsonObject, options: CallOptions = {}): Promise<CallToolResult> {
    return this.#requests.call(name, args, options);
  }

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
    const params = args === undefined ? { name } : { name, arguments: args };
    return (await this.#requests.send('prompts/get', params, options)) as unknown as GetPromptResult;
  }

  async complete(
    ref: CompletionRef,
    { argument, value, resolved }: CompletionInput,
    options: CallOptions = {},
  ): Promise<Completion> {
    const params = {
      ref: 'prompt' in ref ? { type: 'ref/prompt', name: ref.prompt } : { type: 'ref/resource', uri: ref.template },
      argument: { name: argument, value },
      ...(resolved === undefined ? {} : { context: { arguments: resolved } }),
    };
    return (await this.#requests.send('completion/complete', params, options))['completion'] as Completion;
  }

  watch(what: WatchTarget, { signal }: { readonly signal?: AbortSignal } = {}): Watch {
    return this.#watches.open('uri' in what ? what.uri : what.list, signal);
  }

  async setRoots(roots: RootsOption): Promise<void> {
    if (this.#settings.capabilities.roots === undefined) {
      throw new TypeError('`connect` was called without `roots`: the server was told that there are none');
    }
    if (typeof roots !== 'function') checkedRoots(roots);
    this.#answerer.roots = roots;
    await this.#lifeline.live?.rootsChanged();
  }

  async setLogLevel(level: LogLevel): Promise<void> {
    if (!isLogLevel(level)) throw new TypeError(`There is no log level '${String(level)}'`);
    this.#logLevel = level;
    await (await this.#requests.conversation({})).setLogLevel(level);
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
    await (await this.#requests.conversation({})).calls.notify(method, params);
  }

  async ping(options: CallOptions = {}): Promise<void> {
    await (await this.#requests.conversation(options)).ping(options);
  }

  async close(): Promise<void> {
    await this.#lifeline.close();
    await this.closed;
  }

  [ASYNC_DISPOSE](): Promise<void> {
    return this.close();
  }

  #begin({ calls, agreement, converse }: Agreed, again: boolean): Conversation {
    this.#agreement = agreement;
    const opening = {
      calls,
      agreement,
      settings: { ...this.#settings, logLevel: this.#logLevel },
      answerer: this.#answerer,
      listener: this.#listener(),
      report: this.#report,
      mayRepeat: (method: string, params: JsonObject | undefined) => this.#requests.mayRepeat(method, params),
    };
    const conversation = converse(opening);
    if (again) {
      this.#cache.clear();
      this.#requests.outputs.outdated();
      conversation.follow(this.#watches.topics);
    }
    return conversation;
  }

  /** What the server announces concerns what is kept, too. */
  #listener(): Listener {
    const watches = this.#watches;
    return {
      listChanged: (list: ListName) => {
        this.#cache.listChanged(list);
        if (list === 'tools') this.#requests.outputs.outdated();
        watches.listChanged(list);
      },
      updated: (uri: string) => {
        this.#cache.updated(uri);
        watches.updated(uri);
      },
      watching: (topics) => watches.watching(topics),
      lost: (topics) => watches.lost(topics),
      refused: (topics, reason) => watches.refused(topics, reason),
    };
  }
}

/**
 * Connects to a server and gives the client. What the server is, and how it is reached, is the dialer's.
 * Throws and rejects as `connect` does.
 */
export const openClient = async <C extends Contract>(dialer: Dialer, options: ClientOptions): Promise<Client<C>> => {
  const client = new RealClient(dialer, options);
  await client.connect();
  // The contract exists for the compiler only.
  return client as unknown as Client<C>;
};
