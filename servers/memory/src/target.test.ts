import assert from 'node:assert/strict';
import { lstat, mkdir, mkdtemp, readdir, readFile, realpath, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { createEntities, dataOf } from './graph.ts';
import { createFileStore } from './graph-store.ts';
import { targetOf } from '../../shared/link-target.ts';

const folder = await realpath(await mkdtemp(join(tmpdir(), 'tenon-target-')));
after(() => rm(folder, { recursive: true, force: true }));

const entity = { name: 'a', entityType: 'thing', observations: [] };

test('a link to a missing file stays a link, and the file is created', async () => {
  await mkdir(join(folder, 'real'));
  await symlink('real', join(folder, 'alias'));
  await symlink('../first.jsonl', join(folder, 'real', 'second.jsonl'));
  await symlink(join(folder, 'end.jsonl'), join(folder, 'first.jsonl'));
  const name = join(folder, 'alias', 'second.jsonl');
  assert.equal(await targetOf(name), join(folder, 'end.jsonl'));
  const store = createFileStore(name);
  assert.deepEqual((await store.read(dataOf)).entities, []);
  await store.change((graph) => createEntities(graph, [entity]));
  assert.ok((await lstat(name)).isSymbolicLink());
  assert.ok((await lstat(join(folder, 'first.jsonl'))).isSymbolicLink());
  assert.match(await readFile(join(folder, 'end.jsonl'), 'utf8'), /"name":"a"/);
  assert.equal(await targetOf(name), join(folder, 'end.jsonl'));
});

test('both names of a file that does not exist yet share the content', async () => {
  const [target, name] = [join(folder, 'new.jsonl'), join(folder, 'new-link.jsonl')];
  await symlink('new.jsonl', name);
  const keeps = [createFileStore(target), createFileStore(name)];
  await Promise.all(
    Array.from({ length: 20 }, (_, index) =>
      keeps[index % 2]!.change((graph) => createEntities(graph, [{ ...entity, name: `e${index}` }])),
    ),
  );
  assert.equal((await createFileStore(target).read(dataOf)).entities.length, 20);
});

test('a link into a missing folder is an error instead of an empty memory, and is not replaced', async () => {
  const name = join(folder, 'unmounted.jsonl');
  await symlink(join(folder, 'disk', 'memory.jsonl'), name);
  const store = createFileStore(name);
  await assert.rejects(store.read(dataOf), /is a link to .*memory\.jsonl, whose folder does not exist/);
  await assert.rejects(
    store.change((graph) => createEntities(graph, [entity])),
    /whose folder does not exist/,
  );
  assert.ok((await lstat(name)).isSymbolicLink());
  assert.ok(!(await readdir(folder)).includes('disk'));
});

test('a link that leads to itself is an error, and is not replaced', async () => {
  const name = join(folder, 'loop.jsonl');
  await symlink('loop.jsonl', name);
  await assert.rejects(
    createFileStore(name).change((graph) => createEntities(graph, [entity])),
    { code: 'ELOOP' },
  );
  assert.ok((await lstat(name)).isSymbolicLink());
});

test('a file in missing folders is created at its path', async () => {
  const name = join(folder, 'deep', 'deeper', 'memory.jsonl');
  assert.equal(await targetOf(name), name);
  await createFileStore(name).change((graph) => createEntities(graph, [entity]));
  assert.match(await readFile(name, 'utf8'), /"name":"a"/);
});
