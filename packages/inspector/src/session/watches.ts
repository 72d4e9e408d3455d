import type { Client } from 'tenon/client';

/** The resources that a connection watches for changes. */
export interface Watches {
  readonly uris: readonly string[];
  /** Starts or stops watching a resource. Resolves when the server has confirmed it. `client` throws if nothing is connected. */
  set(uri: string, on: boolean, client: () => Client): Promise<void>;
  /** Forgets the watches of a connection that has ended. */
  clear(): void;
}

/** `changed` is called when a watched resource changes, and when a watch starts or ends. */
export function createWatches(changed: () => void): Watches {
  const watched = new Map<string, AbortController>();
  return {
    get uris() {
      return [...watched.keys()];
    },
    async set(uri, on, client) {
      watched.get(uri)?.abort();
      watched.delete(uri);
      if (on) {
        const stop = new AbortController();
        const watch = client().watch({ uri }, { signal: stop.signal });
        await watch.ready;
        watched.set(uri, stop);
        void (async () => {
          for await (const _change of watch) changed();
        })().catch(() => watched.delete(uri));
      }
      changed();
    },
    clear: () => watched.clear(),
  };
}
