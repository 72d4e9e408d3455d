// The same calls to the published original: the answers are equal, except for the differences that the README lists.
import assert from 'node:assert/strict';
import { createRequire } from 'node:module';
import process from 'node:process';
import { after, before, test } from 'node:test';
import { type Client, connect } from 'tenon/client';
import { commandOf } from '../../shared/test/ways.ts';
import { createTestDatabase } from './fixtures/engine.ts';

const db = await createTestDatabase('compared', ['compared_reader']);
const url = db.urlOf('compared_reader');
/** So that the original shifts dates. */
const env = { TZ: 'Europe/Berlin' };
const eras = { get: () => undefined, set() {}, delete() {} };
let ours: Client;
let original: Client;
before(async () => {
  await db.admin(`
    CREATE TABLE items (id int PRIMARY KEY, name text, price numeric(6, 2), count bigint);
    INSERT INTO items VALUES (1, 'tea', 1.50, 9007199254740993), (2, NULL, NULL, NULL);
    CREATE TABLE "My table" (x int);
    CREATE VIEW names AS SELECT name FROM items;
    GRANT SELECT ON ALL TABLES IN SCHEMA public TO compared_reader;
    GRANT INSERT ON items TO compared_reader;
  `);
  const [command, ...args] = commandOf({ name: 'postgres', args: [url] });
  ours = await connect({ command, args, env }, { eras });
  const path = createRequire(import.meta.url).resolve('@modelcontextprotocol/server-postgres/dist/index.js');
  original = await connect({ command: process.execPath, args: [path, url], env }, { eras });
});
after(async () => {
  await ours.close();
  await original.close();
  await db.close();
});

/** The rows, or whether the call failed in any way. */
async function answer(client: Client, sql: string): Promise<unknown> {
  const result = await client.result('query', { sql }).catch(() => undefined);
  if (result === undefined || result.isError === true) return 'failed';
  const [first] = result.content;
  return first?.type === 'text' ? JSON.parse(first.text) : undefined;
}

const SAME: readonly string[] = [
  'SELECT * FROM items ORDER BY id',
  'SELECT * FROM items WHERE false',
  'SELECT count(*), sum(price), max(count) FROM items',
  'SELECT x.*, y.name AS other FROM items x LEFT JOIN items y ON y.id = x.id + 1 ORDER BY 1',
  "SELECT true AS t, 1.5::float8 AS f, 'x' AS s, NULL AS n, 26::oid AS o",
  'SELECT \'{"a": [1, 2.5, {"b": null}]}\'::jsonb AS j',
  "SELECT ARRAY['a', 'b,\"'] AS a, ARRAY[1, NULL] AS i, ARRAY[true] AS b, ARRAY[1::bigint] AS l, '{{1},{2}}'::int[] AS d",
  "SELECT 'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11'::uuid AS u, '12:00'::time AS t, '1.2.3.4'::inet AS i, int4range(1, 3) AS r",
  'SHOW server_version',
  'VALUES (1, 2), (3, 4)',
  'TABLE names',
  'EXPLAIN (COSTS OFF) SELECT * FROM items',
  'WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 5) SELECT * FROM n',
  'SELECT * FROM nothing',
  'SELEC',
  'SELECT 1/0',
  "INSERT INTO items VALUES (3, 'x') RETURNING id",
  'CREATE TABLE made (x int)',
  'SELECT 1 AS a; SELECT 2 AS b',
];

const DIFFERENT: readonly [sql: string, ours: unknown, original: unknown][] = [
  ["SELECT '2026-02-03'::date AS v", [{ v: '2026-02-03' }], [{ v: '2026-02-02T23:00:00.000Z' }]],
  [
    "SELECT '2026-02-03 04:05:06.123456+00'::timestamptz AS v",
    [{ v: '2026-02-03T04:05:06.123456Z' }],
    [{ v: '2026-02-03T04:05:06.123Z' }],
  ],
  ["SELECT '1 day'::interval AS v", [{ v: 'P1D' }], [{ v: { days: 1 } }]],
  ["SELECT '\\x00ff'::bytea AS v", [{ v: '\\x00ff' }], [{ v: { type: 'Buffer', data: [0, 255] } }]],
  ["SELECT 'NaN'::float8 AS v", [{ v: 'NaN' }], [{ v: null }]],
  ['SELECT ARRAY[1.50] AS v', [{ v: ['1.50'] }], [{ v: [1.5] }]],
  ['SELECT point(1, 2) AS v', [{ v: '(1,2)' }], [{ v: { x: 1, y: 2 } }]],
  [
    "SELECT '[12345678901234567890]'::json AS v",
    [{ v: '[12345678901234567890]' }],
    [{ v: [12_345_678_901_234_567_000] }],
  ],
  ['SELECT 1 AS a, 2 AS a', [{ a: 1, a_2: 2 }], [{ a: 2 }]],
  ['SET work_mem = 1000', 'failed', []],
  ["COMMIT; INSERT INTO items VALUES (9, 'escaped'); SELECT id FROM items", 'failed', 'failed'],
];

test('the same queries give the same rows', async () => {
  for (const sql of SAME) assert.deepEqual(await answer(ours, sql), await answer(original, sql), sql);
});

test('the answers differ where the README says so', async () => {
  for (const [sql, our, their] of DIFFERENT) {
    assert.deepEqual(await answer(ours, sql), our, sql);
    assert.deepEqual(await db.admin('SELECT count(*)::int FROM items'), [{ count: 2 }], sql);
    assert.deepEqual(await answer(original, sql), their, sql);
  }
  // The last query escapes from the transaction of the original.
  assert.deepEqual(await db.admin('SELECT count(*)::int FROM items'), [{ count: 3 }]);
});

test('the same tables are listed, with the same URIs and names, and the same columns', async () => {
  const list = async (client: Client): Promise<unknown[]> => {
    const found = (await client.resources().all()).map(({ uri, name, mimeType }) => ({ uri, name, mimeType }));
    return found.toSorted((a, b) => a.uri.localeCompare(b.uri));
  };
  const listed = await list(original);
  assert.equal(listed.length, 3);
  assert.deepEqual(await list(ours), listed);
  const columns = async (client: Client): Promise<string[]> => {
    const { contents } = await client.read(`postgres://compared_reader@127.0.0.1:${db.port}/items/schema`);
    const found = JSON.parse(String(contents[0]?.text)) as { column_name: string; data_type: string }[];
    return found.map(({ column_name, data_type }) => `${column_name} ${data_type.replace(/\(.*/, '')}`).sort();
  };
  assert.deepEqual(await columns(ours), await columns(original));
  const tools = async (client: Client): Promise<unknown> =>
    (await client.tools().all()).map(({ name, inputSchema }) => [
      name,
      Object.keys(inputSchema['properties'] as object),
    ]);
  assert.deepEqual(await tools(ours), await tools(original));
});
