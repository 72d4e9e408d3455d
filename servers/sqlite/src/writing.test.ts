// Changes: with a question before those that destroy something, each a transaction of its own.
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { textOf } from '../../shared/test/ways.ts';
import { createFile, lookInto, open, testFolder, WAYS } from './fixtures/kit.ts';

const folder = testFolder();
const SCHEMA = `
  CREATE TABLE people (id INTEGER PRIMARY KEY, name TEXT UNIQUE);
  CREATE TABLE pets (name TEXT, owner INTEGER REFERENCES people(id));
  CREATE INDEX by_name ON pets(name);
  INSERT INTO people VALUES (1, 'Ann'), (2, 'Bob');
  INSERT INTO pets VALUES ('Rex', 1);`;

let files = 0;
function newFile(): string {
  return createFile(join(folder, `${files++}.db`), SCHEMA);
}

/** Statements about which the user is asked. */
const DESTRUCTIVE = [
  'DROP TABLE pets',
  'DROP TABLE IF EXISTS pets',
  '/* SELECT */ drop /**/ table pets',
  'DROP INDEX by_name',
  'DELETE FROM pets',
  'DELETE FROM pets;',
  'DELETE FROM pets -- WHERE 1 = 2',
  "DELETE FROM pets WHERE 1 OR 'x'",
  'DELETE FROM pets WHERE TRUE',
  'DELETE FROM pets WHERE (SELECT 1)',
  'WITH x AS (SELECT 1 WHERE 1) DELETE FROM pets',
  'WITH replace AS (SELECT 1) DELETE FROM pets',
  "UPDATE pets SET name = 'x'",
  'UPDATE pets SET name = (SELECT name FROM people WHERE id = 1)',
  "UPDATE OR IGNORE pets SET name = 'x' WHERE NOT 0",
  'ALTER TABLE people ADD COLUMN x; ALTER TABLE people DROP COLUMN x'.split('; ')[1]!,
  'CREATE TRIGGER x AFTER INSERT ON pets BEGIN DELETE FROM people; END',
];

/** Statements about which nobody is asked. */
const HARMLESS = [
  "INSERT INTO pets VALUES ('Tom', 2)",
  "INSERT INTO people VALUES (1, 'Eve') ON CONFLICT DO UPDATE SET name = excluded.name",
  'DELETE FROM pets WHERE owner = 99',
  'UPDATE pets SET name = \'x\' WHERE "owner" = 99',
  'CREATE TABLE more (a INTEGER REFERENCES people ON DELETE CASCADE)',
  'ALTER TABLE pets ADD COLUMN age INTEGER',
  'CREATE VIEW names AS SELECT name FROM people',
  'REINDEX',
  'ANALYZE',
];

for (const [way, open_] of WAYS)
  test(`the user is asked before something is destroyed, ${way}`, async (t) => {
    const asked: string[] = [];
    let run = false;
    const file = newFile();
    const client = await open_(
      t,
      { args: ['--db-path', file, '--write'] },
      {
        elicit: ({ message }) => {
          asked.push(message);
          return { action: 'accept', content: { run } };
        },
      },
    );
    const before = lookInto(file, 'SELECT * FROM pets');
    for (const query of DESTRUCTIVE) {
      const answer = await client.call('write_query', { query });
      assert.match(textOf(answer), /^Nothing was changed: the user declined$/, query);
      assert.equal(answer.isError, true);
    }
    assert.equal(asked.length, DESTRUCTIVE.length);
    // The user sees what would be run.
    for (const [index, message] of asked.entries())
      assert.ok(message.includes(DESTRUCTIVE[index]!.replace(/;$|^\/\*.*?\*\/ | --.*/g, '')), message);
    assert.deepEqual(lookInto(file, 'SELECT * FROM pets'), before);
    for (const query of HARMLESS) {
      const answer = await client.call('write_query', { query });
      assert.equal(answer.isError ?? false, false, `${query}: ${textOf(answer)}`);
    }
    assert.equal(asked.length, DESTRUCTIVE.length);
    run = true;
    const done = await client.call('write_query', { query: 'DELETE FROM pets' });
    assert.deepEqual(done.structuredContent, { affected_rows: 2 });
    assert.deepEqual(lookInto(file, 'SELECT * FROM pets'), []);
  });

