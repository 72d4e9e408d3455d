import { resolve } from 'node:path';
import process from 'node:process';
import { DEFAULTS, type DurableStore, type StoreOptions } from './options.ts';
import { SqliteStore } from './sqlite-store.ts';
import { StoreError } from './store-error.ts';
import { StoreFile } from './store-file.ts';

const SCHEME = 'sqlite:';

/**
 * Opens the store with this address, and creates it if it does not exist. Several processes on one machine can open the same store. Rejects
 * with a `StoreError` if the file cannot be used, and with a `TypeError` for an invalid address.
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
  const path = pathIn(address);
  const all = withDefaults(options);
  const sqlite = loadSqlite();
  if (sqlite === undefined)
    throw new StoreError(
      'no-sqlite',
      `A store in SQLite needs Node 22.13 or newer, and this is Node ${process.versions.node}. ` +
        `Start the server with: npx tenon run <file> --store ${address}, which brings Node 24.`,
    );
  const store = new SqliteStore(await StoreFile.open(sqlite, path, all.busyMs), all);
  // Separate functions instead of methods, because a program may copy some of them into its own store.
  return {
    get: (key) => store.get(key),
    set: (key, value, lifeMs) => store.set(key, value, lifeMs),
    add: (key, value, lifeMs, owner) => store.add(key, value, lifeMs, owner),
    swap: (key, before, after, lifeMs) => store.swap(key, before, after, lifeMs),
    keys: (prefix, after, limit) => store.keys(prefix, after, limit),
    delete: (key) => store.delete(key),
    append: (key, value, lifeMs) => store.append(key, value, lifeMs),
    read: (key, after) => store.read(key, after),
    close: () => store.close(),
    [Symbol.asyncDispose]: () => store.close(),
  };
}

function pathIn(address: string): string {
  const path = address.startsWith(SCHEME) ? address.slice(SCHEME.length) : undefined;
  if (path === undefined)
    throw new TypeError(`'${schemeOf(address)}' is the address of no store. Write ${SCHEME}./state.db`);
  if (path === '' || path.startsWith('//'))
    throw new TypeError(`The address of a store is ${SCHEME} and the path of a file, such as ${SCHEME}./state.db`);
  if (path.startsWith(':'))
    throw new TypeError(`For a store in memory use memoryStore() of tenon/http, not '${address}'`);
  return resolve(path);
}

/** The scheme of an address. The rest may contain a password. */
function schemeOf(address: string): string {
  const end = address.indexOf(':');
  return end === -1 ? address : `${address.slice(0, end)}:…`;
}

function withDefaults(options: StoreOptions): Required<StoreOptions> {
  for (const [name, value] of Object.entries(options)) {
    if (!Object.hasOwn(DEFAULTS, name)) throw new TypeError(`A store has no option '${name}'`);
    const fits = name === 'now' ? typeof value === 'function' : typeof value === 'number' && value > 0;
    if (value !== undefined && !fits)
      throw new TypeError(
        `The option '${name}' of a store must be ${name === 'now' ? 'a function' : 'a positive number'}`,
      );
  }
  const given = Object.entries(options).filter(([, value]) => value !== undefined);
  return { ...DEFAULTS, ...(Object.fromEntries(given) as StoreOptions) };
}

/** Before Node 22.13 the module does not exist, or needs a flag. */
function loadSqlite(): typeof import('node:sqlite') | undefined {
  return process.getBuiltinModule('node:sqlite') as typeof import('node:sqlite') | undefined;
}
