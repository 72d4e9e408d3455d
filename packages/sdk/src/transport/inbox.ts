import { DIRECT, type Direct, type Take } from '../protocol/channel.ts';

/** A queue of received items for one consumer. */
export interface Inbox<T> {
  /** Adds an item. Ignored after the end. */
  push(item: T): void;
  /** No more items: after the waiting ones, `items` ends or throws `error`. Only the first call counts. */
  end(error?: Error): void;
  /** Drops the waiting items and ends at once. */
  discard(): void;
  /** The number of waiting items. */
  readonly waiting: number;
  /** Can be read once: in a loop, or directly. */
  readonly items: AsyncIterable<T> & Direct<T>;
}

interface Waiter<T> {
  resolve(result: IteratorResult<T>): void;
  reject(error: Error): void;
}

/** A consumer that receives items as they arrive. */
interface Taker<T> {
  readonly take: Take<T>;
  /** It asked to wait: items that arrive meanwhile are queued. */
  busy: boolean;
  done(): void;
  failed(error: unknown): void;
}

/**
 * A queue with a hand-written async iterator: it costs one promise per item, where an async generator costs several; a consumer that takes
 * items directly costs none. `start` is called when reading begins, `empty` when the last waiting item was taken, `stop` when the consumer
 * leaves its loop early.
 */
export function createInbox<T>(on: { start(): void; empty(): void; stop(): void }): Inbox<T> {
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

  /** Passes one item to the taker. */
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

  /** Passes the waiting items on until the taker has to wait; and the end after them. */
  const pump = (to: Taker<T>): void => {
    while (!to.busy && head < queue.length) hand(to, shift());
    if (!ended || to.busy || head < queue.length) return;
    if (failure === undefined) to.done();
    else to.failed(failure);
  };

  /** The taker failed: treated as if it had left its loop. */
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
    // The taker may still be waiting, but no item will follow.
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
}
