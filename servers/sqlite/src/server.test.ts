import assert from 'node:assert/strict';
import { join } from 'node:path';
import process from 'node:process';
import { after, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { connect } from 'tenon/client';
import { assertNoFindings } from '../../shared/test/findings.ts';
import { commandOf, serveOverHttp, textOf, waysTo } from '../../shared/test/ways.ts';
import { createFile, testFolder } from './fixtures/kit.ts';

const folder = testFolder();
const eras = { get: () => undefined, set() {}, delete() {} };
const SCHEMA = `
  CREATE TABLE people (id INTEGER PRIMARY KEY, name TEXT NOT NULL DEFAULT 'x');
  CREATE TABLE "Pets" (name TEXT, owner REFERENCES people(id));
  CREATE VIEW Pictures AS SELECT 1 AS a;
  INSERT INTO people VALUES (1, 'Ann');`;
const file = createFile(join(folder, 'a.db'), SCHEMA);

const { ways, stop } = waysTo({ name: 'sqlite', args: ['--db-path', file, '--write'] });
after(stop);
for (const [way, open] of ways)
  test(`it answers, ${way}`, async () => {
    const client = await open();
    assert.equal((await client.tools()).length, 6);
    assert.match(
      textOf(await client.call('read_query', { query: 'SELECT name FROM people WHERE id = 1' })),
      /\[\["Ann"\]\]/,
    );
    const wrong = await client.call('read_query', { query: 'DROP TABLE people' });
    assert.equal(wrong.isError, true);
    assert.match(textOf(wrong), /Only SELECT queries are allowed/);
    const table = `t_${way.replaceAll(/\W/g, '_')}`;
    assert.equal(
      textOf(await client.call('create_table', { query: `CREATE TABLE ${table} (a)` })),
      'Table created successfully',
    );
    assert.equal(
      textOf(await client.call('write_query', { query: `INSERT INTO ${table} VALUES (1), (2)` })),
      '{"affected_rows":2}',
    );
    await client.close();
  });

async function connected(revision: '2025-11-25' | '2026-07-28', ...args: readonly string[]) {
  const path = createFile(
    join(folder, `${revision}${args.join('')}.db`),
    `DROP TABLE IF EXISTS people; DROP TABLE IF EXISTS "Pets"; DROP VIEW IF EXISTS Pictures; ${SCHEMA}`,
  );
  const [command, ...rest] = commandOf({ name: 'sqlite', args: ['--db-path', path, ...args] });
  return connect({ command, args: rest }, { eras, revision });
}

for (const revision of ['2025-11-25', '2026-07-28'] as const) {
  test(`the schema of a table is described, and completed by name, in ${revision}`, async () => {
    await using client = await connected(revision);
    assert.deepEqual(await client.call('list_tables'), {
      tables: [
        { name: 'Pets', type: 'table' },
        { name: 'Pictures', type: 'view' },
        { name: 'people', type: 'table' },
      ],
      truncated: false,
    });
    const described = await client.call('describe_table', { table_name: 'people' });
    assert.deepEqual(described, {
      columns: [
        { cid: 0, name: 'id', type: 'INTEGER', notnull: 0, dflt_value: null, pk: 1 },
        { cid: 1, name: 'name', type: 'TEXT', notnull: 1, dflt_value: "'x'", pk: 0 },
      ],
      foreign_keys: [],
    });
    const { contents } = await client.read('sqlite://tables/people');
    assert.deepEqual(JSON.parse((contents[0] as { text: string }).text), described);
    const pets = (await client.call('describe_table', { table_name: 'Pets' })) as { foreign_keys: unknown };
    assert.deepEqual(pets.foreign_keys, [{ from: 'owner', table: 'people', to: 'id' }]);
    await assert.rejects(client.read('sqlite://tables/nope'));
    const completed = await client.complete(
      { template: 'sqlite://tables/{table_name}' },
      { argument: 'table_name', value: 'p' },
    );
    assert.deepEqual(completed.values, ['Pets', 'Pictures', 'people']);
  });

  test(`watchers are notified of new insights, in ${revision}`, async () => {
    await using client = await connected(revision);
    const memo = async () => ((await client.read('memo://insights')).contents[0] as { text: string }).text;
    assert.match(await memo(), /no business insights yet/);
    const watch = client.watch({ uri: 'memo://insights' });
    await watch.ready;
    assert.equal(
      textOf((await client.result('append_insight', { insight: 'Tea\nsells well' })) as never),
      'Insight added to memo',
    );
    for await (const change of watch) {
      assert.equal((change as { uri: string }).uri, 'memo://insights');
      break;
    }
    assert.match(await memo(), /^- Tea sells well$/m);
    for (let index = 1; index < 1_000; index++) await client.result('append_insight', { insight: 'x' });
    const full = await client.result('append_insight', { insight: 'one too many' });
    assert.equal(full.isError, true);
  });
}

test('the prompt contains the topic, and says what is possible without --write', async () => {
  for (const [args, expected] of [
    [[], /This server only reads/],
    [['--write'], /Create them with create_table/],
  ] as const) {
    await using client = await connected('2026-07-28', ...args);
    const { messages } = await client.prompt('mcp-demo', { topic: 'tea "shops"' });
    const { text } = messages[0]!.content as { text: string };
    assert.match(text, expected);
    assert.ok(text.includes(String.raw`"tea \"shops\""`));
  }
});

test('tools are described as what they are', async () => {
  await using client = await connected('2026-07-28', '--write');
  const tools = await client.tools().all();
  for (const { name, annotations, description } of tools) {
    const reads = ['read_query', 'list_tables', 'describe_table'].includes(name);
    assert.equal(annotations?.readOnlyHint, reads, name);
    if (!reads) assert.equal(annotations?.destructiveHint, name !== 'append_insight', name);
    assert.doesNotMatch(description!, /--write/);
  }
  await using reader = await connected('2025-11-25');
  const [query] = await reader.tools().all();
  assert.match(query!.description!, /no write_query and create_table, unless the user starts the server with --write/);
});

test('`tenon check` has no finding', async () => {
  for (const args of [[], ['--write']]) await assertNoFindings({ name: 'sqlite', args: ['--db-path', file, ...args] });
});

test('the built package runs statements, in its separate file', async () => {
  const bin = fileURLToPath(new URL('../bin/server-sqlite.js', import.meta.url));
  await using client = await connect({ command: process.execPath, args: [bin, '--db-path', file] }, { eras });
  assert.deepEqual(await client.call('read_query', { query: 'SELECT 1 AS a' }), {
    columns: ['a'],
    rows: [[1]],
    truncated: false,
  });
});

test('clients of a port share the database and the memo', async (t) => {
  const { url, stop: end } = await serveOverHttp({ name: 'sqlite', args: ['--db-path', file] });
  t.after(end);
  await using ann = await connect(url, { eras, revision: '2026-07-28' });
  await using bob = await connect(url, { eras, revision: '2025-11-25' });
  await ann.result('append_insight', { insight: 'from Ann' });
  assert.match(((await bob.read('memo://insights')).contents[0] as { text: string }).text, /from Ann/);
});
