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
import { LIST_KEY, type ListMethod } from '../protocol/results.ts';
import { shown } from '../protocol/text.ts';
import { isDeeper } from '../wire/depth.ts';
import type { Clock } from './clock.ts';
import { createDeadlines, type Timed } from './deadline.ts';
import type { Link } from './link.ts';
import type { Report } from './report.ts';

/** How far a request has come, as the server reports it. */
export interface Progress {
  /** Grows with each report. */
  readonly progress: number;
  /** What `progress` will reach, if known. */
  readonly total?: number;
  readonly message?: string;
}

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
}

/** The requests of one connection and their answers. Each settles exactly once. */
export interface Calls {
  /** An id that was never used on this connection. */
  nextId(): number;
  /** Rejects with `ProtocolError` (the peer's error), `AbortError`, `TimeoutError`, `PeerError` or `ConnectionError`. */
  request(id: RequestId, method: string, params: JsonObject | undefined, terms: Terms): Promise<JsonObject>;
  notify(method: string, params?: JsonObject): Promise<void>;
  /** Settles a request without an answer, because none will come. */
  fail(id: RequestId, error: Error): void;
  respond(id: RequestId, outcome: { readonly result: JsonObject } | { readonly error: ErrorObject }): void;
  /** While a person is asked something, time without news does not count. Returns the release. */
  hold(): () => void;
  /** Who takes what is no answer. */
  inbound: Inbound;
  /** How many requests wait for an answer. */
  readonly waiting: number;
  /** Has anything arrived yet? */
  readonly heard: boolean;
  /** Is called at the first sign of life. */
  onHeard: (() => void) | undefined;
  /** Resolves when the link is gone, with what broke it. */
  readonly ended: Promise<ConnectionError>;
  /** Closes the link; what waits rejects. */
  close(reason?: string): Promise<void>;
}

interface Pending extends Timed {
  readonly method: string;
  readonly terms: Terms;
  readonly resolve: (result: JsonObject) => void;
  readonly reject: (error: Error) => void;
  readonly abort: (() => void) | undefined;
  progress: number;
}

const asConnectionError = (error: unknown): ConnectionError => {
  if (error instanceof ConnectionError) return error;
  if (error === undefined) return new ConnectionError('The server closed the connection');
  return new ConnectionError(error instanceof Error ? error.message : `The connection broke: ${String(error)}`, {
    cause: error,
  });
};

const IGNORE: Inbound = { batch: false, request() {}, notification() {}, unreadable() {} };

/** A list without the entries that are nested too deep; undefined for what is no list. */
const shallowEntries = (method: string, result: JsonObject, depth: number, report: Report): JsonObject | undefined => {
  const key = Object.hasOwn(LIST_KEY, method) ? LIST_KEY[method as ListMethod] : undefined;
  const entries = key === undefined ? undefined : result[key];
  if (!Array.isArray(entries)) return undefined;
  const kept = entries.filter((entry) => !isDeeper(entry, depth));
  report(
    'warn',
    'bad-entry',
    `${entries.length - kept.length} entries of ${method} are nested deeper than ${depth} levels and left out`,
  );
  const shallow = { ...result, [key!]: kept };
  return isDeeper(shallow, depth + 3) ? undefined : shallow;
};

