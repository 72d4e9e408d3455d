// Queries that try to do more than read. Each is run as a superuser, as a role that may write, and as one that may only read; nothing may
// change, whatever the answer.
import assert from 'node:assert/strict';
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import pg from 'pg';
import { type Client, connect } from 'tenon/client';
import { textOf } from '../../shared/test/ways.ts';
import { parseAddress } from '@tenon/values/postgres-address';
import { createTestDatabase, PASSWORD, sharedServer, type TestDatabase } from './fixtures/engine.ts';
import { createPostgres } from './postgres.ts';

const { folder, port } = await sharedServer();
const db: TestDatabase = await createTestDatabase('escapes', ['escape_writer', 'escape_reader', 'escape_other']);
/** A file that an escape would create. */
const marker = join(folder, 'escaped');

before(async () => {
  await db.admin(`
    CREATE EXTENSION dblink;
    CREATE TABLE accounts (id int PRIMARY KEY, owner text NOT NULL);
    INSERT INTO accounts VALUES (1, 'ann'), (2, 'bob');
    CREATE TABLE plain (x int);
    CREATE SEQUENCE numbers;
    SELECT setval('numbers', 41);
    CREATE FUNCTION clean_up() RETURNS int LANGUAGE sql VOLATILE AS 'DELETE FROM accounts RETURNING id';
    CREATE FUNCTION clean_up_as_owner() RETURNS int LANGUAGE plpgsql VOLATILE SECURITY DEFINER
      AS $$ BEGIN DELETE FROM accounts; RETURN 1; END $$;
    CREATE FUNCTION turn_writable() RETURNS int LANGUAGE plpgsql VOLATILE AS $$ BEGIN
      PERFORM set_config('transaction_read_only', 'off', false); DELETE FROM accounts; RETURN 1; END $$;
    CREATE FUNCTION commit_and_delete() RETURNS int LANGUAGE plpgsql VOLATILE AS $$ BEGIN
      COMMIT; DELETE FROM accounts; RETURN 1; END $$;
    CREATE FUNCTION run(command text) RETURNS int LANGUAGE plpgsql VOLATILE AS $$ BEGIN EXECUTE command; RETURN 1; END $$;
    CREATE PROCEDURE committing(INOUT done int) LANGUAGE plpgsql AS $$ BEGIN
      COMMIT; DELETE FROM accounts; done := 1; END $$;
    CREATE FUNCTION count_up() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RETURN NEW; END $$;
    GRANT ALL ON accounts, plain TO escape_writer;
    GRANT ALL ON SEQUENCE numbers TO escape_writer;
    GRANT CREATE, TEMPORARY ON DATABASE escapes TO escape_writer;
    GRANT CREATE ON SCHEMA public TO escape_writer;
    GRANT SELECT ON accounts, plain TO escape_reader;
  `);
});
after(() => db.close());

