import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { InboxItem, ServerView } from '../../../../src/api/views.ts';
import { stateOf } from './call-state.ts';
import type { PastCall } from './calls.ts';

function call(more: Partial<PastCall>): PastCall {
  return {
    request: 1,
    response: undefined,
    lines: [1],
    session: 's#1',
    method: 'tools/call',
    at: 100,
    ms: undefined,
    outcome: 'pending',
    text: '',
    ...more,
  };
}
function server(status: ServerView['status'], session = 's#1') {
  return { status, session };
}
function question(more: Partial<InboxItem>): InboxItem {
  return {
    id: 'q',
    server: 's',
    kind: 'form',
    session: 's#1',
    line: 2,
    at: 110,
    message: '',
    status: 'open',
    ...more,
  };
}

test('a call that runs, or waits for the user, is not shown as lost', () => {
  const ready = server('ready');
  assert.equal(stateOf(call({}), ready, []), 'running');
  assert.equal(stateOf(call({}), ready, [question({})]), 'asking');
  const input = call({ outcome: 'input', response: 2 });
  assert.equal(stateOf(input, ready, [question({})]), 'asking');
  assert.equal(stateOf(input, ready, []), 'input');
});

test('a call is lost when its session has ended', () => {
  assert.equal(stateOf(call({}), server('failed'), []), 'lost');
  assert.equal(stateOf(call({}), server('closed'), [question({})]), 'lost');
  assert.equal(stateOf(call({}), server('ready', 's#2'), []), 'lost');
});

test('answered questions, and those of other sessions, do not count', () => {
  const ready = server('ready');
  for (const more of [{ status: 'answered' }, { session: 's#2' }, { at: 90 }] as const)
    assert.equal(stateOf(call({}), ready, [question(more)]), 'running', JSON.stringify(more));
  assert.equal(stateOf(call({ outcome: 'input', response: 4 }), ready, [question({})]), 'input');
});

test('the outcome of a call is final', () => {
  for (const outcome of ['ok', 'error', 'tool-error', 'cancelled', 'timeout', 'lost'])
    assert.equal(stateOf(call({ outcome }), server('closed'), [question({})]), outcome);
});
