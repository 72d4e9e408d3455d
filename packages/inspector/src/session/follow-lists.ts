import { setTimeout as delay } from 'node:timers/promises';
import type { Client } from 'tenon/client';

/** How long to wait for a subscription to changes before going on without it. */
const WATCH_MS = 1_000;

/** Lists that change are read again at most this often. */
const CHANGES_MS = 500;

/** Calls `refresh`, and again whenever the server says that a list has changed, until the signal. Resolves when that is under way. */
export async function followLists(client: Client, refresh: () => Promise<unknown>, signal: AbortSignal): Promise<void> {
  const ready: Promise<void>[] = [];
  const watches: ReturnType<Client['watch']>[] = [];
  for (const list of ['tools', 'resources', 'prompts'] as const) {
    if (client.capabilities[list]?.listChanged !== true) continue;
    const watch = client.watch({ list }, { signal });
    watches.push(watch);
    // A server that refuses to be watched is seen in the trace, and loses nothing else.
    ready.push(watch.ready.catch(() => {}));
  }
  // Watched before it is read: what changes while it is read is read again.
  const first = refresh();
  for (const watch of watches)
    void (async () => {
      for await (const _change of watch) {
        await first;
        await refresh();
        // A server may say that a list has changed each time it is asked for it.
        await delay(CHANGES_MS, undefined, { signal, ref: false });
      }
    })().catch(() => {});
  await first;
  await Promise.race([Promise.all(ready), delay(WATCH_MS, undefined, { ref: false })]);
}
