import type { Readable } from 'node:stream';
import type { ChannelProblem } from '../../protocol/channel.ts';
import { createLineSplitter } from '../../wire/lines.ts';
import type { LineEvent } from '../../wire/lines.ts';
import { createInbox } from '../inbox.ts';
import type { Inbox } from '../inbox.ts';

/** Reads a stream as lines, no faster than they are consumed. */
export interface LineReader {
  /** The lines, and in their place what was lost. Reading begins with the first iteration. */
  readonly inbox: Inbox<string | ChannelProblem>;
  /** Bytes read up to now. */
  readonly received: number;
  /** Is reading held back because the consumer is behind, or has not begun? */
  readonly held: boolean;
  /** Goes on reading but throws everything away, so that a peer that still writes can finish. */
  discard(): void;
  /** Nothing more will come, though the stream has not ended: what was read of the last line is a line, and the inbox ends after it. */
  end(error?: Error): void;
  /** Stops reading. */
  stop(): void;
}

/** Reading pauses when this much waits for the consumer: enough for several chunks of a pipe, so that a consumer that keeps up is never held up. */
const HIGH_WATER = 512 * 1024;
/** What a waiting line costs beside its characters. */
const LINE_COST = 64;

/**
 * `onEnd` is called once, when the stream is at its end or broke (then with the error). It decides how the inbox ends.
 */
export const readLines = (
  readable: Readable,
  options: {
    maxBytes: number;
    onEnd(error?: Error): void;
    /** Called around the lines of one chunk: what is sent meanwhile can go out together. */
    before?(): void;
    after?(): void;
    /** A last line without a newline counts as a message: the stream is the output of a program that has ended. */
    readonly takesUnfinished?: boolean;
  },
): LineReader => {
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
    if (typeof line !== 'string' || options.takesUnfinished === true) return deliver(last);
    // A pipe that was cut may have taken the rest away, and what is left can still be valid JSON.
    inbox.push({
      problem: 'The last line has no newline, so it may be cut short: it was not read',
      unfinished: line,
    });
  };

  const onData = (chunk: Uint8Array | string): void => {
    // A stream with an encoding gives strings.
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
  // Stays for good: an error event without a listener would end the process.
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
};
