import { CODE, ConnectionError, ProtocolError } from '../protocol/errors.ts';
import type { Listener } from './conversation.ts';
import { concerns, isListName, type ListName, namesOf, type Topics, topicsOf } from './topics.ts';
import type { Change, Watch } from './types.ts';
import { changeOf, Watcher } from './watcher.ts';

/** One thing that is watched, and by whom. */
interface Watched {
  readonly watchers: Set<Watcher>;
  /** Does the server watch it now? */
  active: boolean;
  /** Did it once? Then what happened since is unknown. */
  before: boolean;
}

/** Everything that is watched through one client, whatever happens to its connection. Those who watch the same thing share it. */
export class Watches implements Listener {
  readonly #most: number;
  readonly #follow: (topics: Topics) => void;
  readonly #table = new Map<string, Watched>();
  #over: { readonly error: Error | undefined } | undefined;

  /** At most `most` things are watched at once. `follow` is called when what is watched changes. */
  constructor(most: number, follow: (topics: Topics) => void) {
    this.#most = most;
    this.#follow = follow;
  }

  get topics(): Topics {
    return topicsOf([...this.#table.keys()]);
  }

  open(what: string, signal?: AbortSignal): Watch {
    const watcher: Watcher = new Watcher(what, () => {
      signal?.removeEventListener('abort', abort);
      this.#leave(what, watcher);
    });
    const abort = (): void => watcher.close();
    if (this.#over !== undefined) watcher.end(this.#over.error ?? new ConnectionError('The client is closed'));
    else if (signal?.aborted === true) watcher.close();
    else {
      signal?.addEventListener('abort', abort, { once: true });
      this.#enter(what, watcher);
    }
    return watcher;
  }

  listChanged(list: ListName): void {
    this.#tell(list, { list, missed: false });
  }

  updated(uri: string): void {
    for (const what of this.#table.keys()) {
      if (!isListName(what) && concerns(what, uri)) this.#tell(what, { uri, missed: false });
    }
  }

  watching(topics: Topics): void {
    for (const what of namesOf(topics)) {
      const watched = this.#table.get(what);
      if (watched === undefined) continue;
      const again = watched.before && !watched.active;
      watched.active = watched.before = true;
      for (const watcher of watched.watchers) watcher.started();
      if (again) this.#tell(what, changeOf(what, true));
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
    this.#follow(this.topics);
  }

  /** Nothing comes any more: iterations end, or throw the error. */
  end(error: Error | undefined): void {
    if (this.#over !== undefined) return;
    this.#over = { error };
    const all = [...this.#table.values()].flatMap(({ watchers }) => [...watchers]);
    this.#table.clear();
    for (const watcher of all) watcher.end(error);
  }

  #enter(what: string, watcher: Watcher): void {
    const watched = this.#table.get(what);
    if (watched !== undefined) {
      watched.watchers.add(watcher);
      if (watched.active) watcher.started();
      return;
    }
    if (this.#table.size >= this.#most) {
      return watcher.end(new ProtocolError(CODE.invalidParams, `More than ${this.#most} things are watched at once`));
    }
    this.#table.set(what, { watchers: new Set([watcher]), active: false, before: false });
    this.#follow(this.topics);
  }

  #leave(what: string, watcher: Watcher): void {
    const watched = this.#table.get(what);
    if (watched?.watchers.delete(watcher) !== true || watched.watchers.size > 0) return;
    this.#table.delete(what);
    this.#follow(this.topics);
  }

  #tell(what: string, change: Change): void {
    for (const watcher of [...(this.#table.get(what)?.watchers ?? [])]) watcher.changed(change);
  }
}
