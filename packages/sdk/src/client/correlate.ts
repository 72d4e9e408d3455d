import { abortError, ConnectionError, PeerError, ProtocolError, TimeoutError } from '../protocol/errors.ts';
import {
  type ErrorObject,
  type JsonObject,
  type Notification,
  type Request,
  type RequestId,
  type Response,
  sortMessage,
} from '../protocol/jsonrpc.ts';
import type { Limits } from '../protocol/limits.ts';
import { shown } from '../protocol/text.ts';
import type { Clock } from './clock.ts';
import { createDeadlines, type Deadlines, type Timed } from './deadline.ts';
import type { Link, OneByOne } from './link.ts';
import type { Progress } from '../protocol/results.ts';
import { readProgress } from './progress.ts';
import type { Report } from './report.ts';
import { shallowPart } from './shallow.ts';

/** The conditions of one request. */
export interface Terms {
  /** Milliseconds without news until the request is given up. `Infinity`: none. */
  readonly timeout: number;
  /** When the request is given up at all, on the clock of the client. */
  readonly last: number;
  readonly signal?: AbortSignal | undefined;
  readonly onProgress?: ((progress: Progress) => void) | undefined;
  /** `initialize` is never cancelled on the wire. */
  readonly cancellable?: boolean;
}

/** Who takes what is no answer. Called in the order of arrival, and before the answers that follow. */
export interface Inbound {
  /** May the peer send several messages in an array? */
  readonly batch: boolean;
  request(message: Request): void;
  notification(message: Notification): void;
  /** An error that names no request: the peer could not read something. */
  unreadable(error: ErrorObject): void;
  /** Hands over what it kept because it came too early. */
  handOver?(inbound: Inbound): void;
}

interface Pending extends Timed {
  readonly method: string;
  readonly terms: Terms;
  readonly resolve: (result: JsonObject) => void;
  readonly reject: (error: Error) => void;
  readonly abort: (() => void) | undefined;
  progress: number;
}

const IGNORE: Inbound = { batch: false, request() {}, notification() {}, unreadable() {} };

const asConnectionError = (error: unknown): ConnectionError => {
  if (error instanceof ConnectionError) return error;
  if (error === undefined) return new ConnectionError('The server closed the connection');
  const message = error instanceof Error ? error.message : `The connection broke: ${String(error)}`;
  return new ConnectionError(message, { cause: error });
};

/** The same error, with a stack of its own. */
export const again = (error: ConnectionError): ConnectionError =>
  new ConnectionError(error.message, { cause: error.cause ?? error });

const reasonOf = (signal: AbortSignal): string => {
  const reason: unknown = signal.reason;
  if (reason instanceof Error) return reason.name === 'AbortError' ? 'aborted' : shown(reason.message);
  return typeof reason === 'string' ? shown(reason) : 'aborted';
};

/** The requests of one connection and their answers. Each settles exactly once. */
export class Calls {
  /** Who takes what is no answer. */
  inbound: Inbound = IGNORE;
  /** Has anything arrived yet? */
  heard = false;
  /** Is called at the first sign of life. */
  onHeard: (() => void) | undefined;
  /** Resolves when the link is gone, with what broke it. */
  readonly ended: Promise<ConnectionError>;

  readonly #link: Link;
  readonly #clock: Clock;
  readonly #report: Report;
  readonly #depth: number;
  readonly #table = new Map<RequestId, Pending>();
  readonly #deadlines: Deadlines;
  #next = 1;
  #held = 0;
  #over: ConnectionError | undefined;
  /** Could a request not be sent? The end of a link may be seen only after that. */
  #refused = false;
  /** The last input that was no message, and the id of the first request after it: why an answer may be missing. */
  #lost = { text: '', next: 0 };
  #tellEnd!: (error: ConnectionError) => void;

  constructor(link: Link, clock: Clock, report: Report, limits: Limits) {
    this.#link = link;
    this.#clock = clock;
    this.#report = report;
    this.#depth = limits.depth;
    this.#deadlines = createDeadlines(clock, this.#table, (id, pending) => this.#expire(id, pending));
    this.ended = new Promise((resolve) => {
      this.#tellEnd = resolve;
    });
    link.start({
      value: (value, deep) => this.#arrive(value, deep),
      problem: (text) => this.#junk(text),
      failed: (id, error) => this.fail(id, error),
      hold: () => this.hold(),
      end: (error) => this.#finish(asConnectionError(error)),
    });
  }

  /** An id that was never used on this connection. */
  nextId(): number {
    return this.#next++;
  }

