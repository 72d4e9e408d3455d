import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseCommandLine } from './command-line.ts';
import { commandOf } from './server-command.ts';

test('a server is stopped sooner than by other clients, so that the prompt comes back quickly', () => {
  const { graceMs, killMs } = commandOf(parseCommandLine(['list', '--', 'node', 'server.js']));
  assert.deepEqual([graceMs, killMs], [100, 200]);
});
