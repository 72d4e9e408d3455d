import { isUtf8 } from 'node:buffer';

/** What a stream of bytes is, line by line. Together the lines are the stream, to the byte, where it is UTF-8. */
export interface ByteLineEvents {
  /** A line without its `\n`. A `\r` before it is part of the line. `exact`: it is UTF-8, so the text says every byte. */
  line(text: string, exact: boolean): void;
  /** A line has become longer than may be. The rest of it is skipped. */
  tooLong(beginning: string): void;
  /** The stream ended in the middle of a line, which came as a line before. */
  endedOpen(): void;
}

export interface ByteLines {
  push(chunk: Buffer): void;
  end(): void;
  /** How many bytes of a line have come that has not ended. */
  readonly begun: number;
  /** The first of them. */
  beginning(): string;
}

const NEWLINE = 0x0a;
const SHOWN_BYTES = 1_000;

/** Cuts bytes into lines as they come. Holds one unfinished line, at most `maxBytes` of it. */
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
