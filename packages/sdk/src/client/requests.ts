import type { ToolEntry } from '../protocol/entities.ts';
import { CODE, ConnectionError, ProtocolError } from '../protocol/errors.ts';
import type { JsonObject } from '../protocol/jsonrpc.ts';
import { shown } from '../protocol/text.ts';
import { type CallToolResult, LIST_KEY, type ListMethod, type Lists } from '../protocol/results.ts';
import type { SuspendedCall } from './asked.ts';
import { type Cache, noCache } from './cache.ts';
import type { Conversation } from './conversation.ts';
import type { Explain } from './dialer.ts';
import type { Lifeline } from './lifeline.ts';
import { listing, type Page, StaleCursor } from './lists.ts';
import { offerProblem } from './offers.ts';
import type { Settings } from './options.ts';
import { createOutputs, type Outputs } from './output.ts';
import { checkMeta } from './request-meta.ts';
import type { Report } from './report.ts';
import { compileOutput } from './schemas.ts';
import type { CallOptions, FetchOptions, Listing } from './types.ts';

/** Throws a `TypeError` for options that cannot be meant. */
const checkOptions = ({ timeout, maxTimeout, _meta }: CallOptions): void => {
  checkTime('timeout', timeout);
  checkTime('maxTimeout', maxTimeout);
  if (_meta !== undefined) checkMeta(_meta);
};

const checkTime = (name: string, value: number | undefined): void => {
  if (value === undefined || value > 0) return;
  throw new TypeError(`${name} must be a positive number of milliseconds, got ${value}`);
};

const needsCheck = ({ timeout, maxTimeout, _meta }: CallOptions): boolean =>
  timeout !== undefined || maxTimeout !== undefined || _meta !== undefined;

/** Most tools of which that is known. */
const MOST_HARMLESS = 10_000;

/** Sends the requests of a client over whatever connection there is, with its cache in front and the check of results behind. */
export class Requests {
  /** What is known of the results tools promise. */
  readonly outputs: Outputs;
  readonly #settings: Settings;
  readonly #lifeline: Lifeline;
  readonly #cache: Cache;
  readonly #report: Report;
  /** Gives an error its cause, where that is known. */
  readonly #explain: Explain | undefined;
  /** Tools of which the server says that calling them again changes nothing more. */
  readonly #harmless = new Set<string>();

  constructor(settings: Settings, report: Report, lifeline: Lifeline, cache: Cache, explain: Explain | undefined) {
    this.#settings = settings;
    this.#explain = explain;
    this.#lifeline = lifeline;
    this.#cache = cache;
    this.#report = report;
    this.outputs = createOutputs({
      clock: settings.clock,
      report,
      list: () => this.list('tools/list', { fresh: true }),
      compile: (schema) =>
        compileOutput(schema, (warning) =>
          report('warn', 'schema', `A part of an output schema is not checked: ${warning}`),
        ),
    });
  }

  /** The connection there is, or the next one. */
  async conversation(options: CallOptions): Promise<Conversation> {
    checkOptions(options);
    return this.#lifeline.live ?? this.#lifeline.reach(options);
  }

  /** Sends a request if the server offers what it asks for. `onRound` is called when the server asks something first. */
  send(method: string, params: JsonObject, options: CallOptions, onRound?: () => void): Promise<JsonObject> {
    const sent = this.#send(method, params, options, onRound);
    return this.#explain === undefined ? sent : sent.catch(this.#explain);
  }

  #send(method: string, params: JsonObject, options: CallOptions, onRound?: () => void): Promise<JsonObject> {
    const { live } = this.#lifeline;
    if (live !== undefined && live.calls.oneByOne === undefined && !needsCheck(options))
      return ask(live, method, params, options, onRound);
    const send = (): Promise<JsonObject> =>
      this.conversation(options).then((conversation) => ask(conversation, method, params, options, onRound));
    // Whose session was forgotten was not heard at all: it is sent again in the next session, once.
    return send().catch((error: unknown) => {
      const unheard = error instanceof ConnectionError && error.status === 404 && error.processed === 'no';
      if (!unheard || this.#lifeline.live?.calls.broken === false) throw error;
      return send();
    });
  }

  /** May a request be sent again whose answer got lost? A tool has to say that it does no harm. */
  mayRepeat(method: string, params: JsonObject | undefined): boolean {
    return method !== 'tools/call' || this.#harmless.has(String(params?.['name']));
  }

