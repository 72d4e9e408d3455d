// Errors of files, which never cause the loss of a file.

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  chmodSync,
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { registerHooks } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { DatabaseSync } from 'node:sqlite';
import { after, test } from 'node:test';
import { provoke } from '../../../scripts/lib/error-codes.ts';
import { freePort } from '../../../scripts/lib/free-port.ts';
import { openStore, type StoreOptions } from '@tenon/store';
import type { ErrorCode } from '../src/error-codes.ts';

const folder = mkdtempSync(join(tmpdir(), 'tenon-store-'));
after(() => rmSync(folder, { recursive: true, force: true }));

let files = 0;
function newPath(): string {
  return join(folder, `${++files}.db`);
}

function open(path: string, options?: StoreOptions) {
  return openStore(`sqlite:${path}`, options);
}

/** A closed store with some values. */
async function filled(): Promise<string> {
  const path = newPath();
  await using store = await open(path);
  for (let n = 0; n < 300; n++) await store.append(`log ${n}`, 'x'.repeat(500), 1e9);
  await store.set('kept', 1, 1e9);
  return path;
}

/** Changes a file as another program would. */
function withDatabase<T>(path: string, act: (database: DatabaseSync) => T): T {
  const database = new DatabaseSync(path);
  try {
    return act(database);
  } finally {
    database.close();
  }
}

const isRoot = process.getuid?.() === 0;

/** Opens a store and writes, as a user who does not own the file. Returns the error. */
function writeAsAnother(path: string): string {
  const code = `
    import { openStore } from '@tenon/store';
    try {
      const store = await openStore(process.argv[1]);
      await store.set('a', 1, 1e9);
    } catch (error) {
      console.log(error.code, error.message);
    }`;
  const { stdout, stderr } = spawnSync(process.execPath, ['--input-type=module', '--eval', code, `sqlite:${path}`], {
    encoding: 'utf8',
    cwd: import.meta.dirname,
    ...(isRoot ? { uid: 65_534, gid: 65_534 } : {}),
  });
  assert.equal(stderr, '');
  return stdout;
}

async function damaged(): Promise<unknown> {
  const path = await filled();
  const bytes = readFileSync(path);
  bytes.fill(0x55, 4_096, bytes.length - 4_096);
  writeFileSync(path, bytes);
  await using store = await open(path);
  return store.get('kept');
}

provoke<ErrorCode<'StoreError'>>('StoreError', {
  'no-sqlite': async () => {
    const { getBuiltinModule } = process;
    process.getBuiltinModule = ((name: string) =>
      name === 'node:sqlite' ? undefined : getBuiltinModule(name)) as typeof getBuiltinModule;
    try {
      await open(newPath());
    } finally {
      process.getBuiltinModule = getBuiltinModule;
    }
  },
  'not-a-store': () => {
    const path = newPath();
    writeFileSync(path, 'Dear diary');
    return open(path);
  },
  'newer-store': async () => {
    const path = await filled();
    withDatabase(path, (database) => database.exec('PRAGMA user_version = 2'));
    return open(path);
  },
  damaged,
  'read-only': async () => {
    const path = await filled();
    chmodSync(path, 0o444);
    chmodSync(folder, 0o755);
    const thrown = writeAsAnother(path);
    const [code, ...message] = thrown.split(' ');
    throw Object.assign(new Error(message.join(' ')), { name: 'StoreError', code });
  },
  gone: async () => {
    const path = await filled();
    const store = await open(path);
    rmSync(path);
    return store.get('kept');
  },
  'no-driver': async () => {
    const hooks = registerHooks({
      resolve(name, context, next) {
        if (name !== 'ioredis') return next(name, context);
        throw Object.assign(new Error('not found'), { code: 'ERR_MODULE_NOT_FOUND' });
      },
    });
    try {
      await openStore('redis://127.0.0.1');
    } finally {
      hooks.deregister();
    }
  },
  unavailable: async () => openStore(`redis://127.0.0.1:${await freePort()}`, { busyMs: 50 }),
  busy: async () => {
    const path = await filled();
    await using store = await open(path, { busyMs: 50 });
    using other = new DatabaseSync(path);
    other.exec('BEGIN IMMEDIATE');
    await store.set('a', 1, 1e9);
  },
  closed: async () => {
    const store = await open(newPath());
    await store.close();
    return store.get('a');
  },
  failed: () => {
    const path = newPath();
    mkdirSync(path);
    return open(path);
  },
});

test('a file of another program is refused, and neither it nor its folder is changed', async () => {
  const own = join(folder, 'foreign');
  mkdirSync(own);
  const texts = ['', ' ', 'x'.repeat(200), 'SQLite format 3\0', `SQLite format 3\0${'x'.repeat(8_000)}`];
  for (const [n, text] of texts.entries()) writeFileSync(join(own, `${n}.txt`), text);
  for (const mode of ['DELETE', 'WAL'])
    withDatabase(join(own, `${mode}.db`), (database) =>
      database.exec(`PRAGMA journal_mode = ${mode}; CREATE TABLE theirs (a); INSERT INTO theirs VALUES (1)`),
    );
  const names = readdirSync(own);
  const digests = (): unknown =>
    readdirSync(own).map((name) => [
      name,
      createHash('sha256')
        .update(readFileSync(join(own, name)))
        .digest('hex'),
    ]);
  const before = digests();
  for (const name of names.filter((each) => each !== '0.txt'))
    await assert.rejects(open(join(own, name)), (error: Error & { code?: string }) => {
      assert.equal(error.code, 'not-a-store', `${name}: ${error}`);
      return true;
    });
  assert.deepEqual(digests(), before);
});

