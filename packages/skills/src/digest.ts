import { sha256Hex } from '@tenon/values/sha256';

/** The SHA-256 digest of bytes, in the format of skills. */
export async function digestOf(bytes: Uint8Array): Promise<string> {
  return `sha256:${await sha256Hex(bytes)}`;
}
