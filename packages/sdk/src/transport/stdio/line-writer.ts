import process from 'node:process';
import type { Writable } from 'node:stream';
import { ConnectionError } from '../../protocol/errors.ts';
import { frame } from '../../wire/lines.ts';
import { quiet } from '../promises.ts';

/** Writes messages as lines. */
export interface LineWriter {
  /** Queues one message. Returns a promise only if the peer is behind; it resolves when there is room again. */
  send(text: string): void | Promise<void>;
  /** Queues messages from now on, up to a limit; `release` writes them. For responses to messages that arrive together. */
  hold(): void;
  release(): void;
  /** Passes the queued text to `finish`, which must call `done` when it is written. Resolves then, or when the stream is broken. */
  end(finish: (last: string, done: () => void) => void): Promise<void>;
}

export interface LineWriterOptions {
  /** The maximum number of bytes that wait for a peer that does not read, before the channel is closed. */
  maxUnsent: number;
  /** Called once, when the stream is broken. */
  onBroken(error: Error): void;
  /** Turns the cause into the error that senders get. It rejects; by default at once. */
  explain?(error: ConnectionError): Promise<never>;
  /** Replaces `writable.write`. */
  write?(text: string): boolean;
}

/** Queued text is written at the end of the tick, when it is released, or as soon as there is this much of it. */
const FLUSH_AT = 64 * 1024;

function codeOf(error: Error): string {
  const { code } = error as { code?: unknown };
  return typeof code === 'string' ? code : error.message;
}

export function createLineWriter(writable: Writable, options: LineWriterOptions): LineWriter {
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

  // A stream breaks only once. Nothing is written afterwards, so a dead peer costs one failed write and not a busy loop.
  const fail = (cause: Error): void => {
    if (broken !== undefined) return;
    pending = '';
    broken = quiet(
      explain(new ConnectionError('disconnected', `The peer no longer reads (${codeOf(cause)})`, { cause })),
    );
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
    // One write for all messages of a tick: the system call is most of the cost of a small message.
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
  // Both are never removed: an error event without a listener would end the process.
  writable.on('error', fail);
  writable.on('close', () => fail(new Error('the stream is closed')));

  return {
    send(text) {
      if (broken !== undefined) return broken;
      if (ending) return quiet(Promise.reject(new ConnectionError('closed', 'The channel is closed')));
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
}
