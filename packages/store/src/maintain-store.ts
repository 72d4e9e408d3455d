import type { Engine, StoreMigration, StoreReport } from './engine.ts';
import { ENGINES, schemeOf, withoutSecrets } from './engines.ts';
import { DEFAULTS } from './options.ts';

/**
 * Reports the version and the size of the store with this address, of all tenants together, without changing it. Counting takes a while if
 * the store is large. Rejects with a `StoreError` if the store cannot be used, and with a `TypeError` for an invalid address.
 *
 * @example
 * ```ts
 * import { inspectStore } from '@tenon/store';
 *
 * const { version, known, expired } = await inspectStore('sqlite:./state.db');
 * console.log(version < known ? 'Run: tenon store migrate' : `${expired} entries have expired`);
 * ```
 */
export async function inspectStore(address: string): Promise<StoreReport> {
  const inspect = await workOf(address, 'inspect');
  return inspect(address, DEFAULTS);
}

/**
 * Creates or updates the tables of the store with this address. Opening a store does that by itself, unless its address has `migrate=off`.
 * Rejects with a `StoreError` if the store cannot be used, and with a `TypeError` for an invalid address.
 *
 * @example
 * ```ts
 * import { migrateStore } from '@tenon/store';
 *
 * // With a role that may create tables, before the nodes start with another one.
 * const { before, after } = await migrateStore('sqlite:./state.db');
 * ```
 */
export async function migrateStore(address: string): Promise<StoreMigration> {
  const migrate = await workOf(address, 'migrate');
  return migrate(address, DEFAULTS);
}

/**
 * Removes everything that has expired from the store with this address, and returns the number of removed rows. A store in use does that by
 * itself, a little with every write. Rejects with a `StoreError` if the store cannot be used, and with a `TypeError` for an invalid address.
 *
 * @example
 * ```ts
 * import { sweepStore } from '@tenon/store';
 *
 * const removed = await sweepStore('sqlite:./state.db');
 * ```
 */
export async function sweepStore(address: string): Promise<number> {
  const sweep = await workOf(address, 'sweep');
  return sweep(address, DEFAULTS);
}

/** The function of the engine that an address names. */
async function workOf<Name extends 'inspect' | 'migrate' | 'sweep'>(
  address: string,
  name: Name,
): Promise<NonNullable<Engine[Name]>> {
  const work = (await ENGINES[schemeOf(address)]?.())?.engine[name];
  if (work !== undefined) return work;
  throw new TypeError(`'${withoutSecrets(address)}' is not the address of a store that can be maintained`);
}
