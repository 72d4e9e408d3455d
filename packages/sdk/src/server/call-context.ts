import { type ClientAbility, declares } from '../protocol/capabilities.ts';
import { PROGRESS_TOKEN, type Meta } from '../protocol/meta.ts';
import type { Exchange, Principal } from '../protocol/exchange.ts';
import { type LogLevel, reaches } from '../protocol/log.ts';
import type { JsonObject } from '../protocol/jsonrpc.ts';
import type { Progress } from '../protocol/results.ts';
import type { Desk } from './ask/desk.ts';
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

  get session(): object | undefined {
    return this.exchange.session;
  }

  get _meta(): Meta {
    return this.exchange.meta;
  }

  get client(): ClientView {
    const { client, capabilities } = this.exchange;
    return (this.#client ??= {
      name: client?.name,
      version: client?.version,
      can: (ability: ClientAbility) => declares(capabilities, ability),
    });
  }

  get log(): Context['log'] {
    return (level: LogLevel, data: unknown, logger?: string) => {
      const threshold = this.exchange.logLevel;
      if (threshold === undefined || !reaches(level, threshold)) return undefined;
      const send = (said: unknown) => this.exchange.notify('notifications/message', { level, logger, data: said });
      try {
        return send(data ?? null);
      } catch (error) {
        // A call must not fail only because somebody listens to its log.
        return send(`(data that cannot be sent: ${error instanceof Error ? error.message : String(error)})`);
      }
    };
  }
}

/** The context of completions and list functions. */
export const createContext = (exchange: Exchange): Context => new RequestContext(exchange);

/** The context of a completion. */
export const createCompletionContext = (
  exchange: Exchange,
  resolved: Readonly<Record<string, string>>,
): CompletionContext => Object.assign(new RequestContext(exchange), { resolved });

/** Everything a handler can ask, and where it is recorded. */
export type Open = Pick<CallContext, 'ask' | 'elicit' | 'visit' | 'sample' | 'roots'> & { readonly desk: Desk };

/** How a call comes to its desk: it is made, and its code loaded, when the handler turns to it. */
export interface Asking {
  readonly callId: () => string;
  readonly open: () => Promise<Open>;
  /** Hears of every question and `once` that came to nothing. */
  readonly failed?: (error: unknown) => void;
}

/** Context of a tool call, a prompt or a read. */
class AskingContext extends RequestContext implements CallContext {
  readonly #asking: Asking;
  #reached = Number.NEGATIVE_INFINITY;

  constructor(exchange: Exchange, asking: Asking) {
    super(exchange);
    this.#asking = asking;
  }

  get ask(): CallContext['ask'] {
    return (name, message, schema) => this.#put(({ ask }) => ask(name, message, schema));
  }

  get elicit(): CallContext['elicit'] {
    return (name, message, schema) => this.#put(({ elicit }) => elicit(name, message, schema));
  }

  get visit(): CallContext['visit'] {
    return (name, message, url) => this.#put(({ visit }) => visit(name, message, url));
  }

  get sample(): CallContext['sample'] {
    return (name, params) => this.#put(({ sample }) => sample(name, params));
  }

  get roots(): CallContext['roots'] {
    return (name) => this.#put(({ roots }) => roots(name));
  }

  get once(): CallContext['once'] {
    return ((name: string, action: () => unknown) =>
      this.#put(({ desk }) => desk.once(name, action))) as CallContext['once'];
  }

  /** A handler that does not wait for its question must not bring the process down: the call itself reports what went wrong. */
  #put<T>(question: (open: Open) => Promise<T>): Promise<T> {
    const put = this.#asking.open().then(question);
    put.catch((error: unknown) => this.#asking.failed?.(error));
    return put;
  }

  get idempotencyKey(): string {
    return this.#asking.callId();
  }

  get progress(): CallContext['progress'] {
    return (report) => this.#report(report);
  }

  /** Progress has to increase: a report that does not is left out, and so is one that is no number. */
  #report({ progress, total, message }: Progress): void | Promise<void> {
    const token = this.exchange.meta[PROGRESS_TOKEN];
    if (
      (typeof token !== 'string' && typeof token !== 'number') ||
      !(progress > this.#reached) ||
      !Number.isFinite(progress)
    )
      return undefined;
    this.#reached = progress;
    const params: JsonObject = { progressToken: token, progress };
    if (total !== undefined && Number.isFinite(total)) params['total'] = total;
    if (message !== undefined) params['message'] = message;
    return this.exchange.notify('notifications/progress', params);
  }
}

/** The context of a tool, a prompt or a resource. */
export const createCallContext = (exchange: Exchange, asking: Asking): CallContext =>
  new AskingContext(exchange, asking);