export const correlate = (link: Link, clock: Clock, report: Report, limits: Limits): Calls => {
  const table = new Map<RequestId, Pending>();
  let next = 1;
  let held = 0;
  let over: ConnectionError | undefined;
  let lost: string | undefined;
  let tellEnd: (error: ConnectionError) => void;
  const ended = new Promise<ConnectionError>((resolve) => {
    tellEnd = resolve;
  });

  const later = (pending: Pending): void => {
    pending.due = Math.min(pending.terms.last, clock.now() + pending.terms.timeout);
  };

  const remove = (id: RequestId, pending: Pending): void => {
    table.delete(id);
    if (pending.abort !== undefined) pending.terms.signal!.removeEventListener('abort', pending.abort);
    if (table.size === 0) deadlines.emptied();
  };

  /** Gives a request up: its answer, should it come, is not waited for. */
  const abandon = (id: RequestId, pending: Pending, error: Error, reason: string): void => {
    remove(id, pending);
    pending.reject(error);
    if (pending.terms.cancellable === false || over !== undefined) return;
    const failed = (cause: unknown): void =>
      report('debug', 'cancel-not-sent', `The cancellation of ${pending.method} could not be sent`, cause);
    try {
      link.cancel(id, reason)?.catch(failed);
    } catch (cause) {
      failed(cause);
    }
  };

  const deadlines = createDeadlines(clock, table, (id, pending) => {
    const now = clock.now();
    if (held > 0 && now < pending.terms.last) return later(pending);
    const absolute = now >= pending.terms.last;
    const hint = lost === undefined ? '' : `. Input was lost meanwhile: ${lost}`;
    const text = absolute
      ? `No answer to ${pending.method} in the time it may take at all`
      : `No answer to ${pending.method} for ${pending.terms.timeout} ms`;
    abandon(id, pending, new TimeoutError(text + hint), 'timeout');
  });

  const request: Calls['request'] = (id, method, params, terms) =>
    new Promise((resolve, reject) => {
      const { signal } = terms;
      if (over !== undefined) return reject(new ConnectionError(over.message, { cause: over.cause ?? over }));
      if (signal?.aborted === true) return reject(abortError(signal));
      const abort =
        signal === undefined
          ? undefined
          : (): void => abandon(id, pending, abortError(signal), shown(reasonOf(signal)));
      const due = Math.min(terms.last, clock.now() + terms.timeout);
      const pending: Pending = { method, terms, resolve, reject, abort, due, progress: -Infinity };
      const failed = (error: unknown): void => {
        if (table.get(id) !== pending) return;
        remove(id, pending);
        reject(error as Error);
      };
      table.set(id, pending);
      if (abort !== undefined) signal!.addEventListener('abort', abort, { once: true });
      if (due !== Infinity) deadlines.added(due);
      try {
        const sent = link.send({ jsonrpc: '2.0', id, method, params: params as JsonObject });
        sent?.catch((error: unknown) => failed(asConnectionError(error)));
      } catch (error) {
        failed(error);
      }
    });

  const stray = (id: RequestId): void => {
    if (Number.isInteger(id) && (id as number) > 0 && (id as number) < next) {
      return report(
        'info',
        'late-reply',
        `An answer to request ${id} came after it was answered or given up; it is ignored`,
      );
    }
    report(
      'warn',
      'stray-reply',
      `An answer to a request that was never sent (id ${shown(JSON.stringify(id))}) is ignored`,
    );
  };

  const settle = (message: Response, deep: boolean): void => {
    const { id, result, error } = message;
    if (id == null) return calls.inbound.unreadable(error!);
    const pending = table.get(id);
    if (pending === undefined) return stray(id);
    remove(id, pending);
    if (error !== undefined) return pending.reject(new ProtocolError(error.code, error.message, error.data));
    const usable = deep ? shallowEntries(pending.method, result!, limits.depth, report) : result;
    if (usable === undefined)
      pending.reject(new PeerError(`The answer to ${pending.method} is nested deeper than ${limits.depth} levels`));
    else pending.resolve(usable);
  };

  const progressed = ({ params }: Notification): void => {
    const token = params?.['progressToken'] as RequestId;
    const progress = params?.['progress'];
    const { total, message } = params ?? {};
    const pending = table.get(token);
    if (pending?.terms.onProgress === undefined)
      return report('info', 'stray-progress', 'Progress of no request that waits for it is ignored');
    if (typeof progress !== 'number' || !(progress > pending.progress)) {
      return report(
        'warn',
        'bad-progress',
        `Progress of ${pending.method} that does not grow is ignored: ${shown(progress)}`,
      );
    }
    pending.progress = progress;
    later(pending);
    try {
      pending.terms.onProgress({
        progress,
        ...(typeof total === 'number' ? { total } : {}),
        ...(typeof message === 'string' ? { message } : {}),
      });
    } catch (error) {
      report('error', 'handler-failed', 'onProgress threw an error', error);
    }
  };

  const invalid = (value: unknown, reason: string, id: RequestId | undefined): void => {
    const method = (value as JsonObject | null)?.['method'];
    const pending = id === undefined || method !== undefined ? undefined : table.get(id);
    report('warn', 'invalid-message', `A message of the server is ignored: ${reason}`);
    if (pending === undefined) return;
    remove(id!, pending);
    pending.reject(new PeerError(`The answer to ${pending.method} is no valid response: ${reason}`));
  };

  const take = (value: unknown, deep: boolean): void => {
    const sorted = sortMessage(value);
    if (sorted.kind === 'response') return settle(sorted.message, deep);
    if (sorted.kind === 'invalid') return invalid(value, sorted.reason, sorted.id);
    if (deep) return report('warn', 'invalid-message', `A ${sorted.kind} of the server is nested too deep and ignored`);
    if (sorted.kind === 'request') return calls.inbound.request(sorted.message);
    if (sorted.message.method === 'notifications/progress') return progressed(sorted.message);
    calls.inbound.notification(sorted.message);
  };

  const hear = (): void => {
    if (calls.heard) return;
    calls.heard = true;
    calls.onHeard?.();
  };

  const finish = (error: ConnectionError): void => {
    if (over !== undefined) return;
    over = error;
    deadlines.stop();
    for (const [id, pending] of [...table]) {
      remove(id, pending);
      pending.reject(
        new ConnectionError(`${pending.method} was not answered: ${error.message}`, { cause: error.cause ?? error }),
      );
    }
    tellEnd(error);
  };

  const calls = {
    nextId: () => next++,
    request,
    async notify(method: string, params?: JsonObject) {
      if (over !== undefined) throw new ConnectionError(over.message, { cause: over.cause ?? over });
      await link.send(params === undefined ? { jsonrpc: '2.0', method } : { jsonrpc: '2.0', method, params });
    },
    fail(id: RequestId, error: Error) {
      const pending = table.get(id);
      if (pending === undefined) return;
      remove(id, pending);
      pending.reject(error);
    },
    respond(id: RequestId, outcome: { readonly result: JsonObject } | { readonly error: ErrorObject }) {
      if (over !== undefined) return;
      const failed = (error: unknown): void =>
        report('warn', 'answer-not-sent', 'An answer to the server could not be sent', error);
      try {
        link.send({ jsonrpc: '2.0', id, ...outcome })?.catch(failed);
      } catch (error) {
        failed(error);
      }
    },
    hold() {
      let holding = true;
      held++;
      return () => {
        if (!holding) return;
        holding = false;
        held--;
        for (const pending of table.values()) later(pending);
      };
    },
    inbound: IGNORE,
    get waiting() {
      return table.size;
    },
    heard: false,
    onHeard: undefined as (() => void) | undefined,
    ended,
    async close(reason = 'The connection was closed') {
      finish(new ConnectionError(reason));
      await link.close();
    },
  };

  link.start({
    value(value, deep) {
      hear();
      if (!Array.isArray(value) || !calls.inbound.batch) return take(value, deep);
      for (const part of value) take(part, deep);
    },
    problem(text) {
      hear();
      lost = text;
      report('warn', 'junk', `Input of the server that is no message is ignored: ${text}`);
    },
    end: (error) => finish(asConnectionError(error)),
  });
  return calls;
};

const reasonOf = (signal: AbortSignal): string => {
  const reason: unknown = signal.reason;
  if (reason instanceof Error) return reason.name === 'AbortError' ? 'aborted' : reason.message;
  return typeof reason === 'string' ? reason : 'aborted';
};
