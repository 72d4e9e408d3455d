import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib';
import type { Transform } from 'node:stream';

/** A copy of a passing body, decoded. */
export interface BodyCopy {
  push(chunk: Buffer): void;
  /** Resolves when everything pushed has been read. */
  end(): Promise<void>;
}

const DECODERS: ReadonlyMap<string, () => Transform> = new Map([
  ['gzip', () => createGunzip()],
  ['x-gzip', () => createGunzip()],
  ['deflate', () => createInflate()],
  ['br', () => createBrotliDecompress()],
]);

/**
 * Reads a copy of a body. `onProblem` is called once, if it cannot be read any further: its encoding is unknown, or the data are
 * invalid for it. Nothing is buffered here; data that are slow to decode wait in the decoder.
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
