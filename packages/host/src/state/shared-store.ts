import type { Store } from 'tenon/http';
import { keepInStore, withStoreLock } from 'tenon/internal';
import { checkedName, isName, type StateStore } from './contract.ts';

/** The polling interval for changes of other processes, in milliseconds. */
const POLL_MS = 1_000;
/** How many names are read at once. */
const PAGE = 500;

const VALUES = 'host/';
const ASIDE = 'host-aside/';

/** The state of a host in a store of servers, which several processes may share. */
export function createSharedStore(store: Store): StateStore {
  const watchers = new Map<() => void, string>();
  const keyOf = (name: string): string => `${VALUES}${checkedName(name)}`;
  const tell = (name: string): void => {
    for (const [changed, start] of watchers) if (name.startsWith(start)) changed();
  };
  return {
    get: async (name) => store.get(keyOf(name)),
    async put(name, value) {
      await keepInStore(store, keyOf(name), value);
      tell(name);
    },
    async remove(name) {
      await store.delete(keyOf(name));
      tell(name);
    },
    async list(below) {
      const start = `${keyOf(below)}/`;
      const names: string[] = [];
      for (let after: string | undefined; ;) {
        const keys = await store.keys(start, after, PAGE);
        names.push(...keys.map((key) => key.slice(start.length)).filter(isName));
        if (keys.length < PAGE) return names.filter((name) => !name.includes('/'));
        after = keys.at(-1);
      }
    },
    async quarantine(name) {
      const value = await store.get(keyOf(name));
      if (value !== undefined) await keepInStore(store, `${ASIDE}${checkedName(name)}`, value);
      await store.delete(keyOf(name));
    },
    withLock: (name, work) => withStoreLock(store, `host-lock/${checkedName(name)}`, work),
    watch(below, changed) {
      const watcher = (): void => changed();
      watchers.set(watcher, `${checkedName(below)}/`);
      const timer = setInterval(changed, POLL_MS);
      timer.unref();
      return () => {
        clearInterval(timer);
        watchers.delete(watcher);
      };
    },
  };
}
