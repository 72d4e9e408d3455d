// A store on a disk that is actually full. Only Linux lets a test create a disk, and not everywhere.

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { after, test } from 'node:test';

const folder = mkdtempSync(join(tmpdir(), 'tenon-store-'));
after(() => rmSync(folder, { recursive: true, force: true }));

/** Runs a command that finds a small disk at `folder`. */
function onSmallDisk(size: string, ...command: readonly string[]) {
  const script = 'size=$1 folder=$2; shift 2; mount -t tmpfs -o "size=$size" tmpfs "$folder" && exec "$@"';
  return spawnSync('unshare', ['-rm', 'sh', '-c', script, 'sh', size, folder, ...command], {
    encoding: 'utf8',
    timeout: 120_000,
  });
}

const skip = onSmallDisk('1m', 'true').status !== 0 && 'no disk can be made here';

test('on a full disk nothing is lost, and everything continues when there is room again', { skip }, () => {
  for (const size of ['700k', '1m']) {
    const { stdout, stderr } = onSmallDisk(
      size,
      process.execPath,
      join(import.meta.dirname, 'fixtures/fill.ts'),
      folder,
    );
    assert.equal(stderr, '');
    assert.deepEqual(JSON.parse(stdout), { refusal: 'RangeError', lost: 0, again: true, left: ['again'] });
  }
});

test('a disk without room for a new store is reported', { skip }, () => {
  const code = `
    import { openStore } from '@tenon/store';
    await openStore(process.argv[1]).catch(({ name, message }) => console.log(name, message));`;
  const args = ['--input-type=module', '--eval', code, `sqlite:${join(folder, 'state.db')}`];
  const script = `cd ${JSON.stringify(import.meta.dirname)} && exec "$@"`;
  const { stdout } = onSmallDisk('40k', 'sh', '-c', script, 'sh', process.execPath, ...args);
  assert.match(stdout, /^RangeError The disk is full: .*state\.db cannot grow/);
});
