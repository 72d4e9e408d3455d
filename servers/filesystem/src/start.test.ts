// The folders that the server is started with, as a host starts it.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { connect } from 'tenon/client';
import { commandOf } from '../../shared/test/ways.ts';

const base = await mkdtemp(join(tmpdir(), 'tenon-start-'));
after(() => rm(base, { recursive: true, force: true }));
const there = join(base, 'there');
const missing = [join(base, 'unmounted'), join(base, 'removed')] as const;
await mkdir(there);

test('folders that are missing are left out with a warning, and the others are served', async () => {
  const [command, ...args] = commandOf({ name: 'filesystem', args: [missing[0], there, missing[1]] });
  let stderr = '';
  await using client = await connect({ command, args, stderr: (text) => void (stderr += text) });
  assert.deepEqual(await client.call('list_allowed_directories'), { content: `Allowed directories:\n${there}` });
  for (const path of missing)
    assert.ok(stderr.includes(`filesystem: ${path} is not a folder, and is left out\n`), stderr);
});

test('if none of the named folders exists, the server does not start', () => {
  for (const args of [[missing[0]], missing]) {
    const [command, ...rest] = commandOf({ name: 'filesystem', args });
    const { status, stderr } = spawnSync(command, rest, { encoding: 'utf8', input: '' });
    assert.equal(status, 2);
    for (const path of args) assert.ok(stderr.includes(path), stderr);
  }
});
