import { type Channel, type ChannelProblem, DIRECT, type Direct, type Take } from '../protocol/channel.ts';
import { ConnectionError } from '../protocol/errors.ts';

/** Senders are asked to wait while this much is unread. */
const HIGH_WATER = { messages: 256, characters: 1024 * 1024 };

type TakenItem = IteratorResult<string, undefined>;

/** A reader that gets the messages of one turn together. */
interface Taker {
  readonly take: Take<string>;
  /** Will the waiting messages be passed on: in this turn, or when the reader can take more? */
  due: boolean;
  done(): void;
  failed(error: unknown): void;
}

/** One direction: an ordered queue with one reader. */
class Pipe {
  readonly incoming: AsyncIterable<string | ChannelProblem> & Direct<string> = {
    [Symbol.asyncIterator]: () => this.#iterator,
    [DIRECT]: (take) => this.#passTo(take),
  };
  readonly #iterator: AsyncIterator<string, undefined> = {
    next: () => this.#next(),
    return: () => {
      this.discard();
      return Promise.resolve({ done: true, value: undefined });
    },
  };
  #queue: (string | undefined)[] = [];
  #head = 0;
  #characters = 0;
  #ended = false;
  #reader: ((taken: TakenItem) => void) | undefined;
  #taker: Taker | undefined;
  #drained: Promise<void> | undefined;
  #drain: (() => void) | undefined;

  send(text: string): void | Promise<void> {
    if (this.#ended) return Promise.reject(new ConnectionError('closed', 'The connection is closed'));
    const reader = this.#reader;
    if (reader !== undefined) {
      this.#reader = undefined;
      return reader({ done: false, value: text });
    }
    this.#queue.push(text);
    this.#characters += text.length;
    if (this.#taker !== undefined) this.#passOnLater(this.#taker);
    if (!this.#isFull()) return undefined;
    this.#drained ??= new Promise((resolve) => {
      this.#drain = resolve;
    });
    return this.#drained;
  }

  /** The writer has ended: the reader gets the waiting messages, then the end. */
  end(): void {
    this.#ended = true;
    this.#reader?.({ done: true, value: undefined });
    this.#reader = undefined;
    if (this.#taker !== undefined) this.#passOnLater(this.#taker);
  }

  /** The reader has ended: nothing is kept, and writing fails. */
  discard(): void {
    this.#queue = [];
    this.#head = this.#characters = 0;
    this.end();
    // The reader may not be ready for more, but nothing will follow.
    this.#taker?.done();
    this.#release();
  }

  #isFull(): boolean {
    return this.#queue.length - this.#head >= HIGH_WATER.messages || this.#characters >= HIGH_WATER.characters;
  }

  #release(): void {
    this.#drain?.();
    this.#drain = this.#drained = undefined;
  }

  #take(): string {
    const text = this.#queue[this.#head] as string;
    this.#queue[this.#head++] = undefined;
    this.#characters -= text.length;
    if (this.#head === this.#queue.length) {
      this.#queue = [];
      this.#head = 0;
    }
    if (this.#drain !== undefined && !this.#isFull()) this.#release();
    return text;
  }

  #next(): Promise<TakenItem> {
    if (this.#head < this.#queue.length) return Promise.resolve({ done: false, value: this.#take() });
    if (this.#ended) return Promise.resolve({ done: true, value: undefined });
    return new Promise((resolve) => {
      this.#reader = resolve;
    });
  }

  #passTo(take: Take<string>): Promise<void> {
    return new Promise((done, failed) => {
      this.#taker = { take, due: false, done, failed };
      this.#passOnLater(this.#taker);
    });
  }

  /** Not at once: the reader would run inside the code that sends. */
  #passOnLater(to: Taker): void {
    if (to.due) return;
    to.due = true;
    queueMicrotask(() => this.#passOn(to));
  }

  #passOn(to: Taker): void {
    to.due = false;
    try {
      while (this.#head < this.#queue.length) {
        const wait = to.take(this.#take());
        if (wait === undefined) continue;
        to.due = true;
        wait.then(
          () => this.#passOn(to),
          (error: unknown) => this.#leave(to, error),
        );
        return;
      }
    } catch (error) {
      return this.#leave(to, error);
    }
    if (this.#ended) to.done();
  }

  /** The reader failed: treated as if it had left its loop. */
  #leave(to: Taker, error: unknown): void {
    to.failed(error);
    this.discard();
  }
}

/**
 * Two ends of a connection inside one process: what one sends, the other receives, in order. If the reader is slow, `send` returns a
 * promise that resolves when there is room again.
 *
 * @example
 * ```ts
 * import { serve, server } from 'tenon';
 * import { connect, memoryPair } from 'tenon/testing';
 *
 * const app = server({ name: 'notes', version: '1.0.0' });
 * const [near, far] = memoryPair();
 * serve(app, far);
 * await using client = await connect(near);
 * ```
 */
export function memoryPair(): [Channel, Channel] {
  const there = new Pipe();
  const back = new Pipe();
  const end = (out: Pipe, into: Pipe): Channel => ({
    send: (text) => out.send(text),
    incoming: into.incoming,
    close() {
      out.end();
      into.discard();
    },
  });
  return [end(there, back), end(back, there)];
}
