// Connections to the database, and the read-only transactions on them.
import type { Pool, PoolClient } from 'pg';
import { ToolError } from 'tenon';
import type { Address } from '@tenon/values/postgres-address';
import { cancelStatement } from './cancel.ts';
import { explainFailure, isLost } from './failure.ts';
import { reportRole, type RoleReport } from './role.ts';

const MAX_CONNECTIONS = 4;
/** How many calls may wait for a connection. */
const MAX_WAITING = 32;
/** How long a call waits for a connection, in milliseconds. */
const CONNECT_MS = 10_000;
/** When an unused connection is closed, in milliseconds. */
const IDLE_MS = 30_000;
/** When the server ends a transaction in which nothing happens, in milliseconds. */
const IDLE_IN_TRANSACTION_MS = 60_000;
/** How often the database looks whether the client of a running query is still there: this process may have been killed. */
const CLIENT_CHECK = '1s';
/** How long a cancelled statement may take to end before its connection is cut, in milliseconds. */
const CANCEL_MS = 5_000;

export interface DatabaseOptions {
  readonly address: Address;
  /** How long a call may take, in seconds. */
  readonly timeout: number;
  /** Whether to accept a role with powers that a read-only transaction does not contain, such as a superuser. */
  readonly allowPrivilegedRole: boolean;
  /** Writes a warning for the operator. */
  readonly warn: (message: string) => void;
}

export interface Database {
  /**
   * Runs a function in a read-only transaction, which is always rolled back. Throws a `ToolError` with a message for the model if the
   * database cannot be reached, refuses, or takes too long. If the signal is aborted, the running statement is cancelled.
   */
  read<T>(signal: AbortSignal, run: (client: PoolClient) => Promise<T>): Promise<T>;
}

/** Makes a database. It connects when it is first used, and again after a connection was lost. */
export function createDatabase({ address, timeout, allowPrivilegedRole, warn }: DatabaseOptions): Database {
  let pool: Promise<Pool> | undefined;
  /** The connections whose role was checked, and whether they have the setting that ends queries without a client. */
  const checked = new WeakMap<PoolClient, boolean>();
  const warned = new Set<string>();
  const warnOnce = (message: string): void => {
    if (warned.has(message)) return;
    warned.add(message);
    warn(message);
  };
  const checkRole = async (client: PoolClient): Promise<void> => {
    if (checked.has(client)) return;
    await beginTransaction(client, timeout, false);
    await client.query("SELECT pg_catalog.set_config('search_path', 'pg_catalog', true)");
    const report = await reportRole(client);
    const watchesClient = await canWatchClient(client);
    await reset(client);
    const { role, warnings } = report;
    if (report.powers.length > 0 && !allowPrivilegedRole) throw privilegedRole(report, warnOnce);
    for (const warning of [...report.powers, ...warnings])
      warnOnce(`the role ${role} is not limited to reading: ${warning}`);
    checked.set(client, watchesClient);
  };
  const connect = async (): Promise<PoolClient> => {
    const opened = await (pool ??= openPool(address));
    if (opened.waitingCount >= MAX_WAITING) throw new ToolError('Too many queries are waiting. Try again later.');
    const client = await opened.connect();
    try {
      await checkRole(client);
      return client;
    } catch (error) {
      client.release(true);
      throw error;
    }
  };
  const begin = async (): Promise<PoolClient> => {
    // After a restart of the server every connection of the pool is lost. Nothing has run on them yet.
    for (let attempt = 0; ; attempt++) {
      let client: PoolClient | undefined;
      try {
        client = await connect();
        await beginTransaction(client, timeout, checked.get(client) ?? false);
        return client;
      } catch (error) {
        client?.release(true);
        if (attempt === MAX_CONNECTIONS || client === undefined || !isLost(error)) throw error;
      }
    }
  };
  return {
    async read(signal, run) {
      let client: PoolClient | undefined;
      try {
        signal.throwIfAborted();
        client = await begin();
        signal.throwIfAborted();
        return await withDeadline(client, signal, timeout, run);
      } catch (error) {
        throw signal.aborted ? signal.reason : explainFailure(error, address.secrets);
      } finally {
        // Before the answer, so that nothing of the query is left when the caller has it.
        if (client !== undefined) await release(client);
      }
    },
  };
}

