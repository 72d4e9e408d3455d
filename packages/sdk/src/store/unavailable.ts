import { CODE, ProtocolError } from '../protocol/errors.ts';
import { type Maybe, settle } from '../protocol/maybe.ts';
import { holdProcess } from '../protocol/timers.ts';
import type { Store } from './store.ts';

/** How long clients are asked to wait before they repeat a request, in milliseconds. */
export const RETRY_AFTER_MS = 2_000;

/** The codes of errors that pass: the store cannot be reached now, it has too much to do, or no memory or disk is left for it. */
const PASSING: readonly unknown[] = ['unavailable', 'busy', 'full'];

/** Did an operation of a store fail in a way that passes? Recognised by the code: the store may be of any package. */
export function isUnavailable(error: unknown): boolean {
  return PASSING.includes((Object(error) as { readonly code?: unknown }).code);
}

const NOT_DONE = 'The state of this server is not available now. Nothing was done: the request may be repeated.';

/** A request that was not carried out, because the store is unavailable. Over HTTP it is answered with status 503. */
export class UnavailableError extends ProtocolError {
  /** `repeatable`: may the request be repeated? Otherwise it may have had effects. */
  constructor(message: string = NOT_DONE, repeatable: boolean = true) {
    super(CODE.internalError, message, { retryAfterMs: RETRY_AFTER_MS, repeatable });
  }
}

/** The error for a request of which nothing was done when the store failed. */
export function refusalOf(error: unknown): unknown {
  return isUnavailable(error) ? new UnavailableError() : error;
}

/** Does something with a store. If the store is unavailable, throws an `UnavailableError` that says that nothing was done. */
export function refuseWhereUnavailable<T>(act: () => Maybe<T>): Maybe<T> {
  return settle(
    act,
    (value) => value,
    (error) => {
      throw refusalOf(error);
    },
  );
}

/** Pauses between tries, in milliseconds. Each is twice as long as the one before. */
const PAUSE_MS = { first: 100, most: 2_000 };

/**
 * Does something that may be done twice, and repeats it while the store is unavailable, until `signal` is aborted or `ms` milliseconds
 * have passed. Then rejects with the error of the store.
 */
export async function repeatWhileUnavailable<T>(act: () => Maybe<T>, signal: AbortSignal, ms = Infinity): Promise<T> {
  const end = performance.now() + ms;
  for (let pause = PAUSE_MS.first; ; pause = Math.min(2 * pause, PAUSE_MS.most)) {
    try {
      return await act();
    } catch (error) {
      if (!isUnavailable(error) || signal.aborted || performance.now() + pause > end) throw error;
      await pauseFor(pause, signal);
    }
  }
}

/** Resolves after a time, or when the signal is aborted. */
function pauseFor(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const done = (): void => {
      clearTimeout(timer);
      signal.removeEventListener('abort', done);
      resolve();
    };
    const timer = setTimeout(done, ms);
    holdProcess(timer, false);
    signal.addEventListener('abort', done, { once: true });
  });
}

const METHODS = ['get', 'set', 'add', 'swap', 'keys', 'delete', 'append', 'read'] as const;

/** What happens to the operations of a store. */
export interface StoreWatcher {
  /** One failed, because the store is unavailable. */
  failed(error: unknown): void;
  /** One succeeded. */
  answered(): void;
}

/** The same store, with a watcher. */
export function watchedStore(store: Store, watcher: StoreWatcher): Store {
  const watched: Record<string, unknown> = {};
  for (const name of METHODS) {
    const method = store[name] as (...args: unknown[]) => Maybe<unknown>;
    watched[name] = (...args: unknown[]) =>
      settle(
        () => method.apply(store, args),
        (value) => {
          watcher.answered();
          return value;
        },
        (error) => {
          if (isUnavailable(error)) watcher.failed(error);
          throw error;
        },
      );
  }
  return watched as unknown as Store;
}
