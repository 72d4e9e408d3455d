import { onAbort } from '../protocol/on-abort.ts';
import { abortError } from '../protocol/abort-error.ts';
import { ConnectionError, PeerError, ProtocolError, TimeoutError } from '../protocol/errors.ts';
import {
  type ErrorObject,
  type JsonObject,
  type Notification,
  type Request,
  type RequestId,
  type Response,
  classifyMessage,
} from '../protocol/jsonrpc.ts';
import { IdTable } from '../protocol/id-table.ts';
import type { Limits } from '../protocol/limits.ts';
import { shown } from '../protocol/text.ts';
import type { Clock } from './clock.ts';
import { createDeadlines, type Deadlines, type DeadlineEntry } from './deadline.ts';
import type { ClientTransport, PerRequest } from './client-transport.ts';
import type { Progress } from '../protocol/results.ts';
import { readProgress } from './read-progress.ts';
import type { Report } from './report.ts';
import type { SendRaw } from './stray-answer.ts';
import type { EncodedMeta } from '../wire/encoded-meta.ts';

/** Options of one request. */
export interface RequestOptions {
  /** How long to wait for the response or for progress, in milliseconds. `Infinity`: no limit. */
  readonly timeout: number;
  /** The time on the client's clock at which the request is given up in any case. */
  readonly deadline: number;
  readonly signal?: AbortSignal | undefined;
  readonly onProgress?: ((progress: Progress) => void) | undefined;
  /** `false`: no cancellation is sent. Default `true`. `initialize` must not be cancelled. */
  readonly cancellable?: boolean;
}

/** Handles messages other than responses, in the order of arrival and before later responses settle. */
export interface Inbound {
  /** May the peer send batches? */
  readonly batch: boolean;
  request(message: Request): void;
  notification(message: Notification): void;
  /** An error response without an id: the peer could not read a message. */
  unreadable(error: ErrorObject): void;
  /** Sends a request in the negotiated revision. */
  readonly raw?: SendRaw;
  /** Passes on messages that arrived too early and were stored. */
  handOver?(inbound: Inbound): void;
}

interface Pending extends DeadlineEntry {
  readonly id: RequestId;
  readonly method: string;
  readonly options: RequestOptions;
  readonly resolve: (result: JsonObject) => void;
  readonly reject: (error: Error) => void;
  /** It no longer rejects when the signal of its options aborts. */
  readonly stopListening: () => void;
  progress: number;
}

const IGNORE_ALL: Inbound = { batch: false, request() {}, notification() {}, unreadable() {} };

function asConnectionError(error: unknown): ConnectionError {
  if (error instanceof ConnectionError) return error;
  if (error === undefined) return new ConnectionError('disconnected', 'The server closed the connection');
  if (!(error instanceof Error))
    return new ConnectionError('disconnected', `The connection broke: ${String(error)}`, { cause: error });
  // Recognised by name, because the class is loaded only for commands.
  const code = error.name === 'SpawnError' ? 'unreachable' : 'disconnected';
  return new ConnectionError(code, error.message, { cause: error });
}

/** A copy of an error, with its own stack. */
export function copyError(error: ConnectionError): ConnectionError {
  return new ConnectionError(error.code, error.message, { cause: error.cause ?? error });
}

function reasonOf(signal: AbortSignal): string {
  const reason: unknown = signal.reason;
  if (reason instanceof Error) return reason.name === 'AbortError' ? 'aborted' : shown(reason.message);
  return typeof reason === 'string' ? shown(reason) : 'aborted';
}

/** JSON-RPC over a transport: matches responses to requests. Each request settles exactly once. */
export class RpcConnection {
  /** Handles messages other than responses. */
  inbound: Inbound = IGNORE_ALL;
  /** How often something has arrived. */
  inputs = 0;
  /** Called when the first input arrives. */
  onInput: (() => void) | undefined;
  /** Resolves when the transport has ended, with the reason. */
  readonly ended: Promise<ConnectionError>;