/** What no role gets done. */
const REFUSED: readonly string[] = [
  // Several statements.
  'COMMIT; DROP TABLE accounts',
  'ROLLBACK; DELETE FROM accounts; SELECT 1',
  'SELECT 1; DELETE FROM accounts',
  "SELECT 'a;b'; SELECT 2",
  '/* ; */ COMMIT; -- ;\nDROP TABLE accounts',
  // The transaction.
  'COMMIT',
  'END',
  'ABORT',
  'ROLLBACK',
  'COMMIT AND CHAIN',
  'BEGIN',
  'BEGIN READ WRITE',
  'START TRANSACTION READ WRITE',
  'SAVEPOINT a',
  "PREPARE TRANSACTION 'escaped'",
  'SET TRANSACTION READ WRITE',
  'SET SESSION CHARACTERISTICS AS TRANSACTION READ WRITE',
  'SET transaction_read_only = off',
  'SET default_transaction_read_only = off',
  'RESET ALL',
  'DISCARD ALL',
  "SELECT set_config('transaction_read_only', 'off', false)",
  "SELECT set_config('transaction_read_only', 'off', true), clean_up()",
  'SELECT turn_writable()',
  'SELECT commit_and_delete()',
  'CALL committing(1)',
  "SELECT run('COMMIT')",
  "SELECT run('SET TRANSACTION READ WRITE')",
  "SELECT query_to_xml('DELETE FROM accounts RETURNING id', true, true, '')",
  // The role.
  'SET ROLE escape_writer',
  'SET SESSION AUTHORIZATION postgres',
  'RESET ROLE',
  // Changes.
  'DELETE FROM accounts',
  'DELETE FROM accounts RETURNING id',
  "INSERT INTO accounts VALUES (3, 'cy') RETURNING id",
  "UPDATE accounts SET owner = 'x' RETURNING id",
  'WITH gone AS (DELETE FROM accounts RETURNING id) SELECT * FROM gone',
  'WITH more AS (INSERT INTO plain VALUES (1) RETURNING x) SELECT count(*) FROM more',
  'MERGE INTO plain p USING accounts a ON p.x = a.id WHEN NOT MATCHED THEN INSERT VALUES (a.id)',
  'EXPLAIN ANALYZE DELETE FROM accounts',
  'EXPLAIN (ANALYZE, FORMAT JSON) WITH gone AS (DELETE FROM accounts RETURNING id) SELECT * FROM gone',
  'SELECT * INTO made FROM accounts',
  'CREATE TABLE made (x int)',
  'CREATE TEMP TABLE made (x int)',
  'CREATE TEMP TABLE made AS SELECT 1 AS x',
  'SELECT 1 AS x INTO TEMP made',
  'DROP TABLE accounts',
  'TRUNCATE accounts',
  'ALTER TABLE accounts ADD COLUMN more int',
  'SELECT * FROM accounts FOR UPDATE',
  'SELECT clean_up()',
  'SELECT clean_up_as_owner()',
  "SELECT nextval('numbers')",
  "SELECT setval('numbers', 1)",
  'LOCK TABLE accounts',
  'VACUUM accounts',
  'REFRESH MATERIALIZED VIEW accounts',
  'GRANT ALL ON accounts TO PUBLIC',
  'CREATE ROLE made SUPERUSER',
  'ALTER SYSTEM SET work_mem = 1',
  'CREATE FUNCTION made() RETURNS int LANGUAGE sql AS $$ SELECT 1 $$',
  // Code and files.
  'DO $$ BEGIN DELETE FROM accounts; END $$',
  "DO $$ BEGIN EXECUTE 'COMMIT'; END $$",
  `COPY (SELECT 1) TO PROGRAM 'touch ${marker}'`,
  `COPY plain FROM PROGRAM 'touch ${marker}; echo 1'`,
  `COPY accounts TO '${marker}'`,
  `COPY accounts FROM '${marker}'`,
  'COPY accounts TO STDOUT',
  'COPY accounts FROM STDIN',
  "LOAD 'auto_explain'",
  // Sessions.
  'LISTEN escaped',
  "NOTIFY escaped, 'x'",
  'PREPARE later AS DELETE FROM accounts',
  'EXECUTE tenon_statement',
  'DEALLOCATE ALL',
  'DECLARE later CURSOR WITH HOLD FOR SELECT 1',
  'FETCH ALL FROM later',
  'CHECKPOINT',
  // Nothing at all.
  ';',
  '-- nothing',
  'SELEC 1',
  'SELECT $1::int',
];

/** What the server refuses to all but powerful roles, which are refused themselves. */
const REFUSED_TO_LIMITED: readonly string[] = [
  "SELECT pg_read_file('PG_VERSION')",
  "SELECT pg_read_binary_file('PG_VERSION')",
  "SELECT pg_ls_dir('.')",
  "SELECT pg_stat_file('PG_VERSION')",
  "SELECT lo_import('/etc/passwd')",
  `SELECT lo_export(lo_from_bytea(0, 'x'), '${marker}')`,
  "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = 'escape_other'",
  "SELECT pg_cancel_backend(pid) FROM pg_stat_activity WHERE usename = 'escape_other'",
  'SELECT pg_reload_conf()',
  'SELECT pg_rotate_logfile()',
  'SELECT pg_switch_wal()',
  "SELECT pg_create_physical_replication_slot('escaped')",
  'SELECT pg_stat_reset()',
  "SELECT * FROM dblink('dbname=escapes', 'DELETE FROM accounts RETURNING id') AS t(id int)",
  `SELECT dblink_exec('host=127.0.0.1 port=${port} dbname=escapes user=postgres', 'DROP TABLE accounts')`,
  "SELECT set_config('role', 'postgres', false), run('COPY plain TO PROGRAM ''true''')",
  "SELECT set_config('session_authorization', 'postgres', false)",
];

