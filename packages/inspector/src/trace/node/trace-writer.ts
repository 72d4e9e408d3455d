import { closeSync, openSync, readSync, rmSync, writeSync } from 'node:fs';
import { formatHead, formatLine } from '../format.ts';
import { TRACE_VERSION, type TraceHead, type TraceLine } from '../line.ts';

/** A line that has no number and no time yet. */
export type NewLine = Omit<TraceLine, 'n' | 'at'> & {
  /** Its time, in milliseconds since the trace began. Default: now. */
  readonly at?: number;
};

/** Receives the lines of a trace. */
export interface TraceSink {
  /** Appends a line. Its number and its time are assigned here. */
  append(line: NewLine): TraceLine;
  /** Milliseconds since the trace began. */
  now(): number;
}

/** A growing trace in a file. Keeps nothing in memory, so it can run for weeks. */
export interface TraceWriter extends TraceSink {
  /** The path of the file. */
  readonly file: string;
  /** The first line of the file. */
  readonly head: TraceHead;
  /** The offset in the file at which the next line will begin. */
  readonly end: number;
  /** Why nothing is written any more, for example because the disk is full. */
  readonly failure: Error | undefined;
  /** Writes the buffered lines. */
  flush(): void;
  /** Written bytes of the file. Writes the buffered lines first. */
  bytes(from: number, to: number): Buffer;
  /** Writes the buffered lines, and closes the file. Appending a line afterwards is an error. */
  close(): void;
}

/** How a trace is written. */
export interface TraceWriterOptions {
  /** The delay before buffered lines are written, in milliseconds. Default 50. 0: as soon as the event loop is idle, so a crash loses next to nothing. */
  readonly flushMs?: number;
  /** Called when the file can no longer be written. */
  readonly onFailure?: (error: Error) => void;
}

/** The buffer is written when it has this many bytes, or after this many milliseconds. */
const FLUSH_BYTES = 256 * 1024;
const FLUSH_MS = 50;

/**
 * Creates a trace in a file that only its owner can read. Throws if the file exists, because a trace is never overwritten, and if
 * it cannot be written. Later it never throws, because a recorder must not break what it records: a failure to write is reported
 * to `onFailure`, once.
 *
 * @example
 * ```ts
 * import { createTraceWriter } from '@tenon/inspector/trace';
 *
 * const writer = createTraceWriter('weather.mcptrace', 'my tool 1.0');
 * writer.append({ session: 'weather', kind: 'note', text: 'It began' });
 * writer.close();
 * ```
 */
export function createTraceWriter(file: string, by: string, options: TraceWriterOptions = {}): TraceWriter {
  const { flushMs = FLUSH_MS, onFailure } = options;
  const descriptor = openSync(file, 'wx+', 0o600);
  const start = performance.now();
  const head: TraceHead = { mcptrace: TRACE_VERSION, began: new Date().toISOString(), by };
  let waiting: Buffer[] = [];
  let waitingBytes = 0;
  let written = 0;
  let lines = 0;
  let last = 0;
  let stopTimer: (() => void) | undefined;
  let failure: Error | undefined;
  let closed = false;
  let begun = false;

  const later = (): (() => void) => {
    if (flushMs === 0) {
      const immediate = setImmediate(flush);
      return () => clearImmediate(immediate);
    }
    const timer = setTimeout(flush, flushMs).unref();
    return () => clearTimeout(timer);
  };

  const push = (text: string): void => {
    const bytes = Buffer.from(`${text}\n`);
    waiting.push(bytes);
    waitingBytes += bytes.length;
    if (waitingBytes >= FLUSH_BYTES) flush();
    else stopTimer ??= later();
  };

  const flush = (): void => {
    stopTimer?.();
    stopTimer = undefined;
    if (waitingBytes === 0 || failure !== undefined || closed) return;
    const all = waiting.length === 1 ? waiting[0]! : Buffer.concat(waiting);
    waiting = [];
    waitingBytes = 0;
    try {
      for (let done = 0; done < all.length;)
        done += writeSync(descriptor, all, done, all.length - done, written + done);
      written += all.length;
    } catch (error) {
      failure = Object.assign(error as Error, { path: file });
      if (begun) onFailure?.(failure);
    }
  };

  push(formatHead(head));
  // The file must be a valid trace from the first moment.
  flush();
  if (failure !== undefined) {
    closeSync(descriptor);
    rmSync(file, { force: true });
    throw failure;
  }
  begun = true;

  return {
    file,
    head,
    get end() {
      return written + waitingBytes;
    },
    get failure() {
      return failure;
    },
    now: () => performance.now() - start,
    append({ at = performance.now() - start, ...rest }) {
      if (closed) throw new Error(`The trace ${file} is closed`);
      last = Math.max(last, Math.round(at * 1000) / 1000);
      const line: TraceLine = { n: ++lines, at: last, ...rest };
      if (failure === undefined) push(formatLine(line));
      return line;
    },
    flush,
    bytes(from, to) {
      flush();
      const bytes = Buffer.alloc(Math.max(0, to - from));
      for (let done = 0; done < bytes.length;) {
        const count = readSync(descriptor, bytes, done, bytes.length - done, from + done);
        if (count === 0) throw new Error(`${file} is shorter than the data written to it`);
        done += count;
      }
      return bytes;
    },
    close() {
      if (closed) return;
      flush();
      closed = true;
      closeSync(descriptor);
    },
  };
}
