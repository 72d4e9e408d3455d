import { fstatSync, writeSync } from 'node:fs';
import { Failure } from '../failure/failure.ts';
import { writeFailure } from '../failure/file-failures.ts';
import type { Sink } from './screen.ts';

/** The stream for results, which reports whether everything was written. */
export interface Output extends Sink {
  /** Resolves when everything has been flushed: with the failure, or undefined if all was written or the reader closed the pipe. */
  written(): Promise<Failure | undefined>;
}

/** Whether the reader closed the pipe, as `head` does. That is not a failure. */
function isReaderGone({ code }: NodeJS.ErrnoException): boolean {
  return code === 'EPIPE' || code === 'ERR_STREAM_DESTROYED' || code === 'ECONNRESET';
}

/** Whether it is a file or a device, where a write is complete when it returns. Not so for pipes, sockets and terminals. */
function isFile({ fd, isTTY }: NodeJS.WriteStream & { readonly fd: number }): boolean {
  if (isTTY) return false;
  try {
    const stat = fstatSync(fd);
    return stat.isFile() || stat.isCharacterDevice() || stat.isBlockDevice();
  } catch {
    return false;
  }
}

/** Repeats the write until all bytes are written. Node's streams write once, but a nearly full disk may take only a part. */
function writeAll(fd: number, text: string): void {
  const bytes = Buffer.from(text);
  for (let done = 0; done < bytes.length;) done += writeSync(fd, bytes, done, bytes.length - done);
}

/** Ends a verb whose reader closed the pipe: exit code 0, and no message. */
function readerGone(): Failure {
  return new Failure('ok', 'reader_gone', 'The reader of the output has stopped');
}

/**
 * Wraps stdout and detects write errors. `onLost` is called once, when nothing more can be written, so that a verb can stop: with the
 * failure, or with one whose exit code is 0 if the reader closed the pipe (`tenon watch … | head -1`).
 */
export function watchOutput(
  stream: NodeJS.WriteStream & { readonly fd: number },
  onLost: (failure: Failure) => void,
): Output {
  let lost: Failure | undefined;
  const fail = (error: NodeJS.ErrnoException): void => {
    if (lost !== undefined) return;
    lost = isReaderGone(error) ? readerGone() : writeFailure('The output', error);
    onLost(lost);
  };
  stream.on('error', fail);
  const direct = isFile(stream);

  return {
    get isTTY() {
      return stream.isTTY;
    },
    get columns() {
      return stream.columns;
    },
    write(text) {
      if (lost !== undefined) return;
      if (!direct) return void stream.write(text);
      try {
        writeAll(stream.fd, text);
      } catch (error) {
        fail(error as NodeJS.ErrnoException);
      }
    },
    async written() {
      if (!stream.destroyed && stream.writableLength > 0)
        await new Promise<void>((resolve) => stream.write('', () => resolve()));
      // A stream emits its error in a later turn of the event loop.
      await new Promise((resolve) => setImmediate(resolve));
      return lost?.exit === 0 ? undefined : lost;
    },
  };
}
