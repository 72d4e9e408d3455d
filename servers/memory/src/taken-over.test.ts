// A writer is considered dead, for example because its process was suspended, and another writer takes over the lock.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { mkdtemp, readdir, readFile, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { after, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { createEntities } from './graph.ts';
import { createFileStore } from './graph-store.ts';
import { graphIn } from './lines.ts';
import { dropDrafts, replace } from './replace.ts';
import { jumpingTime } from '../../../scripts/lib/test-time.ts';
import { until } from '../../../scripts/lib/until.ts';

const folder = await mkdtemp(join(tmpdir(), 'tenon-taken-'));
after(() => rm(folder, { recursive: true, force: true }));

function entity(name: string) {
  return { name, entityType: 'thing', observations: [] };
}
function lineOf(name: string): string {
  return JSON.stringify({ type: 'entity', ...entity(name) });
}
async function namesIn(path: string): Promise<string[]> {
  return [...graphIn(await readFile(path, 'utf8').catch(() => '')).entities.keys()].sort();
}

/** Takes over like another writer: has the lock for a moment, and writes. */
function takeOver(path: string, name: string): void {
  writeFileSync(`${path}.lock`, '1 another-machine x');
  writeFileSync(path, `${readFileSync(path, 'utf8')}\n${lineOf(name)}`);
  setTimeout(() => rmSync(`${path}.lock`), 30);
}

test('a writer that lost the lock while writing overwrites nothing, and repeats the change', async () => {
  const path = join(folder, 'anew.jsonl');
  await writeFile(path, lineOf('first'));
  let tries = 0;
  const made = await createFileStore(path).change((graph) => {
    if (++tries === 1) takeOver(path, 'theirs');
    return createEntities(graph, [entity('ours')]);
  });
  assert.equal(tries, 2);
  assert.deepEqual(
    made.map(({ name }) => name),
    ['ours'],
  );
  assert.deepEqual(await namesIn(path), ['first', 'ours', 'theirs']);
});

test('a change that is repeated after a takeover is not reported as failed', async () => {
  const path = join(folder, 'told.jsonl');
  await writeFile(path, lineOf('first'));
  const store = createFileStore(path);
  let tries = 0;
  await Promise.all([
    // The first change is written alone, the others together.
    store.change((graph) => createEntities(graph, [entity('alone')])),
    store.change((graph) => {
      if (++tries === 1) takeOver(path, 'theirs');
      createEntities(graph, [entity('ours')]);
    }),
    store.change((graph) => {
      if (!graph.entities.has('theirs')) throw new RangeError('not yet');
      createEntities(graph, [entity('after')]);
    }),
  ]);
  assert.deepEqual(await namesIn(path), ['after', 'alone', 'first', 'ours', 'theirs']);
});

test('a writer that loses the lock repeatedly reports that, and has changed nothing', async () => {
  const path = join(folder, 'again.jsonl');
  await writeFile(path, lineOf('first'));
  const change = createFileStore(path).change((graph) => {
    rmSync(`${path}.lock`);
    createEntities(graph, [entity('ours')]);
  });
  await assert.rejects(change, /5 times while it was written: nothing was changed/);
  assert.deepEqual(await namesIn(path), ['first']);
  assert.deepEqual(
    (await readdir(folder)).filter((name) => name.startsWith('again')),
    ['again.jsonl'],
  );
});

test('a writer that loses the lock just before replacing the file does not replace it', async () => {
  const path = join(folder, 'moment.jsonl');
  await writeFile(path, 'before');
  const isOwn = async (): Promise<boolean> => {
    // The lock is still its own when this is called, and is lost just afterwards.
    await dropDrafts(path);
    await writeFile(path, 'theirs');
    return true;
  };
  await assert.rejects(replace(path, 'ours', 0o600, isOwn), { name: 'TakenOverError' });
  assert.equal(await readFile(path, 'utf8'), 'theirs');
});

test('drafts of earlier writers are deleted, and nothing else', async () => {
  const path = join(folder, 'drafts.jsonl');
  const draft = '.0b0e7a52-6f0e-4d8e-9f0a-0123456789ab.tmp';
  const others = ['drafts.jsonl.tmp', 'drafts.jsonl.bak', `drafts.jsonl.0123${draft}`, `more-drafts.jsonl${draft}`];
  for (const name of [...others, `drafts.jsonl${draft}`]) await writeFile(join(folder, name), 'x');
  await createFileStore(path).change((graph) => createEntities(graph, [entity('ours')]));
  const left = (await readdir(folder)).filter((name) => name.includes('drafts') && !name.endsWith('.lock'));
  assert.deepEqual(left.sort(), [...others, 'drafts.jsonl'].sort());
});

const WRITER = fileURLToPath(new URL('./fixtures/writer.ts', import.meta.url));

test(
  'a program that was suspended while writing loses nothing, neither its own changes nor those of others',
  { skip: process.platform === 'win32' },
  async (t) => {
    const path = join(folder, 'slept.jsonl');
    const time = jumpingTime(t, [performance]);
    const child = spawn(process.execPath, [WRITER, path, 'slept', '100000'], { stdio: ['ignore', 'pipe', 'inherit'] });
    const closed = once(child, 'close');
    let out = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => (out += text));
    await once(child.stdout, 'data');
    const long = new Date(Date.now() - 120_000);
    const store = createFileStore(path);
    const told: string[] = [];
    for (let round = 0; round < 25; round++) {
      await sleep(3 + (round % 7));
      child.kill('SIGSTOP');
      await utimes(`${path}.lock`, long, long).catch(() => {});
      const name = `awake${round}`;
      const written = store.change((graph) => createEntities(graph, [entity(name)]));
      // By the monotonic clock, which cannot be set, it has been suspended for minutes, too.
      for (const look = async () => Promise.race([written.then(() => true), sleep(20, false)]); !(await look());)
        time.jump(120_000);
      told.push(name);
      child.kill('SIGCONT');
    }
    // Wait until it has written once more after resuming, or has given up because its lock was taken over repeatedly.
    const before = out.length;
    await until(() => out.length > before || child.exitCode !== null);
    child.kill('SIGKILL');
    await closed;
    const kept = new Set(await namesIn(path));
    told.push(...out.split('\n').filter((line) => line !== ''));
    for (const name of told) assert.ok(kept.has(name), `${name} was told and is lost`);
  },
);