/** What everybody may call, and what leaves nothing behind. */
const UNDONE: readonly string[] = [
  'SELECT pg_advisory_lock(4711)',
  'SELECT pg_try_advisory_lock_shared(4711)',
  "SELECT pg_notify('escaped', 'x')",
  "SELECT run('LISTEN escaped')",
  "SELECT run('PREPARE later AS SELECT 1')",
  "SELECT set_config('default_transaction_read_only', 'off', false)",
  "SELECT set_config('statement_timeout', '0', false)",
  "SELECT set_config('search_path', 'nowhere', false)",
  'SELECT lo_create(4711)',
  "SELECT lo_from_bytea(4712, 'x')",
  'SELECT pg_export_snapshot()',
];

/** What PostgreSQL runs in a read-only transaction for roles that may, so that only the rollback undoes it. */
const ROLLED_BACK: readonly string[] = [
  'EXPLAIN ANALYZE CREATE TABLE made AS SELECT 1 AS x',
  'EXPLAIN ANALYZE CREATE TEMP TABLE made AS SELECT 1 AS x',
  "SELECT lo_put(lo_create(0), 0, 'x')",
];

/** Everything that a query could have changed. */
async function state(): Promise<unknown> {
  const [row] = await db.admin(`SELECT
    (SELECT json_agg(a ORDER BY id) FROM accounts a) AS accounts,
    (SELECT count(*) FROM plain) AS plain,
    (SELECT row_to_json(n) FROM (SELECT last_value, is_called FROM numbers) n) AS numbers,
    (SELECT count(*) FROM pg_class) AS classes,
    (SELECT json_agg(proname ORDER BY oid) FROM pg_proc WHERE oid > 16384) AS functions,
    (SELECT json_agg(rolname ORDER BY oid) FROM pg_roles) AS roles,
    (SELECT relacl::text FROM pg_class WHERE relname = 'accounts') AS rights,
    (SELECT count(*) FROM pg_attribute WHERE attrelid = 'accounts'::regclass) AS attributes,
    (SELECT count(*) FROM pg_prepared_xacts) AS prepared,
    (SELECT count(*) FROM pg_largeobject_metadata) AS objects,
    (SELECT count(*) FROM pg_replication_slots) AS slots,
    (SELECT count(*) FROM pg_stat_activity WHERE usename = 'escape_other') AS others,
    current_setting('work_mem') AS work_mem`);
  return { ...row, marker: existsSync(marker), snapshots: readdirSync(join(folder, 'data', 'pg_snapshots')) };
}

/** Queries share connections, so what one leaves behind would show in the next. */
async function sessionOf(client: Client): Promise<unknown> {
  const sql = `SELECT current_user = session_user AS is_self, current_setting('default_transaction_read_only') AS read_only,
    current_setting('search_path') AS path, (SELECT count(*) FROM pg_locks WHERE locktype = 'advisory') AS locks,
    (SELECT count(*) FROM pg_listening_channels()) AS channels,
    (SELECT count(*) FROM pg_prepared_statements WHERE name <> 'tenon_statement') AS statements`;
  return ((await client.call('query', { sql })) as { rows: unknown[] }).rows[0];
}
const UNCHANGED = {
  is_self: true,
  read_only: 'on',
  path: '"$user", public',
  locks: '0',
  channels: '0',
  statements: '0',
};

function open(role: string, allowPrivilegedRole: boolean, warn: (message: string) => void = () => {}): Promise<Client> {
  return connect(createPostgres({ address: parseAddress(db.urlOf(role)), allowPrivilegedRole, warn }));
}

