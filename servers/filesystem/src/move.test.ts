import assert from 'node:assert/strict';
import { mkdir, mkdtemp, readdir, readFile, realpath, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { connect } from 'tenon/client';
import { createFilesystem } from './filesystem.ts';
import { Folders } from '../../shared/folders.ts';
import { runExclusive } from '../../shared/exclusive.ts';
import { filesAtRest } from '../../../scripts/lib/at-rest.ts';

const base = await realpath(await mkdtemp(join(tmpdir(), 'tenon-move-')));
after(() => rm(base, { recursive: true, force: true }));

let count = 0;
async function setting() {
  const top = join(base, String(count++));
  const root = join(top, 'root');
  const outside = join(top, 'outside');
  for (const folder of [join(root, 'in'), join(root, 'out'), outside]) await mkdir(folder, { recursive: true });
  const source = join(root, 'in', 'a.txt');
  const destination = join(root, 'out', 'b.txt');
  await writeFile(source, 'a');
  const folders = await Folders.of([root]);
  const client = await connect(createFilesystem({ folders, hardLinks: false, confirm: false }));
  after(() => client.close());
  const move = async (from = source, to = destination) => {
    const { isError = false, content } = await client.result('move_file', { source: from, destination: to });
    return { isError, said: JSON.stringify(content) };
  };
  return { root, outside, source, destination, move };
}

/** Occupies the queues of some paths until `goOn` is called. `waiting` resolves when the moves have reached the queue. */
function holding(paths: readonly string[]) {
  const { promise, resolve } = Promise.withResolvers<void>();
  for (const path of paths) void runExclusive(path, () => promise);
  return { waiting: filesAtRest, goOn: resolve };
}

test('a file is not moved while it is being changed', async () => {
  const { root, source, destination, move } = await setting();
  for (const path of [source, destination]) {
    const { waiting, goOn } = holding([path]);
    const moved = move();
    await waiting();
    assert.deepEqual(await readdir(join(root, 'in')), ['a.txt'], `nothing happens before the turn for ${path}`);
    goOn();
    assert.equal((await moved).isError, false);
    assert.equal(await readFile(destination, 'utf8'), 'a');
    await rename(destination, source);
  }
});

test('two moves in opposite directions, and a move of a file to itself, do not deadlock', async () => {
  const { source, destination, move } = await setting();
  await writeFile(destination, 'b');
  const { waiting, goOn } = holding([source, destination]);
  const moves = [move(source, destination), move(destination, source), move(source, source)];
  await waiting();
  goOn();
  for (const { said } of await Promise.all(moves)) assert.match(said, /Destination already exists/);
});

test('a move checks its paths again after waiting', async (t) => {
  const swap = async (folder: string, target: string): Promise<void> => {
    await rename(folder, `${folder}-before`);
    await symlink(target, folder);
  };
  type Setting = Awaited<ReturnType<typeof setting>>;
  const meanwhile: readonly [string, (now: Setting) => Promise<void>, RegExp][] = [
    ['the source is gone', ({ source }) => rm(source), /There is no .*a\.txt/],
    ['the destination is taken', ({ destination }) => writeFile(destination, 'b'), /Destination already exists/],
    ['the source leads out', ({ root, outside }) => swap(join(root, 'in'), outside), /allowed folders/],
    ['the destination leads out', ({ root, outside }) => swap(join(root, 'out'), outside), /allowed folders/],
    ['the destination is elsewhere', ({ root }) => swap(join(root, 'out'), join(root, 'in')), /somewhere else/],
    ['the source is elsewhere', ({ root }) => swap(join(root, 'in'), join(root, 'out')), /somewhere else/],
  ];
  for (const [name, change, expected] of meanwhile)
    await t.test(name, async () => {
      const now = await setting();
      await writeFile(join(now.outside, 'a.txt'), 'secret');
      const { waiting, goOn } = holding([now.source, now.destination]);
      const moved = now.move();
      await waiting();
      await change(now);
      goOn();
      const { isError, said } = await moved;
      assert.ok(isError, said);
      assert.match(said, expected);
      assert.deepEqual(await readdir(now.outside), ['a.txt']);
    });
});
