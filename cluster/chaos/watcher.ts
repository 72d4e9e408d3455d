// A client that listens for changes the whole time, and counts what it hears.

import { setTimeout as sleep } from 'node:timers/promises';
import { connect, type WatchTarget } from 'tenon/client';

const PAUSE_MS = 200;

export class Watcher {
  readonly #url: string;
  readonly #target: WatchTarget;
  readonly revision: '2026-07-28' | '2025-11-25';
  readonly #stop = new AbortController();
  heard = 0;

  constructor(url: string, target: WatchTarget, revision: Watcher['revision']) {
    this.#url = url;
    this.#target = target;
    this.revision = revision;
  }

  /** Names it in a report. */
  get name(): string {
    return `A client of ${this.revision} that listens to ${Object.values(this.#target).join()}`;
  }

  /** Listens until it is stopped, and begins again whenever that ends. */
  async run(): Promise<void> {
    const { signal } = this.#stop;
    while (!signal.aborted) {
      try {
        await using client = await connect(this.#url, { revision: this.revision });
        const watch = client.watch(this.#target, { signal });
        await watch.ready;
        for await (const { missed } of watch) if (missed !== true) this.heard++;
      } catch {
        // Its connection was lost.
      }
      if (!signal.aborted) await sleep(PAUSE_MS);
    }
  }

  stop(): void {
    this.#stop.abort();
  }
}
