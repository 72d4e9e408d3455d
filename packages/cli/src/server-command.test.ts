import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseCommandLine } from './command-line.ts';
import { commandOf } from './server-command.ts';

test('a server is ended sooner than a client would end it, so that the prompt comes back', () => {
  const { graceMs, killMs } = commandOf(parseCommandLine(['list', '--', 'node', 'server.js']));
  assert.deepEqual([graceMs, killMs], [100, 200]);
});
