// Whatever a statement asks for, the server goes on.
import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { statSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import { DatabaseSync } from 'node:sqlite';
import { type TestContext, test } from 'node:test';
import { isDeepStrictEqual } from 'node:util';
import { connect } from 'tenon/client';
import { until } from '../../../scripts/lib/until.ts';
import { commandOf, textOf } from '../../shared/test/ways.ts';
import { createFile, ENDLESS, lookInto, open, testFolder, WAYS } from './fixtures/kit.ts';

const folder = testFolder();
const eras = { get: () => undefined, set() {}, delete() {} };

interface Rows {
  readonly rows: unknown[][];
  readonly truncated: boolean;
}

async function connected(t: TestContext, file: string, ...args: readonly string[]) {
  const [command, ...rest] = commandOf({ name: 'sqlite', args: ['--db-path', file, ...args] });
  const client = await connect({ command, args: rest }, { eras });
  t.after(() => client.close());
  return client;
}

/** The ids of the processes that a process has started. */
function childrenOf(parent: number): number[] {
  const { stdout } = spawnSync('ps', ['-A', '-o', 'pid=,ppid='], { encoding: 'utf8' });
  return stdout
    .split('\n')
    .map((line) => line.trim().split(/\s+/).map(Number))
    .filter(([, of]) => of === parent)
    .map(([pid]) => pid!);
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

/** Whether a statement of another process uses the file. */
function isInUse(file: string): boolean {
  const database = new DatabaseSync(file);
  try {
    database.exec('BEGIN EXCLUSIVE; ROLLBACK');
    return false;
  } catch {
    return true;
  } finally {
    database.close();
  }
}

for (const [way, open_] of WAYS)
  test(`an endless statement is stopped, ${way}`, async (t) => {
    const file = createFile(
      join(folder, `${way}.db`.replaceAll(' ', '-')),
      'CREATE TABLE t (a); INSERT INTO t VALUES (1);',
    );
    const client = await open_(t, { args: ['--db-path', file, '--write', '--timeout', '0.2'] });
    const endless = client.call('read_query', { query: ENDLESS });
    assert.ok((await client.tools()).includes('read_query'));
    const answer = await endless;
    assert.equal(answer.isError, true);
    assert.match(textOf(answer), /stopped after 0\.2 seconds/);
    // An endless change is rolled back. It is so large that SQLite has written a part of it into the file.
    const change = await client.call('write_query', {
      query: `INSERT INTO t ${ENDLESS.replace('count(*)', 'zeroblob(10000)')}`,
    });
    assert.match(textOf(change), /stopped after 0\.2 seconds.* Nothing was changed\./);
    // On a busy machine, this statement may need longer than is allowed here, too.
    await until(async () => {
      const { structuredContent } = await client.call('read_query', { query: 'SELECT count(*) FROM t' });
      return structuredContent !== undefined && isDeepStrictEqual((structuredContent as Rows).rows, [[1]]);
    }, 'the table is read');
    assert.deepEqual(
      lookInto(file, 'SELECT count(*) AS n FROM t').map((row) => ({ ...(row as object) })),
      [{ n: 1 }],
    );
  });

test('a change that was interrupted is rolled back, however long that takes', async (t) => {
  const file = createFile(
    join(folder, 'interrupted.db'),
    `CREATE TABLE t (a);
     WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 8000) INSERT INTO t SELECT zeroblob(10000) FROM n;`,
  );
  // A program that ends while all of the 80 MB are changed: the old pages are in its journal.
  const change = `const database = new (process.getBuiltinModule('node:sqlite').DatabaseSync)(process.argv[1]);
    database.exec('PRAGMA synchronous = OFF; PRAGMA cache_size = 10; BEGIN; UPDATE t SET a = zeroblob(9999)');
    process.kill(process.pid, 'SIGKILL');`;
  spawnSync(process.execPath, ['--disable-warning=ExperimentalWarning', '-e', change, file]);
  assert.ok(statSync(`${file}-journal`).size > 10_000_000);
  const client = await connected(t, file, '--write', '--timeout=0.1');
  await until(async () => {
    const written = await client.result('write_query', { query: 'INSERT INTO t VALUES (1)' });
    return written.isError !== true;
  }, 'the next change is made');
  assert.deepEqual(
    lookInto(file, 'SELECT count(*) AS n, min(length(a)) AS least FROM t').map((row) => ({ ...(row as object) })),
    [{ n: 8_001, least: 1 }],
  );
  assert.deepEqual(
    lookInto(file, 'SELECT max(length(a)) AS most FROM t').map((row) => ({ ...(row as object) })),
    [{ most: 10_000 }],
  );
});

test('calls go on while a statement runs, and a cancelled statement ends', async (t) => {
  const file = createFile(join(folder, 'cancel.db'), 'CREATE TABLE t (a); INSERT INTO t VALUES (1);');
  const client = await connected(t, file, '--write', '--timeout=3600');
  const endless = ENDLESS.replace('SELECT 1', 'SELECT a FROM t');
  for (const [tool, query] of [
    ['read_query', endless],
    ['write_query', `INSERT INTO t ${endless}`],
  ] as const) {
    const abort = new AbortController();
    const running = client.result(tool, { query }, { signal: abort.signal });
    await until(() => isInUse(file), 'the statement runs');
    assert.equal((await client.result('list_tables')).isError ?? false, false);
    abort.abort();
    await assert.rejects(running, { name: 'AbortError' });
    await until(() => !isInUse(file), 'the statement has ended');
  }
  const after = await client.result('write_query', { query: 'INSERT INTO t VALUES (2)' });
  assert.deepEqual(after.structuredContent, { affected_rows: 1 });
  const counted = await client.result('read_query', { query: 'SELECT count(*) FROM t' });
  assert.deepEqual((counted.structuredContent as Rows).rows, [[2]]);
});

test('more calls than can wait are refused with a message', async (t) => {
  const client = await connected(t, createFile(join(folder, 'queue.db'), ''), '--timeout=3600');
  const abort = new AbortController();
  const calls = Array.from({ length: 40 }, () =>
    client.result('read_query', { query: ENDLESS }, { signal: abort.signal }),
  );
  const refused = await Promise.race(calls);
  assert.equal(refused.isError, true);
  assert.match((refused.content[0] as { text: string }).text, /Too many statements are waiting: try again later/);
  abort.abort();
  await Promise.allSettled(calls);
  assert.equal((await client.result('list_tables')).isError ?? false, false);
});

test('a statement that needs too much memory is stopped', async (t) => {
  const client = await open(t, { args: ['--db-path', createFile(join(folder, 'memory.db'), '')] });
  const values = Array.from({ length: 20 }, () => 'hex(zeroblob(450000000))').join(', ');
  const answer = await client.call('read_query', { query: `SELECT length(max(${values}))` });
  assert.equal(answer.isError, true);
  assert.match(textOf(answer), /too much memory/);
  assert.equal((await client.call('list_tables')).isError ?? false, false);
});

test('nothing is left running when the server is killed', async () => {
  const file = createFile(join(folder, 'killed.db'), 'CREATE TABLE t (a); INSERT INTO t VALUES (1);');
  const [command, ...args] = commandOf({ name: 'sqlite', args: ['--db-path', file, '--timeout=1'] });
  const server = spawn(command, args, { stdio: ['pipe', 'ignore', 'ignore'] });
  const say = (message: object) => server.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
  say({
    id: 1,
    method: 'initialize',
    params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 't', version: '1' } },
  });
  say({ method: 'notifications/initialized' });
  const query = ENDLESS.replace('SELECT 1', 'SELECT a FROM t');
  say({ id: 2, method: 'tools/call', params: { name: 'read_query', arguments: { query } } });
  await until(() => isInUse(file), 'the statement runs');
  const children = childrenOf(server.pid!);
  assert.equal(children.length, 1);
  server.kill('SIGKILL');
  await until(() => !isRunning(children[0]!), 'the process of the statement has ended');
});

