import { holdProcess } from '../../protocol/timers.ts';
import type { Change } from '../../server/changes.ts';
import type { Watcher } from '../serving/announce-resource.ts';
import { announce, changingLists } from '../serving/updates.ts';
import type { Endpoint } from './endpoint.ts';
import { watcherOf } from './legacy/session-changes.ts';

/** The shortest delay before clients are notified, in milliseconds. The longest is three times as long, so that not all nodes do it at once. */
const DELAY_MS = 1_000;
/** How many clients are notified at once, before requests are served again. */
const AT_ONCE = 1_000;

/**
 * Notifies the clients of this node that everything they watch may have changed, because messages of other nodes may be lost. A bus that breaks
 * again and again must not flood clients, so this happens a moment later, once for all interruptions until then.
 */
export class MissedChanges {
  readonly #endpoint: Endpoint;
  /** Runs until clients are notified. */
  #timer: ReturnType<typeof setTimeout> | undefined;
  /** Runs until the next of them are notified. */
  #rest: ReturnType<typeof setTimeout> | undefined;

  constructor(endpoint: Endpoint) {
    this.#endpoint = endpoint;
  }

  /** Messages of other nodes may be lost. */
  note(): void {
    if (this.#timer !== undefined) return;
    this.#timer = setTimeout(
      () => {
        this.#timer = undefined;
        // This includes the clients that an earlier announcement has not reached yet.
        clearTimeout(this.#rest);
        this.#announce(watchedChanges(this.#endpoint));
      },
      DELAY_MS * (1 + 2 * Math.random()),
    );
    holdProcess(this.#timer, false);
  }

  close(): void {
    clearTimeout(this.#timer);
    clearTimeout(this.#rest);
  }

  #announce(changes: Generator<WatchedChange>): void {
    const { engine, faults } = this.#endpoint;
    try {
      for (let told = 0; told < AT_ONCE;) {
        const { value, done } = changes.next();
        if (done === true) return;
        announce(engine, value.change, value.watchers);
        told += value.watchers.length;
      }
      this.#rest = setTimeout(() => this.#announce(changes), 1);
    } catch (error) {
      const message = 'Clients could not be notified of changes that they may have missed';
      faults({ level: 'error', event: 'bus-failed', message, details: error });
    }
  }
}

/** A change, and at most `AT_ONCE` of those that watch for it. */
interface WatchedChange {
  readonly change: Change;
  readonly watchers: readonly Watcher[];
}

/** What the clients of this node watch, and their watchers: each resource is looked for once for all that watch it. */
function* watchedChanges(endpoint: Endpoint): Generator<WatchedChange> {
  const { engine, subscriptions, sessions } = endpoint;
  const watchers: Watcher[] = [];
  const watchersOf = new Map<string, Watcher[]>();
  const add = (watcher: Watcher, uris: Iterable<string>): void => {
    watchers.push(watcher);
    for (const uri of uris) {
      const those = watchersOf.get(uri);
      if (those === undefined) watchersOf.set(uri, [watcher]);
      else those.push(watcher);
    }
  };
  for (const open of subscriptions) add(open, open.subscription.uris);
  for (const session of sessions.all()) add(watcherOf(endpoint, session), session.agreed.subscribed);
  for (const list of changingLists(engine.capabilities())) yield* inParts({ list }, watchers);
  for (const [uri, those] of watchersOf) yield* inParts({ uri }, those);
  for (const open of subscriptions)
    for (const task of open.subscription.taskIds) yield { change: { task }, watchers: [open] };
}

function* inParts(change: Change, watchers: readonly Watcher[]): Generator<WatchedChange> {
  for (let at = 0; at < watchers.length; at += AT_ONCE) yield { change, watchers: watchers.slice(at, at + AT_ONCE) };
}
