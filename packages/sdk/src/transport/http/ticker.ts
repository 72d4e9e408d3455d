import { UnorderedList } from '../../protocol/unordered-list.ts';

/** Something that is open for a while, and has to act periodically. */
export interface TickListener {
  /** Called at every tick, with `performance.now()` in milliseconds, which does not depend on the system clock. */
  tick(now: number): void;
  /** Its place in the ticker. */
  place: number;
}

/** Ticks for all open objects with one timer. */
export interface Ticker {
  add(listener: TickListener): void;
  delete(listener: TickListener): void;
  readonly size: number;
  close(): void;
}

/** Makes a ticker that ticks every `everyMs` milliseconds while anything is open. */
export function createTicker(everyMs: number): Ticker {
  const listeners = new UnorderedList<TickListener>();
  let timer: ReturnType<typeof setInterval> | undefined;
  const stop = (): void => {
    clearInterval(timer);
    timer = undefined;
  };
  return {
    add(listener) {
      listeners.add(listener);
      if (timer !== undefined) return;
      timer = setInterval(() => {
        if (listeners.size === 0) return stop();
        const now = performance.now();
        // A tick may remove other listeners.
        for (const listener of listeners) if (listeners.has(listener)) listener.tick(now);
      }, everyMs);
      // Open objects keep the process alive by their sockets, not by this timer.
      (timer as { unref?: () => void }).unref?.();
    },
    delete: (listener) => void listeners.delete(listener),
    get size() {
      return listeners.size;
    },
    close() {
      listeners.clear();
      stop();
    },
  };
}
