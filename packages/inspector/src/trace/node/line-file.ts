import { readSync } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { MAX_LINE_LENGTH, TraceError } from '../format.ts';
import { scanLines } from './scan-lines.ts';

/** The lines of a file, counted from 0. Each is read when it is asked for, and at most `MAX_LINE_LENGTH` of it. */
export interface LineFile {
  readonly length: number;
  /** The last line has no line break: it is not finished, or was cut. */
  readonly open: boolean;
  isTooLong(at: number): boolean;
  text(at: number): string;
  /** The texts from here to there, both included. Short ones are read many at a time. */
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
    if (!stat.isFile()) throw new TraceError('unreadable', `${file} is no file`);
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
      // The file became shorter: what is gone cannot be read.
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
