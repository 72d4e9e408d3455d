import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseCommandLine } from './command-line.ts';
import { commandOf } from './server-command.ts';

test('nobody waits for the prompt as long as a client waits for its server', () => {
  const { graceMs, killMs } = commandOf(parseCommandLine(['list', '--', 'node', 'server.js']));
  assert.deepEqual([graceMs, killMs], [100, 200]);
});
