// The file of the database: which files are accepted, and what happens if something is wrong with one.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import { test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { connect } from 'tenon/client';
import { commandOf, textOf } from '../../shared/test/ways.ts';
import { createFile, lookInto, open, testFolder } from './fixtures/kit.ts';

const folder = testFolder();
const eras = { get: () => undefined, set() {}, delete() {} };
const SCHEMA = 'CREATE TABLE t (a); INSERT INTO t VALUES (1);';

/** Starts the server without a client, which ends it. */
function start(args: readonly string[], cwd = folder) {
  const [command, ...rest] = commandOf({ name: 'sqlite', args });
  const { status, stdout, stderr } = spawnSync(command, rest, { cwd, input: '', encoding: 'utf8' });
  return { status, stdout, stderr };
}

test('a path that is not that of a database is refused at the start, and nothing is created or changed', () => {
  const letter = join(folder, 'letter.txt');
  writeFileSync(letter, 'Dear Ann, how are you?');
  const good = createFile(join(folder, 'good.db'), SCHEMA);
  mkdirSync(join(folder, 'sub'));
  symlinkSync(join(folder, 'nowhere'), join(folder, 'dangling'));
  symlinkSync('loop', join(folder, 'loop'));
  symlinkSync(letter, join(folder, 'link-to-letter'));
  const fifo = join(folder, 'fifo');
  if (process.platform !== 'win32') assert.equal(spawnSync('mkfifo', [fifo]).status, 0);
  const before = readdirSync(folder);
  for (const [path, message] of [
    [join(folder, 'missing.db'), /does not exist\. With --write it would be created/],
    [letter, /is not a SQLite database, and was left as it is/],
    [join(folder, 'link-to-letter'), /is not a SQLite database/],
    [join(folder, 'sub'), /is not a file/],
    ...(process.platform === 'win32' ? [] : [[fifo, /is not a file/] as const]),
    [join(folder, 'dangling'), /does not exist/],
    [join(folder, 'loop'), /ELOOP|does not exist/],
    ['', /takes the path of a file/],
    [':memory:', /takes the path of a file/],
    [`file:${good}`, /not the URI/],
    [`file:${good}?mode=rwc`, /not the URI/],
    [pathToFileURL(good).href, /not the URI/],
    ['file:x?vfs=unix-none', /not the URI/],
    ['FILE:x', /not the URI/],
    ['http://localhost/x.db', /not the URI/],
  ] as const) {
    const { status, stdout, stderr } = start(['--db-path', path]);
    assert.equal(status, 2, `${path}: ${stderr}`);
    assert.match(stderr, message, path);
    assert.equal(stdout, '');
  }
  assert.match(
    start(['--db-path', join(folder, 'dangling'), '--write']).stderr,
    /is a link to a file that does not exist/,
  );
  assert.equal(start(['--db-path', letter, '--write']).status, 2);
  assert.deepEqual(readdirSync(folder), before);
  assert.equal(readFileSync(letter, 'utf8'), 'Dear Ann, how are you?');
});

test('invalid limits are refused at the start', () => {
  const path = createFile(join(folder, 'limits.db'), SCHEMA);
  for (const option of [
    '--timeout=0',
    '--timeout=1e9',
    '--timeout=-1',
    '--max-rows=0',
    '--max-rows=x',
    '--max-bytes=1',
    '--max-bytes=',
    '--nope',
  ])
    assert.equal(start(['--db-path', path, option]).status, 2, option);
  assert.equal(start(['--db-path', path, '--timeout=1', '--max-rows=1', '--max-bytes=1000']).status, 0);
});

