import type { ServerCapabilities } from '../../protocol/capabilities.ts';
import type { JsonObject } from '../../protocol/jsonrpc.ts';
import type { Change, ChangingList, SharedChange } from '../../server/changes.ts';
import type { Engine } from '../../server/engine.ts';
import { notificationText } from '../../wire/text.ts';
import { announceResource, type Watcher } from './announce-resource.ts';

const LISTS: readonly ChangingList[] = ['tools', 'prompts', 'resources'];

/** The lists for which a server with these capabilities announces changes. */
export function changingLists(capabilities: ServerCapabilities): ChangingList[] {
  return LISTS.filter((list) => capabilities[list]?.listChanged === true);
}

const SETS = new Map<string, ReadonlySet<ChangingList>>();

/** The set of some of these lists. There are only a few different sets, which sessions share. */
export function listSet(names: readonly string[]): ReadonlySet<ChangingList> {
  const known = LISTS.filter((list) => names.includes(list));
  const key = known.join();
  const set = SETS.get(key) ?? new Set(known);
  SETS.set(key, set);
  return set;
}

/** Is this a change of one of these lists, or of one of these resources? */
export function isWatched(change: Change, lists: ReadonlySet<string>, uris: ReadonlySet<string>): boolean {
  if ('uri' in change) return uris.has(change.uri);
  return 'list' in change && lists.has(change.list);
}

/** The notification of a change of a list or of a resource; `params` are added to its own. */
export function changeText(change: SharedChange, params?: JsonObject): string {
  return 'uri' in change
    ? notificationText('notifications/resources/updated', { ...params, uri: change.uri })
    : notificationText(`notifications/${change.list}/list_changed`, params);
}

/**
 * Notifies every watcher that asked for this kind of change. Changes of a resource that is now hidden from a caller are not sent to that
 * caller.
 */
export function announce(engine: Engine, change: Change, watchers: Iterable<Watcher>): void {
  if (!('uri' in change)) {
    for (const watcher of watchers) if (watcher.wants(change)) watcher.notify(change);
    return;
  }
  announceResource(engine, change, watchers);
}
