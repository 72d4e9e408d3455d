// A query and its result.
import type { Client } from 'pg';
import { ToolError } from 'tenon';
import { fetchRows, type Field, prepare } from './statement.ts';
import { type ColumnType, toJson } from './values.ts';

/** How much of a result is returned. */
export interface ResultLimits {
  readonly rows: number;
  /** The length of the rows as JSON, in bytes. */
  readonly bytes: number;
}

export interface QueryResult {
  readonly columns: readonly { readonly name: string; readonly type: string }[];
  readonly rows: readonly Readonly<Record<string, unknown>>[];
  /** Whether the query has more rows. */
  readonly truncated: boolean;
}

/** Runs a statement that returns rows. Throws a `ToolError` for any other, without running it. */
export async function runQuery(client: Client, sql: string, limits: ResultLimits): Promise<QueryResult> {
  const fields = await prepare(client, sql);
  if (fields === undefined)
    throw new ToolError(
      'Nothing was run: this statement returns no rows, and this server only reads. Use SELECT, VALUES, TABLE, SHOW or EXPLAIN.',
    );
  const types = await typesOf(client, fields);
  const names = uniqueNames(fields);
  const rows: Record<string, unknown>[] = [];
  let bytes = 0;
  const take = (values: readonly (string | null)[]): boolean => {
    // Not by assignment: a column can be called __proto__.
    const row = Object.fromEntries(values.map((value, index) => [names[index]!, toJson(value, types[index]!)]));
    bytes += Buffer.byteLength(JSON.stringify(row));
    if (rows.length === limits.rows || bytes > limits.bytes) return false;
    rows.push(row);
    return true;
  };
  const isComplete = await fetchRows(client, { take, maxBytes: limits.bytes });
  if (!isComplete && rows.length === 0)
    throw new ToolError(
      `The first row alone has more than ${limits.bytes} bytes. Select fewer columns, or parts of long values, such as left(column, 1000).`,
    );
  return { columns: names.map((name, index) => ({ name, type: types[index]!.name })), rows, truncated: !isComplete };
}

/** The names of the columns, with a number where one occurs again: `id`, `id_2`. */
function uniqueNames(fields: readonly Field[]): readonly string[] {
  const taken = new Set(fields.map(({ name }) => name));
  const used = new Set<string>();
  return fields.map(({ name }) => {
    let unique = name;
    for (let count = 2; used.has(unique); count++) unique = taken.has(`${name}_${count}`) ? unique : `${name}_${count}`;
    used.add(unique);
    return unique;
  });
}

/** In the search path of the query anybody may have made types and operators, so every name has its schema. */
const TYPES = `SELECT t.oid::pg_catalog.int8::pg_catalog.text AS oid, pg_catalog.format_type(t.oid, NULL) AS name,
  CASE WHEN t.typcategory OPERATOR(pg_catalog.=) 'A' AND t.typdelim OPERATOR(pg_catalog.=) ',' AND t.typlen OPERATOR(pg_catalog.=) -1
    THEN t.typelem::pg_catalog.int8::pg_catalog.text END AS element
FROM pg_catalog.pg_type t WHERE t.oid OPERATOR(pg_catalog.=) ANY ($1::pg_catalog.oid[])`;

async function typesOf(client: Client, fields: readonly Field[]): Promise<readonly ColumnType[]> {
  const oids = [...new Set(fields.map(({ dataTypeID }) => dataTypeID))];
  const { rows } = await client.query<{ oid: string; name: string; element: string | null }>(TYPES, [oids]);
  const types = new Map(rows.map((row) => [Number(row.oid), row]));
  return fields.map(({ dataTypeID }) => {
    const { name = 'unknown', element = null } = types.get(dataTypeID) ?? {};
    return { name, oid: element === null ? dataTypeID : Number(element), isArray: element !== null };
  });
}
