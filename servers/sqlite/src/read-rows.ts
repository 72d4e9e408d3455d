import type { DatabaseSync } from 'node:sqlite';
import { authorize } from './authorizer.ts';
import type { ReadTask, ResultLimits, Rows } from './messages.ts';
import { prepareConnection, prepareOne, StatementError } from './prepare.ts';
import { createDecoder, type Decode, sizeOf, toValue, type Value } from './values.ts';

type Sqlite = typeof import('node:sqlite');
type Raw = Parameters<typeof toValue>[1];

const NAME = '"tenon result"';

/**
 * The query, changed so that each column comes with its type, and texts as their bytes. Node decodes texts as UTF-8 with replacement
 * characters, and before Node 24 only up to the first NUL. `LIMIT` inside and outside keep SQLite from merging both queries, in which case it
 * would compute every column more than once (sqlite.org/optoverview.html, 11).
 */
function withTypes(sql: string, columns: number): string {
  const names = Array.from({ length: columns }, (_, index) => `c${index}`);
  const typed = names.map((c) => `typeof(${c}), CASE typeof(${c}) WHEN 'text' THEN CAST(${c} AS BLOB) ELSE ${c} END`);
  return `WITH ${NAME}(${names.join()}) AS (\n${sql}\n) SELECT ${typed.join()} FROM (SELECT * FROM ${NAME} LIMIT -1 OFFSET 0) LIMIT -1`;
}

/** The values of a row, where types and values alternate. */
function typedValues(raw: readonly Raw[], decode: Decode): Value[] {
  return Array.from({ length: raw.length / 2 }, (_, index) =>
    toValue(raw[2 * index] as string, raw[2 * index + 1]!, decode),
  );
}

/** Reads as many rows as the limits allow. */
function collect(
  raws: Iterable<readonly Raw[]>,
  toValues: (raw: readonly Raw[]) => Value[],
  { maxRows, maxBytes }: ResultLimits,
) {
  const rows: Value[][] = [];
  let bytes = 0;
  for (const raw of raws) {
    if (rows.length === maxRows) return { rows, cut: 'rows' as const };
    // Do not convert a value that is too large anyway.
    const size = raw.reduce((sum: number, value) => sum + sizeOf(value), 0);
    const values = size > maxBytes ? undefined : toValues(raw);
    bytes += values === undefined ? size : Buffer.byteLength(JSON.stringify(values)) + 1;
    if (bytes > maxBytes && rows.length === 0)
      throw new StatementError(
        `A row has more than ${maxBytes} bytes: select fewer columns, or parts of values with substr(column, 1, 1000)`,
      );
    if (bytes > maxBytes) return { rows, cut: 'bytes' as const };
    rows.push(values!);
  }
  return { rows };
}

function encodingOf(database: DatabaseSync): string {
  return (database.prepare('PRAGMA encoding').get() as { readonly encoding: string }).encoding;
}

/** Opens a connection that cannot write, for several reasons, each of which is enough. */
export function openToRead(sqlite: Sqlite, { file, maxMs }: Pick<ReadTask, 'file' | 'maxMs'>): DatabaseSync {
  const database = new sqlite.DatabaseSync(file, { readOnly: true, allowExtension: false });
  try {
    prepareConnection(database, maxMs);
    database.exec('PRAGMA query_only = ON');
    authorize(sqlite, database, false);
    return database;
  } catch (error) {
    database.close();
    throw error;
  }
}

/** Runs a query on a connection that cannot write. */
export function readRows(sqlite: Sqlite, task: ReadTask): Rows {
  const database = openToRead(sqlite, task);
  try {
    const decode = createDecoder(encodingOf(database));
    const plain = prepareOne(database, task.sql);
    const columns = plain.columns().map(({ name }) => name);
    if (columns.length === 0) throw new StatementError('The query returns no columns');
    const statement = task.isExplained ? plain : database.prepare(withTypes(task.sql, columns.length));
    statement.setReadBigInts(true);
    statement.setReturnArrays(true);
    const raws = statement.iterate(...task.params) as unknown as Iterable<readonly Raw[]>;
    const toValues = task.isExplained
      ? (raw: readonly Raw[]) => raw.map((value) => toValue('blob', value, decode))
      : (raw: readonly Raw[]) => typedValues(raw, decode);
    return { columns, ...collect(raws, toValues, task.limits) };
  } finally {
    database.close();
  }
}
