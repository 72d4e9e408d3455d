// Every way out of a query that we know: each call is refused, and changes nothing, in the database and beside it.
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { textOf } from '../../shared/test/ways.ts';
import { createFile, type Opened, testFolder, WAYS } from './fixtures/kit.ts';

const base = testFolder();
const SCHEMA = `
  CREATE TABLE people (id INTEGER PRIMARY KEY, name TEXT);
  INSERT INTO people VALUES (1, 'Ann'), (2, 'Bob');
  CREATE VIEW names AS SELECT name FROM people;
  CREATE TRIGGER on_names INSTEAD OF INSERT ON names BEGIN DELETE FROM people; END;
  CREATE VIRTUAL TABLE notes USING fts5(body);
  INSERT INTO notes VALUES ('a note');
  CREATE VIRTUAL TABLE places USING rtree(id, low, high);
  INSERT INTO places VALUES (1, 0, 1);`;

/** Refused by `read_query`. `%` is a folder. */
const READ_ESCAPES = [
  "INSERT INTO people VALUES (3, 'Eve')",
  "UPDATE people SET name = 'Eve'",
  'DELETE FROM people',
  "REPLACE INTO people VALUES (1, 'Eve')",
  'DROP TABLE people',
  'CREATE TABLE x (a)',
  'ALTER TABLE people ADD COLUMN x',
  'WITH x AS (SELECT 1) DELETE FROM people',
  'WITH x(a) AS (SELECT 7) INSERT INTO people(id) SELECT a FROM x',
  'WITH x AS (SELECT 1) UPDATE people SET name = 1 RETURNING *',
  'INSERT INTO names VALUES (1)',
  "INSERT INTO notes(notes) VALUES ('rebuild')",
  "WITH x AS (SELECT 1) INSERT INTO notes(notes) SELECT 'optimize' FROM x",
  'SELECT 1; DROP TABLE people',
  'SELECT 1; SELECT 2',
  'SELECT 1;;; DROP TABLE people',
  'SELECT 1 /* ; */ ; /* */ DROP TABLE people',
  'SELECT 1 -- \n; DROP TABLE people',
  '; DROP TABLE people',
  '/* SELECT */ DROP TABLE people',
  '-- SELECT\nDROP TABLE people',
  '/* SELECT 1',
  '-- SELECT 1',
  '\uFEFFDROP TABLE people',
  '\u00A0DELETE FROM people',
  'SELECT 1\0; DROP TABLE people',
  '\0',
  "SELECT '\ud800'",
  '',
  ' ;; ',
  'SELECT 1) SELECT typeof(1), 1 FROM people --',
  'SELECT 1) ; DROP TABLE people --',
  'SELECT * FROM people) DELETE FROM people --',
  'SELECT * FROM "tenon result"',
  "ATTACH '%/other.db' AS other",
  "ATTACH DATABASE 'file:%/new.db?mode=rwc' AS other",
  "EXPLAIN ATTACH '%/other.db' AS other",
  'DETACH main',
  'VACUUM',
  "VACUUM INTO '%/copy.db'",
  "EXPLAIN VACUUM INTO '%/copy.db'",
  'PRAGMA writable_schema = ON',
  'PRAGMA query_only = OFF',
  'PRAGMA journal_mode = WAL',
  'PRAGMA user_version = 7',
  "PRAGMA temp_store_directory = '%'",
  'EXPLAIN PRAGMA query_only = OFF',
  'EXPLAIN QUERY PLAN PRAGMA writable_schema = ON',
  '/**/PRAGMA/**/writable_schema=1',
  "SELECT load_extension('%/x')",
  "SELECT load_extension('%/x', 'entry')",
  "SELECT fts3_tokenizer('simple', x'0000000000000000')",
  "SELECT writefile('%/written', 'x')",
  "SELECT readfile('%/secret')",
  "SELECT * FROM pragma_writable_schema('1')",
  "SELECT * FROM pragma_journal_mode('wal')",
  'CREATE TEMP TABLE x AS SELECT 1',
  'CREATE TEMP TRIGGER x AFTER INSERT ON people BEGIN SELECT 1; END',
  'CREATE VIRTUAL TABLE x USING fts5(body)',
  'CREATE VIRTUAL TABLE temp.x USING fts5vocab(main, notes, row)',
  'BEGIN',
  'BEGIN EXCLUSIVE',
  'COMMIT',
  'ROLLBACK',
  'SAVEPOINT x',
  'REINDEX',
  'ANALYZE',
  "UPDATE sqlite_schema SET sql = 'x'",
  'DELETE FROM sqlite_schema',
];

/** Refused by `write_query`, besides statements that only read. */
const WRITE_ESCAPES = [
  ...READ_ESCAPES.filter((sql) =>
    /^[^\w]*(?:ATTACH|DETACH|VACUUM|PRAGMA|EXPLAIN|CREATE TEMP|CREATE VIRTUAL|BEGIN|COMMIT|ROLLBACK|SAVEPOINT)/.test(
      sql,
    ),
  ),
  'SELECT 1',
  "INSERT INTO people VALUES (3, 'a'); DROP TABLE people",
  "INSERT INTO people VALUES (3, 'a'); COMMIT; DROP TABLE people",
  'COMMIT; DROP TABLE people',
  "INSERT INTO people VALUES (3, 'a')\0",
  "INSERT INTO people VALUES (3, load_extension('%/x'))",
  "UPDATE sqlite_schema SET sql = 'x'",
  'DELETE FROM sqlite_master',
  "INSERT INTO sqlite_schema VALUES ('table', 'x', 'x', 2, 'x')",
  'CREATE TABLE temp.x (a)',
  'CREATE TEMPORARY VIEW x AS SELECT 1',
  'CREATE TRIGGER temp.x AFTER INSERT ON people BEGIN DELETE FROM people; END',
  'CREATE TRIGGER x AFTER INSERT ON people BEGIN DELETE FROM people; END; DROP TABLE people',
  'CREATE/**/VIRTUAL/**/TABLE x USING fts5(a)',
  "INSERT INTO people VALUES (3, 'a') RETURNING *",
  "INSERT INTO people VALUES (1, 'twice')",
  'ALTER TABLE people RENAME TO sqlite_x',
];

