import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import process from 'node:process';
import { test } from 'node:test';
import { isAlive, pidNamespace } from './process-identity.ts';

test('a process is alive until it has ended', async () => {
  assert.equal(isAlive(process.pid), true);
  const child = spawn(process.execPath, ['--eval', ''], { stdio: 'ignore' });
  await once(child, 'exit');
  assert.equal(isAlive(child.pid!), false);
});

test('the scope of pids is one word, and stays the same', async () => {
  const name = await pidNamespace();
  assert.match(name, /^\S+$/);
  assert.equal(await pidNamespace(), name);
  // After a restart of the machine, the same pids belong to other processes.
  if (process.platform !== 'linux') return;
  assert.ok(name.includes((await readFile('/proc/sys/kernel/random/boot_id', 'utf8')).trim()));
});
