import type { DatabaseSync, StatementSync } from 'node:sqlite';
import type { Failure } from './messages.ts';

/** A statement that cannot be run. The message is for the caller. */
export class StatementError extends Error {
  override readonly name = 'StatementError';
}

/** How long a statement waits for the locks of other programs, in milliseconds, if it has more than twice that time. */
const BUSY_MS = 5_000;

/** Settings for every connection: code in the schema of a database is not trusted, and damaged pages are found. */
export function prepareConnection(database: DatabaseSync, maxMs: number): void {
  const busyMs = Math.min(BUSY_MS, Math.floor(maxMs / 2));
  database.exec(`PRAGMA busy_timeout = ${busyMs}; PRAGMA trusted_schema = OFF; PRAGMA cell_size_check = ON;`);
  // Before Node 24.12 it does not exist.
  database.enableDefensive?.(true);
}

/** Compiles a text that must be one statement. SQLite compiles the first statement, and ignores the rest. */
export function prepareOne(database: DatabaseSync, sql: string): StatementSync {
  const statement = database.prepare(sql);
  // `sourceSQL` ends where SQLite found the end of the statement.
  if (statement.sourceSQL !== sql)
    throw new StatementError('Only one statement is allowed in a call: send the others in calls of their own');
  return statement;
}

/** Describes an error for the server. */
export function failureBy(error: unknown): Failure {
  const { message, errcode } = error as Error & { readonly errcode?: number };
  return { message, code: errcode };
}
