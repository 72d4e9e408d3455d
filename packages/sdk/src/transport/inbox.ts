import { DIRECT, type Direct, type Take } from '../protocol/channel.ts';

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
  /** Read once: in a loop, or directly. */
  readonly items: AsyncIterable<T> & Direct<T>;
}

interface Waiter<T> {
  resolve(result: IteratorResult<T>): void;
  reject(error: Error): void;
}

/** A consumer that is handed items as they arrive. */
interface Taker<T> {
  readonly take: Take<T>;
  /** It asked to wait: what arrives meanwhile is queued. */
  busy: boolean;
  done(): void;
  failed(error: unknown): void;
}

/**
 * A queue with an async iterator written by hand: one promise per item is all it costs, an async generator costs several;
 * a consumer that takes items directly costs none. `start` is called when somebody begins to read, `empty` when the last
 * waiting item was taken, `stop` when the reader leaves its loop early.
 */
export const createInbox = <T>(on: { start(): void; empty(): void; stop(): void }): Inbox<T> => {
  let queue: (T | undefined)[] = [];
  let head = 0;
  let ended = false;
  let failure: Error | undefined;
  let started = false;
  let taker: Taker<T> | undefined;
  const waiters: Waiter<T>[] = [];

  const settle = (waiter: Waiter<T>): void => {
    const error = failure;
    failure = undefined;
    if (error === undefined) waiter.resolve({ done: true, value: undefined });
    else waiter.reject(error);
  };

  const shift = (): T => {
    const value = queue[head] as T;
    queue[head++] = undefined;
    if (head === queue.length) {
      queue = [];
      head = 0;
      on.empty();
    }
    return value;
  };

  /** Hands one item to the taker. */
  const hand = (to: Taker<T>, item: T): void => {
    try {
      const wait = to.take(item);
      if (wait === undefined) return;
      to.busy = true;
      wait.then(
        () => {
          to.busy = false;
          pump(to);
        },
        (error: unknown) => leave(to, error),
      );
    } catch (error) {
      leave(to, error);
    }
  };

  /** Hands over what waits, as long as the taker does not; and the end after it. */
  const pump = (to: Taker<T>): void => {
    while (!to.busy && head < queue.length) hand(to, shift());
    if (!ended || to.busy || head < queue.length) return;
    if (failure === undefined) to.done();
    else to.failed(failure);
  };

  /** The taker failed: as if it had left its loop. */
  const leave = (to: Taker<T>, error: unknown): void => {
    to.failed(error);
    to.busy = true;
    discard();
    on.stop();
  };

  const end = (error?: Error): void => {
    if (ended) return;
    ended = true;
    failure = error;
    for (const waiter of waiters.splice(0)) settle(waiter);
    if (taker !== undefined) pump(taker);
  };

  const discard = (): void => {
    queue = [];
    head = 0;
    end();
    failure = undefined;
    // It may be waiting still, and there is nothing left to wait for.
    taker?.done();
  };

  const start = (): void => {
    if (started) return;
    started = true;
    on.start();
  };

  const iterator: AsyncIterator<T> = {
    next() {
      if (head < queue.length) return Promise.resolve({ done: false, value: shift() });
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
      if (taker !== undefined && !taker.busy && queue.length === 0) return hand(taker, item);
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
        start();
        return iterator;
      },
      [DIRECT]: (take) =>
        new Promise((done, failed) => {
          taker = { take, busy: false, done, failed };
          start();
          pump(taker);
        }),
    },
  };
};
