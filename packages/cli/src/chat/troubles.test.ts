import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ServerView } from '@tenon/host';
import { createTroubles } from './troubles.ts';

const view = (state: ServerView['state'], problem?: string): ServerView => ({
  alias: 'one',
  state,
  problem,
  revision: undefined,
  says: undefined,
  instructions: undefined,
  startMs: undefined,
});

test('a server that is tried again is reported once, not at each step', () => {
  const troubles = createTroubles();
  const told = [
    view('starting'),
    view('starting', 'it broke'),
    view('waiting', 'it broke'),
    view('starting', 'it broke'),
    view('failed', 'it broke'),
    view('ready'),
    view('starting', 'it broke'),
    view('refused', 'it was not allowed'),
  ].map((one) => troubles(one)?.problem);
  assert.deepEqual(told, [
    undefined,
    'it broke. It is started again.',
    undefined,
    undefined,
    'it broke',
    undefined,
    'it broke. It is started again.',
    'it was not allowed',
  ]);
});
