import { AccessError } from '../../shared/folders.ts';
import type { Opened } from './access.ts';

/** Most bytes of a file in one answer. */
export const MOST_BYTES = 1024 * 1024;
/** Most bytes that are looked through for lines. */
const MOST_LOOKED_AT = 256 * 1024 * 1024;
const CHUNK = 64 * 1024;

/** A part of a file, as text. */
export interface Part {
  readonly text: string;
  /** Where the next part begins; undefined: this was the last. */
  readonly next: number | undefined;
}

const readAt = async ({ handle }: Opened, from: number, most: number): Promise<Buffer> => {
  const buffer = Buffer.alloc(most);
  let length = 0;
  while (length < most) {
    const { bytesRead } = await handle.read(buffer, length, most - length, from + length);
    if (bytesRead === 0) break;
    length += bytesRead;
  }
  return buffer.subarray(0, length);
};

/** How many bytes at the end belong to a character that goes on. */
const unfinished = (bytes: Buffer): number => {
  for (let back = 1; back <= Math.min(4, bytes.length); back++) {
    const byte = bytes[bytes.length - back]!;
    if (byte < 0x80) return 0;
    if (byte >= 0xc0) return (byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : 2) > back ? back : 0;
  }
  return 0;
};

const decoded = (bytes: Buffer, asked: string): string => {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    throw new AccessError(`${asked} is not text in UTF-8: read it with read_media_file`);
  }
};

/** A part of a text file that ends with a whole character. */
export const partOf = async (file: Opened, asked: string, from: number, most = MOST_BYTES): Promise<Part> => {
  const bytes = await readAt(file, from, most);
  const end = from + bytes.length;
  const isLast = end >= file.stats.size;
  const whole = isLast ? bytes : bytes.subarray(0, bytes.length - unfinished(bytes));
  return { text: decoded(whole, asked), next: isLast ? undefined : from + whole.length };
};

const tooMany = (asked: string): AccessError =>
  new AccessError(`These lines of ${asked} have more than ${MOST_BYTES} bytes: ask for fewer`);

/** The first lines of a file, as they are, without the end of the last. */
export const firstLines = async (file: Opened, asked: string, count: number): Promise<string> => {
  let bytes = Buffer.alloc(0);
  let lines = 0;
  for (let from = 0; from < file.stats.size; from += CHUNK) {
    const chunk = await readAt(file, from, CHUNK);
    for (let at = chunk.indexOf(10); at !== -1; at = chunk.indexOf(10, at + 1)) {
      if (++lines < count) continue;
      return decoded(Buffer.concat([bytes, chunk.subarray(0, at)]), asked).replace(/\r$/, '');
    }
    bytes = Buffer.concat([bytes, chunk]);
    if (bytes.length > MOST_BYTES) throw tooMany(asked);
  }
  return decoded(bytes, asked).replace(/\r?\n$/, '');
};

/** The last lines of a file. */
export const lastLines = async (file: Opened, asked: string, count: number): Promise<string> => {
  let bytes = Buffer.alloc(0);
  let { size } = file.stats;
  for (let looked = 0; size > 0 && looked < MOST_LOOKED_AT; looked += CHUNK) {
    const from = Math.max(0, size - CHUNK);
    bytes = Buffer.concat([await readAt(file, from, size - from), bytes]);
    size = from;
    let lines = 0;
    // The end of the last line begins no other.
    for (let at = bytes.length - 2; at >= 0; at--) {
      if (bytes[at] !== 10 || ++lines < count) continue;
      if (bytes.length - at - 1 > MOST_BYTES) throw tooMany(asked);
      return decoded(bytes.subarray(at + 1), asked).replace(/\r?\n$/, '');
    }
    if (bytes.length > MOST_BYTES) throw tooMany(asked);
  }
  return decoded(bytes, asked).replace(/\r?\n$/, '');
};