  /** Calls a tool, and checks what it gives back. */
  async call(name: string, args: JsonObject | undefined, options: CallOptions): Promise<CallToolResult> {
    const params = args === undefined ? { name } : { name, arguments: args };
    const result = (await this.#sendCall(params, options)) as unknown as CallToolResult;
    const checked = this.outputs.check(name, result);
    if (checked !== undefined) await checked;
    return result;
  }

  /** Sends a request as it is given, whatever the server offers. */
  async raw(method: string, params: JsonObject | undefined, options: CallOptions): Promise<JsonObject> {
    const sent = (await this.conversation(options)).raw(method, params, options);
    return this.#explain === undefined ? sent : sent.catch(this.#explain);
  }

  /** Goes on with a call that waits for answers, and checks what comes of it. */
  async resume(call: SuspendedCall, options: CallOptions): Promise<JsonObject> {
    const resumed = (await this.conversation(options)).resume(call, options);
    const result = await (this.#explain === undefined ? resumed : resumed.catch(this.#explain));
    if (call.method === 'tools/call') {
      const checked = this.outputs.check(String(call.params['name']), result as unknown as CallToolResult);
      if (checked !== undefined) await checked;
    }
    return result;
  }

  async #sendCall(params: JsonObject, options: CallOptions): Promise<JsonObject> {
    try {
      return await this.send('tools/call', params, options);
    } catch (error) {
      const mismatch = error instanceof ProtocolError && error.code === CODE.headerMismatch;
      if (!mismatch || this.#lifeline.live?.calls.oneByOne === undefined) throw error;
      // The tool wants other arguments repeated in headers than those that are known ("Client Behavior").
      for await (const tool of this.list('tools/list', { fresh: true })) if (tool.name === params['name']) break;
      return this.send('tools/call', params, options);
    }
  }

  /** A request whose result may be kept. */
  async fetch(method: string, params: JsonObject, options: FetchOptions): Promise<Page> {
    const from = await this.conversation(options);
    const cache = from.agreement.era === 'modern' ? this.#cache : noCache;
    const kept = options.fresh === true ? undefined : cache.get(method, params);
    if (kept !== undefined) return { result: kept, cached: true, from };
    let keep = cache.keep(method, params);
    const result = await this.send(method, params, options, () => {
      // What is answered in several rounds depends on the answers.
      keep = () => {};
    });
    keep(result);
    return { result, cached: false, from };
  }

  list<M extends ListMethod>(method: M, options: FetchOptions = {}): Listing<Lists[M]['entry']> {
    const pages = {
      fetch: (params: JsonObject | undefined, fresh: boolean, from: object | undefined) =>
        this.#page(method, params, { ...options, fresh }, from),
      forget: () => this.#cache.forget(method),
    };
    return listing(method, pages, this.#settings.limits.pages, options.fresh);
  }

  async #page(
    method: ListMethod,
    params: JsonObject | undefined,
    options: FetchOptions,
    before: object | undefined,
  ): Promise<Page> {
    const from = await this.conversation(options);
    if (before !== undefined && before !== from) throw new StaleCursor('The connection is another one');
    // What is not offered has no entries.
    const offered = offerProblem(from.agreement, method) === undefined;
    if (!offered) return { result: { [LIST_KEY[method]]: [] }, cached: false, from };
    const learn = this.outputs.learning();
    const page = await this.fetch(method, params ?? {}, options).catch((error: unknown): Page => {
      if (params !== undefined || !meansNoTemplates(method, error)) throw error;
      return { result: { [LIST_KEY[method]]: [] }, cached: false, from };
    });
    if (method !== 'tools/list') return page;
    const tools = (page.result['tools'] as ToolEntry[]).filter((tool) => this.#learn(tool, from));
    for (const tool of tools) learn(tool);
    return { ...page, result: { ...page.result, tools } };
  }

  /** Learns how a tool is called; false when it cannot be. */
  #learn(tool: ToolEntry, { agreement, calls }: Conversation): boolean {
    const { readOnlyHint, idempotentHint } = tool.annotations ?? {};
    if (readOnlyHint === true || idempotentHint === true) this.#harmless.add(tool.name);
    else this.#harmless.delete(tool.name);
    if (this.#harmless.size > MOST_HARMLESS) this.#harmless.clear();
    const problem = agreement.era === 'modern' ? calls.oneByOne?.learn(tool) : undefined;
    if (problem === undefined) return true;
    this.#report('warn', 'bad-tool', `The tool '${shown(tool.name)}' is left out: ${problem}`);
    return false;
  }
}

/**
 * Is this how a server says that it has no resource templates? No capability announces them, so a server that declares
 * `resources` does not have to know their list ("Capabilities" of Resources).
 */
function meansNoTemplates(method: ListMethod, error: unknown): boolean {
  return method === 'resources/templates/list' && error instanceof ProtocolError && error.code === CODE.methodNotFound;
}

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
