import { abortError } from '../../protocol/abort-error.ts';
import { ConnectionError, ProtocolError, TimeoutError } from '../../protocol/errors.ts';
import type { JsonObject, RequestId, Response } from '../../protocol/jsonrpc.ts';
import { requestText } from '../../wire/request-text.ts';
import { notificationText } from '../../wire/text.ts';
import type { MessageWriter } from './server-call.ts';

/** Ids for requests to the client: never the same twice. */
export type NextId = () => RequestId;

interface WaitingRequest {
  /** Sends the request. */
  start(): void;
  resolve(result: JsonObject): void;
  reject(error: Error): void;
}

/** The requests of a server to one legacy client, until they are answered. */
export class ClientRequests {
  readonly #nextId: NextId;
  readonly #maxMs: number;
  readonly #waiting = new Map<RequestId, WaitingRequest>();
  /** A server sends no requests before the client is ready (Lifecycle, "Initialization"). Undefined when it is. */
  #early: Set<WaitingRequest> | undefined;
  #closed = false;

  /** `maxMs`: how long the client may take to answer. `ready`: it has sent `notifications/initialized`. */
  constructor(nextId: NextId, maxMs: number, ready: boolean) {
    this.#nextId = nextId;
    this.#maxMs = maxMs;
    this.#early = ready ? undefined : new Set();
  }

  /** Is any request waiting? */
  get any(): boolean {
    return this.#waiting.size > 0 || (this.#early?.size ?? 0) > 0;
  }

  /** The client is ready: sends the requests that waited for that. */
  start(): void {
    const early = this.#early;
    this.#early = undefined;
    for (const waiting of early ?? []) waiting.start();
  }

  /** Sends a request, and waits for the response. Rejects with the error of the client, a `TimeoutError`, or an `AbortError`. */
  request(method: string, params: JsonObject, signal: AbortSignal, writer: MessageWriter): Promise<JsonObject> {
    return new Promise((resolve, reject) => {
      if (this.#closed) return reject(new ConnectionError('disconnected', 'The client is gone'));
      if (signal.aborted) return reject(abortError(signal));
      let id: RequestId | undefined;
      const finish = (): void => {
        this.#early?.delete(waiting);
        if (id !== undefined) this.#waiting.delete(id);
        clearTimeout(timer);
        signal.removeEventListener('abort', onAbort);
      };
      const waiting: WaitingRequest = {
        start: () => {
          id = this.#nextId();
          this.#waiting.set(id, waiting);
          try {
            void writer.send(requestText(id, method, params));
          } catch (error) {
            waiting.reject(error as Error);
          }
        },
        resolve: (result) => (finish(), resolve(result)),
        reject: (error) => (finish(), reject(error)),
      };
      const giveUp = (error: Error): void => {
        waiting.reject(error);
        if (id !== undefined)
          void writer.send(notificationText('notifications/cancelled', { requestId: id, reason: error.message }));
      };
      const onAbort = (): void => giveUp(abortError(signal));
      const timer = setTimeout(
        () => giveUp(new TimeoutError('request-timeout', `The client did not answer ${method} in time`)),
        this.#maxMs,
      );
      signal.addEventListener('abort', onAbort);
      if (this.#early === undefined) waiting.start();
      else this.#early.add(waiting);
      return undefined;
    });
  }

  /** Settles the request that a response belongs to; returns whether there is one. */
  settle({ id, result, error }: Response): boolean {
    const waiting = id === undefined || id === null ? undefined : this.#waiting.get(id);
    if (waiting === undefined) return false;
    if (error !== undefined) waiting.reject(new ProtocolError(error.code, error.message, error.data));
    else waiting.resolve(result!);
    return true;
  }

  /** Rejects all waiting and all later requests. */
  close(): void {
    this.#closed = true;
    for (const waiting of [...(this.#early ?? []), ...this.#waiting.values()])
      waiting.reject(new ConnectionError('disconnected', 'The client is gone'));
  }
}
