import { type Channel, type ChannelProblem, DIRECT, type Direct, type Take } from '../protocol/channel.ts';
import { ConnectionError } from '../protocol/errors.ts';

/** Senders are asked to wait while this much is unread. */
const HIGH_WATER = { messages: 256, characters: 1024 * 1024 };

/** One direction: an ordered queue with one reader. */
interface Pipe {
  send(text: string): void | Promise<void>;
  readonly incoming: AsyncIterable<string | ChannelProblem> & Direct<string>;
  /** The writer has ended: the reader gets the waiting messages, then the end. */
  end(): void;
  /** The reader has ended: nothing is kept, and writing fails. */
  discard(): void;
}

type Taken = IteratorResult<string, undefined>;

/** A reader that gets the messages of one turn together. */
interface Taker {
  readonly take: Take<string>;
  /** Will the waiting messages be passed on: in this turn, or when the reader can take more? */
  due: boolean;
  done(): void;
  failed(error: unknown): void;
}

function createPipe(): Pipe {
  let queue: (string | undefined)[] = [];
  let head = 0;
  let characters = 0;
  let ended = false;
  let reader: ((taken: Taken) => void) | undefined;
  let taker: Taker | undefined;
  let drained: Promise<void> | undefined;
  let drain: (() => void) | undefined;

  const full = (): boolean => queue.length - head >= HIGH_WATER.messages || characters >= HIGH_WATER.characters;

  const release = (): void => {
    drain?.();
    drain = drained = undefined;
  };

  const end = (): void => {
    ended = true;
    reader?.({ done: true, value: undefined });
    reader = undefined;
    if (taker !== undefined) passOnLater(taker);
  };

  const take = (): string => {
    const text = queue[head] as string;
    queue[head++] = undefined;
    characters -= text.length;
    if (head === queue.length) {
      queue = [];
      head = 0;
    }
    if (drain !== undefined && !full()) release();
    return text;
  };

  const discard = (): void => {
    queue = [];
    head = characters = 0;
    end();
    // The reader may not be ready for more, but nothing will follow.
    taker?.done();
    release();
  };

  /** Not at once: the reader would run inside the code that sends. */
  const passOnLater = (to: Taker): void => {
    if (to.due) return;
    to.due = true;
    queueMicrotask(() => passOn(to));
  };

  const passOn = (to: Taker): void => {
    to.due = false;
    try {
      while (head < queue.length) {
        const wait = to.take(take());
        if (wait === undefined) continue;
        to.due = true;
        wait.then(
          () => passOn(to),
          (error: unknown) => leave(to, error),
        );
        return;
      }
    } catch (error) {
      return leave(to, error);
    }
    if (ended) to.done();
  };

  /** The reader failed: treated as if it had left its loop. */
  const leave = (to: Taker, error: unknown): void => {
    to.failed(error);
    discard();
  };

  const iterator: AsyncIterator<string, undefined> = {
    next() {
      if (head < queue.length) return Promise.resolve({ done: false, value: take() });
      if (ended) return Promise.resolve({ done: true, value: undefined });
      return new Promise<Taken>((resolve) => {
        reader = resolve;
      });
    },
    return() {
      discard();
      return Promise.resolve({ done: true, value: undefined });
    },
  };

  return {
    send(text) {
      if (ended) return Promise.reject(new ConnectionError('closed', 'The connection is closed'));
      if (reader !== undefined) {
        const deliver = reader;
        reader = undefined;
        return deliver({ done: false, value: text });
      }
      queue.push(text);
      characters += text.length;
      if (taker !== undefined) passOnLater(taker);
      if (!full()) return undefined;
      drained ??= new Promise((resolve) => {
        drain = resolve;
      });
      return drained;
    },
    incoming: {
      [Symbol.asyncIterator]: () => iterator,
      [DIRECT]: (take) =>
        new Promise((done, failed) => {
          taker = { take, due: false, done, failed };
          passOnLater(taker);
        }),
    },
    end,
    discard,
  };
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
  const there = createPipe();
  const back = createPipe();
  const end = (out: Pipe, into: Pipe): Channel => ({
    send: out.send,
    incoming: into.incoming,
    close() {
      out.end();
      into.discard();
    },
  });
  return [end(there, back), end(back, there)];
}
