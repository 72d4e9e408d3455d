import { DIRECT, type Direct, type Take } from '../protocol/channel.ts';

/** The events that an inbox reports to its source. */
export interface InboxEvents {
  /** Reading begins. */
  start(): void;
  /** The last waiting item was taken. */
  empty(): void;
  /** The consumer leaves its loop early. */
  stop(): void;
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
 * A queue of received items for one consumer. Its hand-written async iterator costs one promise per item, where an async generator costs
 * several; a consumer that takes items directly costs none.
 */
export class Inbox<T> {
  /** Can be read once: in a loop, or directly. */
  readonly items: AsyncIterable<T> & Direct<T> = {
    [Symbol.asyncIterator]: () => {
      this.#start();
      return this.#iterator;
    },
    [DIRECT]: (take) => this.#passTo(take),
  };
  readonly #iterator: AsyncIterator<T> = {
    next: () => this.#next(),
    return: () => {
      this.discard();
      this.#on.stop?.();
      return Promise.resolve({ done: true, value: undefined });
    },
  };
  readonly #on: Partial<InboxEvents>;
  readonly #waiters: Waiter<T>[] = [];
  #queue: (T | undefined)[] = [];
  #head = 0;
  #ended = false;
  #failure: Error | undefined;
  #started = false;
  #taker: Taker<T> | undefined;

  constructor(on: Partial<InboxEvents> = {}) {
    this.#on = on;
  }

  /** The number of waiting items. */
  get waiting(): number {
    return this.#queue.length - this.#head;
  }

  /** Adds an item. Ignored after the end. */
  push(item: T): void {
    if (this.#ended) return;
    const taker = this.#taker;
    if (taker !== undefined && !taker.busy && this.#queue.length === 0) return this.#hand(taker, item);
    const waiter = this.#waiters.shift();
    if (waiter === undefined) this.#queue.push(item);
    else waiter.resolve({ done: false, value: item });
  }

  /** No more items: after the waiting ones, `items` ends or throws `error`. Only the first call counts. */
  end(error?: Error): void {
    if (this.#ended) return;
    this.#ended = true;
    this.#failure = error;
    for (const waiter of this.#waiters.splice(0)) this.#settle(waiter);
    if (this.#taker !== undefined) this.#pump(this.#taker);
  }

  /** Drops the waiting items and ends at once. */
  discard(): void {
    this.#queue = [];
    this.#head = 0;
    this.end();
    this.#failure = undefined;
    // The taker may still be waiting, but no item will follow.
    this.#taker?.done();
  }

  #start(): void {
    if (this.#started) return;
    this.#started = true;
    this.#on.start?.();
  }

  #next(): Promise<IteratorResult<T>> {
    if (this.#head < this.#queue.length) return Promise.resolve({ done: false, value: this.#shift() });
    return new Promise((resolve, reject) => {
      if (this.#ended) this.#settle({ resolve, reject });
      else this.#waiters.push({ resolve, reject });
    });
  }

  #settle(waiter: Waiter<T>): void {
    const error = this.#failure;
    this.#failure = undefined;
    if (error === undefined) waiter.resolve({ done: true, value: undefined });
    else waiter.reject(error);
  }

  #shift(): T {
    const value = this.#queue[this.#head] as T;
    this.#queue[this.#head++] = undefined;
    if (this.#head === this.#queue.length) {
      this.#queue = [];
      this.#head = 0;
      this.#on.empty?.();
    }
    return value;
  }

  #passTo(take: Take<T>): Promise<void> {
    return new Promise((done, failed) => {
      const taker = { take, busy: false, done, failed };
      this.#taker = taker;
      this.#start();
      this.#pump(taker);
    });
  }

  /** Passes one item to the taker. */
  #hand(to: Taker<T>, item: T): void {
    try {
      const wait = to.take(item);
      if (wait === undefined) return;
      to.busy = true;
      wait.then(
        () => {
          to.busy = false;
          this.#pump(to);
        },
        (error: unknown) => this.#leave(to, error),
      );
    } catch (error) {
      this.#leave(to, error);
    }
  }

  /** Passes the waiting items on until the taker has to wait; and the end after them. */
  #pump(to: Taker<T>): void {
    while (!to.busy && this.#head < this.#queue.length) this.#hand(to, this.#shift());
    if (!this.#ended || to.busy || this.#head < this.#queue.length) return;
    if (this.#failure === undefined) to.done();
    else to.failed(this.#failure);
  }

  /** The taker failed: treated as if it had left its loop. */
  #leave(to: Taker<T>, error: unknown): void {
    to.failed(error);
    to.busy = true;
    this.discard();
    this.#on.stop?.();
  }
}
