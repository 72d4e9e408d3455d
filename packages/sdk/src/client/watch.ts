import { onAbort } from '../protocol/on-abort.ts';
import { CODE, ConnectionError, ProtocolError } from '../protocol/errors.ts';
import type { ChangeListener } from './server-connection.ts';
import { coversUri, namesOf, topicsOf } from './topic-names.ts';
import { isListName, type ListName, type Topics } from './topics.ts';
import type { Change, Watch } from './types.ts';

/** How many changes of different URIs are kept for a reader; after that, it only learns that changes were missed. */
const MAX_UNREAD = 1_000;

/** A change of a whole list or resource. */
function changeOf(what: string, missed: boolean): Change {
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

/** The watchers of one list or resource. */
interface WatchedTopic {
  readonly watchers: Set<Watcher>;
  /** Does the server currently announce its changes? */
  active: boolean;
  /** Did the server announce them before? Then changes may have been missed since. */
  wasActive: boolean;
}

/** All watches of one client. They survive a reconnection; watches of the same list or resource share a subscription. */
export class Watches implements ChangeListener {
  readonly #max: number;
  readonly #onTopics: (topics: Topics) => void;
  readonly #table = new Map<string, WatchedTopic>();
  #ended: { readonly error: Error | undefined } | undefined;

  /** Limits the number of watched lists and resources to `max`. `onTopics` is called when the topics change. */
  constructor(max: number, onTopics: (topics: Topics) => void) {
    this.#max = max;
    this.#onTopics = onTopics;
  }

  get topics(): Topics {
    return topicsOf([...this.#table.keys()]);
  }

  open(what: string, signal?: AbortSignal): Watcher {
    const watcher: Watcher = new Watcher(what, () => {
      stopListening?.();
      this.#remove(what, watcher);
    });
    let stopListening: (() => void) | undefined;
    if (this.#ended !== undefined)
      watcher.end(this.#ended.error ?? new ConnectionError('closed', 'The client is closed'));
    else if (signal?.aborted === true) watcher.close();
    else {
      stopListening = onAbort(signal, () => watcher.close());
      this.#add(what, watcher);
    }
    return watcher;
  }

  listChanged(list: ListName): void {
    this.#notify(list, { list, missed: false });
  }

  updated(uri: string): void {
    for (const what of this.#table.keys()) {
      if (!isListName(what) && coversUri(what, uri)) this.#notify(what, { uri, missed: false });
    }
  }

  watching(topics: Topics): void {
    for (const what of namesOf(topics)) {
      const watched = this.#table.get(what);
      if (watched === undefined) continue;
      const restarted = watched.wasActive && !watched.active;
      watched.active = watched.wasActive = true;
      for (const watcher of watched.watchers) watcher.started();
      if (restarted) this.#notify(what, changeOf(what, true));
    }
  }

  lost(topics: Topics): void {
    for (const what of namesOf(topics)) {
      const watched = this.#table.get(what);
      if (watched !== undefined) watched.active = false;
    }
  }

  refused(topics: Topics, reason: Error): void {
    for (const what of namesOf(topics)) {
      const watchers = this.#table.get(what)?.watchers ?? [];
      this.#table.delete(what);
      for (const watcher of [...watchers]) watcher.end(reason);
    }
    this.#onTopics(this.topics);
  }

  /** Ends all watches: iterations end, or throw the error. */
  end(error: Error | undefined): void {
    if (this.#ended !== undefined) return;
    this.#ended = { error };
    const all = [...this.#table.values()].flatMap(({ watchers }) => [...watchers]);
    this.#table.clear();
    for (const watcher of all) watcher.end(error);
  }

  #add(what: string, watcher: Watcher): void {
    const watched = this.#table.get(what);
    if (watched !== undefined) {
      watched.watchers.add(watcher);
      if (watched.active) watcher.started();
      return;
    }
    if (this.#table.size >= this.#max) {
      return watcher.end(
        new ProtocolError(CODE.invalidParams, `More than ${this.#max} lists and resources are watched`),
      );
    }
    this.#table.set(what, { watchers: new Set([watcher]), active: false, wasActive: false });
    this.#onTopics(this.topics);
  }

  #remove(what: string, watcher: Watcher): void {
    const watched = this.#table.get(what);
    if (watched?.watchers.delete(watcher) !== true || watched.watchers.size > 0) return;
    this.#table.delete(what);
    this.#onTopics(this.topics);
  }

  #notify(what: string, change: Change): void {
    for (const watcher of [...(this.#table.get(what)?.watchers ?? [])]) watcher.changed(change);
  }
}