test('with --write a missing file and its folder are created, readable only for the user', async (t) => {
  const path = join(folder, 'new', 'deep', 'a.db');
  const client = await open(t, { args: ['--write', '--db-path', path] });
  assert.deepEqual((await client.call('list_tables')).structuredContent, { tables: [], truncated: false });
  assert.equal(
    textOf(await client.call('create_table', { query: 'CREATE TABLE t (a)' })),
    'Table created successfully',
  );
  assert.deepEqual((await client.call('list_tables')).structuredContent, {
    tables: [{ name: 't', type: 'table' }],
    truncated: false,
  });
  if (process.platform !== 'win32') assert.equal(statSync(path).mode & 0o777, 0o600);
});

test('names with special characters are those of files', async (t) => {
  for (const name of ['a?mode=memory.db', 'b#c.db', 'd%20e.db', 'Ä 日本.db', "f'g.db", 'h:i.db']) {
    const client = await open(t, { args: ['--write', '--db-path', join(folder, name)] });
    await client.call('create_table', { query: 'CREATE TABLE t (a)' });
    assert.equal(lookInto(join(folder, name), 'SELECT * FROM t').length, 0, name);
  }
});

test('a link is followed once: a later change of it leads to no other file', async (t) => {
  const real = createFile(join(folder, 'real.db'), SCHEMA);
  const other = createFile(join(folder, 'other.db'), 'CREATE TABLE secret (a)');
  const link = join(folder, 'link.db');
  symlinkSync(real, link);
  const client = await open(t, { args: ['--db-path', link] });
  const names = async () => textOf(await client.call('list_tables'));
  assert.match(await names(), /"t"/);
  unlinkSync(link);
  symlinkSync(other, link);
  assert.match(await names(), /"t"/);
  assert.doesNotMatch(await names(), /secret/);
});

test('each call sees the file that is there', async (t) => {
  const path = createFile(join(folder, 'replaced.db'), SCHEMA);
  const client = await open(t, { args: ['--db-path', path, '--write'] });
  assert.match(textOf(await client.call('list_tables')), /"t"/);
  unlinkSync(path);
  const gone = await client.call('read_query', { query: 'SELECT 1 FROM t' });
  assert.match(textOf(gone), /cannot be opened/);
  createFile(path, 'CREATE TABLE u (a)');
  assert.match(textOf(await client.call('list_tables')), /"u"/);
  writeFileSync(path, 'x'.repeat(5_000));
  const wrong = await client.call('list_tables');
  assert.equal(wrong.isError, true);
  assert.match(textOf(wrong), /is not a SQLite database/);
});

test('a damaged database is reported, and is not made worse', async (t) => {
  const path = join(folder, 'damaged.db');
  createFile(
    path,
    `CREATE TABLE t (a); WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c WHERE x < 5000) INSERT INTO t SELECT x FROM c;`,
  );
  const bytes = readFileSync(path);
  for (const damaged of [
    Buffer.from(bytes).fill(0xa5, 4_096),
    bytes.subarray(0, 6_000),
    Buffer.from(bytes).fill(0, 100, 4_096),
  ]) {
    writeFileSync(path, damaged);
    const client = await open(t, { args: ['--db-path', path, '--write'] });
    for (const [tool, query] of [
      ['read_query', 'SELECT count(*), sum(a) FROM t'],
      ['write_query', 'UPDATE t SET a = a + 1 WHERE a > 0'],
    ] as const) {
      const answer = await client.call(tool, { query });
      assert.equal(answer.isError, true);
      assert.match(textOf(answer), /The database file is damaged|is not a SQLite database|no such table/);
    }
    assert.deepEqual(readFileSync(path), damaged);
    await client.close();
  }
});

