import type { ChannelProblem } from '../protocol/channel.ts';
import { DEFAULT_LIMITS } from '../protocol/limits.ts';
import { decodeUtf8 } from './utf8.ts';

/** A line, or a report of a line that was dropped because it was too long or not UTF-8. */
export type LineEvent = string | ChannelProblem;

/** Splits a byte stream into lines. Keeps at most one unfinished line. */
export interface LineSplitter {
  /** The lines that this chunk completes, in order. The chunk is not kept. */
  push(chunk: Uint8Array): LineEvent[];
  /** The last line, if the stream ended without a newline. Afterwards the splitter starts again. */
  end(): LineEvent[];
}

const NEWLINE = 0x0a;
const RETURN = 0x0d;
const BYTE_ORDER_MARK = '\ufeff';
/** A buffer that grew beyond this for a long line is released afterwards. */
const MAX_RETAINED_BYTES = 64 * 1024;

/** Splits text of whole lines, without trailing carriage returns; empty lines are left out. */
function collectLines(text: string, events: LineEvent[]): void {
  let from = 0;
  for (let to = text.indexOf('\n'); to !== -1; to = text.indexOf('\n', from)) {
    const end = text.charCodeAt(to - 1) === RETURN ? to - 1 : to;
    if (end > from) events.push(text.slice(from, end));
    from = to + 1;
  }
}

/** The bytes of an unfinished line. Its capacity doubles, so a line that arrives in many pieces is copied in linear time. */
function createBuffer(maxBytes: number) {
  let bytes = new Uint8Array(0);
  let length = 0;
  return {
    get length() {
      return length;
    },
    append(piece: Uint8Array): void {
      const needed = length + piece.length;
      if (needed > bytes.length) {
        const grown = new Uint8Array(Math.min(maxBytes, Math.max(needed, 2 * bytes.length, 1024)));
        grown.set(bytes.subarray(0, length));
        bytes = grown;
      }
      bytes.set(piece, length);
      length = needed;
    },
    /** The bytes so far; the buffer is empty afterwards. Valid until the next `append`. */
    take(): Uint8Array {
      const taken = bytes.subarray(0, length);
      length = 0;
      if (bytes.length > MAX_RETAINED_BYTES) bytes = new Uint8Array(0);
      return taken;
    },
  };
}

/**
 * Newline framing of stdio and sockets (specification, "Transports: stdio"): one message per line, UTF-8.
 *
 * - A line of more than `maxBytes` bytes (terminator not counted) is reported once, as soon as the limit is crossed, and skipped to its
 * newline; memory stays below twice `maxBytes` plus a chunk.
 * - One carriage return before the newline belongs to the terminator. Empty lines are skipped.
 * - Only a newline ends a line: U+2028, U+2029 and a lone carriage return are content.
 * - A line that is not UTF-8 is reported and dropped. A byte order mark at the start of the stream is removed.
 * - The events do not depend on the boundaries of chunks.
 *
 * Throws a `TypeError` if `maxBytes` is not a positive integer.
 *
 * @example
 * ```ts
 * const lines = createLineSplitter();
 * for await (const chunk of process.stdin) {
 *   for (const line of lines.push(chunk)) typeof line === 'string' ? receive(line) : report(line);
 * }
 * ```
 */
export function createLineSplitter(options: { readonly maxBytes?: number } = {}): LineSplitter {
  const { maxBytes = DEFAULT_LIMITS.lineBytes } = options;
  if (!Number.isSafeInteger(maxBytes) || maxBytes <= 0)
    throw new TypeError(`maxBytes must be a positive integer, got ${maxBytes}`);
  const buffer = createBuffer(maxBytes);
  let dropping = false;
  let atStart = true;

  const decode = (bytes: Uint8Array): string | undefined => {
    const text = decodeUtf8(bytes);
    if (!atStart || text === undefined) return text;
    atStart = false;
    return text.startsWith(BYTE_ORDER_MARK) ? text.slice(1) : text;
  };

  /** Stores a piece of a line that began earlier or does not end in this chunk. */
  const hold = (piece: Uint8Array, events: LineEvent[]): void => {
    if (dropping) return;
    if (buffer.length + piece.length <= maxBytes) return buffer.append(piece);
    events.push({ problem: `A line of more than ${maxBytes} bytes was skipped` });
    buffer.take();
    dropping = true;
    atStart = false;
  };

  /** The line that began earlier has ended. */
  const finishHeld = (events: LineEvent[]): void => {
    if (dropping) {
      dropping = false;
      return;
    }
    const text = decode(buffer.take());
    if (text === undefined) {
      atStart = false;
      events.push({ problem: 'A line that is not valid UTF-8 was skipped' });
      return;
    }
    const line = text.endsWith('\r') ? text.slice(0, -1) : text;
    if (line !== '') events.push(line);
  };

  /** Whole lines that did not begin earlier, the last one with its newline. */
  const wholeLines = (bytes: Uint8Array, events: LineEvent[]): void => {
    // Decoding many lines at once is several times cheaper than one by one. None of them can be too long here, but one may not be UTF-8.
    const text = bytes.length <= maxBytes ? decode(bytes) : undefined;
    if (text !== undefined) return collectLines(text, events);
    let from = 0;
    for (let to = bytes.indexOf(NEWLINE); to !== -1; to = bytes.indexOf(NEWLINE, from)) {
      hold(bytes.subarray(from, to), events);
      finishHeld(events);
      from = to + 1;
    }
  };

  return {
    push(chunk) {
      const events: LineEvent[] = [];
      const last = chunk.lastIndexOf(NEWLINE);
      if (last === -1) {
        hold(chunk, events);
        return events;
      }
      let from = 0;
      if (dropping || buffer.length > 0) {
        const to = chunk.indexOf(NEWLINE);
        hold(chunk.subarray(0, to), events);
        finishHeld(events);
        from = to + 1;
      }
      const to = last + 1;
      if (from < to) wholeLines(from === 0 && to === chunk.length ? chunk : chunk.subarray(from, to), events);
      if (to < chunk.length) hold(chunk.subarray(to), events);
      return events;
    },
    end() {
      const events: LineEvent[] = [];
      finishHeld(events);
      atStart = true;
      return events;
    },
  };
}

/**
 * Throws a `TypeError` if the text of a message contains a line break, because it would arrive as two broken messages. `JSON.stringify`
 * without indentation never produces one. A raw carriage return is rejected as well: it is legal between JSON tokens, but many readers end a
 * line there.
 */
export function assertOneLine(text: string): void {
  if (text.includes('\n') || text.includes('\r')) throw new TypeError('A message must not contain a raw line break');
}
