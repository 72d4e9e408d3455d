import { ConnectionError } from '../protocol/errors.ts';
import { isListName } from './topics.ts';
import type { Change, Watch } from './types.ts';

/** How many changes of different URIs are kept for a reader; after that, it only learns that changes were missed. */
const MAX_UNREAD = 1_000;

/** The change of a watched list or resource as a whole. */
export function changeOf(what: string, missed: boolean): Change {
  return isListName(what) ? { list: what, missed } : { uri: what, missed };
}

interface Reader {
  resolve(result: IteratorResult<Change, undefined>): void;
  reject(error: Error): void;
}

const DONE: IteratorResult<Change, undefined> = { done: true, value: undefined };

/** One reader of changes. Unread changes of the same list or URI are merged. */
export class Watcher implements Watch, AsyncIterator<Change, undefined> {
  readonly ready: Promise<void>;
  readonly #what: string;
  readonly #onEnd: (watcher: Watcher) => void;
  readonly #unread = new Map<string, Change>();
  #reader: Reader | undefined;
  #isOver = false;
  #failure: Error | undefined;
  #settleReady!: { resolve(): void; reject(error: Error): void };

  /** `onEnd` is called once. */
  constructor(what: string, onEnd: (watcher: Watcher) => void) {
    this.#what = what;
    this.#onEnd = onEnd;
    this.ready = new Promise((resolve, reject) => {
      this.#settleReady = { resolve, reject };
    });
    // Callers that do not use `ready` get the error from the iteration.
    this.ready.catch(() => {});
  }

  [Symbol.asyncIterator](): AsyncIterator<Change, undefined> {
    return this;
  }

  next(): Promise<IteratorResult<Change, undefined>> {
    const [first] = this.#unread;
    if (first !== undefined) {
      this.#unread.delete(first[0]);
      return Promise.resolve({ done: false, value: first[1] });
    }
    if (this.#failure !== undefined) {
      const error = this.#failure;
      this.#failure = undefined;
      return Promise.reject(error);
    }
    if (this.#isOver) return Promise.resolve(DONE);
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
    this.#unread.clear();
    this.end(undefined);
  }

  /** The server now announces changes. */
  started(): void {
    this.#settleReady.resolve();
  }

  changed(change: Change): void {
    if (this.#isOver) return;
    const reader = this.#reader;
    if (reader === undefined) return this.#enqueue(change);
    this.#reader = undefined;
    reader.resolve({ done: false, value: change });
  }

  /** Ends the iteration after the unread changes, or throws the error then. */
  end(error: Error | undefined): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#settleReady.reject(error ?? new ConnectionError('closed', 'The watch was closed'));
    const reader = this.#reader;
    this.#reader = undefined;
    if (reader === undefined) this.#failure = error;
    else if (error === undefined) reader.resolve(DONE);
    else reader.reject(error);
    this.#onEnd(this);
  }

  #enqueue(change: Change): void {
    const key = 'uri' in change ? change.uri : change.list;
    if (this.#unread.size >= MAX_UNREAD && !this.#unread.has(key)) {
      this.#unread.clear();
      this.#unread.set(this.#what, changeOf(this.#what, true));
      return;
    }
    const missed = change.missed || (this.#unread.get(key)?.missed ?? false);
    this.#unread.set(key, { ...change, missed });
  }
}
