import { isUtf8 } from 'node:buffer';
import { readSync } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { MAX_LINE_LENGTH, TraceError } from '../format.ts';

/** The lines of a file, counted from 0. Each is read on demand, and at most `MAX_LINE_LENGTH` of it. */
export interface LineFile {
  readonly length: number;
  /** The last line has no line break: it is not finished, or was cut. */
  readonly open: boolean;
  isTooLong(at: number): boolean;
  /** The text, with U+FFFD in place of bytes that are not UTF-8. */
  text(at: number): string;
  /** Whether this text of a line is identical to its bytes, with nothing replaced. */
  isExact(at: number, text: string): boolean;
  /** The texts of a range of lines, both ends included. Short lines are read many at a time. */
  texts(from: number, to: number): Generator<string, void, undefined>;
  close(): Promise<void>;
}

/** Bytes per read. */
const SLICE_BYTES = 1024 * 1024;
const BYTE_ORDER_MARK = '\ufeff';

async function opened(file: string): Promise<FileHandle> {
  try {
    return await open(file, 'r');
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    const what = code === 'ENOENT' ? `There is no trace ${file}` : `The trace ${file} cannot be read: ${message}`;
    throw new TraceError('unreadable', what, error);
  }
}

/** Opens a file and finds its lines. Rejects with a `TraceError` if it is not a regular file. */
export async function openLineFile(file: string): Promise<LineFile> {
  const handle = await opened(file);
  try {
    const stat = await handle.stat();
    if (!stat.isFile()) throw new TraceError('unreadable', `${file} is not a file`);
    return linesOf(handle, await scanLines(handle, stat.size));
  } catch (error) {
    await handle.close();
    throw error;
  }
}

function linesOf(handle: FileHandle, map: Awaited<ReturnType<typeof scanLines>>): LineFile {
  const bytes = (begin: number, end: number): Buffer => {
    const buffer = Buffer.allocUnsafe(end - begin);
    let done = 0;
    while (done < buffer.length) {
      const count = readSync(handle.fd, buffer, done, buffer.length - done, begin + done);
      // The file became shorter: the missing part cannot be read.
      if (count === 0) break;
      done += count;
    }
    return buffer.subarray(0, done);
  };

  const endOf = (at: number): number => Math.min(map.end(at), map.begin(at) + MAX_LINE_LENGTH);

  const text = (at: number): string => {
    const found = bytes(map.begin(at), endOf(at)).toString();
    return at === 0 && found.startsWith(BYTE_ORDER_MARK) ? found.slice(1) : found;
  };

  return {
    length: map.length,
    open: map.open,
    isTooLong: (at) => map.end(at) - map.begin(at) > MAX_LINE_LENGTH,
    text,
    // Checks the bytes only if something may have been replaced.
    isExact: (at, shown) => !shown.includes('\ufffd') || isUtf8(bytes(map.begin(at), endOf(at))),
    *texts(from, to) {
      for (let at = from; at <= to;) {
        const start = map.begin(at);
        let last = at;
        while (last < to && map.end(last + 1) - start <= SLICE_BYTES) last++;
        if (last === at) yield text(at++);
        else {
          const slice = bytes(start, map.end(last));
          for (; at <= last; at++) yield slice.subarray(map.begin(at) - start, endOf(at) - start).toString();
        }
      }
    },
    close: () => handle.close(),
  };
}

const NEWLINE = 0x0a;
const RETURN = 0x0d;
const CHUNK = 4 * 1024 * 1024;

/** The positions of the lines of a file. A line extends from its begin to its end, without the line break. */
interface LineMap {
  /** The number of lines. Empty lines do not count. */
  readonly length: number;
  begin(index: number): number;
  end(index: number): number;
  /** The last line has no line break: it is not finished, or was cut. */
  readonly open: boolean;
}

/** A growing list of numbers. It needs half the memory of an array, and the garbage collector copies less. */
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

/** Finds the lines of a file without parsing them, as fast as the file can be read. */
async function scanLines(file: FileHandle, size: number): Promise<LineMap> {
  const begins = createNumbers();
  const ends = createNumbers();
  const buffer = Buffer.allocUnsafe(Math.min(CHUNK, Math.max(1, size)));
  let begin = 0;
  let read = 0;
  /** The last byte of the previous chunk. */
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
