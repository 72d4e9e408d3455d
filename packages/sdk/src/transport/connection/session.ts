import type { ClientCapabilities } from '../../protocol/capabilities.ts';
import type { Implementation } from '../../protocol/entities.ts';
import { abortError, ConnectionError, ProtocolError, TimeoutError } from '../../protocol/errors.ts';
import type { Principal } from '../../protocol/exchange.ts';
import type { JsonObject, RequestId, Response } from '../../protocol/jsonrpc.ts';
import type { Limits } from '../../protocol/limits.ts';
import type { LogLevel } from '../../protocol/log.ts';
import type { Revision } from '../../protocol/revision.ts';
import { notificationText, requestText } from '../../wire/text.ts';
import type { Caller } from './calls.ts';
import type { Outbox } from './outbox.ts';

/** What a legacy peer has agreed to, and what it still owes an answer to. The same for every transport. */
export interface Session {
  readonly revision: Revision;
  readonly capabilities: ClientCapabilities;
  readonly client: Implementation | undefined;
  /** The client said `notifications/initialized`. */
  readonly initialized: boolean;
  /** Log messages below it are not sent: from now on, by calls that are running, too. */
  level: LogLevel;
  /** What every call of the session knows of its client. */
  readonly caller: Caller;
  /** The lists whose changes the client was promised to hear of. */
  readonly lists: ReadonlySet<string>;
  /** URIs the client subscribed to. */
  readonly subscribed: Set<string>;
  markInitialized(): void;
  /** What the calls of a request know that came with this principal. */
  callerFor(principal: Principal | undefined): Caller;
  /**
   * Asks the client through the outbox of a call, in the words of its revision, and waits for its answer. Rejects with what the client
   * answered, in time and unless aborted.
   */
  request(method: string, params: JsonObject, signal: AbortSignal, outbox: Outbox): Promise<JsonObject>;
  /** Takes an answer of the client; tells whether anybody waits for it. */
  settle(response: Response): boolean;
  /** Rejects everything that still waits. */
  close(): void;
}

/** Ids for requests to the client: never the same twice. */
export type NextId = () => RequestId;

interface Waiting {
  /** Sends the request. */
  start(): void;
  resolve(result: JsonObject): void;
  reject(error: Error): void;
}

/** Begins a session. */
export const createSession = (
  agreed: Pick<Session, 'revision' | 'capabilities' | 'client' | 'lists'>,
  principal: Principal | undefined,
  nextId: NextId,
  limits: Limits,
): Session => {
  const waiting = new Map<RequestId, Waiting>();
  /** A server sends no requests before the client is ready (Lifecycle, Initialization). */
  const early = new Set<Waiting>();
  let initialized = false;
  let closed = false;

  const send: Session['request'] = (method, params, signal, outbox) =>
    new Promise((resolve, reject) => {
      if (closed) return reject(new ConnectionError('The client is gone'));
      if (signal.aborted) return reject(abortError(signal));
      let id: RequestId | undefined;
      const finish = (): void => {
        early.delete(waiter);
        if (id !== undefined) waiting.delete(id);
        clearTimeout(timer);
        signal.removeEventListener('abort', onAbort);
      };
      const waiter: Waiting = {
        start() {
          id = nextId();
          waiting.set(id, waiter);
          try {
            void outbox.send(requestText(id, method, params));
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
          void outbox.send(notificationText('notifications/cancelled', { requestId: id, reason: error.message }));
      };
      const onAbort = (): void => giveUp(abortError(signal));
      const timer = setTimeout(
        () => giveUp(new TimeoutError(`The client did not answer ${method} in time`)),
        limits.requestMaxMs,
      );
      signal.addEventListener('abort', onAbort);
      if (initialized) waiter.start();
      else early.add(waiter);
      return undefined;
    });

  const callerFor = (who: Principal | undefined): Caller => ({
    revision: agreed.revision,
    capabilities: agreed.capabilities,
    client: agreed.client,
    principal: who,
    get logLevel() {
      return session.level;
    },
    request: send,
  });
  const session: Session = {
    ...agreed,
    caller: callerFor(principal),
    callerFor: (who) => (who === principal ? session.caller : callerFor(who)),
    level: 'info',
    subscribed: new Set(),
    get initialized() {
      return initialized;
    },
    markInitialized() {
      initialized = true;
      for (const waiter of early) waiter.start();
      early.clear();
    },
    request: send,
    settle({ id, result, error }) {
      const waiter = id === undefined || id === null ? undefined : waiting.get(id);
      if (waiter === undefined) return false;
      if (error !== undefined) waiter.reject(new ProtocolError(error.code, error.message, error.data));
      else waiter.resolve(result!);
      return true;
    },
    close() {
      closed = true;
      for (const waiter of [...early, ...waiting.values()]) waiter.reject(new ConnectionError('The client is gone'));
    },
  };
  return session;
};