/** The error for a role that a read-only transaction does not contain. */
function privilegedRole({ role, powers }: RoleReport, warn: (message: string) => void): ToolError {
  const message = `the role ${role} is refused, because a query could do more with it than read: ${powers.join('; ')}`;
  warn(`${message}. Use a role that can only read, or pass --allow-privileged-role`);
  return new ToolError(
    `Nothing was run: ${message}. The operator of this server has to configure a role that can only read.`,
  );
}

async function openPool({ connectionString }: Address): Promise<Pool> {
  const { Pool } = await import('pg');
  const pool = new Pool({
    connectionString,
    max: MAX_CONNECTIONS,
    connectionTimeoutMillis: CONNECT_MS,
    idleTimeoutMillis: IDLE_MS,
    allowExitOnIdle: true,
    fallback_application_name: 'tenon-server-postgres',
    keepAlive: true,
  });
  // An unused connection was lost. The pool has removed it.
  pool.on('error', () => {});
  // The same for a connection in use: its statement fails.
  pool.on('connect', (client) => void client.on('error', () => {}));
  return pool;
}

/** The first query takes a snapshot, after which the server refuses to make the transaction writable. */
const SETTINGS = `SELECT pg_catalog.set_config('statement_timeout', $1, true),
  pg_catalog.set_config('idle_in_transaction_session_timeout', $2, true),
  pg_catalog.set_config('DateStyle', 'ISO, YMD', true), pg_catalog.set_config('IntervalStyle', 'iso_8601', true),
  pg_catalog.set_config('bytea_output', 'hex', true), pg_catalog.set_config('extra_float_digits', '1', true),
  CASE WHEN $3 THEN pg_catalog.set_config('client_connection_check_interval', $4, true) END,
  pg_catalog.current_setting('transaction_read_only') AS read_only`;

async function beginTransaction(client: PoolClient, timeout: number, watchesClient: boolean): Promise<void> {
  await client.query('BEGIN READ ONLY');
  const { rows } = await client.query<{ read_only: string }>(SETTINGS, [
    `${timeout}s`,
    `${IDLE_IN_TRANSACTION_MS}ms`,
    watchesClient,
    CLIENT_CHECK,
  ]);
  if (rows[0]?.read_only !== 'on') throw new ToolError('Nothing was run: the transaction is not read-only');
}

/**
 * Whether the database can end a query because its client is gone. It cannot before version 14, and not on every system. If it fails, the
 * transaction can only be rolled back.
 */
async function canWatchClient(client: PoolClient): Promise<boolean> {
  try {
    await client.query("SELECT set_config('client_connection_check_interval', $1, true)", [CLIENT_CHECK]);
    return true;
  } catch (error) {
    if (isLost(error)) throw error;
    return false;
  }
}

/** Ends the transaction and forgets what queries left in the session: settings, advisory locks, prepared statements. */
async function reset(client: PoolClient): Promise<void> {
  await client.query('ROLLBACK');
  await client.query('DISCARD ALL');
  await client.query('SET SESSION CHARACTERISTICS AS TRANSACTION READ ONLY');
}

/** Connections that were cancelled: the request may arrive late, and would hit the next statement. */
const cancelled = new WeakSet<PoolClient>();

async function release(client: PoolClient): Promise<void> {
  try {
    if (cancelled.has(client)) return client.release(true);
    await reset(client);
    client.release();
  } catch {
    client.release(true);
  }
}

async function withDeadline<T>(
  client: PoolClient,
  signal: AbortSignal,
  timeout: number,
  run: (client: PoolClient) => Promise<T>,
): Promise<T> {
  let isLate = false;
  let cut: ReturnType<typeof setTimeout> | undefined;
  const cancel = (): void => {
    if (cancelled.has(client)) return;
    cancelled.add(client);
    void cancelStatement(client);
    cut = setTimeout(() => client.connection.stream.destroy(), CANCEL_MS);
  };
  // The server counts, too, but a query can change its settings.
  const deadline = setTimeout(
    () => {
      isLate = true;
      cancel();
    },
    timeout * 1_000 + 500,
  );
  signal.addEventListener('abort', cancel);
  try {
    return await run(client);
  } catch (error) {
    if (isLate || isTimeout(error))
      throw new ToolError(`The query was cancelled, because it took longer than ${timeout} seconds. Ask for less.`);
    throw error;
  } finally {
    clearTimeout(deadline);
    clearTimeout(cut);
    signal.removeEventListener('abort', cancel);
  }
}

function isTimeout(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === '57014';
}