  readonly #transport: ClientTransport;
  readonly #clock: Clock;
  readonly #report: Report;
  readonly #depth: number;
  readonly #table = new IdTable<Pending>();
  readonly #deadlines: Deadlines;
  /** Request ids that are not from `nextId`: those of probes. */
  readonly #otherIds = new Set<RequestId>();
  #next = 1;
  #pauses = 0;
  #endError: ConnectionError | undefined;
  /** Did sending a request fail? This may be noticed before the transport reports its end. */
  #sendFailed = false;
  /** The last input that was not a message, and the next request id at that time: a missing response to an earlier request may be explained by it. */
  #lastUnreadable = { text: '', next: 0 };
  #resolveEnded!: (error: ConnectionError) => void;

  constructor(transport: ClientTransport, clock: Clock, report: Report, limits: Limits) {
    this.#transport = transport;
    this.#clock = clock;
    this.#report = report;
    this.#depth = limits.depth;
    this.#deadlines = createDeadlines(clock, this.#table, (pending) => this.#expire(pending));
    this.ended = new Promise((resolve) => {
      this.#resolveEnded = resolve;
    });
    transport.start({
      value: (value, deep) => this.#onValue(value, deep),
      problem: (problem, text) => this.#onUnreadable(problem, text),
      failed: (id, error) => this.fail(id, error),
      pauseTimeouts: () => this.pauseTimeouts(),
      end: (error) => this.#finish(asConnectionError(error)),
    });
  }

  /** An id that has not been used on this connection. */
  nextId(): number {
    return this.#next++;
  }

  /** Has the transport ended, or is it unable to send? */
  get broken(): boolean {
    return this.#endError !== undefined || this.#sendFailed;
  }

  /** Set if each request is sent separately. */
  get perRequest(): PerRequest | undefined {
    return this.#transport.perRequest;
  }

  /** Is a user being asked something, so that request timeouts are paused? */
  get isPaused(): boolean {
    return this.#pauses > 0;
  }

  /** Number of requests without a response. */
  get pendingCount(): number {
    return this.#table.size;
  }

