// Several processes of the server change one file.
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { after, test } from 'node:test';
import { connect } from 'tenon/client';
import { withLock } from 'tenon/internal';
import { commandOf } from '../../shared/test/ways.ts';
import { Folders } from '../../shared/folders.ts';
import { filesAtRest } from '../../../scripts/lib/at-rest.ts';
import { createFilesystem } from './filesystem.ts';
import { replaceFile } from './write.ts';
import { withWriteLock } from './write-lock.ts';

const base = await mkdtemp(join(tmpdir(), 'tenon-shared-'));
after(() => rm(base, { recursive: true, force: true }));

test('every edit that any of several processes acknowledges is in the file', async () => {
  const root = join(base, 'edits');
  await mkdir(root);
  const path = join(root, 'list.txt');
  const count = 40;
  await writeFile(path, Array.from({ length: count }, (_, index) => `line ${index}\n`).join(''));
  const [command, ...args] = commandOf({ name: 'filesystem', args: [root] });
  await using one = await connect({ command, args });
  await using other = await connect({ command, args });
  await Promise.all(
    Array.from({ length: count }, (_, index) =>
      (index % 2 === 0 ? one : other).call('edit_file', {
        path,
        edits: [{ oldText: `line ${index}\n`, newText: `done ${index}\n` }],
      }),
    ),
  );
  assert.equal(await readFile(path, 'utf8'), Array.from({ length: count }, (_, index) => `done ${index}\n`).join(''));
  assert.deepEqual(await readdir(root), ['list.txt'], 'no lock and no draft is left');
});

/** Holds the lock of a file like another process. */
async function whileLocked(path: string, act: () => Promise<void>): Promise<void> {
  const name = createHash('sha256').update(basename(path)).digest('hex').slice(0, 32);
  await withLock(join(dirname(path), `.${name}.lock`), act);
}

test('a dry run waits for no lock, and a change waits until the lock is free', async () => {
  const root = join(base, 'locked');
  await mkdir(root);
  const path = join(root, 'a.txt');
  await writeFile(path, 'one\n');
  await using client = await connect(
    createFilesystem({ folders: await Folders.of([root]), hardLinks: false, confirm: false }),
  );
  const edits = [{ oldText: 'one', newText: 'two' }];
  let change: Promise<unknown> | undefined;
  await whileLocked(path, async () => {
    assert.match(JSON.stringify(await client.call('edit_file', { path, edits, dryRun: true })), /\+two/);
    change = client.call('edit_file', { path, edits });
    await filesAtRest();
    assert.equal(await readFile(path, 'utf8'), 'one\n');
  });
  await change;
  assert.equal(await readFile(path, 'utf8'), 'two\n');
});

test('a process that lost its lock while it was suspended does not replace the file', async () => {
  const root = join(base, 'lost');
  await mkdir(root);
  const path = join(root, 'a.txt');
  await writeFile(path, 'one\n');
  const folders = await Folders.of([root]);
  await assert.rejects(
    withWriteLock(folders, path, async (target) => {
      for (const name of await readdir(root)) if (name.endsWith('.lock')) await rm(join(root, name));
      await replaceFile(target, 'two\n', target.checkLock);
    }),
    /is being changed by another process/,
  );
  assert.equal(await readFile(path, 'utf8'), 'one\n');
  assert.deepEqual(await readdir(root), ['a.txt']);
});
