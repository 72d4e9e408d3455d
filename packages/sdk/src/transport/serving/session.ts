import type { ClientCapabilities } from '../../protocol/capabilities.ts';
import type { Implementation } from '../../protocol/entities.ts';
import { abortError, ConnectionError, ProtocolError, TimeoutError } from '../../protocol/errors.ts';
import type { Principal } from '../../protocol/exchange.ts';
import type { JsonObject, RequestId, Response } from '../../protocol/jsonrpc.ts';
import type { Limits } from '../../protocol/limits.ts';
import type { LogLevel } from '../../protocol/log.ts';
import type { Revision } from '../../protocol/revision.ts';
import { notificationText, requestText } from '../../wire/text.ts';
import type { Caller, MessageWriter } from './running-call.ts';

/** What a legacy client and the server agreed on. */
export interface Agreement {
  readonly revision: Revision;
  readonly capabilities: ClientCapabilities;
  readonly client: Implementation | undefined;
  /** The lists whose changes the client was promised to hear of. */
  readonly lists: ReadonlySet<string>;
}

/** Ids for requests to the client: never the same twice. */
export type NextId = () => RequestId;

interface Waiting {
  /** Sends the request. */
  start(): void;
  resolve(result: JsonObject): void;
  reject(error: Error): void;
}

const NO_URIS: ReadonlySet<string> = new Set();

/**
 * What a legacy peer has agreed to, and what it still owes an answer to. The same for every transport. There may be many that do
 * nothing: what most of them never need is not made.
 */
export class Session implements Agreement {
  readonly revision: Revision;
  readonly capabilities: ClientCapabilities;
  readonly client: Implementation | undefined;
  readonly lists: ReadonlySet<string>;
  /** Log messages below it are not sent: from now on, by calls that are running, too. */
  level: LogLevel = 'info';
  readonly #principal: Principal | undefined;
  readonly #nextId: NextId;
  readonly #limits: Limits;
  #caller: Caller | undefined;
  #subscribed: Set<string> | undefined;
  #waiting: Map<RequestId, Waiting> | undefined;
  /** A server sends no requests before the client is ready (Lifecycle, Initialization). */
  #early: Set<Waiting> | undefined;
  #initialized = false;
  #closed = false;

  constructor(
    { revision, capabilities, client, lists }: Agreement,
    principal: Principal | undefined,
    nextId: NextId,
    limits: Limits,
  ) {
    this.revision = revision;
    this.capabilities = capabilities;
    this.client = client;
    this.lists = lists;
    this.#principal = principal;
    this.#nextId = nextId;
    this.#limits = limits;
  }

  /** The client said `notifications/initialized`. */
  get initialized(): boolean {
    return this.#initialized;
  }

  markInitialized(): void {
    this.#initialized = true;
    for (const waiter of this.#early ?? []) waiter.start();
    this.#early = undefined;
  }

  /** URIs the client subscribed to. */
  get subscribed(): ReadonlySet<string> {
    return this.#subscribed ?? NO_URIS;
  }

  subscribe(uri: string): void {
    (this.#subscribed ??= new Set()).add(uri);
  }

  unsubscribe(uri: string): void {
    this.#subscribed?.delete(uri);
  }

  /** What every call of the session knows of its client. */
  get caller(): Caller {
    return (this.#caller ??= callerIn(this, this.#principal));
  }

  /** What the calls of a request know that came with this principal. */
  callerFor(principal: Principal | undefined): Caller {
    return principal === this.#principal ? this.caller : callerIn(this, principal);
  }

  /**
   * Asks the client through the writer of a call, in the words of its revision, and waits for its answer. Rejects with what the client
   * answered, in time and unless aborted.
   */
  request(method: string, params: JsonObject, signal: AbortSignal, writer: MessageWriter): Promise<JsonObject> {
    return new Promise((resolve, reject) => {
      if (this.#closed) return reject(new ConnectionError('The client is gone'));
      if (signal.aborted) return reject(abortError(signal));
      const waiting = (this.#waiting ??= new Map());
      let id: RequestId | undefined;
      const finish = (): void => {
        this.#early?.delete(waiter);
        if (id !== undefined) waiting.delete(id);
        clearTimeout(timer);
        signal.removeEventListener('abort', onAbort);
      };
      const waiter: Waiting = {
        start: () => {
          id = this.#nextId();
          waiting.set(id, waiter);
          try {
            void writer.send(requestText(id, method, params));
          } catch (error) {
            waiter.reject(error as Error);
          }
        },
        resolve: (result) => (finish(), resolve(result)),
        reject: (error) => (finish(), reject(error)),
      };
      const giveUp = (error: Error): void => {
        waiter.reject(error);
        if (id !== undefined)
          void writer.send(notificationText('notifications/cancelled', { requestId: id, reason: error.message }));
      };
      const onAbort = (): void => giveUp(abortError(signal));
      const timer = setTimeout(
        () => giveUp(new TimeoutError(`The client did not answer ${method} in time`)),
        this.#limits.requestMaxMs,
      );
      signal.addEventListener('abort', onAbort);
      if (this.#initialized) waiter.start();
      else (this.#early ??= new Set()).add(waiter);
      return undefined;
    });
  }

  /** Takes an answer of the client; tells whether anybody waits for it. */
  settle({ id, result, error }: Response): boolean {
    const waiter = id === undefined || id === null ? undefined : this.#waiting?.get(id);
    if (waiter === undefined) return false;
    if (error !== undefined) waiter.reject(new ProtocolError(error.code, error.message, error.data));
    else waiter.resolve(result!);
    return true;
  }

  /** Rejects everything that still waits. */
  close(): void {
    this.#closed = true;
    for (const waiter of [...(this.#early ?? []), ...(this.#waiting?.values() ?? [])])
      waiter.reject(new ConnectionError('The client is gone'));
  }
}

const callerIn = (session: Session, principal: Principal | undefined): Caller => ({
  revision: session.revision,
  capabilities: session.capabilities,
  client: session.client,
  principal,
  session,
  get logLevel() {
    return session.level;
  },
  request: (method, params, signal, writer) => session.request(method, params, signal, writer),
});
