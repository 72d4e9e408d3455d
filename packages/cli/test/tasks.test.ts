// A tool of the official server that can only be called as a task.

import assert from 'node:assert/strict';
import { createRequire } from 'node:module';
import process from 'node:process';
import { test } from 'node:test';
import { tenon, textIn } from './run-tenon.ts';

const official = [
  '--',
  process.execPath,
  createRequire(import.meta.url).resolve('@modelcontextprotocol/server-everything/dist/index.js'),
  'stdio',
];

test('the task of a tool that can only be called as a task is followed to its end, and its result is that of the call', async () => {
  const run = await tenon(['call', 'simulate-research-query', 'topic=tides', ...official]);
  assert.equal(run.code, 0, run.stderr);
  assert.match(textIn(run), /Research Report: tides/);
  assert.match(run.stderr, /^task working/m);
  assert.match(run.stderr, /^task completed/m);
});

test('Ctrl-C cancels the task', async () => {
  const run = await tenon(['call', 'simulate-research-query', 'topic=tides', '--trace', ...official], {
    onStderr(stderr, kill) {
      if (stderr.includes('task working')) kill('SIGINT');
    },
  });
  assert.equal(run.code, 130, run.stderr);
  assert.match(run.stderr, /"method":"tasks\/cancel"/);
});

test('--quiet does not mention a task', async () => {
  const run = await tenon(['call', 'simulate-research-query', 'topic=tides', '--quiet', ...official]);
  assert.deepEqual([run.code, run.stderr], [0, '']);
});