  /**
   * Sends a request. `meta`: its `_meta`, if its params do not contain it. Rejects with `ProtocolError` (the peer's error), `AbortError`,
   * `TimeoutError`, `PeerError` or `ConnectionError`.
   */
  request(
    id: RequestId,
    method: string,
    params: JsonObject | undefined,
    options: RequestOptions,
    meta?: EncodedMeta,
  ): Promise<JsonObject> {
    return new Promise((resolve, reject) => {
      const { signal } = options;
      if (this.#endError !== undefined) return reject(copyError(this.#endError));
      if (signal?.aborted === true) return reject(abortError(signal));
      const due = Math.min(options.deadline, this.#clock.now() + options.timeout);
      const stopListening = onAbort(signal, () => this.#abandon(pending, abortError(signal!), reasonOf(signal!)));
      const pending: Pending = { id, method, options, resolve, reject, stopListening, due, progress: -Infinity };
      this.#table.add(pending);
      if (typeof id === 'string') this.#otherIds.add(id);
      if (due !== Infinity) this.#deadlines.added(due);
      try {
        const sent = this.#transport.send({ jsonrpc: '2.0', id, method, params: params as JsonObject }, meta);
        sent?.catch((error: unknown) => {
          this.#sendFailed = true;
          this.#failPending(pending, asConnectionError(error));
        });
      } catch (error) {
        this.#failPending(pending, error as Error);
      }
    });
  }

  /** Rejects a request, unless it was settled meanwhile. */
  #failPending(pending: Pending, error: Error): void {
    if (this.#table.get(pending.id) === pending) this.fail(pending.id, error);
  }

  /** Sends a notification. Rejects if it cannot be sent. */
  async notify(method: string, params?: JsonObject): Promise<void> {
    if (this.#endError !== undefined) throw copyError(this.#endError);
    await this.#transport.send(params === undefined ? { jsonrpc: '2.0', method } : { jsonrpc: '2.0', method, params });
  }

  /** Sends a response to a request of the peer. */
  respond(id: RequestId, outcome: { readonly result: JsonObject } | { readonly error: ErrorObject }): void {
    if (this.#endError !== undefined) return;
    this.#sendUnawaited('answer-not-sent', 'A response to the server could not be sent', () =>
      this.#transport.send({ jsonrpc: '2.0', id, ...outcome }),
    );
  }

  /** Rejects a request that will get no response. */
  fail(id: RequestId, error: Error): void {
    const pending = this.#table.get(id);
    if (pending === undefined) return;
    this.#remove(pending);
    pending.reject(error);
  }

  /** Pauses request timeouts while a user is being asked something. Returns the function that ends the pause. */
  pauseTimeouts(): () => void {
    let paused = true;
    this.#pauses++;
    return () => {
      if (!paused) return;
      paused = false;
      this.#pauses--;
      for (const pending of this.#table.values()) this.#restartTimeout(pending);
    };
  }

  /** Ends the connection because it does not work any more. Pending requests reject. */
  end(error: ConnectionError): void {
    this.#finish(error);
  }

  /** Closes the transport. Pending requests reject. */
  async close(reason = 'The connection was closed'): Promise<void> {
    this.#finish(new ConnectionError('closed', reason));
    await this.#transport.close();
  }

  #onValue(value: unknown, deep: boolean): void {
    this.#markInput();
    if (!Array.isArray(value) || !this.inbound.batch) return this.#dispatch(value, deep);
    for (const part of value) this.#dispatch(part, deep);
  }

  #onUnreadable(problem: string, text?: string): void {
    this.#markInput();
    this.#lastUnreadable = { text: problem, next: this.#next };
    this.#report('warn', 'junk', `Input that is not a message is ignored: ${problem}`);
    if (text !== undefined && this.#table.size > 0) void this.#failAnswered(text, problem);
  }

  /** Rejects the request that an unreadable text answers, because no other answer will follow. */
  async #failAnswered(text: string, problem: string): Promise<void> {
    // Loaded on demand: hardly any server needs it.
    const { answeredId } = await import('../wire/answered-id.ts');
    const id = answeredId(text);
    const method = id === undefined ? undefined : this.#table.get(id)?.method;
    if (method === undefined) return;
    this.fail(id!, new PeerError('invalid-answer', `The answer to ${method} cannot be read: ${problem}`));
  }

  #markInput(): void {
    if (this.inputs++ === 0) this.onInput?.();
  }

  #dispatch(value: unknown, deep: boolean): void {
    const classified = classifyMessage(value);
    if (classified.kind === 'response') return this.#settle(classified.message, deep);
    if (classified.kind === 'invalid') return this.#rejectInvalid(value, classified.reason, classified.id);
    if (deep) return this.#report('warn', 'invalid-message', `A ${classified.kind} is nested too deeply and ignored`);
    if (classified.kind === 'request') return this.inbound.request(classified.message);
    if (classified.message.method === 'notifications/progress') return this.#onProgress(classified.message.params);
    this.inbound.notification(classified.message);
  }

  #settle(answer: Response, deep: boolean): void {
    const { id, result, error } = answer;
    if (id == null) return this.inbound.unreadable(error!);
    const pending = this.#table.get(id);
    if (pending === undefined) return void this.#takeStray(answer);
    this.#remove(pending);
    if (error !== undefined) return pending.reject(new ProtocolError(error.code, error.message, error.data));
    if (!deep) return pending.resolve(result!);
    this.#withoutDeepEntries(pending.method, result!).then(pending.resolve, pending.reject);
  }