  /** Is the link gone, or does it take no more? */
  get broken(): boolean {
    return this.#over !== undefined || this.#refused;
  }

  /** Set where requests travel one by one. */
  get oneByOne(): OneByOne | undefined {
    return this.#link.oneByOne;
  }

  /** Is a person being asked something? */
  get held(): boolean {
    return this.#held > 0;
  }

  /** How many requests wait for an answer. */
  get waiting(): number {
    return this.#table.size;
  }

  /** Rejects with `ProtocolError` (the peer's error), `AbortError`, `TimeoutError`, `PeerError` or `ConnectionError`. */
  request(id: RequestId, method: string, params: JsonObject | undefined, terms: Terms): Promise<JsonObject> {
    return new Promise((resolve, reject) => {
      const { signal } = terms;
      if (this.#over !== undefined) return reject(again(this.#over));
      if (signal?.aborted === true) return reject(abortError(signal));
      const abort =
        signal === undefined ? undefined : (): void => this.#abandon(id, pending, abortError(signal), reasonOf(signal));
      const due = Math.min(terms.last, this.#clock.now() + terms.timeout);
      const pending: Pending = { method, terms, resolve, reject, abort, due, progress: -Infinity };
      this.#table.set(id, pending);
      if (abort !== undefined) signal!.addEventListener('abort', abort, { once: true });
      if (due !== Infinity) this.#deadlines.added(due);
      this.#send(id, pending, params);
    });
  }

  #send(id: RequestId, pending: Pending, params: JsonObject | undefined): void {
    const failed = (error: Error): void => {
      if (this.#table.get(id) === pending) this.fail(id, error);
    };
    try {
      const sent = this.#link.send({ jsonrpc: '2.0', id, method: pending.method, params: params as JsonObject });
      sent?.catch((error: unknown) => {
        this.#refused = true;
        failed(asConnectionError(error));
      });
    } catch (error) {
      failed(error as Error);
    }
  }

  /** Sends a notification. Rejects if it cannot be sent. */
  async notify(method: string, params?: JsonObject): Promise<void> {
    if (this.#over !== undefined) throw again(this.#over);
    await this.#link.send(params === undefined ? { jsonrpc: '2.0', method } : { jsonrpc: '2.0', method, params });
  }

  /** Answers a request of the peer. */
  respond(id: RequestId, outcome: { readonly result: JsonObject } | { readonly error: ErrorObject }): void {
    if (this.#over !== undefined) return;
    this.#attempt('answer-not-sent', 'An answer to the server could not be sent', () =>
      this.#link.send({ jsonrpc: '2.0', id, ...outcome }),
    );
  }

  /** Settles a request without an answer, because none will come. */
  fail(id: RequestId, error: Error): void {
    const pending = this.#table.get(id);
    if (pending === undefined) return;
    this.#remove(id, pending);
    pending.reject(error);
  }

  /** While a person is asked something, time without news does not count. Returns the release. */
  hold(): () => void {
    let holding = true;
    this.#held++;
    return () => {
      if (!holding) return;
      holding = false;
      this.#held--;
      for (const pending of this.#table.values()) this.#later(pending);
    };
  }

  /** Closes the link; what waits rejects. */
  async close(reason = 'The connection was closed'): Promise<void> {
    this.#finish(new ConnectionError(reason));
    await this.#link.close();
  }

  #arrive(value: unknown, deep: boolean): void {
    this.#hear();
    if (!Array.isArray(value) || !this.inbound.batch) return this.#take(value, deep);
    for (const part of value) this.#take(part, deep);
  }

  #junk(text: string): void {
    this.#hear();
    this.#lost = { text, next: this.#next };
    this.#report('warn', 'junk', `Input of the server that is no message is ignored: ${text}`);
  }

  #hear(): void {
    if (this.heard) return;
    this.heard = true;
    this.onHeard?.();
  }

  #take(value: unknown, deep: boolean): void {
    const sorted = sortMessage(value);
    if (sorted.kind === 'response') return this.#settle(sorted.message, deep);
    if (sorted.kind === 'invalid') return this.#refuse(value, sorted.reason, sorted.id);
    if (deep) return this.#report('warn', 'invalid-message', `A ${sorted.kind} is nested too deep and ignored`);
    if (sorted.kind === 'request') return this.inbound.request(sorted.message);
    if (sorted.message.method === 'notifications/progress') return this.#progressed(sorted.message.params);
    this.inbound.notification(sorted.message);
  }

