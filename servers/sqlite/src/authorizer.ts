// What statements may do, decided by SQLite's authorizer while it compiles them (sqlite.org/c3ref/set_authorizer.html).
import type { DatabaseSync } from 'node:sqlite';

type Sqlite = typeof import('node:sqlite');
type Code = keyof Sqlite['constants'];

const READS: readonly Code[] = ['SQLITE_SELECT', 'SQLITE_READ', 'SQLITE_RECURSIVE', 'SQLITE_FUNCTION', 'SQLITE_PRAGMA'];

/** Not allowed: other files, temporary and virtual tables, and transactions other than that of the call. */
const WRITES: readonly Code[] = [
  ...READS,
  'SQLITE_INSERT',
  'SQLITE_UPDATE',
  'SQLITE_DELETE',
  'SQLITE_CREATE_TABLE',
  'SQLITE_CREATE_INDEX',
  'SQLITE_CREATE_VIEW',
  'SQLITE_CREATE_TRIGGER',
  'SQLITE_DROP_TABLE',
  'SQLITE_DROP_INDEX',
  'SQLITE_DROP_VIEW',
  'SQLITE_DROP_TRIGGER',
  'SQLITE_DROP_VTABLE',
  'SQLITE_ALTER_TABLE',
  'SQLITE_REINDEX',
  'SQLITE_ANALYZE',
];

/** Pragmas that describe the schema, as functions in a query: `pragma_table_info('t')`. */
const SCHEMA_PRAGMAS = new Set([
  'table_info',
  'table_xinfo',
  'table_list',
  'index_list',
  'index_info',
  'index_xinfo',
  'foreign_key_list',
  'collation_list',
  'function_list',
  'compile_options',
]);
/** Read by full-text search, and by this server. */
const OWN_PRAGMAS = new Set(['data_version', 'page_size', 'encoding']);
/** An R-tree prepares its changes of these tables also when it is only read, on a connection that cannot run them. */
const RTREE_TABLE = /_(?:node|rowid|parent)$/;
const REFUSED_FUNCTIONS = new Set(['load_extension', 'fts3_tokenizer']);

/** Refuses everything that a statement need not do. Before Node 24.10 there is no authorizer. */
export function authorize(sqlite: Sqlite, database: DatabaseSync, isWriting: boolean): void {
  if (typeof database.setAuthorizer !== 'function') return;
  const { constants } = sqlite;
  const allowed = new Set<number>((isWriting ? WRITES : READS).map((code) => constants[code]));
  const changes = new Set<number>([constants.SQLITE_INSERT, constants.SQLITE_UPDATE, constants.SQLITE_DELETE]);
  const isAllowed = (code: number, first: string | null, second: string | null): boolean => {
    if (code === constants.SQLITE_PRAGMA)
      return SCHEMA_PRAGMAS.has(first ?? '') || (OWN_PRAGMAS.has(first ?? '') && second === null);
    if (code === constants.SQLITE_FUNCTION) return !REFUSED_FUNCTIONS.has((second ?? '').toLowerCase());
    return allowed.has(code) || (changes.has(code) && RTREE_TABLE.test(first ?? ''));
  };
  database.setAuthorizer((code, first, second) =>
    isAllowed(code, first, second) ? constants.SQLITE_OK : constants.SQLITE_DENY,
  );
}
