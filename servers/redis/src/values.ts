import type { Redis } from 'ioredis';
import { decodeUtf8 } from '@tenon/values/utf8';
import { ToolError } from 'tenon';
import { unfinishedBytes } from '../../shared/bytes.ts';

/** The maximum size of the part of a value in one result, in bytes. */
export const MAX_PART = 256 * 1024;

/** A value, or a part of it. */
export interface StoredPart {
  readonly bytes: Buffer;
  /** The part as text. Undefined: it is not UTF-8. */
  readonly text: string | undefined;
  /** The size of the whole value, in bytes. */
  readonly length: number;
  /** Where the next part begins, in bytes; undefined after the last one. */
  readonly next: number | undefined;
}

/** Reads a value from a byte on. Undefined: there is no such key. Throws a `ToolError` if the value is not a string. */
export async function readPart(redis: Redis, key: string, start: number): Promise<StoredPart | undefined> {
  // Together, so that the size and the part belong to one value. Only GETRANGE bounds what is sent.
  const replies = await redis
    .multi()
    .type(key)
    .strlen(key)
    .getrangeBuffer(key, start, start + MAX_PART - 1)
    .exec();
  const [type, length, read] = replies ?? [];
  const failure = type?.[0];
  if (failure) throw failure;
  if (type?.[1] === 'none') return undefined;
  if (type?.[1] !== 'string')
    throw new ToolError(`The key ${key} holds a ${String(type?.[1])}, and only strings can be read`);
  if (read?.[0]) throw read[0];
  return partOf(read?.[1] as Buffer, start, length?.[1] as number);
}

function partOf(read: Buffer, start: number, length: number): StoredPart {
  const isLast = start + read.length >= length;
  const whole = isLast ? read : read.subarray(0, read.length - unfinishedBytes(read));
  const text = decodeUtf8(whole);
  const bytes = text === undefined ? read : whole;
  return { bytes, text, length, next: isLast ? undefined : start + bytes.length };
}
