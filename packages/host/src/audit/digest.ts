import { createHmac, createSecretKey, type KeyObject, randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { canonicalJson } from '@tenon/values/canonical-json';
import { replaceFile } from '@tenon/values/node/replace-file';

const KEY_BYTES = 32;
const KEY_TEXT = new RegExp(`^[0-9a-f]{${KEY_BYTES * 2}}$`, 'i');

/**
 * A digest that shows whether two calls had the same arguments, and nothing else. It needs a key, because the plain hash of a short text
 * can be found by trying.
 */
export function digestOf(args: unknown, key: KeyObject): string {
  let text: string;
  try {
    text = canonicalJson(args);
  } catch {
    return 'none: the arguments are not JSON';
  }
  return `hmac-sha256:${createHmac('sha256', key).update(text).digest('hex')}`;
}

async function readKey(path: string): Promise<KeyObject | undefined> {
  let text: string;
  try {
    text = await readFile(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
  const key = keyOfText(text.trim());
  if (key !== undefined) return key;
  throw new Error(
    `${path} does not contain a key of ${KEY_BYTES * 2} hexadecimal digits. Move it away to have a new key made`,
  );
}

/** The key with this text of hexadecimal digits; undefined for any other text. */
export function keyOfText(text: unknown): KeyObject | undefined {
  // `Buffer.from` would leave out whatever follows the last digit.
  return typeof text === 'string' && KEY_TEXT.test(text) ? createSecretKey(Buffer.from(text, 'hex')) : undefined;
}
export function newKeyText(): string {
  return randomBytes(KEY_BYTES).toString('hex');
}

/** Reads the key from a file that only its owner can read, or creates it. The caller has to hold the lock. */
export async function openKey(path: string): Promise<{ readonly key: KeyObject; readonly isNew: boolean }> {
  const found = await readKey(path);
  if (found !== undefined) return { key: found, isNew: false };
  const text = newKeyText();
  // Atomically, as a partial key would be unusable forever.
  await replaceFile(path, `${text}\n`);
  return { key: keyOfText(text)!, isNew: true };
}
