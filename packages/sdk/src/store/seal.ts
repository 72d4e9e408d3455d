import type { Logger } from '../protocol/log.ts';
import { fromBase64Url, toBase64Url } from './base64url.ts';
import { canonicalJson } from './canonical-json.ts';
import type { Sealer } from './sealer.ts';

const VERSION = 1;
const IV_BYTES = 12;
const KEY_ID_BYTES = 4;
const HEAD_BYTES = 1 + KEY_ID_BYTES + IV_BYTES;

interface Key {
  readonly id: Uint8Array;
  readonly key: Awaited<ReturnType<typeof crypto.subtle.importKey>>;
}

let processKey: Promise<Key> | undefined;

/** One key for all servers and connections of the process: a retry may come over another connection than the call. */
function randomKey(log: Logger): Promise<Key> {
  if (processKey === undefined) {
    processKey = derive(crypto.getRandomValues(new Uint8Array(32)));
    log({
      level: 'info',
      event: 'random-sealing-key',
      message:
        'No sealing keys are configured (option `keys`, or TENON_KEYS): calls that wait for an answer end with this process',
    });
  }
  return processKey;
}

/**
 * Makes a sealer. The first key seals, all of them open: to rotate, put a new key in front and remove the old one when all its seals have
 * expired. `keys` is read with every use, because it may change. Without keys a random one is used, which is lost when the process ends.
 */
export function createSealer(keys: Iterable<string> | undefined, log: Logger, now: () => number = Date.now): Sealer {
  let derived = new Map<string, Promise<Key>>();
  /** The keys as they are now. Each is derived once. */
  const open = async (): Promise<Key[]> => {
    const texts = [...(keys ?? [])];
    if (texts.length === 0) return [await randomKey(log)];
    const known = derived;
    derived = new Map(texts.map((text) => [text, known.get(text) ?? derive(new TextEncoder().encode(text))]));
    return Promise.all(derived.values());
  };
  return {
    async seal(value, context, lifeMs) {
      const [first] = await open();
      const iv = crypto.getRandomValues(new Uint8Array(IV_BYTES));
      const plain = new TextEncoder().encode(JSON.stringify({ expires: now() + lifeMs, value }));
      const cipher = await crypto.subtle.encrypt(
        { name: 'AES-GCM', iv, additionalData: new TextEncoder().encode(context) },
        first!.key,
        plain,
      );
      const bytes = new Uint8Array(HEAD_BYTES + cipher.byteLength);
      bytes.set([VERSION, ...first!.id, ...iv]);
      bytes.set(new Uint8Array(cipher), HEAD_BYTES);
      return toBase64Url(bytes);
    },
    async open(sealed, context) {
      const bytes = typeof sealed === 'string' ? fromBase64Url(sealed) : undefined;
      if (bytes === undefined || bytes.length <= HEAD_BYTES || bytes[0] !== VERSION) return undefined;
      const id = bytes.subarray(1, 1 + KEY_ID_BYTES);
      const key = (await open()).find((candidate) => candidate.id.every((byte, at) => byte === id[at]));
      if (key === undefined) return undefined;
      try {
        const iv = bytes.subarray(1 + KEY_ID_BYTES, HEAD_BYTES);
        const plain = await crypto.subtle.decrypt(
          { name: 'AES-GCM', iv, additionalData: new TextEncoder().encode(context) },
          key.key,
          bytes.subarray(HEAD_BYTES),
        );
        const { expires, value } = JSON.parse(new TextDecoder().decode(plain)) as { expires: number; value: unknown };
        return expires > now() ? value : undefined;
      } catch {
        return undefined;
      }
    },
  };
}

/** HKDF (RFC 5869): keys may be texts of any length. */
async function derive(secret: Uint8Array<ArrayBuffer>): Promise<Key> {
  const base = await crypto.subtle.importKey('raw', secret, 'HKDF', false, ['deriveBits']);
  const bits = (info: string, length: number): Promise<ArrayBuffer> =>
    crypto.subtle.deriveBits(
      { name: 'HKDF', hash: 'SHA-256', salt: new Uint8Array(32), info: new TextEncoder().encode(info) },
      base,
      length,
    );
  const key = await crypto.subtle.importKey('raw', await bits('tenon seal', 256), 'AES-GCM', false, [
    'encrypt',
    'decrypt',
  ]);
  return { id: new Uint8Array(await bits('tenon seal id', KEY_ID_BYTES * 8)), key };
}

/** A digest of a JSON value that ignores the order of members (SHA-256, base64url). */
export async function digest(value: unknown): Promise<string> {
  return toBase64Url(
    new Uint8Array(await crypto.subtle.digest('SHA-256', new TextEncoder().encode(canonicalJson(value)))),
  );
}
