import { ConnectionError } from '../protocol/errors.ts';
import { isListName } from './topics.ts';
import type { Change, Watch } from './types.ts';

/** Most changes of different URIs one reader may leave unread; beyond, it is told only that something was missed. */
const UNREAD = 1_000;

/** The change of a watched list or resource as a whole. */
export const changeOf = (what: string, missed: boolean): Change =>
  isListName(what) ? { list: what, missed } : { uri: what, missed };

interface Reader {
  resolve(result: IteratorResult<Change, undefined>): void;
  reject(error: Error): void;
}

const DONE: IteratorResult<Change, undefined> = { done: true, value: undefined };

/** One reader of changes. Of changes of the same thing only one waits. */
export class Watcher implements Watch, AsyncIterator<Change, undefined> {
  readonly ready: Promise<void>;
  readonly #what: string;
  readonly #onEnd: (watcher: Watcher) => void;
  readonly #waiting = new Map<string, Change>();
  #reader: Reader | undefined;
  #over = false;
  #failure: Error | undefined;
  #settleReady!: { resolve(): void; reject(error: Error): void };

  /** `onEnd` is called once, however it ends. */
  constructor(what: string, onEnd: (watcher: Watcher) => void) {
    this.#what = what;
    this.#onEnd = onEnd;
    this.ready = new Promise((resolve, reject) => {
      this.#settleReady = { resolve, reject };
    });
    // Whoever does not ask whether the watch is ready learns it from the iteration.
    this.ready.catch(() => {});
  }

  [Symbol.asyncIterator](): AsyncIterator<Change, undefined> {
    return this;
  }

  next(): Promise<IteratorResult<Change, undefined>> {
    const [first] = this.#waiting;
    if (first !== undefined) {
      this.#waiting.delete(first[0]);
      return Promise.resolve({ done: false, value: first[1] });
    }
    if (this.#failure !== undefined) {
      const error = this.#failure;
      this.#failure = undefined;
      return Promise.reject(error);
    }
    if (this.#over) return Promise.resolve(DONE);
    if (this.#reader !== undefined) return Promise.reject(new TypeError('A watch has one reader'));
    return new Promise((resolve, reject) => {
      this.#reader = { resolve, reject };
    });
  }

  return(): Promise<IteratorResult<Change, undefined>> {
    this.close();
    return Promise.resolve(DONE);
  }

  close(): void {
    this.#waiting.clear();
    this.end(undefined);
  }

  /** The server watches. */
  started(): void {
    this.#settleReady.resolve();
  }

  changed(change: Change): void {
    if (this.#over) return;
    const reader = this.#reader;
    if (reader === undefined) return this.#enqueue(change);
    this.#reader = undefined;
    reader.resolve({ done: false, value: change });
  }

  /** Nothing comes any more: the iteration ends after what waits, or throws the error. */
  end(error: Error | undefined): void {
    if (this.#over) return;
    this.#over = true;
    this.#settleReady.reject(error ?? new ConnectionError('The watch was closed'));
    const reader = this.#reader;
    this.#reader = undefined;
    if (reader === undefined) this.#failure = error;
    else if (error === undefined) reader.resolve(DONE);
    else reader.reject(error);
    this.#onEnd(this);
  }

  #enqueue(change: Change): void {
    const key = 'uri' in change ? change.uri : change.list;
    if (this.#waiting.size >= UNREAD && !this.#waiting.has(key)) {
      this.#waiting.clear();
      this.#waiting.set(this.#what, changeOf(this.#what, true));
      return;
    }
    const missed = change.missed || (this.#waiting.get(key)?.missed ?? false);
    this.#waiting.set(key, { ...change, missed });
  }
}
