import { decodeUtf8 } from '@tenon/values/utf8';
import { unfinishedBytes } from '../../shared/bytes.ts';
import { AccessError } from '../../shared/folders.ts';
import type { Opened } from './access.ts';

/** Maximum number of bytes of a file in one result. */
export const MAX_BYTES = 1024 * 1024;
/** Maximum number of bytes that are searched for lines. */
const MAX_SEARCHED = 256 * 1024 * 1024;
const CHUNK = 64 * 1024;

/** A part of a file, as text. */
export interface Part {
  readonly text: string;
  /** The byte offset of the next part; undefined after the last part. */
  readonly next: number | undefined;
}

async function readAt({ handle }: Opened, from: number, most: number): Promise<Buffer> {
  const buffer = Buffer.alloc(most);
  let length = 0;
  while (length < most) {
    const { bytesRead } = await handle.read(buffer, length, most - length, from + length);
    if (bytesRead === 0) break;
    length += bytesRead;
  }
  return buffer.subarray(0, length);
}

function decoded(bytes: Buffer, asked: string): string {
  const text = decodeUtf8(bytes);
  if (text === undefined) throw new AccessError(`${asked} is not text in UTF-8: read it with read_media_file`);
  return text;
}

/** A part of a text file that ends with a whole character. */
export async function partOf(file: Opened, asked: string, from: number, most = MAX_BYTES): Promise<Part> {
  const bytes = await readAt(file, from, most);
  const end = from + bytes.length;
  const isLast = end >= file.stats.size;
  const whole = isLast ? bytes : bytes.subarray(0, bytes.length - unfinishedBytes(bytes));
  return { text: decoded(whole, asked), next: isLast ? undefined : from + whole.length };
}

function tooMany(asked: string): AccessError {
  return new AccessError(`These lines of ${asked} have more than ${MAX_BYTES} bytes: request fewer`);
}

/** The first lines of a file, without the last line ending. */
export async function firstLines(file: Opened, asked: string, count: number): Promise<string> {
  let bytes = Buffer.alloc(0);
  let lines = 0;
  for (let from = 0; from < file.stats.size; from += CHUNK) {
    const chunk = await readAt(file, from, CHUNK);
    for (let at = chunk.indexOf(10); at !== -1; at = chunk.indexOf(10, at + 1)) {
      if (++lines < count) continue;
      return decoded(Buffer.concat([bytes, chunk.subarray(0, at)]), asked).replace(/\r$/, '');
    }
    bytes = Buffer.concat([bytes, chunk]);
    if (bytes.length > MAX_BYTES) throw tooMany(asked);
  }
  return decoded(bytes, asked).replace(/\r?\n$/, '');
}

/** The last lines of a file, without the last line ending. */
export async function lastLines(file: Opened, asked: string, count: number): Promise<string> {
  let bytes = Buffer.alloc(0);
  let { size } = file.stats;
  for (let looked = 0; size > 0 && looked < MAX_SEARCHED; looked += CHUNK) {
    const from = Math.max(0, size - CHUNK);
    bytes = Buffer.concat([await readAt(file, from, size - from), bytes]);
    size = from;
    let lines = 0;
    // A line ending at the very end does not start another line.
    for (let at = bytes.length - 2; at >= 0; at--) {
      if (bytes[at] !== 10 || ++lines < count) continue;
      if (bytes.length - at - 1 > MAX_BYTES) throw tooMany(asked);
      return decoded(bytes.subarray(at + 1), asked).replace(/\r?\n$/, '');
    }
    if (bytes.length > MAX_BYTES) throw tooMany(asked);
  }
  return decoded(bytes, asked).replace(/\r?\n$/, '');
}
