import { silent } from '../protocol/log.ts';
import { MIN_SECRET } from '../store/lazy-sealer.ts';
import { createSealer } from '../store/seal.ts';
import type { Store } from '../store/store.ts';
import { ALWAYS_MS, keepInStore, withStoreLock } from '../store/with-store-lock.ts';
import { type Grant, readGrant, type TokenStore } from './tokens.ts';

/** Options of `tokensIn`. */
export interface TokensInOptions {
  /**
   * Keys that encrypt the credentials: the first one seals, all of them open. A list, or `keysInFile(…)` of `tenon/node`. Credentials that
   * none of them opens count as missing, and so do those that were stored without keys: the user logs in again. Default: they are stored as
   * they are, and everyone who can read the store can act as the user.
   */
  readonly keys?: Iterable<string>;
}

/**
 * Keeps credentials in a store that several processes may share. Throws a `TypeError` for keys that are too short, and for none.
 *
 * @example
 * ```ts
 * import { openStore } from '@tenon/store';
 * import { loopback, oauth, tokensIn } from 'tenon/auth';
 *
 * const store = await openStore('sqlite:./state.db');
 * const keys = [process.env['TOKEN_KEY']!];
 * const auth = oauth({ store: tokensIn(store, { keys }), browser: loopback() });
 * ```
 */
export function tokensIn(store: Store, { keys }: TokensInOptions = {}): TokenStore {
  if (keys !== undefined) checkKeys([...keys]);
  const keyOf = (key: string): string => `token/${encodeURIComponent(key)}`;
  const sealer = keys === undefined ? undefined : createSealer(keys, silent);
  const read = async (key: string): Promise<Grant | undefined> => {
    const value = await store.get(key);
    return readGrant(sealer === undefined ? value : await sealer.open(value, key));
  };
  const write = async (key: string, grant: Grant): Promise<void> =>
    keepInStore(store, key, sealer === undefined ? grant : await sealer.seal(grant, key, ALWAYS_MS));
  return {
    get: (key) => read(keyOf(key)),
    set: (key, grant) => write(keyOf(key), grant),
    delete: (key) => store.delete(keyOf(key)),
    lock: (key, run) => withStoreLock(store, `token-lock/${encodeURIComponent(key)}`, run),
  };
}

function checkKeys(keys: readonly string[]): void {
  if (keys.length === 0 || keys.some((key) => key.length < MIN_SECRET))
    throw new TypeError(
      `\`keys\` needs at least one key, each of at least ${MIN_SECRET} characters; use 32 random bytes`,
    );
}
