import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { InboxItem, RunningView } from '../../../../src/api/views.ts';
import { questionsOf } from './questions.ts';

function question(id: string, more: Partial<InboxItem> = {}): InboxItem {
  return { id, server: 's', kind: 'form', session: 's#1', line: 2, at: 110, message: '', status: 'open', ...more };
}
const one: RunningView = { key: 'a', method: 'tools/call' };
const alone = { session: 's#1', running: [one] };
const among = { session: 's#1', running: [one, { ...one, key: 'b' }] };
const runs = { outcome: 'pending', response: undefined, at: 100 };

function ids(...given: Parameters<typeof questionsOf>): [own: string, others: number] {
  const { own, others } = questionsOf(...given);
  return [own.map(({ id }) => id).join(' '), others];
}

test('a question belongs to the only running call', () => {
  assert.deepEqual(ids(runs, alone, [question('a'), question('b', { status: 'answered' })]), ['a', 0]);
  assert.deepEqual(ids(undefined, alone, [question('a'), question('b', { session: 's#2' })]), ['a', 0]);
  assert.deepEqual(ids(runs, alone, [question('a', { at: 90 })]), ['', 1]);
});

test('of several calls, a question belongs to the one whose answer contains it', () => {
  assert.deepEqual(ids(runs, among, [question('a')]), ['', 1]);
  const asks = { outcome: 'input', response: 2, at: 100 };
  assert.deepEqual(ids(asks, among, [question('a'), question('b', { line: 9 })]), ['a', 1]);
});
