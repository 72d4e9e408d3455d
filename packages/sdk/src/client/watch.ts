import { CODE, ConnectionError, ProtocolError } from '../protocol/errors.ts';
import type { Listener } from './conversation.ts';
import { concerns, isListName, type ListName, namesOf, type Topics } from './topics.ts';
import type { Change, Watch } from './types.ts';

/** Everything that is watched through one client, whatever happens to its connection. */
export interface Watches extends Listener {
  open(what: string, signal?: AbortSignal): Watch;
  readonly topics: Topics;
  /** Nothing comes any more: iterations end, or throw the error. */
  end(error: Error | undefined): void;
}

/** Most changes of different URIs one reader may leave unread; beyond, it is told only that something was missed. */
const UNREAD = 1_000;

interface Watcher {
  changed(change: Change): void;
  ready(): void;
  end(error: Error | undefined): void;
}

const changeOf = (what: string, missed: boolean): Change =>
  isListName(what) ? { list: what, missed } : { uri: what, missed };

/** A reader's queue: of changes of the same thing only one waits. */
const createWatcher = (what: string, onEnd: (watcher: Watcher) => void): Watcher & { readonly watch: Watch } => {
  const waiting = new Map<string, Change>();
  let reader: { resolve(result: IteratorResult<Change, undefined>): void; reject(error: Error): void } | undefined;
  let over = false;
  let failure: Error | undefined;
  let settleReady: { resolve(): void; reject(error: Error): void };
  const ready = new Promise<void>((resolve, reject) => {
    settleReady = { resolve, reject };
  });
  // Whoever does not ask whether the watch is ready learns it from the iteration.
  ready.catch(() => {});

  const enqueue = (change: Change): void => {
    const key = 'uri' in change ? change.uri : change.list;
    if (waiting.size >= UNREAD && !waiting.has(key)) {
      waiting.clear();
      waiting.set(what, changeOf(what, true));
      return;
    }
    waiting.set(key, { ...change, missed: change.missed || (waiting.get(key)?.missed ?? false) });
  };

  const end = (error: Error | undefined): void => {
    if (over) return;
    over = true;
    settleReady.reject(error ?? new ConnectionError('The watch was closed'));
    if (reader === undefined) failure = error;
    else if (error === undefined) reader.resolve({ done: true, value: undefined });
    else reader.reject(error);
    reader = undefined;
    onEnd(watcher);
  };

  const close = (): void => {
    if (over) return;
    waiting.clear();
    end(undefined);
  };

  const iterator: AsyncIterator<Change, undefined> = {
    next() {
      const [first] = waiting;
      if (first !== undefined) {
        waiting.delete(first[0]);
        return Promise.resolve({ done: false, value: first[1] });
      }
      if (failure !== undefined) {
        const error = failure;
        failure = undefined;
        return Promise.reject(error);
      }
      if (over) return Promise.resolve({ done: true, value: undefined });
      if (reader !== undefined) return Promise.reject(new TypeError('A watch has one reader'));
      return new Promise((resolve, reject) => {
        reader = { resolve, reject };
      });
    },
    return() {
      close();
      return Promise.resolve({ done: true, value: undefined });
    },
  };

  const watcher = {
    changed(change: Change) {
      if (over) return;
      if (reader === undefined) return enqueue(change);
      reader.resolve({ done: false, value: change });
      reader = undefined;
    },
    ready: () => settleReady.resolve(),
    end,
    watch: { ready, close, [Symbol.asyncIterator]: () => iterator },
  };
  return watcher;
};

/** One thing that is watched, and by whom. */
interface Watched {
  readonly watchers: Set<Watcher>;
  /** Does the server watch it now? */
  active: boolean;
  /** Did it once? Then what happened since is unknown. */
  before: boolean;
}

/**
 * Shares subscriptions between those who watch the same thing. `follow` is called when what is watched changes.
 * At most `limits` different resources are watched.
 */
export const createWatches = (most: number, follow: (topics: Topics) => void): Watches => {
  const table = new Map<string, Watched>();
  let over: { readonly error: Error | undefined } | undefined;

  const topicsOf = (): Topics => {
    const names = [...table.keys()];
    return { lists: new Set(names.filter(isListName)), uris: new Set(names.filter((name) => !isListName(name))) };
  };

  const leave = (what: string, watcher: Watcher): void => {
    const watched = table.get(what);
    watched?.watchers.delete(watcher);
    if (watched?.watchers.size !== 0) return;
    table.delete(what);
    follow(topicsOf());
  };

  const enter = (what: string, watcher: Watcher): void => {
    const watched = table.get(what);
    if (watched !== undefined) {
      watched.watchers.add(watcher);
      if (watched.active) watcher.ready();
      return;
    }
    if (table.size >= most)
      return watcher.end(new ProtocolError(CODE.invalidParams, `More than ${most} things are watched at once`));
    table.set(what, { watchers: new Set([watcher]), active: false, before: false });
    follow(topicsOf());
  };

  const tell = (what: string, change: Change): void => {
    for (const watcher of table.get(what)?.watchers ?? []) watcher.changed(change);
  };

  return {
    get topics() {
      return topicsOf();
    },
    open(what, signal) {
      const made = createWatcher(what, (watcher) => {
        signal?.removeEventListener('abort', abort);
        leave(what, watcher);
      });
      const abort = (): void => made.watch.close();
      if (over !== undefined) made.end(over.error ?? new ConnectionError('The client is closed'));
      else if (signal?.aborted === true) made.end(undefined);
      else {
        signal?.addEventListener('abort', abort, { once: true });
        enter(what, made);
      }
      return made.watch;
    },
    listChanged: (list: ListName) => tell(list, { list, missed: false }),
    updated(uri) {
      for (const what of table.keys()) if (!isListName(what) && concerns(what, uri)) tell(what, { uri, missed: false });
    },
    watching(topics) {
      for (const what of namesOf(topics)) {
        const watched = table.get(what);
        if (watched === undefined) continue;
        const again = watched.before && !watched.active;
        watched.active = watched.before = true;
        for (const watcher of watched.watchers) watcher.ready();
        if (again) tell(what, changeOf(what, true));
      }
    },
    refused(topics, reason) {
      for (const what of namesOf(topics)) {
        const watchers = table.get(what)?.watchers ?? [];
        table.delete(what);
        for (const watcher of watchers) watcher.end(reason);
      }
      follow(topicsOf());
    },
    lost(topics) {
      for (const what of namesOf(topics)) {
        const watched = table.get(what);
        if (watched !== undefined) watched.active = false;
      }
    },
    end(error) {
      if (over !== undefined) return;
      over = { error };
      const all = [...table.values()].flatMap(({ watchers }) => [...watchers]);
      table.clear();
      for (const watcher of all) watcher.end(error);
    },
  };
};
