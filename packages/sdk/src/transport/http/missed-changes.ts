import { holdProcess } from '../../protocol/timers.ts';
import type { Change } from '../../server/changes.ts';
import type { Watcher } from '../serving/announce-resource.ts';
import { announce, changingLists } from '../serving/updates.ts';
import type { Endpoint } from './endpoint.ts';
import { watcherOf } from './legacy/session-changes.ts';

/** The shortest delay before clients are notified, in milliseconds. The longest is three times as long, so that not all nodes do it at once. */
const DELAY_MS = 1_000;

/**
 * Notifies the clients of this node that everything they watch may have changed, because messages of other nodes may be lost. A bus that breaks
 * again and again must not flood clients, so this happens a moment later, once for all interruptions until then.
 */
export class MissedChanges {
  readonly #endpoint: Endpoint;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(endpoint: Endpoint) {
    this.#endpoint = endpoint;
  }

  /** Messages of other nodes may be lost. */
  note(): void {
    if (this.#timer !== undefined) return;
    this.#timer = setTimeout(() => this.#announce(), DELAY_MS * (1 + 2 * Math.random()));
    holdProcess(this.#timer, false);
  }

  close(): void {
    clearTimeout(this.#timer);
  }

  #announce(): void {
    this.#timer = undefined;
    const { engine, faults } = this.#endpoint;
    try {
      for (const [change, watchers] of watchedChanges(this.#endpoint)) announce(engine, change, watchers);
    } catch (error) {
      const message = 'Clients could not be notified of changes that they may have missed';
      faults({ level: 'error', event: 'bus-failed', message, details: error });
    }
  }
}

/** What the clients of this node watch, and their watchers: each resource is looked for once for all that watch it. */
function* watchedChanges(endpoint: Endpoint): Iterable<readonly [Change, readonly Watcher[]]> {
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
  for (const list of changingLists(engine.capabilities())) yield [{ list }, watchers];
  for (const [uri, those] of watchersOf) yield [{ uri }, those];
  for (const open of subscriptions) for (const task of open.subscription.taskIds) yield [{ task }, [open]];
}
