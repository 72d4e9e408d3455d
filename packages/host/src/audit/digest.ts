import { createHmac, randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { canonicalJson } from '@tenon/values/canonical-json';
import { replaceFile } from '@tenon/values/node/replace-file';

const KEY_BYTES = 32;

export const newKey = (): Buffer => randomBytes(KEY_BYTES);

/**
 * A digest that tells whether two calls had the same arguments, and nothing else. Arguments are often short, and a plain hash of a short
 * text is found by trying; so it takes a key to compute it.
 */
export const digestOf = (args: unknown, key: Buffer): string => {
  let text: string;
  try {
    text = canonicalJson(args);
  } catch {
    return 'none: the arguments are not JSON';
  }
  return `hmac-sha256:${createHmac('sha256', key).update(text).digest('hex')}`;
};

const readKey = async (path: string): Promise<Buffer | undefined> => {
  let text: string;
  try {
    text = await readFile(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
  const key = Buffer.from(text.trim(), 'hex');
  if (key.length === KEY_BYTES) return key;
  throw new Error(`${path} holds no key: ${KEY_BYTES * 2} hexadecimal digits. Move it away, and a new one is made`);
};

/** The key in a file that only its owner can read. Makes one where there is none. Call it while nobody else does. */
export const openKey = async (path: string): Promise<{ readonly key: Buffer; readonly isNew: boolean }> => {
  const found = await readKey(path);
  if (found !== undefined) return { key: found, isNew: false };
  const key = newKey();
  // Half a key would be in the way for good.
  await replaceFile(path, `${key.toString('hex')}\n`);
  return { key, isNew: true };
};
