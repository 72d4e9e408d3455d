import type { ClientCapabilities } from '../../protocol/capabilities.ts';
import type { Implementation } from '../../protocol/entities.ts';
import { abortError, ConnectionError, ProtocolError, TimeoutError, ToolError } from '../../protocol/errors.ts';
import type { JsonObject, RequestId, Response } from '../../protocol/jsonrpc.ts';
import type { Limits } from '../../protocol/limits.ts';
import type { LogLevel } from '../../protocol/log.ts';
import type { Revision } from '../../protocol/revision.ts';
import { encodeInputRequest } from '../../wire/encode.ts';
import { notificationText, requestText } from '../../wire/text.ts';

/** What a legacy peer has agreed to, and what it still owes an answer to. The same for every transport. */
export interface Session {
  readonly revision: Revision;
  readonly capabilities: ClientCapabilities;
  readonly client: Implementation | undefined;
  /** The client said `notifications/initialized`. */
  readonly initialized: boolean;
  /** Log messages below it are not sent. */
  level: LogLevel;
  /** URIs the client subscribed to. */
  readonly subscribed: Set<string>;
  markInitialized(): void;
  /** Asks the client and waits for its answer. Rejects with what the client answered, in time and unless aborted. */
  request(method: string, params: JsonObject, signal: AbortSignal): Promise<JsonObject>;
  /** Takes an answer of the client; tells whether anybody waits for it. */
  settle(response: Response): boolean;
  /** Rejects everything that still waits. */
  close(): void;
}

/** How a session reaches its client. */
export interface SessionLine {
  send(text: string): void | Promise<void>;
  /** Ids for requests to the client: never the same twice. */
  nextId(): RequestId;
}

interface Waiting {
  resolve(result: JsonObject): void;
  reject(error: Error): void;
}

/** Begins a session. */
export const createSession = (
  agreed: Pick<Session, 'revision' | 'capabilities' | 'client'>,
  line: SessionLine,
  limits: Limits,
): Session => {
  const waiting = new Map<RequestId, Waiting>();
  let initialized = false;
  let announce: (() => void) | undefined;
  let greeted: Promise<void> | undefined;
  let closed = false;

  // A server sends no requests before the client is ready (Lifecycle, Initialization).
  const ready = async (): Promise<void> => {
    if (initialized) return;
    greeted ??= new Promise((resolve) => (announce = resolve));
    await greeted;
  };

  const send = (method: string, params: JsonObject, signal: AbortSignal): Promise<JsonObject> =>
    new Promise((resolve, reject) => {
      if (closed) return reject(new ConnectionError('The client is gone'));
      if (signal.aborted) return reject(abortError(signal));
      const id = line.nextId();
      const giveUp = (error: Error): void => {
        finish();
        void line.send(notificationText('notifications/cancelled', { requestId: id, reason: error.message }));
        reject(error);
      };
      const onAbort = (): void => giveUp(abortError(signal));
      const timer = setTimeout(() => giveUp(new TimeoutError(`The client did not answer ${method} in time`)), limits.requestMaxMs);
      const finish = (): void => {
        waiting.delete(id);
        clearTimeout(timer);
        signal.removeEventListener('abort', onAbort);
      };
      signal.addEventListener('abort', onAbort);
      waiting.set(id, {
        resolve: (result) => (finish(), resolve(result)),
        reject: (error) => (finish(), reject(error)),
      });
      void line.send(requestText(id, method, params));
      return undefined;
    });

  return {
    ...agreed,
    level: 'info',
    subscribed: new Set(),
    get initialized() {
      return initialized;
    },
    markInitialized() {
      initialized = true;
      announce?.();
    },
    async request(method, params, signal) {
      const encoded = encodeInputRequest(method, params, agreed.revision);
      if ('unsupported' in encoded) throw new ToolError(encoded.unsupported);
      await ready();
      return send(method, encoded.params, signal);
    },
    settle({ id, result, error }) {
      const waiter = id === undefined || id === null ? undefined : waiting.get(id);
      if (waiter === undefined) return false;
      if (error !== undefined) waiter.reject(new ProtocolError(error.code, error.message, error.data));
      else waiter.resolve(result!);
      return true;
    },
    close() {
      closed = true;
      announce?.();
      for (const waiter of waiting.values()) waiter.reject(new ConnectionError('The client is gone'));
    },
  };
};
