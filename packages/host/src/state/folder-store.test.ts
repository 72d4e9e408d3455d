import assert from 'node:assert/strict';
import { mkdir, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { createFolderStore } from './folder-store.ts';

const folder = await mkdtemp(join(tmpdir(), 'tenon-keep-'));
after(() => rm(folder, { recursive: true, force: true }));

test('a failed write leaves no temporary file', async () => {
  await mkdir(join(folder, 'x.json', 'y'), { recursive: true });
  await assert.rejects(createFolderStore(folder).put('x', 1), { syscall: 'rename' });
  assert.deepEqual(await readdir(folder), ['x.json']);
});