/** Refused by `create_table`. */
const TABLE_ESCAPES = [
  'CREATE TEMP TABLE x (a)',
  'CREATE VIRTUAL TABLE x USING fts5(a)',
  'CREATE VIEW x AS SELECT 1',
  'CREATE TABLE x (a); DROP TABLE people',
  'DROP TABLE people',
  'CREATE TABLE temp.x (a)',
  'CREATE TABLE sqlite_x (a)',
  'CREATE TABLE people (a)',
];

/** Reads about the connection, which only the authorizer refuses. */
const ABOUT_CONNECTION = 'SELECT * FROM pragma_database_list';

/** All files of a folder with their contents. */
function stateOf(folder: string): Record<string, string> {
  return Object.fromEntries(
    readdirSync(folder)
      .toSorted()
      .map((name) => [
        name,
        createHash('sha256')
          .update(readFileSync(join(folder, name)))
          .digest('hex'),
      ]),
  );
}

const NODE_OPTIONS = `--disable-warning=ExperimentalWarning --import ${pathToFileURL(join(import.meta.dirname, 'fixtures/without-authorizer.mjs')).href}`;

for (const [way, open] of WAYS)
  for (const [which, env] of [
    ['with an authorizer', {}],
    ['without one, as on Node 22', { NODE_OPTIONS }],
  ] as const)
    test(`every escape is refused, ${which}, ${way}`, async (t) => {
      const folder = join(base, `${way} ${which}`.replaceAll(/\W/g, '-'));
      mkdirSync(folder);
      const file = createFile(join(folder, 'main.db'), SCHEMA);
      createFile(join(folder, 'other.db'), 'CREATE TABLE secrets (a)');
      const before = stateOf(folder);
      const opened: Opened = { args: ['--db-path', file, '--write'], env };
      const client = await open(t, opened);
      for (const [tool, escapes] of [
        ['read_query', READ_ESCAPES],
        ['write_query', WRITE_ESCAPES],
        ['create_table', TABLE_ESCAPES],
        ['read_query', which === 'with an authorizer' ? [ABOUT_CONNECTION] : []],
      ] as const)
        for (const sql of escapes) {
          const query = sql.replaceAll('%', folder.replaceAll("'", "''"));
          const answer = await client
            .call(tool, { query })
            .catch((error: Error) => ({ isError: true, content: [{ type: 'text', text: error.message }] }));
          assert.equal(answer.isError, true, `${tool}: ${sql}: ${textOf(answer)}`);
          assert.deepEqual(stateOf(folder), before, `${tool}: ${sql}`);
        }
      // What is there can still be read, also through virtual tables.
      const rest = await client.call('read_query', {
        query:
          "SELECT (SELECT count(*) FROM people), (SELECT count(*) FROM notes WHERE notes MATCH 'note'), (SELECT count(*) FROM places)",
      });
      assert.deepEqual((rest.structuredContent as { rows: unknown }).rows, [[2, 1, 1]]);
      assert.deepEqual(stateOf(folder), before);
    });

test('without --write there are no tools that write', async (t) => {
  const file = createFile(join(base, 'read-only.db'), SCHEMA);
  for (const open of WAYS.values()) {
    const client = await open(t, { args: ['--db-path', file] });
    assert.deepEqual(await client.tools(), ['read_query', 'list_tables', 'describe_table', 'append_insight']);
    for (const tool of ['write_query', 'create_table'])
      await assert.rejects(async () => {
        const answer = await client.call(tool, { query: 'CREATE TABLE x (a)' });
        if (answer.isError === true) throw new Error(textOf(answer));
      });
  }
});

test('names of tables are values, never SQL', async (t) => {
  const names = [
    '"; DROP TABLE people; --',
    "'); DROP TABLE people; --",
    'a"b',
    "a'b",
    'a]b',
    '`',
    'Ä 日本',
    '--',
    '/*',
    ' ',
    'select',
    'x\ny',
    '%',
    '?',
  ];
  const quoted = names.map(
    (name) => `CREATE TABLE "${name.replaceAll('"', '""')}" ("${name.replaceAll('"', '""')}" TEXT);`,
  );
  const file = createFile(join(base, 'names.db'), `${SCHEMA}${quoted.join('')}`);
  const open = WAYS.get('2026-07-28 over stdio')!;
  const client = await open(t, { args: ['--db-path', file] });
  const listed = (await client.call('list_tables')).structuredContent as { tables: { name: string }[] };
  assert.deepEqual(
    listed.tables.map(({ name }) => name).toSorted(),
    [...names, 'people', 'names', 'notes', 'places'].toSorted(),
  );
  for (const name of names) {
    const { structuredContent } = await client.call('describe_table', { table_name: name });
    assert.deepEqual(
      (structuredContent as { columns: { name: string }[] }).columns.map((column) => column.name),
      [name],
    );
  }
  for (const name of ['"; DROP TABLE people; --x', "people'; --", 'people\0', 'main.people', 'nope', '\ud800']) {
    const answer = await client
      .call('describe_table', { table_name: name })
      .catch((error: Error) => ({ isError: true, content: [{ type: 'text', text: error.message }] }));
    assert.equal(answer.isError, true, JSON.stringify(name));
    assert.doesNotMatch(textOf(answer), /under error/);
  }
});
