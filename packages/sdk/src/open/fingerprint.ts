import { sha256Hex } from '../store/sha256.ts';

/** A fingerprint, so that a key that is kept somewhere gives away nothing of the environment. */
export function fingerprint(value: unknown): Promise<string> {
  return sha256Hex(JSON.stringify(value));
}