test('a large result comes in parts, with a text that says how to go on', async (t) => {
  const file = createFile(
    join(folder, 'large.db'),
    `CREATE TABLE t (id INTEGER PRIMARY KEY, a TEXT); WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c WHERE x < 2500) INSERT INTO t SELECT x, printf('%.*c', 50, 'x') FROM c;`,
  );
  const client = await open(t, { args: ['--db-path', file] });
  const all: unknown[] = [];
  let pages = 0;
  for (let truncated = true; truncated; pages++) {
    const answer = await client.call('read_query', {
      query: 'SELECT id FROM t ORDER BY id LIMIT 1001 OFFSET ?',
      params: [all.length],
    });
    const page = answer.structuredContent as Rows;
    truncated = page.truncated;
    all.push(...page.rows.flat());
    if (truncated)
      assert.match(answer.content[0]!.text!, /There are more.* LIMIT 1000, and an OFFSET that is 1000 larger/);
    else assert.doesNotMatch(answer.content[0]!.text!, /more/);
  }
  assert.equal(pages, 3);
  assert.deepEqual(
    all,
    Array.from({ length: 2_500 }, (_, index) => index + 1),
  );
  // The bytes are limited, too.
  const small = await open(t, { args: ['--db-path', file, '--max-bytes=1000', '--max-rows=100'] });
  const cut = await small.call('read_query', { query: 'SELECT * FROM t' });
  const { rows, truncated } = cut.structuredContent as Rows;
  assert.ok(truncated && rows.length > 10 && rows.length < 20, `${rows.length}`);
  assert.ok(JSON.stringify(rows).length <= 1_000);
  for (const query of [
    "SELECT printf('%.*c', 2000, 'x')",
    'SELECT zeroblob(2000)',
    'SELECT zeroblob(600)',
    'SELECT hex(zeroblob(20000000))',
  ]) {
    const answer = await small.call('read_query', { query });
    assert.equal(answer.isError, true, query);
    assert.match(
      textOf(answer),
      /A row has more than 1000 bytes: select fewer columns, or parts of values with substr/,
    );
  }
  // An endless result is a large one.
  const endless = await small.call('read_query', { query: ENDLESS.replace('count(*)', 'x') });
  assert.equal((endless.structuredContent as Rows).rows.length, 100);
});

