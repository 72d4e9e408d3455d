import { UnorderedList } from '../../protocol/unordered-list.ts';

/** Something that is open for a while, and has to act periodically. */
export interface TickListener {
  /** Called at every tick, with `performance.now()` in milliseconds, which does not depend on the system clock. */
  tick(now: number): void;
  /** Its place among those that are open. */
  place: number;
}

/** Ticks for all open objects with one timer. */
export interface Ticker {
  add(open: TickListener): void;
  delete(open: TickListener): void;
  readonly size: number;
  close(): void;
}

/** Makes a ticker that ticks every `everyMs` milliseconds while anything is open. */
export function createTicker(everyMs: number): Ticker {
  const opens = new UnorderedList<TickListener>();
  let timer: ReturnType<typeof setInterval> | undefined;
  const stop = (): void => {
    clearInterval(timer);
    timer = undefined;
  };
  return {
    add(open) {
      opens.add(open);
      if (timer !== undefined) return;
      timer = setInterval(() => {
        if (opens.size === 0) return stop();
        const now = performance.now();
        // A tick may close others.
        for (const one of opens) if (opens.has(one)) one.tick(now);
      }, everyMs);
      // Open objects keep the process alive by their sockets, not by this timer.
      (timer as { unref?: () => void }).unref?.();
    },
    delete: (open) => void opens.delete(open),
    get size() {
      return opens.size;
    },
    close() {
      opens.clear();
      stop();
    },
  };
}
