import { fstatSync, writeSync } from 'node:fs';
import { Failure } from './failure.ts';
import { unwritten } from './inspector/files.ts';
import type { Sink } from './screen.ts';

/** Where results go, and whether they got there. */
export interface Output extends Sink {
  /** Resolves when all that was written so far has left, with why it did not; undefined: it did, or whoever reads has stopped. */
  written(): Promise<Failure | undefined>;
}

/** The error after `head` has read enough and closed the pipe: nothing went wrong. */
const isReaderGone = ({ code }: NodeJS.ErrnoException): boolean =>
  code === 'EPIPE' || code === 'ERR_STREAM_DESTROYED' || code === 'ECONNRESET';

/** Is it a file or a device, where each write is done when it returns? Pipes, sockets and terminals are not. */
const isFile = ({ fd, isTTY }: NodeJS.WriteStream & { readonly fd: number }): boolean => {
  if (isTTY) return false;
  try {
    const stat = fstatSync(fd);
    return stat.isFile() || stat.isCharacterDevice() || stat.isBlockDevice();
  } catch {
    return false;
  }
};

/** Node writes once and ignores how much was taken. A disk that is nearly full takes less than it was given. */
const writeAll = (fd: number, text: string): void => {
  const bytes = Buffer.from(text);
  for (let done = 0; done < bytes.length;) done += writeSync(fd, bytes, done, bytes.length - done);
};

/** How a verb ends when the reader of its output has stopped: exit code 0, and no message. */
const readerGone = (): Failure => new Failure('ok', 'reader_gone', 'The reader of the output has stopped');

/**
 * Stdout, watched. `onLost` is called once when nothing more can be written, so that a verb does not go on in vain: with the failure, or
 * with one whose exit code is 0 if the reader has stopped early (`tenon watch … | head -1`).
 */
export const watchOutput = (
  stream: NodeJS.WriteStream & { readonly fd: number },
  onLost: (failure: Failure) => void,
): Output => {
  let lost: Failure | undefined;
  const fail = (error: NodeJS.ErrnoException): void => {
    if (lost !== undefined) return;
    lost = isReaderGone(error) ? readerGone() : unwritten('The output', error);
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
      // A stream tells of its error in a later turn.
      await new Promise((resolve) => setImmediate(resolve));
      return lost?.exit === 0 ? undefined : lost;
    },
  };
};