test('concurrent calls, also of several servers, are all carried out', async (t) => {
  const file = createFile(join(folder, 'many.db'), 'CREATE TABLE t (a);');
  const [one, two] = [await connected(t, file, '--write'), await connected(t, file, '--write')];
  const answers = await Promise.all(
    Array.from({ length: 30 }, (_, index) =>
      index % 3 === 2
        ? one.result('read_query', { query: 'SELECT count(*) FROM t' })
        : (index % 3 === 0 ? one : two).result('write_query', { query: 'INSERT INTO t VALUES (?)', params: [index] }),
    ),
  );
  for (const answer of answers) assert.equal(answer.isError ?? false, false, JSON.stringify(answer.content));
  assert.deepEqual(
    { ...(lookInto(file, 'SELECT count(*) AS n, count(DISTINCT a) AS d FROM t')[0] as object) },
    { n: 20, d: 20 },
  );
});

test('a database that another program has locked is reported, and used again afterwards', async (t) => {
  const file = createFile(join(folder, 'locked.db'), 'CREATE TABLE t (a);');
  const client = await open(t, { args: ['--db-path', file, '--write', '--timeout=1'] });
  const other = new DatabaseSync(file);
  t.after(() => other.close());
  other.exec('BEGIN EXCLUSIVE');
  for (const [tool, args] of [
    ['read_query', { query: 'SELECT * FROM t' }],
    ['list_tables', {}],
    ['write_query', { query: 'INSERT INTO t VALUES (1)' }],
  ] as const) {
    const answer = await client.call(tool, args);
    assert.equal(answer.isError, true);
    assert.match(textOf(answer), /Another program has locked the database\. Try again later\./);
  }
  other.exec('COMMIT');
  assert.equal((await client.call('write_query', { query: 'INSERT INTO t VALUES (1)' })).isError ?? false, false);
});
