import process from 'node:process';
import type { Writable } from 'node:stream';
import { ConnectionError } from '../../protocol/errors.ts';
import { frame } from '../../wire/lines.ts';
import { quiet } from '../within.ts';

/** Writes messages as lines. */
export interface LineWriter {
  /** Queues one message. Returns a promise only when the peer is behind; it settles when there is room again. */
  send(text: string): void | Promise<void>;
  /** From now on what is sent is queued, up to a bound; `release` writes it. For answers to what arrives together. */
  hold(): void;
  release(): void;
  /** Hands over what is queued and calls `finish`, which must call back when that is done. Resolves then, or when the stream broke. */
  end(finish: (last: string, done: () => void) => void): Promise<void>;
}

export interface LineWriterOptions {
  /** Bytes a peer that does not read may make us hold, before the channel is given up. */
  maxUnsent: number;
  /** Called once, when the stream broke. */
  onBroken(error: Error): void;
  /** Turns the cause into what senders see. It rejects; by default at once. */
  explain?(error: ConnectionError): Promise<never>;
  /** How to write, where it is not `writable.write`. */
  write?(text: string): boolean;
}

/** Queued text is written at the end of the tick, when it is released, or as soon as there is this much of it. */
const FLUSH_AT = 64 * 1024;

const codeOf = (error: Error): string => {
  const { code } = error as { code?: unknown };
  return typeof code === 'string' ? code : error.message;
};

export const createLineWriter = (writable: Writable, options: LineWriterOptions): LineWriter => {
  const write = options.write ?? ((text: string) => writable.write(text, 'utf8'));
  const explain = options.explain ?? ((error: ConnectionError) => Promise.reject<never>(error));
  let pending = '';
  let scheduled = false;
  let held = false;
  let blocked = false;
  let ending = false;
  let broken: Promise<never> | undefined;
  let room: { promise: Promise<void>; resolve(value: void | Promise<void>): void } | undefined;
  let onOver: (() => void) | undefined;

  const makeRoom = (value: void | Promise<void>): void => {
    room?.resolve(value);
    room = undefined;
  };

  // A stream breaks once. Nothing is written afterwards, so a dead peer costs one failed write and not a busy loop.
  const fail = (cause: Error): void => {
    if (broken !== undefined) return;
    pending = '';
    broken = quiet(explain(new ConnectionError(`The peer no longer reads (${codeOf(cause)})`, { cause })));
    makeRoom(broken);
    onOver?.();
    options.onBroken(cause);
  };

  const flush = (): void => {
    scheduled = false;
    if (pending === '' || blocked || ending) return;
    if (writable.destroyed || writable.writableEnded) return fail(new Error('the stream is closed'));
    const text = pending;
    pending = '';
    // One write for all messages of a tick: the system call is most of what a small message costs.
    try {
      blocked = !write(text);
    } catch (error) {
      fail(error instanceof Error ? error : new Error(String(error)));
    }
  };

  const whenRoom = (): Promise<void> => {
    if (room === undefined) {
      let resolve!: (value: void | Promise<void>) => void;
      const promise = new Promise<void>((settle) => (resolve = settle));
      room = { promise: quiet(promise), resolve };
    }
    return room.promise;
  };

  writable.on('drain', () => {
    blocked = false;
    flush();
    if (!blocked) makeRoom();
  });
  // Both stay for good: an error event without a listener would end the process.
  writable.on('error', fail);
  writable.on('close', () => fail(new Error('the stream is closed')));

  return {
    send(text) {
      if (broken !== undefined) return broken;
      if (ending) return quiet(Promise.reject(new ConnectionError('The channel is closed')));
      pending += frame(text);
      if (!blocked) {
        if (pending.length < FLUSH_AT) {
          if (!scheduled && !held) {
            scheduled = true;
            process.nextTick(flush);
          }
          return;
        }
        flush();
        if (!blocked) return broken;
      }
      if (pending.length > options.maxUnsent) {
        fail(new Error(`it left more than ${options.maxUnsent} bytes unread`));
        return broken;
      }
      return whenRoom();
    },
    hold() {
      held = true;
    },
    release() {
      held = false;
      flush();
    },
    end(finish) {
      return new Promise((resolve) => {
        if (ending || broken !== undefined || writable.destroyed || writable.writableEnded) return resolve();
        ending = true;
        const last = pending;
        pending = '';
        onOver = resolve;
        makeRoom();
        finish(last, resolve);
      });
    },
  };
};
