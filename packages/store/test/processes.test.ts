// Several processes on one file, and processes that are killed.

import assert from 'node:assert/strict';
import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { createInterface } from 'node:readline';
import { DatabaseSync } from 'node:sqlite';
import type { Readable, Writable } from 'node:stream';
import { after, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { openStore } from '@tenon/store';
import { seededRandom } from '../../../scripts/lib/seeded-random.ts';
import { rounds } from '../../../scripts/lib/soak.ts';

const folder = mkdtempSync(join(tmpdir(), 'tenon-store-'));
const LONG = 1e9;
let files = 0;
function newPath(): string {
  return join(folder, `${++files}.db`);
}

class Worker {
  static readonly all = new Set<Worker>();
  readonly process: ChildProcessByStdio<Writable, Readable, null>;
  readonly said: unknown[] = [];
  readonly ended: Promise<void>;
  #wake: () => void = () => {};

  constructor(path: string, job: string, name: string, count: number) {
    Worker.all.add(this);
    const args = [join(import.meta.dirname, 'fixtures/worker.ts'), `sqlite:${path}`, job, name, String(count)];
    this.process = spawn(process.execPath, args, { stdio: ['pipe', 'pipe', 'inherit'] });
    this.process.stdin.on('error', () => {});
    createInterface({ input: this.process.stdout }).on('line', (line) => {
      this.said.push(JSON.parse(line));
      this.#wake();
    });
    this.ended = new Promise((resolve) =>
      this.process.on('close', () => {
        Worker.all.delete(this);
        this.#wake();
        resolve();
      }),
    );
  }

  /** Resolves when it has printed this many lines, or has ended. */
  async hasSaid(count: number): Promise<void> {
    while (this.said.length < count && Worker.all.has(this))
      await new Promise<void>((resolve) => (this.#wake = resolve));
  }

  go(): void {
    this.process.stdin.write('\n');
  }

  kill(signal: NodeJS.Signals = 'SIGKILL'): void {
    this.process.kill(signal);
  }
}

after(() => {
  for (const worker of Worker.all) worker.kill();
  rmSync(folder, { recursive: true, force: true });
});

/** Runs a job in several processes at the same time. Returns the last line of each. */
async function together(path: string, job: string, count: number, processes = 4): Promise<unknown[]> {
  const workers = Array.from({ length: processes }, (_, n) => new Worker(path, job, `worker ${n}`, count));
  await Promise.all(workers.map((worker) => worker.hasSaid(1)));
  for (const worker of workers) worker.go();
  await Promise.all(workers.map((worker) => worker.ended));
  for (const { process: ended } of workers) assert.equal(ended.exitCode, 0);
  return workers.map(({ said }) => said.at(-1));
}

/** Reads the file as SQLite sees it, and checks its integrity. */
function checkWhole(path: string): void {
  using database = new DatabaseSync(path);
  assert.deepEqual({ ...database.prepare('PRAGMA integrity_check').get() }, { integrity_check: 'ok' });
  const query = (what: string): unknown => ({ ...database.prepare(what).get() });
  assert.deepEqual(
    query('SELECT entries, characters, added_entries FROM totals'),
    query('SELECT count(*) AS entries, sum(size) AS characters, sum(added) AS added_entries FROM entries'),
  );
}

test('processes that increment a value by compare-and-set lose no step', async () => {
  const path = newPath();
  await using store = await openStore(`sqlite:${path}`);
  await store.set('count', 0, LONG);
  await together(path, 'count', 200);
  assert.equal(await store.get('count'), 800);
  checkWhole(path);
});

test('of processes that add the same keys, exactly one is the first for each', async () => {
  const path = newPath();
  const won = (await together(path, 'first', 300)) as number[][];
  assert.deepEqual(
    won.flat().toSorted((a, b) => a - b),
    Array.from({ length: 300 }, (_, n) => n),
  );
  checkWhole(path);
});

test('all values that processes append to one log are there, each at the reported position', async () => {
  const path = newPath();
  const positions = (await together(path, 'append', 300)) as number[][];
  await using store = await openStore(`sqlite:${path}`);
  const { first, values } = (await store.read('log', 0))!;
  assert.equal(first, 1);
  assert.equal(values.length, 1_200);
  for (const [worker, own] of positions.entries())
    for (const [n, at] of own.entries()) assert.deepEqual(values[at - 1], [`worker ${worker}`, n]);
  checkWhole(path);
});

test('a value that several processes try to take goes to one of them', async () => {
  const path = newPath();
  await using store = await openStore(`sqlite:${path}`);
  for (let n = 0; n < 200; n++) await store.set(`item ${n}`, n, LONG);
  const taken = (await together(path, 'take', 200)) as number[][];
  assert.deepEqual(
    taken.flat().toSorted((a, b) => a - b),
    Array.from({ length: 200 }, (_, n) => n),
  );
  assert.deepEqual(await store.keys('item', undefined, 10), []);
});

test('processes that create a store at the same time create only one', async () => {
  for (let round = 0; round < rounds(3, 50); round++) {
    const path = newPath();
    assert.equal(((await together(path, 'first', 5)) as number[][]).flat().length, 5);
    checkWhole(path);
  }
});

test(
  'a process that lost its lease while it was suspended can no longer write',
  { skip: process.platform === 'win32' },
  async () => {
    const path = newPath();
    await using store = await openStore(`sqlite:${path}`);
    await store.set('work', { fence: 0, by: 'nobody' }, LONG);
    const first = new Worker(path, 'lease', 'first', 300);
    first.go();
    await first.hasSaid(2);
    first.kill('SIGSTOP');
    const second = new Worker(path, 'lease', 'second', 60_000);
    second.go();
    await second.hasSaid(2);
    assert.deepEqual(await store.get('work'), { fence: 2, by: 'second' });
    first.kill('SIGCONT');
    first.go();
    await first.ended;
    second.go();
    await second.ended;
    assert.deepEqual(first.said, ['open', true, false]);
    assert.deepEqual(second.said, ['open', true, true]);
    assert.deepEqual(await store.get('work'), { fence: 2, by: 'second', done: true });
  },
);

const random = seededRandom(Number(process.env['PROPERTY_SEED'] ?? 20_261_126));

test('a process that is killed at any moment leaves everything that it reported, and a usable file', async () => {
  const path = newPath();
  let done = 0;
  for (let round = 0; round < rounds(5, 100); round++) {
    const worker = new Worker(path, 'everything', 'worker', 0);
    worker.go();
    await worker.hasSaid(2 + Math.floor(random() * 40));
    // At any moment of a step, not only at its end.
    await sleep(random() * 3);
    worker.kill();
    await worker.ended;
    const said = worker.said.length - 1;
    await using store = await openStore(`sqlite:${path}`);
    const { first, values } = (await store.read('events', 0))!;
    assert.equal(first, 1);
    const own = values.slice(done);
    // The operation in progress at the kill may or may not have been stored.
    assert.ok(own.length === said || own.length === said + 1, `${own.length} events, ${said} said`);
    assert.deepEqual(
      own,
      own.map((_, at) => at + 1),
    );
    for (let n = 1; n <= said; n++) assert.equal(await store.get(`done ${n}`), n);
    done = values.length;
    for (const key of await store.keys('done ', undefined, 10_000)) await store.delete(key);
    const count = (await store.get('count')) as number;
    assert.ok(count <= done && count >= done - round - 1, `${count} counted of ${done}`);
    checkWhole(path);
  }
});

test('a process that is killed while it opens a store for the first time leaves a file that can be opened', async () => {
  for (let round = 0; round < rounds(5, 100); round++) {
    const path = newPath();
    const worker = new Worker(path, 'first', 'worker', 1);
    // Starting Node takes most of the time before the file exists.
    while (!worker.said.includes('open') && random() < 0.97) await sleep(1 + random() * 4);
    worker.kill();
    await worker.ended;
    await using store = await openStore(`sqlite:${path}`);
    assert.equal(await store.add('a', 1, LONG), true);
    checkWhole(path);
  }
});
