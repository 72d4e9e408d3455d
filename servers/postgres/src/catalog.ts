// The tables of the database, as far as the role may read them.
import type { Client } from 'pg';

/** A table, view, materialized view, partitioned or foreign table. */
export interface Table {
  readonly schema: string;
  readonly name: string;
}

/** A column, with the names of information_schema. */
export interface Column {
  readonly column_name: string;
  readonly data_type: string;
  readonly is_nullable: boolean;
}

/** What the role may read, besides the system's own tables. */
const READABLE = `FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
WHERE c.relkind IN ('r', 'p', 'v', 'm', 'f') AND n.nspname NOT LIKE 'pg\\_%' AND n.nspname <> 'information_schema'
  AND has_schema_privilege(n.oid, 'USAGE')
  AND (has_table_privilege(c.oid, 'SELECT') OR has_any_column_privilege(c.oid, 'SELECT'))`;

async function useCatalog(client: Client): Promise<void> {
  // Other schemas could have operators and functions of the same names.
  await client.query("SELECT pg_catalog.set_config('search_path', 'pg_catalog', true)");
}

/** Lists tables, at most `most`: those whose schema is `schema` and whose name starts with `prefix`, in any case. */
export async function listTables(
  client: Client,
  {
    schema,
    prefix = '',
    most,
  }: { readonly schema?: string | undefined; readonly prefix?: string; readonly most: number },
): Promise<readonly Table[]> {
  await useCatalog(client);
  const { rows } = await client.query<Table>(
    `SELECT n.nspname::text AS schema, c.relname::text AS name ${READABLE}
      AND ($1::text IS NULL OR n.nspname = $1) AND starts_with(lower(c.relname), lower($2))
    ORDER BY n.nspname <> 'public', 1, 2 LIMIT $3`,
    [schema ?? null, prefix, most],
  );
  return rows;
}

/** Lists schemas with tables. */
export async function listSchemas(client: Client, prefix: string, most: number): Promise<readonly string[]> {
  await useCatalog(client);
  const { rows } = await client.query<{ schema: string }>(
    `SELECT DISTINCT n.nspname::text AS schema ${READABLE} AND starts_with(lower(n.nspname), lower($1)) ORDER BY 1 LIMIT $2`,
    [prefix, most],
  );
  return rows.map(({ schema }) => schema);
}

/** The columns of a table; undefined if there is no such table, or the role may not read it. */
export async function listColumns(client: Client, { schema, name }: Table): Promise<readonly Column[] | undefined> {
  await useCatalog(client);
  const { rows } = await client.query<{ columns: readonly Column[] }>(
    `SELECT coalesce((
      SELECT json_agg(json_build_object('column_name', a.attname, 'data_type', format_type(a.atttypid, a.atttypmod),
        'is_nullable', NOT a.attnotnull) ORDER BY a.attnum)
      FROM pg_attribute a WHERE a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
        AND has_column_privilege(c.oid, a.attnum, 'SELECT')
    ), '[]') AS columns ${READABLE} AND n.nspname = $1 AND c.relname = $2`,
    [schema, name],
  );
  return rows[0]?.columns;
}
