import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib';
import type { Transform } from 'node:stream';

/** A copy of a body that passes, with its encoding taken off. */
export interface BodyCopy {
  push(chunk: Buffer): void;
  /** Resolves when all that was pushed has been read. */
  end(): Promise<void>;
}

const DECODERS: ReadonlyMap<string, () => Transform> = new Map([
  ['gzip', () => createGunzip()],
  ['x-gzip', () => createGunzip()],
  ['deflate', () => createInflate()],
  ['br', () => createBrotliDecompress()],
]);

/**
 * Reads a copy of a body. `onProblem` is told, once, when it cannot be read any further: it comes in an unknown encoding, or is not what
 * the encoding says. Nothing is kept here; what is slow to decode waits in the decoder.
 */
export function copyBody(
  encoding: string | undefined,
  onChunk: (chunk: Buffer) => void,
  onProblem: (text: string) => void,
): BodyCopy {
  const name = (encoding ?? 'identity').trim().toLowerCase();
  if (name === 'identity' || name === '') return { push: onChunk, end: () => Promise.resolve() };
  const decoder = DECODERS.get(name)?.();
  if (decoder === undefined) {
    onProblem(`the body is encoded as ${name.slice(0, 40)}, which is not read`);
    return { push() {}, end: () => Promise.resolve() };
  }
  let broken = false;
  let done!: () => void;
  const ended = new Promise<void>((resolve) => (done = resolve));
  decoder.on('data', (chunk: Buffer) => onChunk(chunk));
  decoder.on('error', (error) => {
    if (!broken) onProblem(`the body is not ${name}: ${error.message}`);
    broken = true;
    done();
  });
  decoder.once('close', done);
  decoder.once('end', done);
  return {
    push: (chunk) => {
      if (!broken) decoder.write(chunk);
    },
    end() {
      if (!broken) decoder.end();
      return ended;
    },
  };
}
