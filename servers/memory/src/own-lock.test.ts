import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { withOwnLock } from './own-lock.ts';

const folder = await mkdtemp(join(tmpdir(), 'tenon-own-lock-'));
after(() => rm(folder, { recursive: true, force: true }));

test('a lock is its own until it is somebody else’s, or gone', async () => {
  const lock = join(folder, 'one.lock');
  await withOwnLock(lock, async (isOwn) => {
    assert.equal(await isOwn(), true);
    await writeFile(lock, '1 another-machine x');
    assert.equal(await isOwn(), false);
    await rm(lock);
    assert.equal(await isOwn(), false);
  });
});
