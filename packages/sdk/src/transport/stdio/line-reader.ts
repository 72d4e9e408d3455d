import type { Readable } from 'node:stream';
import type { ChannelProblem } from '../../protocol/channel.ts';
import { createLineSplitter } from '../../wire/lines.ts';
import type { LineEvent } from '../../wire/lines.ts';
import { createInbox } from '../inbox.ts';
import type { Inbox } from '../inbox.ts';

/** Reads a stream as lines, no faster than they are consumed. */
export interface LineReader {
  /** The lines, and reports of lost input. Reading begins with the first iteration. */
  readonly inbox: Inbox<string | ChannelProblem>;
  /** The number of bytes read so far. */
  readonly received: number;
  /** Is reading paused because the consumer is behind, or has not begun? */
  readonly held: boolean;
  /** Continues reading but discards everything, so that a peer that is still writing can finish. */
  discard(): void;
  /** Nothing more will come, although the stream has not ended: an unfinished line counts as a line, and the inbox ends after it. */
  end(error?: Error): void;
  /** Stops reading. */
  stop(): void;
}

/**
 * Reading pauses when this much waits for the consumer: enough for several chunks of a pipe, so that a consumer that keeps up never has to
 * wait.
 */
const HIGH_WATER = 512 * 1024;
/** The memory for a waiting line besides its characters. */
const LINE_COST = 64;

/** `onEnd` is called once, when the stream has ended or failed (then with the error). It decides how the inbox ends. */
export function readLines(
  readable: Readable,
  options: {
    maxBytes: number;
    onEnd(error?: Error): void;
    /** Called before the lines of one chunk: messages sent meanwhile can be written together. */
    before?(): void;
    after?(): void;
    /** A last line without a newline counts as a message: the stream is the output of a program that has ended. */
    readonly takesUnfinished?: boolean;
  },
): LineReader {
  const splitter = createLineSplitter({ maxBytes: options.maxBytes });
  let received = 0;
  let waitingSize = 0;
  let state: 'idle' | 'reading' | 'held' | 'stopped' | 'discarding' | 'over' = 'idle';

  const deliver = (lines: readonly LineEvent[]): void => {
    for (const line of lines) {
      waitingSize += LINE_COST + (typeof line === 'string' ? line.length : 0);
      inbox.push(line);
    }
  };

  const deliverLast = (): void => {
    const last = splitter.end();
    const [line] = last;
    if (typeof line !== 'string' || (options.takesUnfinished === true && isJson(line))) return deliver(last);
    // If a pipe was cut, the rest may be missing, and the part that arrived can still be valid JSON.
    inbox.push({
      problem: 'The last line has no newline, so it may be cut short: it was not read',
      unfinished: line,
    });
  };

  const onData = (chunk: Uint8Array | string): void => {
    // A stream with an encoding emits strings.
    const bytes = typeof chunk === 'string' ? Buffer.from(chunk) : chunk;
    received += bytes.length;
    if (state === 'discarding' || state === 'stopped') return;
    options.before?.();
    try {
      deliver(splitter.push(bytes));
    } finally {
      options.after?.();
    }
    if (inbox.waiting === 0) waitingSize = 0;
    else if (waitingSize > HIGH_WATER && state === 'reading') {
      state = 'held';
      readable.pause();
    }
  };

  const over = (error?: Error): void => {
    if (state === 'over') return;
    if (error === undefined) deliverLast();
    state = 'over';
    options.onEnd(error);
  };

  const inbox = createInbox<string | ChannelProblem>({
    start() {
      if (state !== 'idle') return;
      state = 'reading';
      begin();
    },
    empty() {
      waitingSize = 0;
      if (state !== 'held') return;
      state = 'reading';
      readable.resume();
    },
    stop: () => stop(),
  });

  const begin = (): void => {
    if (readable.destroyed || readable.readableEnded) return over();
    readable.on('data', onData);
    readable.resume();
  };

  const stop = (): void => {
    if (state === 'over') return;
    state = 'stopped';
    readable.pause();
  };

  readable.on('end', () => over());
  readable.on('close', () => over());
  // Never removed: an error event without a listener would end the process.
  readable.on('error', (error) => over(error));

  return {
    inbox,
    get received() {
      return received;
    },
    get held() {
      return state === 'held' || state === 'idle' || state === 'stopped';
    },
    discard() {
      inbox.discard();
      if (state === 'over' || state === 'discarding') return;
      const begun = readable.listeners('data').includes(onData);
      state = 'discarding';
      if (begun) readable.resume();
      else begin();
    },
    end(error) {
      if (state === 'reading' || state === 'held') deliverLast();
      state = 'over';
      inbox.end(error);
    },
    stop,
  };
}

function isJson(line: string): boolean {
  try {
    JSON.parse(line);
    return true;
  } catch {
    return false;
  }
}
