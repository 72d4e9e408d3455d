import type { Change, Watch } from './types.ts';
import type { Watcher } from './watch.ts';

/** A watch whose code is loaded on demand: it opens a moment later. */
export class LateWatch implements Watch, AsyncIterator<Change, undefined> {
  readonly ready: Promise<void>;
  readonly #opened: Promise<Watcher>;

  constructor(opened: Promise<Watcher>) {
    this.#opened = opened;
    this.ready = opened.then(({ ready }) => ready);
    // Callers that do not use `ready` get the error from the iteration.
    this.ready.catch(() => {});
  }

  [Symbol.asyncIterator](): AsyncIterator<Change, undefined> {
    return this;
  }

  async next(): Promise<IteratorResult<Change, undefined>> {
    return (await this.#opened).next();
  }

  async return(): Promise<IteratorResult<Change, undefined>> {
    this.close();
    return { done: true, value: undefined };
  }

  close(): void {
    this.#opened.then(
      (watch) => watch.close(),
      () => {},
    );
  }
}
