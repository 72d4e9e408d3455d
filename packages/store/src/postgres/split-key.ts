import { createHash } from 'node:crypto';
import { keyBytes } from '../key-bytes.ts';

/** A key as the columns of its entry. PostgreSQL refuses entries of an index beyond about 2,700 bytes, and keys have any length. */
export interface SplitKey {
  /** The first bytes. */
  readonly head: Buffer;
  /** The other bytes. */
  readonly rest: Buffer;
  /** The digest of the other bytes; empty if there are none. */
  readonly digest: Buffer;
}

const MAX_HEAD_BYTES = 1_000;
const NOTHING = Buffer.alloc(0);

export function splitKey(key: string): SplitKey {
  return split(keyBytes(key));
}

/** Splits the bytes of a key, or of a bound of keys. */
export function split(bytes: Uint8Array): SplitKey {
  const all = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  if (all.length <= MAX_HEAD_BYTES) return { head: all, rest: NOTHING, digest: NOTHING };
  const rest = all.subarray(MAX_HEAD_BYTES);
  return { head: all.subarray(0, MAX_HEAD_BYTES), rest, digest: sha256(rest) };
}

export function sha256(data: Uint8Array | string): Buffer {
  return createHash('sha256').update(data).digest();
}
