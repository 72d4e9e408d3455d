import type { DatabaseSync } from 'node:sqlite';
import { authorize } from './authorizer.ts';
import type { WriteTask } from './messages.ts';
import { prepareConnection, prepareOne, StatementError } from './prepare.ts';

/** A transaction whose statement has run. */
export interface Transaction {
  /** How many rows were inserted, changed or deleted. */
  readonly changes: number;
  commit(): void;
}

type Sqlite = typeof import('node:sqlite');

function openToWrite(sqlite: Sqlite, { file, maxMs }: Pick<WriteTask, 'file' | 'maxMs'>): DatabaseSync {
  const database = new sqlite.DatabaseSync(file, { allowExtension: false, enableForeignKeyConstraints: true });
  try {
    prepareConnection(database, maxMs);
    return database;
  } catch (error) {
    database.close();
    throw error;
  }
}

/** Throws if the statement has made something that is gone after the call. `CREATE TABLE temp.x` does, which no keyword shows. */
function checkNothingTemporary(database: DatabaseSync): void {
  if (database.prepare('SELECT 1 FROM sqlite_temp_schema LIMIT 1').get() !== undefined)
    throw new StatementError('The statement makes something temporary, which would be gone after the call');
}

/** Runs a statement in a transaction, which ends with its `commit`, or is rolled back when the process ends. */
export function writeStatement(sqlite: Sqlite, task: WriteTask): Transaction {
  const database = openToWrite(sqlite, task);
  try {
    database.exec('BEGIN IMMEDIATE');
    authorize(sqlite, database, true);
    const { changes } = prepareOne(database, task.sql).run(...task.params);
    checkNothingTemporary(database);
    return {
      changes: Number(changes),
      commit() {
        try {
          database.setAuthorizer?.(null);
          database.exec('COMMIT');
        } finally {
          // An open transaction is rolled back.
          database.close();
        }
      },
    };
  } catch (error) {
    database.close();
    throw error;
  }
}

/** Rolls back what a process left behind that was ended while it was writing: connections that only read cannot. */
export function recover(sqlite: Sqlite, task: Pick<WriteTask, 'file' | 'maxMs'>): void {
  const database = openToWrite(sqlite, task);
  try {
    database.prepare('SELECT count(*) FROM sqlite_schema').get();
  } finally {
    database.close();
  }
}
