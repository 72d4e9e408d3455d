import process from 'node:process';
import type { Writable } from 'node:stream';
import { ConnectionError } from '../../protocol/errors.ts';
import { SEND_PIECES, type StreamChannel } from '../../protocol/channel.ts';
import { enclose, type MessageText } from '../../protocol/message-text.ts';
import { assertOneLine } from '../../wire/lines.ts';
import { quiet } from '../promises.ts';

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

/** The `send` of a channel that writes to a stream. */
export function sendTo(writer: LineWriter): StreamChannel['send'] {
  const send = (text: string): void | Promise<void> => {
    assertOneLine(text);
    return writer.send(text);
  };
  return Object.assign(send, { [SEND_PIECES]: (text: MessageText) => writer.send(text) });
}

/** Writes messages as lines. */
export class LineWriter {
  readonly #writable: Writable;
  readonly #options: LineWriterOptions;
  /** What waits: short texts, joined, and the pieces of long ones. */
  #texts: string[] = [];
  /** The number of characters that wait. */
  #size = 0;
  #scheduled = false;
  #held = false;
  #blocked = false;
  #ending = false;
  #broken: Promise<never> | undefined;
  /** Resolves when the peer can take more. */
  #room: Promise<void> | undefined;
  #resolveRoom: ((value: void | Promise<void>) => void) | undefined;
  #onOver: (() => void) | undefined;

  constructor(writable: Writable, options: LineWriterOptions) {
    this.#writable = writable;
    this.#options = options;
    writable.on('drain', () => {
      this.#blocked = false;
      this.#flush();
      if (!this.#blocked) this.#makeRoom();
    });
    // Both are never removed: an error event without a listener would end the process.
    writable.on('error', (error) => this.#fail(error));
    writable.on('close', () => this.#fail(new Error('the stream is closed')));
  }

  /** Queues one message, which has no raw line break. Returns a promise only if the peer is behind; it resolves when there is room again. */
  send(text: MessageText): void | Promise<void> {
    if (this.#broken !== undefined) return this.#broken;
    if (this.#ending) return quiet(Promise.reject(new ConnectionError('closed', 'The channel is closed')));
    this.#queue(text);
    if (!this.#blocked) {
      if (this.#size < FLUSH_AT) {
        if (!this.#scheduled && !this.#held) {
          this.#scheduled = true;
          process.nextTick(() => this.#flush());
        }
        return;
      }
      this.#flush();
      if (!this.#blocked) return this.#broken;
    }
    const { maxUnsent } = this.#options;
    if (this.#size > maxUnsent) {
      this.#fail(new Error(`it left more than ${maxUnsent} bytes unread`));
      return this.#broken;
    }
    return this.#whenRoom();
  }

  /** Queues messages from now on, up to a limit; `release` writes them. For responses to messages that arrive together. */
  hold(): void {
    this.#held = true;
  }

  release(): void {
    this.#held = false;
    this.#flush();
  }

  /** Passes the queued text to `finish`, which must call `done` when it is written. Resolves then, or when the stream is broken. */
  end(finish: (last: string, done: () => void) => void): Promise<void> {
    return new Promise((resolve) => {
      if (this.#ending || this.#broken !== undefined || this.#isClosed()) return resolve();
      this.#ending = true;
      const last = this.#take().join('');
      this.#onOver = resolve;
      this.#makeRoom();
      finish(last, resolve);
    });
  }

  #isClosed(): boolean {
    return this.#writable.destroyed || this.#writable.writableEnded;
  }

  #queue(text: MessageText): void {
    const line = enclose('', text, '\n');
    const texts = this.#texts;
    if (typeof line === 'string') {
      texts.push((texts.pop() ?? '') + line);
      this.#size += line.length;
    } else
      for (const piece of line) {
        if (piece !== '') texts.push(piece);
        this.#size += piece.length;
      }
  }

  /** Returns everything that waits, and clears it. */
  #take(): string[] {
    const texts = this.#texts;
    this.#texts = [];
    this.#size = 0;
    return texts;
  }

  #write(text: string): boolean {
    const { write } = this.#options;
    return write === undefined ? this.#writable.write(text, 'utf8') : write(text);
  }

  #flush(): void {
    this.#scheduled = false;
    if (this.#size === 0 || this.#blocked || this.#ending) return;
    if (this.#isClosed()) return this.#fail(new Error('the stream is closed'));
    // One write for all messages of a tick: the system call is most of the cost of a small message.
    const texts = this.#take();
    const isOne = texts.length === 1;
    try {
      if (!isOne) this.#writable.cork();
      for (const text of texts) this.#blocked = !this.#write(text);
    } catch (error) {
      this.#fail(error instanceof Error ? error : new Error(String(error)));
    } finally {
      if (!isOne) this.#writable.uncork();
    }
  }

  // A stream breaks only once. Nothing is written afterwards, so a dead peer costs one failed write and not a busy loop.
  #fail(cause: Error): void {
    if (this.#broken !== undefined) return;
    this.#take();
    const { explain, onBroken } = this.#options;
    const error = new ConnectionError('disconnected', `The peer no longer reads (${codeOf(cause)})`, { cause });
    this.#broken = quiet(explain === undefined ? Promise.reject<never>(error) : explain(error));
    this.#makeRoom(this.#broken);
    this.#onOver?.();
    onBroken(cause);
  }

  #makeRoom(value?: Promise<void>): void {
    this.#resolveRoom?.(value);
    this.#room = this.#resolveRoom = undefined;
  }

  #whenRoom(): Promise<void> {
    return (this.#room ??= quiet(new Promise((resolve) => (this.#resolveRoom = resolve))));
  }
}
