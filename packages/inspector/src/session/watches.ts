import type { Client } from 'tenon/client';

/** The resources that a connection watches for changes. */
export interface Watches {
  readonly uris: readonly string[];
  /** Begins to watch a resource, or ends that. Resolves when the server has said yes. `client`: throws where nothing is connected. */
  set(uri: string, on: boolean, client: () => Client): Promise<void>;
  /** The connection is gone, and its watches with it. */
  clear(): void;
}

/** `changed`: is called when a resource changed, and when another one is watched. */
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
