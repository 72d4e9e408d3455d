import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ServerView } from '@tenon/host';
import { createProblemFilter } from './server-problems.ts';

function view(state: ServerView['state'], problem?: string, late = false): ServerView {
  return {
    alias: 'one',
    state,
    problem,
    late,
    revision: undefined,
    serverInfo: undefined,
    instructions: undefined,
    startMs: undefined,
  };
}

test('a server that is restarted is reported once, not at each attempt', () => {
  const newProblem = createProblemFilter();
  const problems = [
    view('starting'),
    view('starting', 'it broke'),
    view('waiting', 'it broke'),
    view('starting', 'it broke'),
    view('failed', 'it broke'),
    view('ready'),
    view('starting', 'it broke'),
    view('refused', 'it was not allowed'),
    view('starting', 'it is waited for', true),
  ].map((one) => newProblem(one)?.problem);
  assert.deepEqual(problems, [
    undefined,
    'it broke. Restarting it.',
    undefined,
    undefined,
    'it broke',
    undefined,
    'it broke. Restarting it.',
    'it was not allowed',
    'it is waited for',
  ]);
});
