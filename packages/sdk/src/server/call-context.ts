import { messageOf } from '../protocol/text.ts';
import { type ClientAbility, declares } from '../protocol/capabilities.ts';
import { PROGRESS_TOKEN, type Meta } from '../protocol/meta.ts';
import { METHOD_NAMES } from '../protocol/methods.ts';
import type { RequestContext, Principal } from '../protocol/request-context.ts';
import { type LogLevel, reaches } from '../protocol/log.ts';
import { isRequestId, type JsonObject } from '../protocol/jsonrpc.ts';
import type { Progress } from '../protocol/results.ts';
import type { Asker } from './ask/asker.ts';
import type { CallContext, ClientSession, ClientView, Context, State } from './context.ts';

/**
 * Headers that handlers do not see: a token that is passed on can be used by whoever receives it (Security Best Practices, "Token
 * Passthrough").
 */
const CREDENTIALS = /^(?:authorization|dpop|cookie)$/i;

const NO_STATE: State = Object.freeze({});

/** What handlers can use besides their input. Its members are created when they are first read: most handlers read few of them. */
export class BaseContext implements Context {
  protected readonly request: RequestContext;
  #client: ClientView | undefined;

  constructor(request: RequestContext) {
    this.request = request;
  }

  get signal(): AbortSignal {
    return this.request.signal;
  }

  get principal(): Principal | undefined {
    return this.request.principal;
  }

  get session(): ClientSession | undefined {
    return this.request.session as ClientSession | undefined;
  }

  get _meta(): Meta {
    return this.request.meta;
  }

  get state(): State {
    return (this.request.state as State | undefined) ?? NO_STATE;
  }

  get client(): ClientView {
    const { client, capabilities } = this.request;
    return (this.#client ??= {
      name: client?.name,
      version: client?.version,
      can: (ability: ClientAbility) => declares(capabilities, ability),
      capabilities,
    });
  }

  get header(): Context['header'] {
    return (name) => (CREDENTIALS.test(name) ? undefined : (this.request.header?.(name.toLowerCase()) ?? undefined));
  }

  get notify(): Context['notify'] {
    return (method, params = {}) => {
      if (METHOD_NAMES.has(method)) throw new TypeError(`${method} belongs to the protocol`);
      return this.request.notify(method, params);
    };
  }

  get log(): Context['log'] {
    return (level: LogLevel, data: unknown, logger?: string) => {
      const threshold = this.request.logLevel;
      if (threshold === undefined || !reaches(level, threshold)) return undefined;
      const send = (value: unknown) => this.request.notify('notifications/message', { level, logger, data: value });
      try {
        return send(data ?? null);
      } catch (error) {
        // Logging must not make a call fail.
        return send(`(data that cannot be sent: ${messageOf(error)})`);
      }
    };
  }
}

/** The context for completions and list functions. */
export function createContext(request: RequestContext): Context {
  return new BaseContext(request);
}

/** The question methods of a handler, and the asker that records them. */
export type CallMethods = Pick<CallContext, 'ask' | 'elicit' | 'visit' | 'sample' | 'roots'> & {
  readonly asker: Asker;
};

/** Gives a call its asker, which is created, and its code loaded, when the handler first asks. */
export interface AskAccess {
  readonly callId: () => string;
  readonly open: () => Promise<CallMethods>;
  /** Called for every question or `once` that failed. */
  readonly failed?: (error: unknown) => void;
}

/** Context of a tool call, a prompt or a read. */
class AskingContext extends BaseContext implements CallContext {
  readonly #asking: AskAccess;
  #lastProgress = Number.NEGATIVE_INFINITY;
  #progress: CallContext['progress'] | undefined;

  constructor(request: RequestContext, asking: AskAccess) {
    super(request);
    this.#asking = asking;
  }

  get ask(): CallContext['ask'] {
    return (name, message, schema) => this.#ask(({ ask }) => ask(name, message, schema));
  }

  get elicit(): CallContext['elicit'] {
    return (name, message, schema) => this.#ask(({ elicit }) => elicit(name, message, schema));
  }

  get visit(): CallContext['visit'] {
    return (name, message, url) => this.#ask(({ visit }) => visit(name, message, url));
  }

  get sample(): CallContext['sample'] {
    return (name, params) => this.#ask(({ sample }) => sample(name, params));
  }

  get roots(): CallContext['roots'] {
    return (name) => this.#ask(({ roots }) => roots(name));
  }

  get once(): CallContext['once'] {
    return ((name: string, action: () => unknown) =>
      this.#ask(({ asker }) => asker.once(name, action))) as CallContext['once'];
  }

  /** A handler may not await its question. A rejection must not end the process then: the call itself reports it. */
  #ask<T>(question: (methods: CallMethods) => Promise<T>): Promise<T> {
    const put = this.#asking.open().then(question);
    put.catch((error: unknown) => this.#asking.failed?.(error));
    return put;
  }

  get idempotencyKey(): string {
    return this.#asking.callId();
  }

  get progress(): CallContext['progress'] {
    return (this.#progress ??= (report) => this.#reportProgress(report));
  }

  /** Progress has to increase: reports that do not increase it, or are not numbers, are left out. */
  #reportProgress({ progress, total, message }: Progress): void | Promise<void> {
    this.request.onProgress?.({ progress, total, message });
    const token = this.request.meta[PROGRESS_TOKEN];
    // A token is a string or an integer, as an id is: a larger number was changed when it was parsed.
    if (!isRequestId(token) || !(progress > this.#lastProgress) || !Number.isFinite(progress)) return undefined;
    this.#lastProgress = progress;
    const params: JsonObject = { progressToken: token, progress };
    if (total !== undefined && Number.isFinite(total)) params['total'] = total;
    if (message !== undefined) params['message'] = message;
    return this.request.notify('notifications/progress', params);
  }
}

/** The context of a tool, a prompt or a resource. */
export function createCallContext(request: RequestContext, asking: AskAccess): CallContext {
  return new AskingContext(request, asking);
}

/** Code that only calls with questions need. */
export function loadAsking() {
  return import('./ask/asking.ts');
}

/** The questions of a handler that waits for each answer. */
export async function openWaiting(request: RequestContext, callId: () => string): Promise<CallMethods> {
  const { createWaitingAsker, createQuestionMethods } = await loadAsking();
  const asker = createWaitingAsker(request);
  return { asker, ...createQuestionMethods(asker, request, callId) };
}

/** The context of a session. Each question stands alone: one with the name of an earlier one is asked again. */
export function createSessionContext(request: RequestContext): ClientSession {
  const callId = () => crypto.randomUUID();
  return new AskingContext(request, { callId, open: () => openWaiting(request, callId) });
}
