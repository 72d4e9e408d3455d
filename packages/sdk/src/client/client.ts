import type { Contract } from '../protocol/contract.ts';
import type { JsonObject } from '../protocol/jsonrpc.ts';
import { isLogLevel } from '../protocol/log.ts';
import {
  LIST_KEY,
  type CallToolResult,
  type Completion,
  type GetPromptResult,
  type ListMethod,
  type Lists,
  type ReadResourceResult,
} from '../protocol/results.ts';
import type { ToolEntry } from '../protocol/entities.ts';
import { createAnswerer } from './answer.ts';
import { createCache, createCacheStore, noCache } from './cache.ts';
import type { Conversation, Listener } from './conversation.ts';
import { openExchange } from './exchange.ts';
import { openLifeline } from './lifeline.ts';
import { listing, type Page } from './lists.ts';
import type { Agreed, Dialer } from './negotiate.ts';
import { offerProblem } from './offers.ts';
import { type ClientOptions, settingsOf } from './options.ts';
import { createOutputs } from './output.ts';
import { createReport } from './report.ts';
import { checkedRoots } from './roots.ts';
import { compileOutput } from './schemas.ts';
import { openSession } from './session.ts';
import { isEmpty } from './topics.ts';
import type { Agreement, CallOptions, Client, FetchOptions, Listing } from './types.ts';
import { valueOf } from './value.ts';
import { createWatches } from './watch.ts';

/** Older browsers have no symbol of that name yet. */
const ASYNC_DISPOSE: typeof Symbol.asyncDispose = Symbol.asyncDispose ?? Symbol.for('Symbol.asyncDispose');

const checkOptions = ({ timeout, maxTimeout }: CallOptions): void => {
  if (timeout !== undefined && !(timeout > 0))
    throw new TypeError(`timeout must be a positive number of milliseconds, got ${timeout}`);
  if (maxTimeout !== undefined && !(maxTimeout > 0))
    throw new TypeError(`maxTimeout must be a positive number of milliseconds, got ${maxTimeout}`);
};