  /** Removes entries that are nested too deeply from a result. Rejects with a `PeerError` if the rest is too deep as well. */
  async #withoutDeepEntries(method: string, result: JsonObject): Promise<JsonObject> {
    // Loaded on demand: hardly any server needs it.
    const { withoutDeepEntries } = await import('./deep-entries.ts');
    const usable = withoutDeepEntries(method, result, this.#depth, (count) =>
      this.#report('warn', 'bad-entry', `${count} entries of ${method} are nested too deeply and left out`),
    );
    if (usable !== undefined) return usable;
    throw new PeerError('invalid-answer', `The answer to ${method} is nested deeper than ${this.#depth} levels`);
  }

  /** Handles an answer to a request that is not pending. */
  async #takeStray(answer: Response): Promise<void> {
    const { takeStray } = await import('./stray-answer.ts');
    const waiting = { table: this.#table, fail: (id: RequestId, error: Error) => this.fail(id, error) };
    takeStray(answer, this.#otherIds, this.#next, this.inbound.raw, this.#report, waiting);
  }

  /** Reports an invalid message. If it was meant as the response to a request, that request fails: no other response will follow. */
  #rejectInvalid(value: unknown, reason: string, id: RequestId | undefined): void {
    this.#report('warn', 'invalid-message', `A message of the server is ignored: ${reason}`);
    const pending = id === undefined || (value as JsonObject)['method'] !== undefined ? undefined : this.#table.get(id);
    if (pending === undefined) return;
    this.fail(id!, new PeerError('invalid-answer', `The answer to ${pending.method} is invalid: ${reason}`));
  }

  #onProgress(params: JsonObject | undefined): void {
    const read = readProgress(params);
    const pending = read === undefined ? undefined : this.#table.get(read.token);
    if (read === undefined) return this.#report('warn', 'bad-progress', 'Progress without token or number is ignored');
    if (pending?.options.onProgress === undefined) {
      return this.#report('info', 'stray-progress', 'Progress that no request asked for is ignored');
    }
    if (!(read.report.progress > pending.progress)) {
      return this.#report('warn', 'bad-progress', `Progress of ${pending.method} that does not increase is ignored`);
    }
    pending.progress = read.report.progress;
    this.#restartTimeout(pending);
    try {
      pending.options.onProgress(read.report);
    } catch (error) {
      this.#report('error', 'handler-failed', 'onProgress threw an error', error);
    }
  }

  /** Restarts the timeout after progress or a pause. */
  #restartTimeout(pending: Pending): void {
    pending.due = Math.min(pending.options.deadline, this.#clock.now() + pending.options.timeout);
  }

  #expire(pending: Pending): void {
    const { id, method, options } = pending;
    const isFinal = this.#clock.now() >= options.deadline;
    if (this.#pauses > 0 && !isFinal) return this.#restartTimeout(pending);
    const text = isFinal
      ? `No answer to ${method} within its total time limit`
      : `No answer to ${method} for ${options.timeout} ms`;
    const hint =
      (id as number) < this.#lastUnreadable.next ? `. Input was lost meanwhile: ${this.#lastUnreadable.text}` : '';
    this.#abandon(pending, new TimeoutError('request-timeout', text + hint), 'timeout');
  }

  /** Rejects a request and cancels it. A late response is ignored. */
  #abandon(pending: Pending, error: Error, reason: string): void {
    this.#remove(pending);
    pending.reject(error);
    if (pending.options.cancellable === false || this.#endError !== undefined) return;
    this.#sendUnawaited('cancel-not-sent', `The cancellation of ${pending.method} could not be sent`, () =>
      this.#transport.cancel(pending.id, reason),
    );
  }

  #remove(pending: Pending): void {
    this.#table.delete(pending);
    pending.stopListening();
    if (this.#table.size === 0) this.#deadlines.emptied();
  }

  /** Sends something that no caller waits for, and reports a failure. */
  #sendUnawaited(event: string, message: string, send: () => void | Promise<void>): void {
    const failed = (error: unknown): void => this.#report('warn', event, message, error);
    try {
      send()?.catch(failed);
    } catch (error) {
      failed(error);
    }
  }

  #finish(error: ConnectionError): void {
    if (this.#endError !== undefined) return;
    this.#endError = error;
    this.#deadlines.stop();
    for (const { id, method } of this.#table.values()) {
      this.fail(
        id,
        new ConnectionError(error.code, `${method} was not answered: ${error.message}`, {
          cause: error.cause ?? error,
          processed: 'unknown',
        }),
      );
    }
    this.#resolveEnded(error);
  }
}