test('a store that another program has in use is refused without ending the locks of this process on it', async () => {
  const path = newPath();
  const own = new DatabaseSync(path);
  own.exec('CREATE TABLE theirs (a); BEGIN IMMEDIATE');
  await assert.rejects(open(path), { code: 'not-a-store' });
  // Another process still finds the file locked.
  const code = `
    import { DatabaseSync } from 'node:sqlite';
    new DatabaseSync(process.argv[1]).exec('BEGIN IMMEDIATE');`;
  const { stderr } = spawnSync(process.execPath, ['--input-type=module', '--eval', code, path], { encoding: 'utf8' });
  assert.match(stderr, /database is locked/);
  own.close();
});

test('a damaged file is reported, and never replaced by an empty one', async () => {
  const path = await filled();
  const bytes = readFileSync(path);
  for (const cut of [50, 5_000, bytes.length - 4_096]) {
    writeFileSync(path, bytes.subarray(0, cut));
    const act = async (): Promise<void> => {
      const store = await open(path);
      try {
        for (let n = 0; n < 300; n++) await store.read(`log ${n}`, 0);
        await store.set('kept', 2, 1e9);
      } finally {
        await store.close();
      }
    };
    await assert.rejects(act, ({ code, message }: Error & { code: string }) => {
      assert.match(code, /^(?:damaged|not-a-store)$/);
      assert.ok(message.includes(path), message);
      return true;
    });
    assert.equal(readFileSync(path).length, cut);
  }
});

test('a file whose process was killed in the middle of a checkpoint is repaired', async () => {
  const path = newPath();
  await using store = await open(path);
  for (let n = 0; n < 100; n++) await store.set(`value ${n}`, 'x'.repeat(500), 1e9);
  const half = newPath();
  const whole = newPath();
  for (const copy of [half, whole]) for (const end of ['', '-wal']) copyFileSync(`${path}${end}`, `${copy}${end}`);
  // SQLite's checkpoint moves pages from the write-ahead log into the file. The first page contains their number.
  withDatabase(whole, (database) => database.exec('PRAGMA wal_checkpoint(TRUNCATE)'));
  writeFileSync(half, readFileSync(whole).subarray(0, 3 * 4_096));
  await using mended = await open(half);
  assert.equal((await mended.keys('value ', undefined, 1_000)).length, 100);
  for (let n = 0; n < 100; n++) assert.equal(await mended.get(`value ${n}`), 'x'.repeat(500));
});

test('a file that is replaced while it is open is noticed before anything is written to the old one', async () => {
  const path = await filled();
  await using store = await open(path);
  const copy = readFileSync(path);
  rmSync(path);
  await assert.rejects(async () => store.set('a', 1, 1e9), { code: 'gone' });
  writeFileSync(path, copy);
  await assert.rejects(async () => store.append('a', 1, 1e9), { code: 'gone' });
});

test('while another process writes, all operations wait in order, and run afterwards', async () => {
  const path = newPath();
  await using store = await open(path);
  const other = new DatabaseSync(path);
  other.exec('BEGIN IMMEDIATE');
  const order: unknown[] = [];
  const note = (value: unknown): void => void order.push(value);
  const waiting = [
    Promise.resolve(store.append('log', 'a', 1e9)).then(note),
    Promise.resolve(store.append('log', 'b', 1e9)).then(note),
    Promise.resolve(store.read('log', 0)).then(note),
    Promise.resolve(store.delete('log')).then(note),
  ];
  // This process continues meanwhile.
  await new Promise((resolve) => setTimeout(resolve, 20));
  assert.deepEqual(order, []);
  other.exec('COMMIT');
  other.close();
  await Promise.all(waiting);
  assert.deepEqual(order, [1, 2, { first: 1, values: ['a', 'b'] }, undefined]);
  // Nothing is waiting any more, so results are returned at once.
  assert.equal(store.append('log', 'c', 1e9), 1);
});

test('closing waits for operations that are still waiting', async () => {
  const path = newPath();
  const store = await open(path);
  const other = new DatabaseSync(path);
  other.exec('BEGIN IMMEDIATE');
  const added = store.add('a', 1, 1e9);
  const closed = store.close();
  await assert.rejects(async () => store.get('a'), { code: 'closed' });
  other.exec('COMMIT');
  other.close();
  assert.equal(await added, true);
  await closed;
  await store.close();
});

test('a store is a file that only its user can read, in a folder that is created if it is missing', async () => {
  const path = join(folder, 'new', 'deep', 'state.db');
  await using store = await open(path);
  await store.set('a', 1, 1e9);
  for (const name of readdirSync(join(folder, 'new', 'deep')))
    assert.equal(statSync(join(folder, 'new', 'deep', name)).mode & 0o077, 0, name);
  assert.equal(statSync(join(folder, 'new', 'deep')).mode & 0o077, 0);
});

test('invalid addresses and options are refused, with errors that do not contain a password', async () => {
  const wrong = ['', 'sqlite:', 'sqlite://host/x.db', 'sqlite::memory:', './state.db', 'mysql://:SECRETPW@host'];
  for (const address of wrong)
    await assert.rejects(openStore(address), (error: Error) => {
      assert.ok(error instanceof TypeError, `${address}: ${error}`);
      assert.doesNotMatch(error.message, /SECRETPW/);
      assert.match(error.message, /sqlite:\.\/state\.db|memoryStore/);
      return true;
    });
  await assert.rejects(open(newPath(), { maxEntry: 1 } as StoreOptions), /no option 'maxEntry'/);
  await assert.rejects(open(newPath(), { maxEntries: 0 }), TypeError);
});
