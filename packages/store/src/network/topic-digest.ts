import { createHash } from 'node:crypto';
import { keyBytes } from '../key-bytes.ts';

/** A short name of letters, digits, `-` and `_` for a topic, which may be any text of any length. */
export function topicDigest(topic: string): string {
  return createHash('sha256').update(keyBytes(topic)).digest('base64url');
}