  #settle({ id, result, error }: Response, deep: boolean): void {
    if (id == null) return this.inbound.unreadable(error!);
    const pending = this.#table.get(id);
    if (pending === undefined) return this.#stray(id);
    this.#remove(id, pending);
    if (error !== undefined) return pending.reject(new ProtocolError(error.code, error.message, error.data));
    const usable = deep ? this.#shallow(pending.method, result!) : result;
    if (usable !== undefined) return pending.resolve(usable);
    pending.reject(new PeerError(`The answer to ${pending.method} is nested deeper than ${this.#depth} levels`));
  }

  #shallow(method: string, result: JsonObject): JsonObject | undefined {
    return shallowPart(method, result, this.#depth, (count) =>
      this.#report('warn', 'bad-entry', `${count} entries of ${method} are nested too deep and left out`),
    );
  }

  #stray(id: RequestId): void {
    const ours = Number.isInteger(id) && (id as number) > 0 && (id as number) < this.#next;
    if (ours)
      this.#report('info', 'late-reply', `An answer to request ${id}, which does not wait any more, is ignored`);
    else this.#report('warn', 'stray-reply', `An answer to no request (id ${shown(JSON.stringify(id))}) is ignored`);
  }

  /** A message that is none. If it is meant as the answer to a request, no better one will come. */
  #refuse(value: unknown, reason: string, id: RequestId | undefined): void {
    this.#report('warn', 'invalid-message', `A message of the server is ignored: ${reason}`);
    const pending = id === undefined || (value as JsonObject)['method'] !== undefined ? undefined : this.#table.get(id);
    if (pending === undefined) return;
    this.fail(id!, new PeerError(`The answer to ${pending.method} is no valid response: ${reason}`));
  }

  #progressed(params: JsonObject | undefined): void {
    const read = readProgress(params);
    const pending = read === undefined ? undefined : this.#table.get(read.token);
    if (read === undefined) return this.#report('warn', 'bad-progress', 'Progress that says not how far is ignored');
    if (pending?.terms.onProgress === undefined) {
      return this.#report('info', 'stray-progress', 'Progress of no request that waits for it is ignored');
    }
    if (!(read.report.progress > pending.progress)) {
      return this.#report('warn', 'bad-progress', `Progress of ${pending.method} that does not grow is ignored`);
    }
    pending.progress = read.report.progress;
    this.#later(pending);
    try {
      pending.terms.onProgress(read.report);
    } catch (error) {
      this.#report('error', 'handler-failed', 'onProgress threw an error', error);
    }
  }

  /** News: the time without begins again. */
  #later(pending: Pending): void {
    pending.due = Math.min(pending.terms.last, this.#clock.now() + pending.terms.timeout);
  }

  #expire(id: RequestId, pending: Pending): void {
    const { method, terms } = pending;
    const absolute = this.#clock.now() >= terms.last;
    if (this.#held > 0 && !absolute) return this.#later(pending);
    const text = absolute
      ? `No answer to ${method} in the time it may take at all`
      : `No answer to ${method} for ${terms.timeout} ms`;
    const hint = (id as number) < this.#lost.next ? `. Input was lost meanwhile: ${this.#lost.text}` : '';
    this.#abandon(id, pending, new TimeoutError(text + hint), 'timeout');
  }

  /** Gives a request up: its answer, should it come, is not waited for. */
  #abandon(id: RequestId, pending: Pending, error: Error, reason: string): void {
    this.#remove(id, pending);
    pending.reject(error);
    if (pending.terms.cancellable === false || this.#over !== undefined) return;
    this.#attempt('cancel-not-sent', `The cancellation of ${pending.method} could not be sent`, () =>
      this.#link.cancel(id, reason),
    );
  }

  #remove(id: RequestId, pending: Pending): void {
    this.#table.delete(id);
    if (pending.abort !== undefined) pending.terms.signal!.removeEventListener('abort', pending.abort);
    if (this.#table.size === 0) this.#deadlines.emptied();
  }

  /** Sends something nobody waits for. */
  #attempt(event: string, message: string, send: () => void | Promise<void>): void {
    const failed = (error: unknown): void => this.#report('warn', event, message, error);
    try {
      send()?.catch(failed);
    } catch (error) {
      failed(error);
    }
  }

  #finish(error: ConnectionError): void {
    if (this.#over !== undefined) return;
    this.#over = error;
    this.#deadlines.stop();
    for (const [id, { method }] of [...this.#table]) {
      this.fail(
        id,
        new ConnectionError(`${method} was not answered: ${error.message}`, { cause: error.cause ?? error }),
      );
    }
    this.#tellEnd(error);
  }
}
