import { statSync } from 'node:fs';
import { resolve } from 'node:path';
import process from 'node:process';
import type { Engine } from '../engine.ts';
import type { EngineOptions } from '../options.ts';
import { StoreError } from '../store-error.ts';
import { removeExpired, reportOn } from './maintain.ts';
import { SCHEMA_VERSION } from './schema.ts';
import { SqliteStore } from './sqlite-store.ts';
import { StoreFile } from './store-file.ts';

const SCHEME = 'sqlite:';

/** A store in a file of SQLite. */
export const engine: Engine = {
  async openStore(address, options) {
    return new SqliteStore(await openFile(address, options), options);
  },
  async inspect(address, options) {
    const empty = { version: 0, known: SCHEMA_VERSION, values: 0, logs: 0, characters: 0, expired: 0 };
    return exists(address) ? withFile(address, options, reportOn) : empty;
  },
  async migrate(address, options) {
    const before = exists(address) ? SCHEMA_VERSION : 0;
    return withFile(address, options, () => ({ before, after: SCHEMA_VERSION }));
  },
  async sweep(address, options) {
    return exists(address) ? withFile(address, options, removeExpired) : 0;
  },
};

async function openFile(address: string, { busyMs }: Pick<EngineOptions, 'busyMs'>): Promise<StoreFile> {
  const path = pathIn(address);
  const sqlite = loadSqlite();
  if (sqlite === undefined)
    throw new StoreError(
      'no-sqlite',
      `A store in SQLite needs Node 22.13 or newer, and this is Node ${process.versions.node}. ` +
        'Install a newer one beside it (npm install node@24), and start the program with node_modules/node/bin/node',
    );
  return StoreFile.open(sqlite, path, busyMs);
}

/** Opens the file, works, and closes it. */
async function withFile<T>(
  address: string,
  options: Pick<EngineOptions, 'busyMs'>,
  work: (file: StoreFile) => T | Promise<T>,
): Promise<T> {
  const file = await openFile(address, options);
  try {
    return await work(file);
  } finally {
    await file.close();
  }
}

/** Whether there is a file with tables. An empty one is a store that was not initialized. */
function exists(address: string): boolean {
  return (statSync(pathIn(address), { throwIfNoEntry: false })?.size ?? 0) > 0;
}

function pathIn(address: string): string {
  const path = address.slice(SCHEME.length);
  if (path === '' || path.startsWith('//'))
    throw new TypeError(`The address of a store is ${SCHEME} and the path of a file, such as ${SCHEME}./state.db`);
  if (path.startsWith(':'))
    throw new TypeError(`For a store in memory use memoryStore() of tenon/http, not '${address}'`);
  return resolve(path);
}

/** Before Node 22.13 the module does not exist, or needs a flag. */
function loadSqlite(): typeof import('node:sqlite') | undefined {
  return process.getBuiltinModule('node:sqlite') as typeof import('node:sqlite') | undefined;
}
