import { checkedName, type StateStore } from './contract.ts';

/** A store in memory, which ends with the program. */
export function createMemoryStore(): StateStore {
  const values = new Map<string, string>();
  const watchers = new Map<() => void, string>();
  const tell = (name: string): void => {
    for (const [changed, start] of watchers) if (name.startsWith(start)) changed();
  };
  return {
    async get(name) {
      const text = values.get(checkedName(name));
      return text === undefined ? undefined : JSON.parse(text);
    },
    async put(name, value) {
      values.set(checkedName(name), JSON.stringify(value));
      tell(name);
    },
    async remove(name) {
      values.delete(checkedName(name));
      tell(name);
    },
    async list(below) {
      const start = `${checkedName(below)}/`;
      return [...values.keys()].flatMap((name) => (name.startsWith(start) ? [name.slice(start.length)] : [])).sort();
    },
    async quarantine(name) {
      values.delete(checkedName(name));
    },
    // The store is not shared between processes, so no lock is needed.
    withLock: (_name, work) => work(),
    watch(below, changed) {
      const watcher = (): void => changed();
      watchers.set(watcher, `${checkedName(below)}/`);
      return () => void watchers.delete(watcher);
    },
  };
}