/** Connects to a server and gives the client. What a target is, and how it is reached, is the dialer's. */
export const openClient = async <C extends Contract>(dialer: Dialer, options: ClientOptions): Promise<Client<C>> => {
  const settings = settingsOf(options);
  const report = createReport(settings.log);
  const answerer = createAnswerer(settings);
  const { clock, limits } = settings;
  const kept = settings.cache === false ? undefined : (settings.cache ?? createCacheStore(limits.cacheEntries));
  const cache = kept === undefined ? noCache : createCache(kept, clock, limits, dialer.server, dialer.partition);
  const watches = createWatches(limits.subscriptionUris, (topics) => {
    if (lifeline?.live !== undefined) lifeline.live.follow(topics);
    else lifeline?.wake();
  });
  let agreement: Agreement;
  let { logLevel } = settings;

  const listener: Listener = {
    ...watches,
    listChanged(list) {
      cache.listChanged(list);
      if (list === 'tools') outputs.outdated();
      watches.listChanged(list);
    },
    updated(uri) {
      cache.updated(uri);
      watches.updated(uri);
    },
  };

  const begin = ({ calls, agreement: agreed }: Agreed, again: boolean): Conversation => {
    agreement = agreed;
    const opening = { calls, agreement: agreed, settings: { ...settings, logLevel }, answerer, listener, report };
    const conversation = agreed.era === 'modern' ? openExchange(opening) : openSession(opening);
    if (again) {
      cache.clear();
      outputs.outdated();
      conversation.follow(watches.topics);
    }
    return conversation;
  };

  const ask = (
    conversation: Conversation,
    method: string,
    params: JsonObject,
    options: CallOptions,
    onRound?: () => void,
  ): Promise<JsonObject> => {
    const problem = offerProblem(conversation.agreement, method);
    return problem === undefined ? conversation.request(method, params, options, onRound) : Promise.reject(problem);
  };

  const request = (
    method: string,
    params: JsonObject,
    options: CallOptions,
    onRound?: () => void,
  ): Promise<JsonObject> => {
    checkOptions(options);
    const { live } = lifeline;
    if (live !== undefined) return ask(live, method, params, options, onRound);
    return lifeline.reach(options).then((conversation) => ask(conversation, method, params, options, onRound));
  };

  /** A request whose result may be kept. */
  const fetch = async (method: string, params: JsonObject, options: FetchOptions): Promise<Page> => {
    const results = agreement.era === 'modern' ? cache : noCache;
    const known = options.fresh === true ? undefined : results.get(method, params);
    if (known !== undefined) return { result: known, cached: true };
    let keep = results.keep(method, params);
    // What is answered in several rounds depends on the answers.
    const result = await request(method, params, options, () => {
      keep = () => {};
    });
    keep(result);
    return { result, cached: false };
  };

  const list = <M extends ListMethod>(method: M, options: FetchOptions = {}): Listing<Lists[M]['entry']> =>
    listing(
      method,
      {
        async fetch(params, fresh) {
          if (lifeline.live === undefined) await lifeline.reach(options);
          if (offerProblem(agreement, method) !== undefined)
            return { result: { [LIST_KEY[method]]: [] }, cached: false };
          const page = await fetch(method, params ?? {}, { ...options, fresh });
          if (method === 'tools/list') for (const tool of page.result['tools'] as ToolEntry[]) outputs.learn(tool);
          return page;
        },
        forget: () => cache.forget(method),
      },
      limits.pages,
      options.fresh,
    );

  const outputs = createOutputs({
    clock,
    report,
    most: limits.elements,
    list: () => list('tools/list', { fresh: true }),
    compile: (schema) =>
      compileOutput(schema, (warning) =>
        report('warn', 'schema', `A part of an output schema is not checked: ${warning}`),
      ),
  });

  const result = async (name: string, args?: JsonObject, options: CallOptions = {}): Promise<CallToolResult> => {
    const params = args === undefined ? { name } : { name, arguments: args };
    const result = (await request('tools/call', params, options)) as unknown as CallToolResult;
    const checked = outputs.check(name, result);
    if (checked !== undefined) await checked;
    return result;
  };

  const live = async (options: CallOptions = {}): Promise<Conversation> => {
    checkOptions(options);
    return lifeline.live ?? (await lifeline.reach(options));
  };

  const lifeline = await openLifeline({
    dialer,
    settings,
    report,
    begin,
    ended() {
      watches.lost(watches.topics);
      return !isEmpty(watches.topics);
    },
  });
  const closed = lifeline.closed.then((reason) => {
    watches.end(reason);
    return reason;
  });

  const client = {
    get revision() {
      return agreement.revision;
    },
    get era() {
      return agreement.era;
    },
    get server() {
      return agreement.server;
    },
    get capabilities() {
      return agreement.capabilities;
    },
    get instructions() {
      return agreement.instructions;
    },
    call: async (name: string, args?: JsonObject, options?: CallOptions) => valueOf(await result(name, args, options)),
    result,
    tools: (options?: FetchOptions) => list('tools/list', options),
    resources: (options?: FetchOptions) => list('resources/list', options),
    templates: (options?: FetchOptions) => list('resources/templates/list', options),
    prompts: (options?: FetchOptions) => list('prompts/list', options),
    read: async (uri: string, options: FetchOptions = {}) =>
      (await fetch('resources/read', { uri }, options)).result as unknown as ReadResourceResult,
    prompt: async (name: string, args?: Readonly<Record<string, string>>, options: CallOptions = {}) =>
      (await request(
        'prompts/get',
        args === undefined ? { name } : { name, arguments: args },
        options,
      )) as unknown as GetPromptResult,
    async complete(
      ref: { readonly prompt: string } | { readonly template: string },
      argument: string,
      typed: string,
      resolved?: Readonly<Record<string, string>>,
      options: CallOptions = {},
    ) {
      const params = {
        ref: 'prompt' in ref ? { type: 'ref/prompt', name: ref.prompt } : { type: 'ref/resource', uri: ref.template },
        argument: { name: argument, value: typed },
        ...(resolved === undefined ? {} : { context: { arguments: resolved } }),
      };
      return (await request('completion/complete', params, options))['completion'] as Completion;
    },
    watch: (what: string, { signal }: { readonly signal?: AbortSignal } = {}) => watches.open(what, signal),
    async setRoots(roots: NonNullable<ClientOptions['roots']>) {
      if (settings.capabilities.roots === undefined)
        throw new TypeError('This client was connected without `roots`, so the server does not know that it has some');
      if (typeof roots !== 'function') checkedRoots(roots);
      answerer.roots = roots;
      await lifeline.live?.rootsChanged();
    },
    async setLogLevel(level: unknown) {
      if (!isLogLevel(level)) throw new TypeError(`There is no log level '${String(level)}'`);
      logLevel = level;
      await (await live()).setLogLevel(level);
    },
    request: async (method: string, params?: JsonObject, options: CallOptions = {}) =>
      (await live(options)).raw(method, params, options),
    notify: async (method: string, params?: JsonObject) => (await live()).calls.notify(method, params),
    ping: async (options: CallOptions = {}) => (await live(options)).ping(options),
    async close() {
      await lifeline.close();
      await closed;
    },
    closed,
    [ASYNC_DISPOSE]: () => client.close(),
  };
  return client as unknown as Client<C>;
};
