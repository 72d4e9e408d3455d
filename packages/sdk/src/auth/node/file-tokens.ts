import { createCipheriv, createDecipheriv, createHash, randomBytes } from 'node:crypto';
import { mkdir, readFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { AuthError } from '../../protocol/auth-error.ts';
import { isObject, type JsonObject } from '../../protocol/jsonrpc.ts';
import type { Grant, TokenStore } from '../tokens.ts';
import { withLock } from '../../store/node/lock-file.ts';
import { replaceFile } from '../../store/node/replace-file.ts';
import { decodeUtf8 } from '../../wire/utf8.ts';

/** Options of `fileTokens`. */
export interface FileTokensOptions {
  /** Encrypts the file. Store this text elsewhere, for example in the keychain of the system. Default: the file is not encrypted. */
  readonly secret?: string;
}

function keyOf(secret: string): Buffer {
  return createHash('sha256').update(`tenon tokens ${secret}`).digest();
}

function encrypt(text: string, secret: string): string {
  const iv = randomBytes(12);
  const cipher = createCipheriv('aes-256-gcm', keyOf(secret), iv);
  const sealed = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()]);
  return JSON.stringify({ sealed: Buffer.concat([iv, cipher.getAuthTag(), sealed]).toString('base64') });
}

function decrypt(sealed: string, secret: string): string {
  const bytes = Buffer.from(sealed, 'base64');
  const decipher = createDecipheriv('aes-256-gcm', keyOf(secret), bytes.subarray(0, 12));
  decipher.setAuthTag(bytes.subarray(12, 28));
  return decipher.update(bytes.subarray(28), undefined, 'utf8') + decipher.final('utf8');
}

/** Parses the grants of a file. Each grant is validated when it is used. */
function grantsIn(text: string): JsonObject {
  const value: unknown = JSON.parse(text);
  if (!isObject(value)) throw new Error('it is not a JSON object');
  return value;
}

/**
 * Keeps credentials in a file that only its owner can read, encrypted (AES-256-GCM) if there is a `secret`. Several processes may share it: only
 * one of them at a time logs in or refreshes a token. Needs Node. A file that cannot be read rejects with an `AuthError` of the step `storage`,
 * and is left as it is.
 *
 * @example
 * ```ts
 * import { fileTokens, loopback, oauth } from 'tenon/auth';
 *
 * // From the keychain of the system, for example.
 * declare const secret: string;
 *
 * const store = fileTokens('tokens.json', { secret });
 * const auth = oauth({ browser: loopback(), store });
 * ```
 */
export function fileTokens(path: string, { secret }: FileTokensOptions = {}): TokenStore {
  const read = async (): Promise<Record<string, Grant>> => {
    let bytes: Buffer;
    try {
      bytes = await readFile(path);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return {};
      throw new AuthError('storage-failed', 'storage', `The credentials cannot be read: ${(error as Error).message}`, {
        cause: error,
      });
    }
    try {
      const text = decodeUtf8(bytes);
      if (text === undefined) throw new Error('it is not UTF-8');
      const value = grantsIn(text);
      const { sealed } = value;
      if (typeof sealed !== 'string') return value as Record<string, Grant>;
      if (secret === undefined) throw new Error('it is encrypted, and there is no `secret`');
      return grantsIn(decrypt(sealed, secret)) as Record<string, Grant>;
    } catch (error) {
      // The file is not overwritten, because it may be the only copy. Its contents are secret, so the error does not show them.
      const why = error instanceof SyntaxError ? 'it is not JSON' : (error as Error).message;
      throw new AuthError('storage-failed', 'storage', `The credentials in ${path} cannot be used: ${why}`);
    }
  };

  const write = async (grants: Readonly<Record<string, Grant>>): Promise<void> => {
    const text = JSON.stringify(grants);
    await mkdir(dirname(path), { recursive: true, mode: 0o700 });
    try {
      await replaceFile(path, secret === undefined ? text : encrypt(text, secret));
    } catch (error) {
      throw new AuthError(
        'storage-failed',
        'storage',
        `The credentials cannot be stored: ${(error as Error).message}`,
        { cause: error },
      );
    }
  };

  const change = (act: (grants: Record<string, Grant>) => void): Promise<void> =>
    withLock(`${path}.write`, async () => {
      const grants = await read();
      act(grants);
      await write(grants);
    });

  return {
    get: async (key) => (await read())[key],
    set: (key, grant) => change((grants) => void (grants[key] = grant)),
    delete: (key) => change((grants) => void delete grants[key]),
    lock: (key, run) => withLock(`${path}.${createHash('sha256').update(key).digest('hex').slice(0, 16)}.lock`, run),
  };
}
