import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { chmod, lstat, mkdtemp, readdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { after, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import fc from 'fast-check';
import { createEntities, dataOf, deleteEntities } from './graph.ts';
import { createFileStore, createMemoryStore } from './graph-store.ts';
import { graphIn } from './lines.ts';
import { until } from '../../../scripts/lib/until.ts';

const folder = await mkdtemp(join(tmpdir(), 'tenon-memory-'));
after(() => rm(folder, { recursive: true, force: true }));

function entity(name: string) {
  return { name, entityType: 'thing', observations: [] };
}
async function namesIn(path: string): Promise<string[]> {
  return [...graphIn(await readFile(path, 'utf8').catch(() => '')).entities.keys()].sort();
}

test('[A-97] a hundred concurrent writers lose nothing', async () => {
  const path = join(folder, 'many.jsonl');
  const store = createFileStore(path);
  await Promise.all(
    Array.from({ length: 100 }, (_, index) => store.change((graph) => createEntities(graph, [entity(`e${index}`)]))),
  );
  assert.equal((await namesIn(path)).length, 100);
});

const WRITER = fileURLToPath(new URL('./fixtures/writer.ts', import.meta.url));

/** Starts a separate process that writes entities one after the other, and reports each one that is stored. */
function writer(path: string, prefix: string, count: number): { child: ChildProcess; told: Promise<string[]> } {
  const child = spawn(process.execPath, [WRITER, path, prefix, String(count)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let out = '';
  child.stdout!.setEncoding('utf8').on('data', (text: string) => (out += text));
  return {
    child,
    told: new Promise((resolve) => child.once('close', () => resolve(out.split('\n').filter((line) => line !== '')))),
  };
}

test('two processes that share a file lose nothing', async () => {
  const path = join(folder, 'shared.jsonl');
  const writers = ['a', 'b'].map((prefix) => writer(path, prefix, 40));
  const told = (await Promise.all(writers.map((one) => one.told))).flat();
  assert.equal(told.length, 80);
  assert.deepEqual(await namesIn(path), told.sort());
});

test('whenever a process is killed, its confirmed changes are stored, the file is intact, and other processes continue', async () => {
  const path = join(folder, 'killed.jsonl');
  const all: string[] = [];
  for (let round = 0; round < 6; round++) {
    const { child, told } = writer(path, `r${round}-`, 10_000);
    await new Promise((resolve) => child.stdout!.once('data', resolve));
    await new Promise((resolve) => setTimeout(resolve, 7 * round));
    child.kill('SIGKILL');
    all.push(...(await told));
    const kept = new Set(await namesIn(path));
    for (const name of all) assert.ok(kept.has(name), `${name} was told and is lost`);
  }
  await createFileStore(path).change((graph) => createEntities(graph, [entity('last')]));
  assert.ok((await namesIn(path)).includes('last'));
});

test('any interleaving of writers loses nothing', async () => {
  let run = 0;
  const action = fc.record({ writer: fc.nat(2), name: fc.nat(8), forgets: fc.boolean() });
  await fc.assert(
    fc.asyncProperty(fc.array(action, { maxLength: 30 }), async (actions) => {
      const path = join(folder, `any-${run++}.jsonl`);
      const keeps = [0, 1, 2].map(() => createFileStore(path));
      // The expected entities. Changes of the same name run one after the other, so the last one counts.
      const expected = new Set<string>();
      const byName = Map.groupBy(actions, ({ name }) => name);
      await Promise.all(
        [...byName].map(async ([name, list]) => {
          for (const { writer: who, forgets } of list) {
            const key = `n${name}`;
            await keeps[who]!.change((graph) =>
              forgets ? deleteEntities(graph, [key]) : void createEntities(graph, [entity(key)]),
            );
            if (forgets) expected.delete(key);
            else expected.add(key);
          }
        }),
      );
      assert.deepEqual(await namesIn(path), [...expected].sort());
    }),
    { numRuns: 15 },
  );
});

test('a failing change changes nothing, and concurrent changes succeed', async () => {
  const path = join(folder, 'some.jsonl');
  const store = createFileStore(path);
  const results = await Promise.allSettled([
    store.change((graph) => createEntities(graph, [entity('good')])),
    store.change((graph) => {
      createEntities(graph, [entity('half')]);
      throw new RangeError('no');
    }),
  ]);
  assert.deepEqual(
    results.map(({ status }) => status),
    ['fulfilled', 'rejected'],
  );
  assert.deepEqual(await namesIn(path), ['good']);
  // The lock is released just after the result is returned.
  const left = async () => (await readdir(folder)).filter((name) => /some.*(tmp|lock)/.test(name));
  await until(async () => (await left()).length === 0);
});

test('a file with other content is never overwritten', async () => {
  const path = join(folder, 'letter.txt');
  await writeFile(path, '{"type":"entity","name":"a","entityType":"b","observations":[]}\nDear Ann\n');
  const store = createFileStore(path);
  await assert.rejects(store.read(dataOf), /is not a memory file, and was not changed: line 2/);
  await assert.rejects(
    store.change((graph) => createEntities(graph, [entity('x')])),
    /line 2/,
  );
  assert.match(await readFile(path, 'utf8'), /Dear Ann/);
});

test('a file that is not UTF-8 is not repaired, and never overwritten', async () => {
  const path = join(folder, 'latin1.jsonl');
  const line = Buffer.from('{"type":"entity","name":"caf\xe9","entityType":"b","observations":[]}\n', 'latin1');
  await writeFile(path, line);
  const store = createFileStore(path);
  await assert.rejects(store.read(dataOf), /was not changed: it is not text in UTF-8/);
  await assert.rejects(
    store.change((graph) => createEntities(graph, [entity('x')])),
    /not text in UTF-8/,
  );
  assert.deepEqual(await readFile(path), line);
});

test('half of a character in a name is stored as it is', async () => {
  const path = join(folder, 'half.jsonl');
  await createFileStore(path).change((graph) => createEntities(graph, [entity('a\ud83d')]));
  assert.deepEqual(await namesIn(path), ['a\ud83d']);
});

test('the memory of a session is limited in size', async () => {
  const store = createMemoryStore(200);
  await store.change((graph) => createEntities(graph, [entity('a')]));
  await assert.rejects(
    store.change((graph) => createEntities(graph, [entity('x'.repeat(300))])),
    /larger than/,
  );
  assert.equal((await store.read(dataOf)).entities.length, 1);
});

test('links and permissions are preserved, and both names share the content', async () => {
  const target = join(folder, 'target.jsonl');
  const name = join(folder, 'link.jsonl');
  await writeFile(target, '', { mode: 0o644 });
  await chmod(target, 0o644);
  await symlink(target, name);
  const [one, two] = [createFileStore(target), createFileStore(name)];
  await Promise.all(
    Array.from({ length: 20 }, (_, index) =>
      (index % 2 === 0 ? one : two).change((graph) => createEntities(graph, [entity(`e${index}`)])),
    ),
  );
  assert.equal((await namesIn(target)).length, 20);
  assert.ok((await lstat(name)).isSymbolicLink());
  assert.equal((await stat(target)).mode & 0o777, 0o644);
});

test('entities that the original server wrote twice are merged, and stay so after later changes', async () => {
  const path = join(folder, 'twice.jsonl');
  const line = (observations: string[]) =>
    JSON.stringify({ type: 'entity', name: 'Ann', entityType: 'person', observations });
  await writeFile(
    path,
    `${line(['one'])}\n${line(['two', 'one'])}\n${JSON.stringify({ type: 'entity', name: '', entityType: '', observations: [] })}`,
  );
  await createFileStore(path).change((graph) => createEntities(graph, [entity('Bob')]));
  assert.deepEqual(graphIn(await readFile(path, 'utf8')).entities.get('Ann')?.observations, ['one', 'two']);
});
