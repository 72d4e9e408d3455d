import type { FileHandle } from 'node:fs/promises';

const NEWLINE = 0x0a;
const RETURN = 0x0d;
const CHUNK = 4 * 1024 * 1024;

/** Where the lines of a file are. A line is from its begin to its end, without the line break. */
export interface LineMap {
  /** How many lines there are. Empty ones do not count. */
  readonly length: number;
  begin(index: number): number;
  end(index: number): number;
  /** The last line has no line break: it is not finished, or was cut. */
  readonly open: boolean;
}

/** Numbers that grow in number. Half the memory of an array of them, and no copies of halves of it by the collector. */
function createNumbers() {
  let values = new Float64Array(1024);
  let length = 0;
  return {
    get length() {
      return length;
    },
    at: (index: number): number => values[index]!,
    push(value: number): void {
      if (length === values.length) {
        const more = new Float64Array(2 * length);
        more.set(values);
        values = more;
      }
      values[length++] = value;
    },
  };
}

/** Finds the lines of a file, and nothing else: this is as fast as the file can be read. */
export async function scanLines(file: FileHandle, size: number): Promise<LineMap> {
  const begins = createNumbers();
  const ends = createNumbers();
  const buffer = Buffer.allocUnsafe(Math.min(CHUNK, Math.max(1, size)));
  let begin = 0;
  let read = 0;
  /** The last byte of the chunk before. */
  let before = 0;

  const add = (end: number, lastByte: number): void => {
    const to = lastByte === RETURN && end > begin ? end - 1 : end;
    if (to <= begin) return;
    begins.push(begin);
    ends.push(to);
  };

  while (read < size) {
    const { bytesRead } = await file.read(buffer, 0, Math.min(buffer.length, size - read), read);
    // The file was truncated while it was read.
    if (bytesRead === 0) break;
    const chunk = buffer.subarray(0, bytesRead);
    for (let at = chunk.indexOf(NEWLINE); at !== -1; at = chunk.indexOf(NEWLINE, at + 1)) {
      add(read + at, at > 0 ? chunk[at - 1]! : before);
      begin = read + at + 1;
    }
    before = chunk[bytesRead - 1]!;
    read += bytesRead;
  }
  const open = begin < read;
  if (open) add(read, 0);
  return { length: begins.length, begin: begins.at, end: ends.at, open };
}
