import { sha256Hex } from '@tenon/values/sha256';

/** The SHA-256 digest of bytes, as skills write it. */
export async function digestOf(bytes: Uint8Array): Promise<string> {
  return `sha256:${await sha256Hex(bytes)}`;
}
