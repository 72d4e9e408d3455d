// A store in PostgreSQL: the contract, many writers, and the versions of its tables.

import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { after, test } from 'node:test';
import { type DurableStore, inspectStore, migrateStore, openStore, type StoreOptions, sweepStore } from '@tenon/store';
import { SUPERUSER_PASSWORD } from '../../../scripts/lib/postgres.ts';
import { rounds } from '../../../scripts/lib/soak.ts';
import { storeContract } from '../../../scripts/lib/store-contract.ts';
import { until } from '../../../scripts/lib/until.ts';
import { addressAt, engineForThisFile, session, sql } from './postgres-kit.ts';

const { port } = await engineForThisFile();
const LONG = 1e9;
let schemas = 0;
const open: DurableStore[] = [];
after(() => Promise.all(open.map((store) => store.close())));

/** An address with a schema of its own. */
function newAddress(parameters: Readonly<Record<string, string>> = {}): string {
  return addressAt(port, { schema: `s${++schemas}`, ...parameters });
}

async function openAt(address: string, options?: StoreOptions): Promise<DurableStore> {
  const store = await openStore(address, options);
  open.push(store);
  return store;
}

const shared = newAddress();
let tenants = 0;
storeContract('in PostgreSQL', rounds(60, 2_000), async (limits) => {
  const clock = { now: 1_764_000_000_000 };
  // The tests use one store after the other.
  await open.pop()?.close();
  // Limits are those of a whole schema.
  const where = limits === undefined ? [shared, { tenant: `t${++tenants}` }] : [newAddress(), limits];
  const [address, options] = where as [string, StoreOptions];
  return { clock, store: await openAt(address, { ...options, now: () => clock.now }) };
});

/** Several nodes with the same store. */
async function nodes(count: number, options?: StoreOptions): Promise<readonly DurableStore[]> {
  const address = newAddress();
  return Promise.all(Array.from({ length: count }, () => openAt(address, options)));
}

/** Runs work 64 times at once, on the nodes in turn. */
function by64<T>(stores: readonly DurableStore[], work: (store: DurableStore, n: number) => T | PromiseLike<T>) {
  return Promise.all(Array.from({ length: 64 }, async (_, n) => work(stores[n % stores.length]!, n)));
}

test('of 64 writers that swap the same value, exactly one wins', async () => {
  const stores = await nodes(2);
  await stores[0]!.set('value', 'nobody', LONG);
  for (let round = 0, before: unknown = 'nobody'; round < rounds(3, 50); round++) {
    const won = await by64(stores, (store, n) => store.swap('value', before, [round, n], LONG));
    assert.equal(won.filter(Boolean).length, 1);
    before = [round, won.indexOf(true)];
    assert.deepEqual(await stores[0]!.get('value'), before);
  }
});

test('of 64 writers that add the same value, exactly one wins', async () => {
  const stores = await nodes(2);
  const won = await by64(stores, (store, n) => store.add('value', n, LONG, `owner ${n}`));
  assert.equal(won.filter(Boolean).length, 1);
  assert.equal(await stores[1]!.get('value'), won.indexOf(true));
});

test('64 writers append to one log without gaps and doubles, each at the reported position', async () => {
  const stores = await nodes(2);
  const positions = await by64(stores, async (store, n) => {
    const own: number[] = [];
    for (let each = 0; each < 5; each++) own.push(Number(await store.append('log', [n, each], LONG)));
    return own;
  });
  const { first, values } = (await stores[0]!.read('log', 0))!;
  assert.equal(first, 1);
  assert.equal(values.length, 320);
  for (const [n, own] of positions.entries())
    for (const [each, at] of own.entries()) assert.deepEqual(values[at - 1], [n, each]);
});

