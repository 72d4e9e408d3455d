import type { Readable } from 'node:stream';
import type { ChannelProblem } from '../../protocol/channel.ts';
import { createLineSplitter, type LineEvent, type LineSplitter } from '../../wire/lines.ts';
import { Inbox } from '../inbox.ts';

/**
 * Reading pauses when this much waits for the consumer: enough for several chunks of a pipe, so that a consumer that keeps up never has to
 * wait.
 */
const HIGH_WATER = 512 * 1024;
/** The memory for a waiting line besides its characters. */
const LINE_COST = 64;

export interface LineReaderOptions {
  readonly maxBytes: number;
  /** Called once, when the stream has ended or failed (then with the error). Decides how the inbox ends. */
  onEnd(error?: Error): void;
  /** Called before the lines of one chunk: messages sent meanwhile can be written together. */
  before?(): void;
  after?(): void;
}

/** Reads a stream as lines, no faster than they are consumed. */
export class LineReader {
  /** The lines, and reports of lost input. Reading begins with the first iteration. */
  readonly inbox = new Inbox<string | ChannelProblem>({
    start: () => this.#start(),
    empty: () => this.#resume(),
    stop: () => this.stop(),
  });
  protected readonly readable: Readable;
  readonly #options: LineReaderOptions;
  readonly #splitter: LineSplitter;
  /** The number of bytes read so far. */
  received = 0;
  #waitingSize = 0;
  protected state: 'idle' | 'reading' | 'held' | 'stopped' | 'discarding' | 'over' = 'idle';

  constructor(readable: Readable, options: LineReaderOptions) {
    this.readable = readable;
    this.#options = options;
    this.#splitter = createLineSplitter(options);
    readable.on('end', () => this.#over());
    readable.on('close', () => this.#over());
    // Never removed: an error event without a listener would end the process.
    readable.on('error', (error) => this.#over(error));
  }

  /** Stops reading. */
  stop(): void {
    if (this.state === 'over') return;
    this.state = 'stopped';
    this.readable.pause();
  }

  #start(): void {
    if (this.state !== 'idle') return;
    this.state = 'reading';
    this.begin();
  }

  protected begin(): void {
    const readable = this.readable;
    if (readable.destroyed || readable.readableEnded) return this.#over();
    readable.on('data', this.onData);
    readable.resume();
  }

  #resume(): void {
    this.#waitingSize = 0;
    if (this.state !== 'held') return;
    this.state = 'reading';
    this.readable.resume();
  }

  protected readonly onData = (chunk: Uint8Array | string): void => {
    // A stream with an encoding emits strings.
    const bytes = typeof chunk === 'string' ? Buffer.from(chunk) : chunk;
    this.received += bytes.length;
    if (this.state === 'discarding' || this.state === 'stopped') return;
    this.#options.before?.();
    try {
      this.#deliver(this.#splitter.push(bytes));
    } finally {
      this.#options.after?.();
    }
    if (this.inbox.waiting === 0) this.#waitingSize = 0;
    else if (this.#waitingSize > HIGH_WATER && this.state === 'reading') {
      this.state = 'held';
      this.readable.pause();
    }
  };

  #deliver(lines: readonly LineEvent[]): void {
    for (const line of lines) {
      this.#waitingSize += LINE_COST + (typeof line === 'string' ? line.length : 0);
      this.inbox.push(line);
    }
  }

  /** Is this last line a message, although it has no newline? */
  protected isMessage(_line: string): boolean {
    return false;
  }

  protected deliverLast(): void {
    const last = this.#splitter.end();
    const [line] = last;
    if (typeof line !== 'string' || this.isMessage(line)) return this.#deliver(last);
    // If a pipe was cut, the rest may be missing, and the part that arrived can still be valid JSON.
    this.inbox.push({
      problem: 'The last line has no newline, so it may be cut short: it was not read',
      unfinished: line,
    });
  }

  #over(error?: Error): void {
    if (this.state === 'over') return;
    if (error === undefined) this.deliverLast();
    this.state = 'over';
    this.#options.onEnd(error);
  }
}
