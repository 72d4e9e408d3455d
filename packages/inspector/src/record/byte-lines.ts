import { isUtf8 } from 'node:buffer';

/** The events of a byte stream, line by line. If the stream is UTF-8, the lines together are equal to it, byte for byte. */
export interface ByteLineEvents {
  /**
   * A line without its `\n`. A `\r` before it is part of the line. `exact`: it is valid UTF-8, so the text represents every byte.
   */
  line(text: string, exact: boolean): void;
  /** A line has exceeded the limit. The rest of it is skipped. */
  tooLong(beginning: string): void;
  /** The stream ended in the middle of a line, which was reported as a line before. */
  endedOpen(): void;
}

export interface ByteLines {
  push(chunk: Buffer): void;
  end(): void;
  /** The number of bytes received of an unfinished line. */
  readonly begun: number;
  /** The first of these bytes, as text. */
  beginning(): string;
}

const NEWLINE = 0x0a;
const SHOWN_BYTES = 1_000;

/** Splits bytes into lines as they arrive. Buffers one unfinished line, at most `maxBytes` of it. */
export function createByteLines(events: ByteLineEvents, maxBytes: number): ByteLines {
  let held: Buffer[] = [];
  let heldBytes = 0;
  let skipping = false;

  const beginning = (): string => {
    const first = held.length === 1 ? held[0]! : Buffer.concat(held);
    return first.subarray(0, SHOWN_BYTES).toString();
  };

  const hold = (piece: Buffer): void => {
    if (skipping || piece.length === 0) return;
    held.push(piece);
    heldBytes += piece.length;
    if (heldBytes <= maxBytes) return;
    events.tooLong(beginning());
    skipping = true;
    held = [];
    heldBytes = 0;
  };

  const take = (): Buffer => {
    const all = held.length === 1 ? held[0]! : Buffer.concat(held);
    held = [];
    heldBytes = 0;
    return all;
  };

  const hand = (bytes: Buffer): void => {
    if (bytes.length > maxBytes) events.tooLong(bytes.subarray(0, SHOWN_BYTES).toString());
    else events.line(bytes.toString(), isUtf8(bytes));
  };

  const finish = (): void => {
    if (skipping) skipping = false;
    else hand(take());
  };

  return {
    get begun() {
      return heldBytes;
    },
    beginning,
    push(chunk) {
      let from = 0;
      for (let to = chunk.indexOf(NEWLINE); to !== -1; to = chunk.indexOf(NEWLINE, from)) {
        if (heldBytes > 0 || skipping) {
          hold(chunk.subarray(from, to));
          finish();
        } else hand(chunk.subarray(from, to));
        from = to + 1;
      }
      hold(chunk.subarray(from));
    },
    end() {
      if (skipping) skipping = false;
      else if (heldBytes > 0) {
        hand(take());
        events.endedOpen();
      }
    },
  };
}
