import { resolve } from 'node:path';
import process from 'node:process';
import type { Engine } from '../engine.ts';
import { StoreError } from '../store-error.ts';
import { SqliteStore } from './sqlite-store.ts';
import { StoreFile } from './store-file.ts';

const SCHEME = 'sqlite:';

/** A store in a file of SQLite. */
export const engine: Engine = {
  async openStore(address, options) {
    const path = pathIn(address);
    const sqlite = loadSqlite();
    if (sqlite === undefined)
      throw new StoreError(
        'no-sqlite',
        `A store in SQLite needs Node 22.13 or newer, and this is Node ${process.versions.node}. ` +
          `Start the server with: npx tenon run <file> --store ${address}, which brings Node 24.`,
      );
    return new SqliteStore(await StoreFile.open(sqlite, path, options.busyMs), options);
  },
};

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
