// A client that listens for changes the whole time, and counts what it hears.

import { connect } from 'tenon/client';
import { WATCHED } from '../app.ts';

const PAUSE_MS = 200;

export class Watcher {
  readonly #url: string;
  readonly revision: '2026-07-28' | '2025-11-25';
  readonly #stop = new AbortController();
  heard = 0;

  constructor(url: string, revision: Watcher['revision']) {
    this.#url = url;
    this.revision = revision;
  }

  /** Listens until it is stopped, and begins again whenever that ends. */
  async run(): Promise<void> {
    const { signal } = this.#stop;
    while (!signal.aborted) {
      try {
        await using client = await connect(this.#url, { revision: this.revision });
        const watch = client.watch({ uri: WATCHED }, { signal });
        await watch.ready;
        for await (const { missed } of watch) if (missed !== true) this.heard++;
      } catch {
        // Its connection was lost.
      }
      if (!signal.aborted) await new Promise((resolve) => void setTimeout(resolve, PAUSE_MS));
    }
  }

  stop(): void {
    this.#stop.abort();
  }
}