test('nodes whose clocks are minutes apart agree on lifetimes', async (t) => {
  const [first, second] = await nodes(2);
  const { now } = Date;
  let ahead = 0;
  t.mock.method(Date, 'now', () => now() + ahead);
  await first!.set('long', 1, 60_000);
  await first!.add('lease', 1, 200);
  ahead = 600_000;
  assert.equal(await second!.get('long'), 1);
  assert.equal(await second!.add('long', 2, 60_000), false);
  await second!.set('ahead', 1, 200);
  ahead = -600_000;
  // Both have expired for both nodes after the same time.
  for (const store of [first!, second!])
    for (const key of ['lease', 'ahead']) await until(async () => (await store.get(key)) === undefined, key);
  assert.equal(await first!.add('lease', 2, 60_000), true);
});

test('values of a megabyte, and keys that are longer than an index can hold, are stored like others', async () => {
  const [store] = await nodes(1);
  const large = { text: 'x\u0000"\\é\ud83d \u{1f600}'.repeat(120_000) };
  const written = JSON.parse(JSON.stringify(large)) as unknown;
  await store!.set('large', large, LONG);
  assert.deepEqual(await store!.get('large'), written);
  assert.equal(await store!.swap('large', written, [large], LONG), true);
  await store!.append('log', large, LONG);
  assert.deepEqual(await store!.read('log', 0), { first: 1, values: [written] });
  // Text that cannot be compressed, because an index compresses what is in it.
  const random = Array.from({ length: 200 }, (_, n) => createHash('sha256').update(String(n)).digest('hex')).join('');
  const long = `aaa${random}`;
  const keys = [
    'a',
    long.slice(0, 999),
    long.slice(0, 1_000),
    `${long.slice(0, 1_000)}b`,
    `${long.slice(0, 1_000)}\ud83d`,
  ];
  keys.push(long.slice(0, 5_000), `${long.slice(0, 5_000)}\u{1f600}`, `${long}z`, 'é'.repeat(3_000));
  for (const [n, key] of keys.entries()) await store!.set(key, n, LONG);
  for (const [n, key] of keys.entries()) assert.equal(await store!.get(key), n);
  assert.deepEqual(await store!.keys('a', undefined, 100), keys.filter((key) => key.startsWith('a')).sort());
  const found: string[] = [];
  for (let page; (page = await store!.keys('aaa', found.at(-1), 2)).length > 0;) found.push(...page);
  assert.deepEqual(found, keys.filter((key) => key.startsWith('aaa')).sort());
  assert.deepEqual(await store!.keys(long.slice(0, 1_000), long.slice(0, 4_000), 1), [long.slice(0, 5_000)]);
});

test('a commit waits for the disk if a value has to stay, or if the address says so', async () => {
  const address = newAddress();
  const schema = `s${schemas}`;
  const store = await openAt(address);
  await store.add('added', 1, LONG);
  await store.set('value', 1, LONG);
  await store.append('log', 1, LONG);
  const client = await session(port);
  const key = (name: string): string => `'${name}', ''`;
  const put = (name: string, durable = false): string =>
    `put(${key(name)}, '', NULL, '2', 1, 1e9, NULL, 0, ${durable}, 0)`;
  for (const [call, waits] of [
    [put('new'), false],
    [put('value'), false],
    [put('value', true), true],
    [put('added'), true],
    [`add_value(${key('other')}, '', '1', 1, 1e9, NULL, NULL, 0)`, true],
    [`append_value(${key('log')}, '', '1', 1, 1, 1e9, NULL, 100, false, 0)`, false],
    [`append_value(${key('log')}, '', '1', 1, 1, 1e9, NULL, 100, true, 0)`, true],
    [`remove(${key('value')}, false, 0)`, false],
    [`remove(${key('added')}, false, 0)`, true],
  ] as const)
    for (const setting of ['on', 'off', 'local'] as const) {
      await client.query(`BEGIN; SET LOCAL synchronous_commit = ${setting}; SELECT ${schema}.${call}`);
      const { rows } = await client.query('SHOW synchronous_commit');
      await client.query('ROLLBACK');
      const expected = !waits ? 'off' : setting === 'local' ? 'local' : 'on';
      assert.deepEqual(rows, [{ synchronous_commit: expected }], `${call} with ${setting}`);
    }
  await client.end();
});

