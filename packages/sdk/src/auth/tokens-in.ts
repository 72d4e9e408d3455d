import type { Store } from '../store/store.ts';
import { keepInStore, withStoreLock } from '../store/with-store-lock.ts';
import { readGrant, type TokenStore } from './tokens.ts';

/**
 * Keeps credentials in a store that several processes may share. They are stored as they are: everyone who can read the store can act as the user.
 *
 * @example
 * ```ts
 * import { openStore } from '@tenon/store';
 * import { loopback, oauth, tokensIn } from 'tenon/auth';
 *
 * const store = await openStore('sqlite:./state.db');
 * const auth = oauth({ store: tokensIn(store), browser: loopback() });
 * ```
 */
export function tokensIn(store: Store): TokenStore {
  const keyOf = (key: string): string => `token/${encodeURIComponent(key)}`;
  return {
    get: async (key) => readGrant(await store.get(keyOf(key))),
    set: (key, grant) => keepInStore(store, keyOf(key), grant),
    delete: (key) => store.delete(keyOf(key)),
    lock: (key, run) => withStoreLock(store, `token-lock/${encodeURIComponent(key)}`, run),
  };
}
