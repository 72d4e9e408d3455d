import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { mkdtemp, readdir, readFile, rm, utimes, writeFile } from 'node:fs/promises';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { after, test, type TestContext } from 'node:test';
import { promisify } from 'node:util';
import { jumpingTime } from '../../../../../scripts/lib/test-time.ts';
import { turns } from '../../../../../scripts/lib/until.ts';
import { withLock } from './lock-file.ts';

const folder = await mkdtemp(join(tmpdir(), 'tenon-lock-'));
after(() => rm(folder, { recursive: true, force: true }));

/** The text with which this process marks its locks. */
async function here(): Promise<string> {
  let text = '';
  await withLock(join(folder, 'here.lock'), async () => {
    text = await readFile(join(folder, 'here.lock'), 'utf8');
  });
  return text.split(' ')[1]!;
}

/** Runs several functions under the lock at once, and returns the maximum number that were inside at the same time. */
async function maxConcurrentHolders(lock: string, count: number): Promise<number> {
  let inside = 0;
  let most = 0;
  await Promise.all(
    Array.from({ length: count }, () =>
      withLock(lock, async () => {
        most = Math.max(most, ++inside);
        await turns(5);
        inside--;
      }),
    ),
  );
  return most;
}

/** Advances the given clocks quickly until the test ends. */
function hurry(t: TestContext, clocks: readonly { now(): number }[]): void {
  const time = jumpingTime(t, clocks);
  const hurrying = setInterval(() => time.jump(1_000), 20);
  t.after(() => clearInterval(hurrying));
}

/** Waits until every run that waited for a lock has checked whether it was left behind. */
async function seenByOthers(): Promise<void> {
  for (const round of [1, 2]) {
    const lock = join(folder, `seen-${round}.lock`);
    await writeFile(lock, `999999999 ${await here()} x`);
    await withLock(lock, () => Promise.resolve());
  }
}

test('runs are exclusive, even after an error, and no file is left behind', async () => {
  const lock = join(folder, 'deep', 'one.lock');
  await assert.rejects(
    withLock(lock, () => Promise.reject(new Error('inside'))),
    /inside/,
  );
  assert.equal(await maxConcurrentHolders(lock, 12), 1);
  assert.deepEqual(await readdir(join(folder, 'deep')), []);
});

test(
  'a lock from before a restart is not considered held by a new process with the same pid',
  { skip: process.platform !== 'linux' },
  async (t) => {
    hurry(t, [performance]);
    const lock = join(folder, 'restarted.lock');
    const boot = (await readFile('/proc/sys/kernel/random/boot_id', 'utf8')).trim();
    await writeFile(lock, `${process.pid} ${(await here()).replace(boot, randomUUID())} x`);
    const before = new Date(Date.now() - 30_000);
    await utimes(lock, before, before);
    await withLock(lock, () => Promise.resolve());
    assert.ok(!(await readdir(folder)).includes('restarted.lock'));
  },
);

test('the lock of an ended process causes no delay, however many are waiting', async () => {
  const lock = join(folder, 'gone.lock');
  await writeFile(lock, `999999999 ${await here()} x`);
  // Its age will not make it stale during the test.
  const later = new Date(Date.now() + 3_600_000);
  await utimes(lock, later, later);
  assert.equal(await maxConcurrentHolders(lock, 6), 1);
});

test('the lock of a running process is kept, however old it looks', async () => {
  const lock = join(folder, 'old.lock');
  let leave!: () => void;
  let isIn!: () => void;
  const inside = new Promise<void>((resolve) => (isIn = resolve));
  const first = withLock(lock, () => new Promise<void>((resolve) => ((leave = resolve), isIn())));
  await inside;
  const before = new Date(Date.now() - 20_000);
  await utimes(lock, before, before);
  let entered = 0;
  const others = [1, 2].map(() => withLock(lock, async () => void entered++));
  await seenByOthers();
  assert.equal(entered, 0);
  leave();
  await Promise.all([first, ...others]);
  assert.equal(entered, 2);
});

for (const [direction, ms] of [
  ['ahead', 3_600_000],
  ['back', -3_600_000],
] as const)
  test(`the lock of a running process is kept when the system clock is set ${direction}`, async (t) => {
    const lock = join(folder, `set-${direction}.lock`);
    const day = jumpingTime(t, [Date]);
    for (const owner of [`${process.pid} ${await here()} x`, '1 another-machine x']) {
      await writeFile(lock, owner);
      day.jump(ms);
      let entered = 0;
      const waiting = withLock(lock, async () => void entered++);
      await seenByOthers();
      assert.equal(entered, 0, owner);
      await rm(lock);
      await waiting;
      day.jump(-ms);
    }
  });