test('a writer waits for another one only if both write the same key', async () => {
  const address = newAddress();
  const store = await openAt(address, { busyMs: 1_500, maxEntries: 2 });
  await store.set('locked', 1, LONG);
  const client = await session(port);
  await client.query(`BEGIN; UPDATE s${schemas}.entries SET written = written`);
  const refused = [store.set('locked', 2, LONG), store.append('locked', 2, LONG), store.delete('locked')].map((act) =>
    assert.rejects(async () => act, { name: 'StoreError', code: 'busy' }),
  );
  // More than the limit, so that entries are removed meanwhile, too.
  for (let n = 0; n < 4; n++) await store.set(`free ${n}`, n, LONG);
  assert.equal(await store.get('free 3'), 3);
  await Promise.all(refused);
  await client.query('COMMIT');
  await client.end();
  await store.set('locked', 3, LONG);
  assert.equal(await store.get('locked'), 3);
});

test('a store has at most 8 connections, which are named tenon', async () => {
  const store = await openAt(newAddress());
  await by64([store], (each, n) => each.set(`value ${n}`, n, LONG));
  const found = await sql(
    port,
    `SELECT count(*)::int FROM pg_stat_activity WHERE application_name = 'tenon' AND query LIKE '%"s${schemas}".%'`,
  );
  assert.deepEqual(found, [{ count: 8 }]);
});

test('nodes that open a new store at the same time create its tables once', async () => {
  const address = newAddress();
  const stores = await Promise.all(Array.from({ length: 10 }, () => openAt(address)));
  const won = await Promise.all(stores.map((store, n) => store.add('first', n, LONG)));
  assert.equal(won.filter(Boolean).length, 1);
  assert.deepEqual(await migrateStore(address), { before: 1, after: 1 });
  assert.equal((await inspectStore(address)).values, 1);
});

test('tables of a newer version are refused, and left as they are', async () => {
  const address = newAddress();
  await (await openStore(address)).close();
  await sql(port, `UPDATE s${schemas}.tenon_store SET version = 2`);
  for (const act of [openStore, inspectStore, migrateStore, sweepStore])
    await assert.rejects(act(address), { code: 'newer-store', message: /version 2, this one knows 1\)\. Update/ });
  assert.deepEqual(await sql(port, `SELECT version FROM s${schemas}.tenon_store`), [{ version: 2 }]);
});

test('a schema of another program is refused, and left as it is', async () => {
  const address = newAddress();
  await sql(port, `CREATE SCHEMA s${schemas}; CREATE TABLE s${schemas}.entries (theirs text)`);
  await assert.rejects(openStore(address), { code: 'not-a-store', message: /Name another one/ });
  const tables = await sql(port, `SELECT tablename FROM pg_tables WHERE schemaname = 's${schemas}'`);
  assert.deepEqual(tables, [{ tablename: 'entries' }]);
});

test('with migrate=off, a store opens only if its tables are there, and a role need not be able to create any', async () => {
  const address = newAddress();
  const off = `${address}&migrate=off`;
  await assert.rejects(openStore(off), { code: 'failed', message: /version 0, .* needs 1\. Run: tenon store migrate/ });
  await assert.rejects(sweepStore(address), { code: 'failed' });
  assert.deepEqual(await inspectStore(off), { version: 0, known: 1, values: 0, logs: 0, characters: 0, expired: 0 });
  assert.deepEqual(await migrateStore(off), { before: 0, after: 1 });
  await sql(
    port,
    `CREATE ROLE node LOGIN PASSWORD 'node'; GRANT USAGE ON SCHEMA s${schemas} TO node;
     GRANT ALL ON ALL TABLES IN SCHEMA s${schemas} TO node; GRANT ALL ON ALL SEQUENCES IN SCHEMA s${schemas} TO node`,
  );
  const store = await openAt(off.replace(`postgres:${SUPERUSER_PASSWORD}`, 'node:node'));
  await store.set('a', 1, LONG);
  assert.equal(await store.append('log', 1, LONG), 1);
});

