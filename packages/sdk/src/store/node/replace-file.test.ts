import assert from 'node:assert/strict';
import { mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { after, test } from 'node:test';
import { replaceFile } from './replace-file.ts';

const folder = await mkdtemp(join(tmpdir(), 'tenon-replace-'));
after(() => rm(folder, { recursive: true, force: true }));

/** A new folder for a test, and a file in it. */
async function place(name: string): Promise<{ readonly inside: string; readonly path: string }> {
  const inside = join(folder, name);
  await mkdir(inside);
  return { inside, path: join(inside, 'file') };
}

async function modeOf(path: string): Promise<number> {
  return (await stat(path)).mode & 0o777;
}

test('a file is replaced as a whole, and nothing is left beside it', async () => {
  const { inside, path } = await place('whole');
  assert.equal(await replaceFile(path, 'first'), true);
  assert.equal(await replaceFile(path, Buffer.from('second')), true);
  assert.equal(await readFile(path, 'utf8'), 'second');
  assert.deepEqual(await readdir(inside), ['file']);
});

test('a file has the given permissions', { skip: process.platform === 'win32' }, async () => {
  const { path } = await place('mode');
  await replaceFile(path, '');
  assert.equal(await modeOf(path), 0o600);
  const mask = process.umask(0o027);
  try {
    await replaceFile(path, '', { mode: 0o666 });
    assert.equal(await modeOf(path), 0o666);
    await replaceFile(path, '', { mode: 'new' });
    assert.equal(await modeOf(path), 0o640);
  } finally {
    process.umask(mask);
  }
});

test('a file that may not be replaced stays as it is', async () => {
  const { inside, path } = await place('kept');
  await writeFile(path, 'before');
  const draft = join(inside, 'draft');
  const mayReplace = async (): Promise<boolean> => {
    assert.equal(await readFile(draft, 'utf8'), 'after');
    return false;
  };
  assert.equal(await replaceFile(path, 'after', { draft, mayReplace }), false);
  assert.equal(await readFile(path, 'utf8'), 'before');
  assert.deepEqual(await readdir(inside), ['file']);
});

test('no temporary file is left behind after an error', async () => {
  const { inside, path } = await place('wrong');
  await mkdir(path);
  await writeFile(join(path, 'something'), '');
  await assert.rejects(replaceFile(path, 'text'), { syscall: 'rename' });
  await assert.rejects(
    replaceFile(join(inside, 'other'), 'text', { mayReplace: () => Promise.reject(new Error('no')) }),
    /no/,
  );
  assert.deepEqual(await readdir(inside), ['file']);
});

test('a temporary file of another process is not touched', async () => {
  const { inside, path } = await place('foreign');
  const draft = join(inside, 'draft');
  await writeFile(draft, 'theirs');
  await assert.rejects(replaceFile(path, 'ours', { draft }), { code: 'EEXIST' });
  assert.equal(await readFile(draft, 'utf8'), 'theirs');
});