test('the lock of an ended process causes no longer delay when the system clock was set back', async (t) => {
  hurry(t, [performance]);
  const later = new Date(Date.now() + 3_600_000);
  for (const [name, text] of [
    ['far', '1 another-machine x'],
    ['unfinished', ''],
    ['cleaned', `999999999 ${await here()} x`],
  ] as const) {
    const lock = join(folder, `${name}-back.lock`);
    await writeFile(lock, text);
    await utimes(lock, later, later);
    // A process that ended while it removed the lock.
    if (name === 'cleaned') {
      await writeFile(`${lock}.broom`, '');
      await utimes(`${lock}.broom`, later, later);
    }
    await withLock(lock, () => Promise.resolve());
    assert.ok(!(await readdir(folder)).some((file) => file.startsWith(name)), name);
  }
});

test('a process that wrongly counted as ended does not remove the lock of its successor', async () => {
  const lock = join(folder, 'late.lock');
  let release!: () => void;
  let isIn!: () => void;
  const inside = new Promise<void>((resolve) => (isIn = resolve));
  const first = withLock(lock, () => new Promise<void>((resolve) => ((release = resolve), isIn())));
  await inside;
  await writeFile(lock, `${process.pid} ${await here()} another`);
  release();
  await first;
  assert.ok((await readdir(folder)).includes('late.lock'));
  await rm(lock);
});

test('a lock of another machine is removed if it was not touched for a while', async (t) => {
  hurry(t, [performance]);
  const lock = join(folder, 'far.lock');
  await writeFile(lock, '1 another-machine x');
  const before = new Date(Date.now() - 20_000);
  await utimes(lock, before, before);
  await withLock(lock, () => Promise.resolve());
});

test('a pid of another container means nothing here', async () => {
  const lock = join(folder, 'container.lock');
  await writeFile(lock, `999999999 ${hostname()}/pid:[1] x`);
  let isIn = false;
  const waiting = withLock(lock, () => {
    isIn = true;
    return Promise.resolve();
  });
  await seenByOthers();
  assert.equal(isIn, false);
  await rm(lock);
  await waiting;
});

test('a lock whose process ended before it wrote its owner is taken over soon', { timeout: 20_000 }, async () => {
  for (const text of ['', '\0\0\0\0', `${process.pid} `]) {
    const lock = join(folder, 'unfinished.lock');
    await writeFile(lock, text);
    // It never becomes as old as the lock of another machine must be.
    const age = async (): Promise<void> => utimes(lock, new Date(), new Date(Date.now() - 5_000)).catch(() => {});
    await age();
    const aging = setInterval(() => void age(), 500);
    await withLock(lock, () => Promise.resolve()).finally(() => clearInterval(aging));
    assert.ok(!(await readdir(folder)).includes('unfinished.lock'));
  }
});

test('a lock that is being written is kept', async () => {
  const lock = join(folder, 'written.lock');
  await writeFile(lock, '');
  const later = new Date(Date.now() + 3_600_000);
  await utimes(lock, later, later);
  let isIn = false;
  const waiting = withLock(lock, async () => void (isIn = true));
  await seenByOthers();
  assert.equal(isIn, false);
  await rm(lock);
  await waiting;
});

test(
  'a lock that cannot be written is not left behind',
  { skip: process.platform === 'win32' ? 'there is no ulimit' : false },
  async () => {
    const lock = join(folder, 'full.lock');
    const script = `import { withLock } from ${JSON.stringify(new URL('lock-file.ts', import.meta.url).href)};
      await withLock(process.argv[1], async () => {}).catch(({ code }) => console.log(code));`;
    // No file may contain a byte, as on a full disk.
    const limited = 'ulimit -f 0 && exec "$0" --input-type=module -e "$1" "$2"';
    const { stdout } = await promisify(execFile)('/bin/sh', ['-c', limited, process.execPath, script, lock]);
    assert.equal(stdout, 'EFBIG\n');
    assert.ok(!(await readdir(folder)).includes('full.lock'));
  },
);

test("a lock is a run's own until it is taken over or removed", async () => {
  const lock = join(folder, 'own.lock');
  await withLock(lock, async (isOwn) => {
    assert.equal(await isOwn(), true);
    await writeFile(lock, '1 another-machine x');
    assert.equal(await isOwn(), false);
    await rm(lock);
    assert.equal(await isOwn(), false);
  });
});