test('what has expired is counted, and removed by sweeping', async () => {
  const address = newAddress();
  const store = await openAt(address);
  await store.set('kept', 'x', LONG);
  await store.close();
  await sql(
    port,
    `SELECT s${schemas}.put(('v' || n)::bytea, '', '', NULL, '1', 5, 0, NULL, 0, false, 0) FROM generate_series(1, 1500) n;
     SELECT s${schemas}.append_value('log', '', '', '1', 3, 1, 0.001 * n, NULL, 1e9, false, 0) FROM generate_series(1, 10) n;
     INSERT INTO s${schemas}.log_values SELECT log, n, 1, '1' FROM s${schemas}.entries, generate_series(100, 2000) n WHERE log IS NOT NULL`,
  );
  const report = await inspectStore(address);
  assert.deepEqual([report.values, report.logs, report.expired], [1_501, 1, 1_501]);
  assert.ok((await sweepStore(address)) > 3_000);
  const kept = { version: 1, known: 1, values: 1, logs: 0, characters: 7, expired: 0 };
  assert.deepEqual(await inspectStore(address), kept);
  assert.deepEqual(await sql(port, `SELECT count(*)::int FROM s${schemas}.log_values`), [{ count: 0 }]);
  assert.equal(await sweepStore(address), 0);
});

test('a store in use removes what has expired by itself', async () => {
  const address = newAddress();
  const store = await openAt(address);
  for (let n = 0; n < 20; n++) await store.append(`log ${n}`, n, 1);
  await until(async () => {
    await store.set('kept', 1, LONG);
    const [{ count } = {}] = await sql(port, `SELECT count(*)::int FROM s${schemas}.log_values`);
    return count === 0;
  });
  assert.deepEqual((await inspectStore(address)).logs, 0);
});

test('errors of the database have a code and no password', async () => {
  const noPassword = ({ message, cause }: Error): boolean => {
    assert.doesNotMatch(`${message} ${String(cause)}`, /sesame|wrong-7/);
    return true;
  };
  const address = newAddress();
  for (const [text, code] of [
    [address.replace(SUPERUSER_PASSWORD, 'wrong-7'), 'failed'],
    [address.replace('/postgres?', '/nothing?'), 'failed'],
    [`${address}&options=-c%20default_transaction_read_only%3Don`, 'read-only'],
  ] as const)
    await assert.rejects(openStore(text, { busyMs: 1_500 }), (error: Error & { code: string }) => {
      assert.equal(error.code, code, error.message);
      return noPassword(error);
    });
  for (const parameters of ['schema=A-B', 'schema=pg_x', 'migrate=no', 'listen=never'])
    await assert.rejects(openStore(`${addressAt(port)}${parameters}`), (error: Error) => {
      assert.ok(error instanceof TypeError);
      return noPassword(error);
    });
  const store = await openAt(address);
  await sql(port, `DROP SCHEMA s${schemas} CASCADE`);
  await assert.rejects(async () => store.set('a', 1, LONG), { code: 'gone' });
  await store.close();
  await assert.rejects(async () => store.get('a'), { code: 'closed' });
});

test('a page of keys reads about as many rows as it has, although the server knows nothing of the table yet', async () => {
  const address = newAddress();
  const store = await openAt(address);
  for (let from = 0; from < 2_000; from += 100)
    await Promise.all(Array.from({ length: 100 }, (_, at) => store.set(`value/${from + at}`, at, LONG)));
  const client = await session(port);
  try {
    // Counted within one transaction, the numbers are exact.
    await client.query(`BEGIN; SET LOCAL search_path = s${schemas}`);
    const page = `SELECT count(*) AS keys FROM keys_between('value/1', '', 'value0', '', NULL, 100)`;
    assert.equal((await client.query(page)).rows[0].keys, '100');
    const read = `SELECT idx_tup_fetch + seq_tup_read AS rows FROM pg_stat_xact_user_tables WHERE relname = 'entries' AND schemaname = 's${schemas}'`;
    const { rows } = await client.query(read);
    assert.ok(Number(rows[0].rows) < 300, `${rows[0].rows} rows`);
  } finally {
    await client.end();
  }
});
