import { ENGINES, schemeOf, withoutSecrets } from './engines.ts';
import { type DurableStore, type StoreOptions, withDefaults } from './options.ts';

/**
 * Opens the store with this address, and creates it if it does not exist: `sqlite:` and the path of a file, which several processes on one
 * machine can share, or the URL of a PostgreSQL database (`postgres:`) or of a Redis (`redis:`, `rediss:`), which any number of nodes can share. Rejects
 * with a `StoreError` if the store cannot be used, and with a `TypeError` for an invalid address.
 *
 * @example
 * ```ts
 * import { openStore } from '@tenon/store';
 * import { server } from 'tenon';
 * import { serveHttp } from 'tenon/node';
 *
 * const app = server({ name: 'notes', version: '1.0.0' });
 * await serveHttp(app, { store: await openStore('sqlite:./state.db') });
 * ```
 */
export async function openStore(address: string, options: StoreOptions = {}): Promise<DurableStore> {
  const all = withDefaults(options, 'store');
  const { openStore: open } = (await ENGINES[schemeOf(address)]?.())?.engine ?? {};
  if (open === undefined)
    throw new TypeError(
      `'${withoutSecrets(address)}' is the address of no store. Write sqlite:./state.db, postgres://localhost/app or redis://localhost`,
    );
  const store = await open(address, all);
  const prefix = prefixOf(options.tenant);
  // Separate functions instead of methods, because a program may copy some of them into its own store.
  return {
    get: (key) => store.get(prefix + key),
    set: (key, value, lifeMs) => store.set(prefix + key, value, lifeMs),
    add: (key, value, lifeMs, owner) => store.add(prefix + key, value, lifeMs, owner),
    swap: (key, before, after, lifeMs) => store.swap(prefix + key, before, after, lifeMs),
    keys(start, after, limit) {
      const found = store.keys(prefix + start, after === undefined ? undefined : prefix + after, limit);
      const without = (keys: readonly string[]): string[] => keys.map((key) => key.slice(prefix.length));
      return prefix === ''
        ? found
        : found instanceof Promise
          ? found.then(without)
          : without(found as readonly string[]);
    },
    delete: (key) => store.delete(prefix + key),
    append: (key, value, lifeMs) => store.append(prefix + key, value, lifeMs),
    read: (key, after) => store.read(prefix + key, after),
    close: () => store.close(),
    [Symbol.asyncDispose]: () => store.close(),
  };
}

/** What the keys and topics of a tenant begin with. */
export function prefixOf(tenant: string | undefined): string {
  return tenant === undefined ? '' : `tenant:${tenant}/`;
}
