/** What has arrived and waits for its one consumer. */
export interface Inbox<T> {
  /** Hands an item over. Ignored once ended. */
  push(item: T): void;
  /** No more items: after those that wait, `items` ends, or throws `error`. Only the first call counts. */
  end(error?: Error): void;
  /** Drops what waits and ends at once. */
  discard(): void;
  /** How many items wait. */
  readonly waiting: number;
  readonly items: AsyncIterable<T>;
}

interface Waiter<T> {
  resolve(result: IteratorResult<T>): void;
  reject(error: Error): void;
}

/**
 * A queue with an async iterator written by hand: one promise per item is all it costs, an async generator costs several.
 * `onStart` is called when somebody begins to read, `onEmpty` when the last waiting item was taken, `onStop` when the
 * reader leaves its loop early.
 */
export const createInbox = <T>(on: { start(): void; empty(): void; stop(): void }): Inbox<T> => {
  let queue: (T | undefined)[] = [];
  let head = 0;
  let ended = false;
  let failure: Error | undefined;
  let started = false;
  const waiters: Waiter<T>[] = [];

  const settle = (waiter: Waiter<T>): void => {
    const error = failure;
    failure = undefined;
    if (error === undefined) waiter.resolve({ done: true, value: undefined });
    else waiter.reject(error);
  };

  const end = (error?: Error): void => {
    if (ended) return;
    ended = true;
    failure = error;
    for (const waiter of waiters.splice(0)) settle(waiter);
  };

  const discard = (): void => {
    queue = [];
    head = 0;
    end();
    failure = undefined;
  };

  const iterator: AsyncIterator<T> = {
    next() {
      if (head < queue.length) {
        const value = queue[head] as T;
        queue[head++] = undefined;
        if (head === queue.length) {
          queue = [];
          head = 0;
          on.empty();
        }
        return Promise.resolve({ done: false, value });
      }
      return new Promise((resolve, reject) => {
        if (ended) settle({ resolve, reject });
        else waiters.push({ resolve, reject });
      });
    },
    return() {
      discard();
      on.stop();
      return Promise.resolve({ done: true, value: undefined });
    },
  };

  return {
    push(item) {
      if (ended) return;
      const waiter = waiters.shift();
      if (waiter === undefined) queue.push(item);
      else waiter.resolve({ done: false, value: item });
    },
    end,
    discard,
    get waiting() {
      return queue.length - head;
    },
    items: {
      [Symbol.asyncIterator]() {
        if (!started) {
          started = true;
          on.start();
        }
        return iterator;
      },
    },
  };
};
