import type { PoolClient } from 'pg';
import type { StoreMigration } from '../engine.ts';
import { StoreError } from '../store-error.ts';
import type { DatabaseAddress } from './address.ts';
import type { Connections } from './connections.ts';
import { entryFunctions } from './entry-functions.ts';
import { messageFunctions } from './message-functions.ts';
import { SCHEMA_VERSION, TABLES, VERSION_TABLE } from './schema.ts';
import { sha256 } from './split-key.ts';

/** How long a migration may take, in milliseconds. */
const MIGRATION_MS = 600_000;
/** The oldest version of PostgreSQL that is supported, as `server_version_num`. */
const OLDEST = { number: 130_000, name: '13' };

/** What the steps of a migration need to know about the schema. */
interface Names {
  readonly channel: string;
  readonly lockOf: (purpose: string) => bigint;
}

/** The steps to the versions 1, 2, 3 … A published step is never changed. */
const STEPS: readonly ((names: Names) => string)[] = [
  ({ channel, lockOf }) =>
    [TABLES, entryFunctions(lockOf('removing')), messageFunctions(lockOf('publishing'), channel)].join('\n'),
];

/** The channel of the notifications of a schema. All schemas of a database share its channels. */
export function channelOf(schema: string): string {
  return `tenon_${sha256(schema).toString('hex').slice(0, 32)}`;
}

/** A lock of the database. Other programs use the same numbers, but hardly the same one. */
function lockOf(schema: string, purpose: string): bigint {
  return sha256(`tenon/${schema}/${purpose}`).readBigInt64BE();
}

/**
 * Creates or updates the tables, if that is necessary. Any number of nodes can do this at once. `what`: `only-check` rejects instead if they are
 * too old.
 */
export function migrate(
  connections: Connections,
  address: DatabaseAddress,
  what: 'migrate' | 'only-check' = 'migrate',
): Promise<StoreMigration> {
  // One transaction, which begins with the version that it finds.
  const way = { what: 'migrate', repeatable: true, patienceMs: MIGRATION_MS };
  return connections.use(way, async (client) => {
    const found = await versionIn(client, address);
    if (found === SCHEMA_VERSION) return { before: found, after: found };
    if (what === 'only-check') throw tooOld(address, found);
    await client.query('BEGIN');
    try {
      await client.query("SELECT set_config('lock_timeout', $1, true)", [`${Math.ceil(connections.busyMs)}ms`]);
      await client.query('SELECT pg_advisory_xact_lock($1)', [String(lockOf(address.schema, 'migrating'))]);
      // Another node may have been first.
      const before = await versionIn(client, address);
      if (before < SCHEMA_VERSION) await takeSteps(client, address.schema, before);
      await client.query('COMMIT');
      return { before, after: SCHEMA_VERSION };
    } catch (error) {
      // If the connection broke, the server rolls back by itself.
      await client.query('ROLLBACK').catch(() => {});
      throw error;
    }
  });
}

async function takeSteps(client: PoolClient, schema: string, from: number): Promise<void> {
  // Without the right to create schemas, a role can use one that an administrator has made for it.
  const { rowCount } = await client.query('SELECT FROM pg_namespace WHERE nspname = $1', [schema]);
  if (rowCount === 0) await client.query(`CREATE SCHEMA "${schema}"`);
  await client.query(`SET LOCAL search_path = "${schema}", pg_temp`);
  const names: Names = { channel: channelOf(schema), lockOf: (purpose) => lockOf(schema, purpose) };
  for (const step of STEPS.slice(from)) await client.query(step(names));
  await client.query(`UPDATE ${VERSION_TABLE} SET version = $1`, [SCHEMA_VERSION]);
}

/** The version of the tables; 0 if there are none. Throws if this package cannot use the database. */
export async function versionIn(client: PoolClient, { schema, name }: DatabaseAddress): Promise<number> {
  const { rows } = await client.query<{ is_store: boolean; is_used: boolean; encoding: string; server: number }>(
    `SELECT to_regclass($1) IS NOT NULL AS is_store, current_setting('server_encoding') AS encoding,
      current_setting('server_version_num')::integer AS server,
      EXISTS (SELECT FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace WHERE n.nspname = $2) AS is_used`,
    [`"${schema}".${VERSION_TABLE}`, schema],
  );
  const { is_store: isStore, is_used: isUsed, encoding, server } = rows[0]!;
  if (server < OLDEST.number) throw new StoreError('failed', `${name} is older than PostgreSQL ${OLDEST.name}`);
  if (encoding !== 'UTF8')
    throw new StoreError('failed', `The database at ${name} has the encoding ${encoding}. Use one with UTF8.`);
  if (!isStore) {
    if (!isUsed) return 0;
    const message = `The schema ${schema} in ${name} belongs to another program, and was left as it is. Name another one in the address, such as ?schema=tenon.`;
    throw new StoreError('not-a-store', message);
  }
  const found = await client.query<{ version: number }>(`SELECT version FROM "${schema}".${VERSION_TABLE}`);
  const version = found.rows[0]?.version ?? 0;
  if (version > SCHEMA_VERSION)
    throw new StoreError(
      'newer-store',
      `The store in ${name} was made by a newer @tenon/store (its tables have version ${version}, this one knows ${SCHEMA_VERSION}). Update the package.`,
    );
  return version;
}

function tooOld({ name }: DatabaseAddress, found: number): StoreError {
  return new StoreError(
    'failed',
    `The tables of the store in ${name} have version ${found}, and this package needs ${SCHEMA_VERSION}. Run: tenon store migrate <address>`,
  );
}