test('a change that another program did not finish is reported, or rolled back with --write', async (t) => {
  const path = createFile(join(folder, 'hot.db'), `CREATE TABLE t (a); INSERT INTO t VALUES (1);`);
  const script = `
    const { DatabaseSync } = require('node:sqlite');
    const database = new DatabaseSync(${JSON.stringify(path)});
    database.exec('PRAGMA cache_size = 1; BEGIN; WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c WHERE x < 20000) INSERT INTO t SELECT zeroblob(1000) FROM c;');
    process.kill(process.pid, 'SIGKILL');`;
  spawnSync(process.execPath, ['-e', script]);
  assert.ok(existsSync(`${path}-journal`));
  const reader = await open(t, { args: ['--db-path', path] });
  const answer = await reader.call('read_query', { query: 'SELECT count(*) FROM t' });
  assert.equal(answer.isError, true);
  assert.match(textOf(answer), /ended in the middle of a change\. Open the database once/);
  const writer = await open(t, { args: ['--db-path', path, '--write'] });
  assert.equal((await writer.call('write_query', { query: 'INSERT INTO t VALUES (2)' })).isError ?? false, false);
  const counted = await reader.call('read_query', { query: 'SELECT count(*) FROM t' });
  assert.deepEqual((counted.structuredContent as { rows: unknown }).rows, [[2]]);
});

test('a database in WAL mode is read and written beside other programs', async (t) => {
  const path = createFile(join(folder, 'wal.db'), `PRAGMA journal_mode = WAL; ${SCHEMA}`);
  const client = await open(t, { args: ['--db-path', path, '--write'] });
  await client.call('write_query', { query: 'INSERT INTO t VALUES (2)' });
  const { structuredContent } = await client.call('read_query', { query: 'SELECT count(*) FROM t' });
  assert.deepEqual((structuredContent as { rows: unknown }).rows, [[2]]);
});

/** Runs a command that finds a small disk at `place`. */
const ON_SMALL_DISK = 'place=$1; shift; mount -t tmpfs -o size=600k tmpfs "$place" && exec "$@"';
const place = join(folder, 'disk');
mkdirSync(place);
const skip =
  spawnSync('unshare', ['-rm', 'sh', '-c', ON_SMALL_DISK, 'sh', place, 'true']).status !== 0 &&
  'no disk can be made here';

test('on a full disk nothing is changed, and everything continues when there is room', { skip }, async (t) => {
  const server = commandOf({ name: 'sqlite', args: ['--write', '--db-path', join(place, 'a.db')] });
  const client = await connect(
    { command: 'unshare', args: ['-rm', 'sh', '-c', ON_SMALL_DISK, 'sh', place, ...server] },
    { eras },
  );
  t.after(() => client.close());
  await client.result('create_table', { query: 'CREATE TABLE t (a)' });
  const full = await client.result('write_query', { query: 'INSERT INTO t VALUES (zeroblob(3000000))' });
  assert.equal(full.isError, true);
  assert.match((full.content[0] as { text: string }).text, /The disk is full\. Nothing was changed\./);
  const small = await client.result('write_query', { query: 'INSERT INTO t VALUES (1)' });
  assert.deepEqual(small.structuredContent, { affected_rows: 1 });
  const { structuredContent } = await client.result('read_query', { query: 'SELECT a FROM t' });
  assert.deepEqual((structuredContent as { rows: unknown }).rows, [[1]]);
});

const node20 = join(import.meta.dirname, '../../../node_modules/node20-linux-x64/bin/node');
const isMissing = !existsSync(node20) && 'npm has that Node for Linux on x64 only';

test('on Node 20 the server says in one sentence what it needs, and ends with code 2', { skip: isMissing }, () => {
  const bin = join(import.meta.dirname, '..', 'dist', 'main.js');
  const code = `import { main } from ${JSON.stringify(pathToFileURL(bin).href)}; await main(process.argv.slice(1));`;
  const path = createFile(join(folder, 'old.db'), SCHEMA);
  const run = (...args: readonly string[]) =>
    spawnSync(node20, ['--input-type=module', '-e', code, '--', ...args], { encoding: 'utf8', input: '' });
  const { status, stdout, stderr } = run('--db-path', path);
  assert.deepEqual([status, stdout], [2, '']);
  assert.match(stderr, /^sqlite: it needs Node 22\.16 or newer, and this is Node 20\.\d+\.\d+\n/);
  assert.equal(run('--help').status, 0);
});
