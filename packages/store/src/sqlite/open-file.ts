import { closeSync, mkdirSync, openSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import { pathToFileURL } from 'node:url';
import { isIncomplete, isNoDatabase } from './failures.ts';
import { APPLICATION_ID, SCHEMA, SCHEMA_VERSION } from './schema.ts';
import { StoreError } from '../store-error.ts';

/** The write-ahead log is truncated to this size, in bytes, after it had to grow beyond it. */
const MAX_WAL_BYTES = 64 * 1024 * 1024;

/**
 * Creates the file if it does not exist, readable only for this user. An existing file is opened only by SQLite: closing it would release
 * the locks of this process on it.
 */
export function createFile(path: string): void {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  try {
    closeSync(openSync(path, 'ax', 0o600));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
}

/** Throws if the file is not a store. The file is only read, because a file of another program must not be changed. */
export function checkOwner(sqlite: typeof import('node:sqlite'), path: string): void {
  if (statSync(path).size === 0) return;
  const database = openToLook(sqlite, path);
  try {
    checkMarks(database, path);
  } catch (error) {
    if (isNoDatabase(error))
      throw new StoreError('not-a-store', `${path} is not a file of SQLite, and was left as it is. Name another file.`);
    // A process was killed while it was writing. SQLite repairs the file when it is opened; then it is checked again.
    if (!isIncomplete(error)) throw error;
  } finally {
    database.close();
  }
}

/** Opens a file so that SQLite creates no other files beside it. The application id is never only in those. */
function openToLook(sqlite: typeof import('node:sqlite'), path: string): DatabaseSync {
  const url = pathToFileURL(path);
  url.search = '?immutable=1';
  try {
    return new sqlite.DatabaseSync(url, { readOnly: true });
  } catch (error) {
    // Before Node 22.15 a database cannot be opened by URL.
    if ((error as NodeJS.ErrnoException).code !== 'ERR_INVALID_ARG_TYPE') throw error;
    return new sqlite.DatabaseSync(path, { readOnly: true });
  }
}

function checkMarks(database: DatabaseSync, path: string): void {
  const application = pragma(database, 'application_id');
  const version = pragma(database, 'user_version');
  if (application !== APPLICATION_ID)
    throw new StoreError(
      'not-a-store',
      `${path} belongs to another program, and was left as it is. Name another file.`,
    );
  if (version > SCHEMA_VERSION)
    throw new StoreError(
      'newer-store',
      `${path} was written by a newer @tenon/store (its schema is ${version}, this one knows ${SCHEMA_VERSION}). Update the package.`,
    );
}

/** Prepares an opened file, new or existing. Throws if another process currently prevents that. */
export function prepareDatabase(database: DatabaseSync, path: string): void {
  database.exec('PRAGMA trusted_schema = OFF');
  // A new file is initialized in one transaction, so that no process sees it half initialized.
  database.exec('BEGIN IMMEDIATE');
  try {
    if (!isEmpty(database)) checkMarks(database, path);
    else database.exec(`${SCHEMA} PRAGMA application_id = ${APPLICATION_ID}; PRAGMA user_version = ${SCHEMA_VERSION};`);
    database.exec('COMMIT');
  } catch (error) {
    rollBack(database);
    throw error;
  }
  const { journal_mode: mode } = database.prepare('PRAGMA journal_mode = WAL').get() as {
    readonly journal_mode: string;
  };
  if (mode !== 'wal')
    throw new StoreError('failed', `${path} cannot be shared by processes where it is. Use a file on a local disk.`);
  database.exec(`PRAGMA journal_size_limit = ${MAX_WAL_BYTES}`);
}

/** Ends a transaction that failed. SQLite may have ended it already. */
export function rollBack(database: DatabaseSync): void {
  try {
    database.exec('ROLLBACK');
  } catch {
    // There is no transaction any more.
  }
}

function pragma(database: DatabaseSync, name: 'application_id' | 'user_version'): number {
  // The pragma statement, not the table-valued function: it does not depend on the schema, which may be invalid.
  return (database.prepare(`PRAGMA ${name}`).get() as Record<typeof name, number>)[name];
}

function isEmpty(database: DatabaseSync): boolean {
  return database.prepare('SELECT 1 FROM sqlite_schema').get() === undefined;
}
