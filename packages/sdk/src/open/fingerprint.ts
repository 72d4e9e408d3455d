import { sha256Hex } from '../store/sha256.ts';

/** A fingerprint, so that a stored key reveals nothing about the environment. */
export function fingerprint(value: unknown): Promise<string> {
  return sha256Hex(JSON.stringify(value));
}