describe('nothing changes, and the connection can be used again', () => {
  let other: pg.Client;
  let listener: pg.Client;
  const heard: string[] = [];
  before(async () => {
    other = new pg.Client(db.urlOf('escape_other'));
    await other.connect();
    listener = new pg.Client(db.urlOf('superuser'));
    listener.on('notification', ({ payload }) => heard.push(payload ?? ''));
    await listener.connect();
    await listener.query('LISTEN escaped');
  });
  after(async () => {
    await other.end();
    await listener.end();
  });

  for (const [role, allowed] of [
    ['escape_reader', false],
    ['escape_writer', false],
    ['superuser', false],
    ['superuser', true],
  ] as const)
    it(`for ${role}${allowed ? ' that was allowed' : ''}`, async () => {
      await using client = await open(role, allowed);
      const isRefusedAtAll = role === 'superuser' && !allowed;
      const start = await state();
      for (const sql of [...REFUSED, ...(allowed ? [] : REFUSED_TO_LIMITED), ...UNDONE, ...ROLLED_BACK]) {
        const result = await client.result('query', { sql });
        const isRefused = isRefusedAtAll || !UNDONE.includes(sql);
        if (isRefusedAtAll || !ROLLED_BACK.includes(sql))
          assert.equal(result.isError === true, isRefused, `${sql}: ${textOf(result as never)}`);
        if (isRefusedAtAll) assert.match(textOf(result as never), /Nothing was run: the role postgres is refused/);
        else {
          assert.deepEqual(await sessionOf(client), UNCHANGED, sql);
          assert.deepEqual(await state(), start, sql);
        }
      }
      assert.deepEqual(await state(), start);
      await listener.query("NOTIFY escaped, 'mine'");
      assert.deepEqual(heard.splice(0), ['mine']);
    });
});

it('roles that can become powerful are refused, with the reason on stderr and for the model', async () => {
  await db.admin("CREATE ROLE escape_heir LOGIN NOINHERIT PASSWORD 'x'; CREATE ROLE escape_reads LOGIN");
  const cases: readonly [grant: string, revoke: string, reason: RegExp][] = [
    ['GRANT postgres TO escape_heir', 'REVOKE postgres FROM escape_heir', /it can become a superuser \(postgres\)/],
    ['ALTER ROLE escape_heir REPLICATION', 'ALTER ROLE escape_heir NOREPLICATION', /it may manage replication/],
    [
      'GRANT pg_execute_server_program TO escape_reads; GRANT escape_reads TO escape_heir',
      'REVOKE escape_reads FROM escape_heir',
      /it is a member of pg_execute_server_program/,
    ],
    [
      'GRANT EXECUTE ON FUNCTION pg_read_file(text) TO escape_heir',
      'REVOKE EXECUTE ON FUNCTION pg_read_file(text) FROM escape_heir',
      /it may call pg_read_file\(text\)/,
    ],
  ];
  const url = db.urlOf('escape_heir').replace(encodeURIComponent(PASSWORD), 'x');
  for (const [grant, revoke, reason] of cases) {
    await db.admin(grant);
    const warnings: string[] = [];
    const app = createPostgres({ address: parseAddress(url), warn: (message) => warnings.push(message) });
    await using client = await connect(app);
    await assert.rejects(client.call('query', { sql: 'SELECT 1' }), reason);
    await assert.rejects(client.call('query', { sql: 'SELECT 1' }), reason);
    await assert.rejects(client.resources().all(), reason);
    assert.equal(warnings.length, 1);
    assert.match(warnings[0]!, reason);
    // Without the right, the same server works.
    await db.admin(revoke);
    assert.equal((await client.result('query', { sql: 'SELECT 1' })).isError, undefined);
  }
  await db.admin('DROP ROLE escape_heir, escape_reads');
});

it('a role that may write is reported on stderr, with a table, and one that may only read is not', async () => {
  const warnings: string[] = [];
  for (const role of ['escape_writer', 'escape_reader']) {
    await using client = await open(role, false, (message) => warnings.push(message));
    await client.call('query', { sql: 'SELECT 1' });
    await client.call('query', { sql: 'SELECT 1' });
  }
  const [tables, outside, ...more] = warnings;
  assert.match(tables!, /^the role escape_writer is not limited to reading: may write to 2 tables, such as .*accounts/);
  assert.match(outside!, /^the role escape_writer .* act outside of the transaction, such as .*dblink/);
  assert.deepEqual(more.length, 1);
  assert.match(more[0]!, /^the role escape_reader .* act outside of the transaction, such as .*dblink/);
});
