import { type ClientAbility, declares } from '../protocol/capabilities.ts';
import { PROGRESS_TOKEN, type Meta } from '../protocol/meta.ts';
import type { Exchange, Principal } from '../protocol/exchange.ts';
import { type LogLevel, reaches } from '../protocol/log.ts';
import type { JsonObject } from '../protocol/jsonrpc.ts';
import type { Desk } from './ask/desk.ts';
import { interactions } from './ask/interact.ts';
import type { CallContext, ClientView, Context } from './context.ts';
import type { CompletionContext } from './completion.ts';

/** Context of one request. Everything in it is made when it is read: most handlers read little. */
class RequestContext implements Context {
  protected readonly exchange: Exchange;
  #client: ClientView | undefined;

  constructor(exchange: Exchange) {
    this.exchange = exchange;
  }

  get signal(): AbortSignal {
    return this.exchange.signal;
  }

  get principal(): Principal | undefined {
    return this.exchange.principal;
  }

  get meta(): Meta {
    return this.exchange.meta;
  }

  get client(): ClientView {
    const { client, capabilities } = this.exchange;
    return (this.#client ??= { name: client?.name, version: client?.version, can: (ability: ClientAbility) => declares(capabilities, ability) });
  }

  get log(): Context['log'] {
    return (level: LogLevel, data: unknown, logger?: string) => {
      const threshold = this.exchange.logLevel;
      if (threshold === undefined || !reaches(level, threshold)) return undefined;
      return this.exchange.notify('notifications/message', { level, ...(logger === undefined ? {} : { logger }), data: data ?? null });
    };
  }
}

/** The context of completions and list functions. */
export const createContext = (exchange: Exchange): Context => new RequestContext(exchange);

/** The context of a completion. */
export const createCompletionContext = (exchange: Exchange, resolved: Readonly<Record<string, string>>): CompletionContext =>
  Object.assign(new RequestContext(exchange), { resolved });

/** Context of a tool call, a prompt or a read. */
class AskingContext extends RequestContext implements CallContext {
  readonly #open: () => Desk;
  #opened: Desk | undefined;
  #asking: ReturnType<typeof interactions> | undefined;
  #reached = Number.NEGATIVE_INFINITY;

  constructor(exchange: Exchange, open: () => Desk) {
    super(exchange);
    this.#open = open;
  }

  get #desk(): Desk {
    return (this.#opened ??= this.#open());
  }

  get #interactions(): ReturnType<typeof interactions> {
    return (this.#asking ??= interactions(this.#desk, this.exchange));
  }

  get ask(): CallContext['ask'] {
    return this.#interactions.ask;
  }

  get elicit(): CallContext['elicit'] {
    return this.#interactions.elicit;
  }

  get visit(): CallContext['visit'] {
    return this.#interactions.visit;
  }

  get sample(): CallContext['sample'] {
    return this.#interactions.sample;
  }

  get roots(): CallContext['roots'] {
    return this.#interactions.roots;
  }

  get once(): CallContext['once'] {
    return (async (name: string, action: () => unknown) => this.#desk.once(name, action)) as CallContext['once'];
  }

  get idempotencyKey(): string {
    return this.#desk.callId;
  }

  get progress(): CallContext['progress'] {
    return (progress, total, message) => this.#report(progress, total, message);
  }

  /** Progress has to increase: a report that does not is left out, and so is one that is no number. */
  #report(progress: number, total: number | undefined, message: string | undefined): void | Promise<void> {
    const token = this.exchange.meta[PROGRESS_TOKEN];
    if ((typeof token !== 'string' && typeof token !== 'number') || !(progress > this.#reached) || !Number.isFinite(progress)) return undefined;
    this.#reached = progress;
    const params: JsonObject = { progressToken: token, progress };
    if (total !== undefined && Number.isFinite(total)) params['total'] = total;
    if (message !== undefined) params['message'] = message;
    return this.exchange.notify('notifications/progress', params);
  }
}

/** The context of a tool, a prompt or a resource. `open` makes the desk when it is needed. */
export const createCallContext = (exchange: Exchange, open: () => Desk): CallContext => new AskingContext(exchange, open);

