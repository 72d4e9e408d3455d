interface Ticks {
  readonly process?: { nextTick?(callback: () => void): void };
}

/**
 * Calls back after the promise callbacks of this turn, and after those that they start: what a handler sends in one turn can then be written
 * at once. In Node, `nextTick` alone may come before them. `process` is read from `globalThis`, because bundles for browsers and workers
 * contain this file.
 */
export function afterTurn(callback: () => void): void {
  queueMicrotask(() => {
    const { process } = globalThis as Ticks;
    if (process?.nextTick === undefined) queueMicrotask(callback);
    else process.nextTick(callback);
  });
}

/** The maximum number of characters of a stream that are collected within a turn. Beyond it, they are passed on in several parts. */
export const MAX_COLLECTED = 64 * 1024;
