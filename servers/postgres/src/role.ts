// What the role of a connection may do that a read-only transaction does not prevent or undo.
import { counted } from '@tenon/values/counted';
import type { Client } from 'pg';

/** What was found out about the role of a connection. */
export interface RoleReport {
  readonly role: string;
  /** Powers outside of transactions. With any of them, a function in a query can do harm. */
  readonly powers: readonly string[];
  /** Rights that only the transaction keeps from being used. */
  readonly warnings: readonly string[];
}

/**
 * The roles that the session can become: a query can call `set_config('role', …)`, and functions that it runs afterwards have the rights of
 * that role. Functions of the system that not everybody may call are the ones that act on files, processes and replication; what the role
 * for monitoring may call only reads statistics.
 */
const REPORT = `
WITH reachable AS (
  SELECT oid, rolname, rolsuper, rolreplication FROM pg_catalog.pg_roles r WHERE pg_has_role(session_user, r.oid, 'MEMBER')
), restricted AS (
  SELECT p.oid FROM pg_catalog.pg_proc p
  WHERE p.pronamespace = 'pg_catalog'::regnamespace AND p.proacl IS NOT NULL
    AND NOT has_function_privilege('public', p.oid, 'EXECUTE')
    AND NOT has_function_privilege('pg_monitor', p.oid, 'EXECUTE')
    AND EXISTS (SELECT FROM reachable r WHERE has_function_privilege(r.oid, p.oid, 'EXECUTE'))
), writable AS (
  SELECT c.oid FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
  WHERE c.relkind IN ('r', 'p', 'v', 'f') AND n.nspname NOT LIKE 'pg\\_%' AND n.nspname <> 'information_schema'
    AND EXISTS (SELECT FROM reachable r WHERE has_table_privilege(r.oid, c.oid, 'INSERT, UPDATE, DELETE, TRUNCATE'))
), outside AS (
  SELECT p.oid FROM pg_catalog.pg_proc p JOIN pg_catalog.pg_language l ON l.oid = p.prolang
    LEFT JOIN pg_catalog.pg_depend d ON d.classid = 'pg_proc'::regclass AND d.objid = p.oid AND d.deptype = 'e'
    LEFT JOIN pg_catalog.pg_extension e ON e.oid = d.refobjid
  WHERE p.pronamespace <> 'pg_catalog'::regnamespace AND has_function_privilege(session_user, p.oid, 'EXECUTE')
    AND (e.extname = 'dblink' OR (NOT l.lanpltrusted AND l.lanname NOT IN ('internal', 'c')))
)
SELECT session_user::text AS role,
  ARRAY(SELECT rolname::text FROM reachable WHERE rolsuper) AS superusers,
  ARRAY(SELECT rolname::text FROM reachable WHERE rolreplication AND NOT rolsuper) AS replication,
  ARRAY(SELECT rolname::text FROM reachable WHERE rolname IN
    ('pg_read_server_files', 'pg_write_server_files', 'pg_execute_server_program', 'pg_signal_backend')) AS members,
  ARRAY(SELECT oid::regprocedure::text FROM restricted ORDER BY 1 LIMIT 3) AS functions,
  ARRAY(SELECT oid::regclass::text FROM writable ORDER BY 1 LIMIT 3) AS tables,
  (SELECT count(*)::int FROM writable) AS table_count,
  ARRAY(SELECT oid::regprocedure::text FROM outside ORDER BY 1 LIMIT 3) AS outside`;

interface ReportRow {
  readonly role: string;
  readonly superusers: readonly string[];
  readonly replication: readonly string[];
  readonly members: readonly string[];
  readonly functions: readonly string[];
  readonly tables: readonly string[];
  readonly table_count: number;
  readonly outside: readonly string[];
}

/** Reads the rights of the role. The search path must be `pg_catalog`. */
export async function reportRole(client: Client): Promise<RoleReport> {
  const { rows } = await client.query<ReportRow>(REPORT);
  const { role, superusers, replication, members, functions, tables, table_count: count, outside } = rows[0]!;
  const powers: string[] = [];
  if (superusers.includes(role)) powers.push('it is a superuser');
  else {
    if (superusers.length > 0) powers.push(`it can become a superuser (${superusers.join(', ')})`);
    if (replication.length > 0) powers.push('it may manage replication');
    if (members.length > 0) powers.push(`it is a member of ${members.join(', ')}`);
    if (functions.length > 0) powers.push(`it may call ${functions.join(', ')}`);
  }
  const warnings: string[] = [];
  if (count > 0)
    warnings.push(
      `may write to ${counted(count, 'table')}, such as ${tables.join(', ')}; only the read-only transaction prevents it`,
    );
  if (outside.length > 0)
    warnings.push(`may call functions that act outside of the transaction, such as ${outside.join(', ')}`);
  return { role, powers, warnings };
}
