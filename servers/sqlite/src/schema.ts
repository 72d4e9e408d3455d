// What is in the database: its tables, and the columns of each.
import { ToolError } from 'tenon';
import { z } from 'zod';
import type { Database } from './database.ts';
import { VALUE } from './parameters.ts';
import type { Value } from './values.ts';

const TABLE_LIST = String.raw`SELECT name, type FROM pragma_table_list WHERE schema = 'main' AND type <> 'shadow' AND name NOT LIKE 'sqlite\_%' ESCAPE '\' ORDER BY name`;
const COLUMN_LIST = `SELECT cid, name, type, "notnull", dflt_value, pk FROM pragma_table_xinfo(?, 'main')`;
const KEY_LIST = `SELECT "from", "table", "to" FROM pragma_foreign_key_list(?, 'main')`;

export const TABLES = z.object({ tables: z.array(z.object({ name: VALUE, type: VALUE })), truncated: z.boolean() });
export const DESCRIPTION = z.object({
  columns: z.array(z.object({ cid: VALUE, name: VALUE, type: VALUE, notnull: VALUE, dflt_value: VALUE, pk: VALUE })),
  foreign_keys: z.array(z.object({ from: VALUE, table: VALUE, to: VALUE })),
});

type Row = Readonly<Record<string, Value>>;

async function readObjects(
  database: Database,
  sql: string,
  params: readonly string[],
  signal: AbortSignal,
): Promise<{ readonly objects: readonly Row[]; readonly isCut: boolean }> {
  const { columns, rows, cut } = await database.read({ sql, params, isExplained: false }, signal);
  const objects = rows.map((row) => Object.fromEntries(columns.map((name, index) => [name, row[index]!])));
  return { objects, isCut: cut !== undefined };
}

/** The tables and views, without those of SQLite itself. */
export async function listTables(database: Database, signal: AbortSignal): Promise<z.infer<typeof TABLES>> {
  const { objects, isCut } = await readObjects(database, TABLE_LIST, [], signal);
  return { tables: objects as z.infer<typeof TABLES>['tables'], truncated: isCut };
}

/** The columns and foreign keys of a table; undefined if there is no such table. */
export async function describeTable(
  database: Database,
  table: string,
  signal: AbortSignal,
): Promise<z.infer<typeof DESCRIPTION> | undefined> {
  // SQLite would look for the text before it.
  if (table.includes('\0')) return undefined;
  const columns = await readObjects(database, COLUMN_LIST, [table], signal);
  if (columns.objects.length === 0) return undefined;
  if (columns.isCut)
    throw new ToolError(
      `The table has too many columns for one result. Query pragma_table_xinfo(?) with a LIMIT instead`,
    );
  const keys = await readObjects(database, KEY_LIST, [table], signal);
  return { columns: columns.objects, foreign_keys: keys.objects } as z.infer<typeof DESCRIPTION>;
}
