// The file that --db-path names.
import { closeSync, mkdirSync, openSync, readSync, realpathSync, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { expandHome } from '@tenon/values/node/expand-home';

/** The first bytes of every database (sqlite.org/fileformat.html, 1.3.1). */
const HEADER = 'SQLite format 3\0';

/** Throws if a file is something else than a database. A new database has no bytes. */
function checkHeader(file: string, given: string): void {
  const descriptor = openSync(file, 'r');
  try {
    const bytes = Buffer.alloc(HEADER.length);
    const count = readSync(descriptor, bytes);
    if (count > 0 && bytes.toString('latin1') !== HEADER)
      throw new Error(`${given} is not a SQLite database, and was left as it is`);
  } finally {
    closeSync(descriptor);
  }
}

/** Creates the file, empty and readable only by this user, unless it exists. */
function createFile(file: string): void {
  mkdirSync(dirname(file), { recursive: true });
  try {
    closeSync(openSync(file, 'ax', 0o600));
  } catch (error) {
    const isLink =
      (error as NodeJS.ErrnoException).code === 'EEXIST' && statSync(file, { throwIfNoEntry: false }) === undefined;
    if (isLink) throw new Error(`${file} is a link to a file that does not exist`, { cause: error });
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
}

/**
 * The real path of the database. It is found once, so that a link that is changed later leads nowhere else. Throws an `Error` with a message
 * for the user if the path is not that of a database. `isCreated`: whether a missing file is created.
 */
export function findDatabase(given: string, isCreated: boolean): string {
  if (given === '' || given.includes('\0')) throw new Error('--db-path takes the path of a file');
  // SQLite would read options and other files from a URI.
  if (/^file:|:\/\//i.test(given)) throw new Error(`--db-path takes the path of a file, not the URI ${given}`);
  if (given === ':memory:')
    throw new Error('--db-path takes the path of a file: a database in memory would be empty in every call');
  const path = resolve(expandHome(given));
  if (isCreated) createFile(path);
  const found = statSync(path, { throwIfNoEntry: false });
  if (found === undefined) throw new Error(`${given} does not exist. With --write it would be created`);
  if (!found.isFile()) throw new Error(`${given} is not a file`);
  const real = realpathSync(path);
  checkHeader(real, given);
  return real;
}