test('nobody is asked with --no-confirm, or if the client cannot ask', async (t) => {
  for (const [args, options] of [
    [['--no-confirm'], { elicit: () => assert.fail('nobody should be asked') }],
    [[], {}],
  ] as const) {
    const file = newFile();
    const client = await open(t, { args: ['--db-path', file, '--write', ...args] }, options);
    assert.deepEqual((await client.call('write_query', { query: 'DELETE FROM pets' })).structuredContent, {
      affected_rows: 1,
    });
    assert.deepEqual(lookInto(file, 'SELECT * FROM pets'), []);
  }
});

test('the question shows hidden characters, and how long a long statement is', async (t) => {
  const asked: string[] = [];
  const client = await open(
    t,
    { args: ['--db-path', newFile(), '--write'] },
    {
      elicit: ({ message }) => {
        asked.push(message);
        return { action: 'accept', content: { run: false } };
      },
    },
  );
  await client.call('write_query', { query: `DELETE FROM pets /*\u202E*/ WHERE 1 OR '${'x'.repeat(5_000)}'` });
  assert.doesNotMatch(asked[0]!, /\u202E/);
  assert.match(asked[0]!, /202e/i);
  assert.match(asked[0]!, /… \(50\d\d characters\)$/);
});

test('a cancelled question changes nothing', async (t) => {
  const file = newFile();
  const client = await open(t, { args: ['--db-path', file, '--write'] }, { elicit: () => ({ action: 'cancel' }) });
  const answer = await client.call('write_query', { query: 'DROP TABLE pets' }).catch(() => ({ isError: true }));
  assert.equal(answer.isError, true);
  assert.equal(lookInto(file, 'SELECT * FROM pets').length, 1);
});

test('a statement that fails changes nothing, and the error says why', async (t) => {
  const file = newFile();
  const client = await open(t, { args: ['--db-path', file, '--write'] });
  for (const [query, message] of [
    ["INSERT INTO people VALUES (3, 'Cy'), (4, 'Ann')", /UNIQUE constraint failed: people\.name/],
    ['INSERT INTO pets VALUES (1, 99)', /FOREIGN KEY constraint failed/],
    ['DELETE FROM people WHERE id = 1', /FOREIGN KEY constraint failed/],
    ['INSERT INTO nope VALUES (1)', /no such table: nope/],
    ['INSERT INTO people VALUES (1', /incomplete input/],
    ['INSERT OR ROLLBACK INTO people VALUES (1, 1)', /constraint failed/],
    ['UPDATE people SET id = abs(-9223372036854775808) WHERE id = 1', /integer overflow/],
  ] as const) {
    const answer = await client.call('write_query', { query });
    assert.equal(answer.isError, true, query);
    assert.match(textOf(answer), message);
  }
  assert.deepEqual(
    lookInto(file, 'SELECT count(*) AS n FROM people').map((row) => ({ ...(row as object) })),
    [{ n: 2 }],
  );
  // The next call has a transaction of its own.
  assert.deepEqual(
    (await client.call('write_query', { query: "INSERT INTO people VALUES (3, 'Cy')" })).structuredContent,
    { affected_rows: 1 },
  );
});

test('existing triggers and full-text tables work', async (t) => {
  const file = createFile(
    join(folder, 'features.db'),
    `CREATE TABLE t (a); CREATE TABLE log (a); CREATE VIRTUAL TABLE notes USING fts5(body); CREATE VIRTUAL TABLE old USING fts4(body); CREATE VIRTUAL TABLE boxes USING rtree(id, low, high);
     CREATE TRIGGER logs AFTER INSERT ON t BEGIN INSERT INTO log VALUES (new.a); INSERT INTO notes VALUES (new.a); END;`,
  );
  const client = await open(t, { args: ['--db-path', file, '--write'] });
  for (const query of [
    "INSERT INTO t VALUES ('hello world')",
    "INSERT INTO old VALUES ('hello again')",
    'INSERT INTO boxes VALUES (1, 0, 2)',
    'CREATE TRIGGER x AFTER DELETE ON t BEGIN INSERT INTO log VALUES (1); DELETE FROM log; END;',
    'DROP TRIGGER x',
    'ALTER TABLE log RENAME COLUMN a TO b',
    'DROP TABLE old',
  ]) {
    const answer = await client.call('write_query', { query });
    assert.equal(answer.isError ?? false, false, `${query}: ${textOf(answer)}`);
  }
  const { structuredContent } = await client.call('read_query', {
    query:
      "SELECT (SELECT b FROM log), (SELECT count(*) FROM notes WHERE notes MATCH 'hello'), (SELECT id FROM boxes WHERE low < 1 AND high > 1)",
  });
  assert.deepEqual((structuredContent as { rows: unknown }).rows, [['hello world', 1, 1]]);
});
