import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { InboxItem } from '../../../../src/api/views.ts';
import { answersIn, isScripted, withAnswer } from './script-text.ts';

function item(more: Partial<InboxItem>): InboxItem {
  return {
    id: 'ask-1',
    server: 'a',
    session: 'a#1',
    kind: 'form',
    at: 0,
    message: 'How many?',
    status: 'open',
    ...more,
  };
}

test('an answer is saved under the key of its question, or under its message, with all digits', () => {
  let script = withAnswer('', item({}), { action: 'accept', content: '{"n":9007199254740993}' });
  script = withAnswer(script, item({ key: 'order' }), { action: 'decline' });
  script = withAnswer(script, item({ kind: 'url', message: 'Pay' }), { action: 'accept' });
  assert.equal(answersIn(script), 3);
  assert.match(script, /"How many\?": \{\s*"n": 9007199254740993\s*\}/);
  script = withAnswer(script, item({}), { action: 'ignore' });
  assert.deepEqual(JSON.parse(script), { 'How many?': 'ignore', order: 'decline', Pay: 'accept' });
});

test('an invalid answer is not saved', () => {
  assert.equal(withAnswer('{"a":"decline"}', item({}), { action: 'garbage', result: '1' }), '{"a":"decline"}');
  assert.equal(answersIn(' '), 0);
  assert.equal(answersIn('[1'), 0);
});

test('the script says whether a question is answered automatically', () => {
  const script = withAnswer('', item({ key: 'order' }), { action: 'decline' });
  assert.equal(isScripted(script, item({ key: 'order', message: 'Other words' })), true);
  assert.equal(isScripted(script, item({})), false);
  assert.equal(isScripted('', item({})), false);
  assert.equal(isScripted(withAnswer('', item({}), { action: 'garbage', result: '1' }), item({})), false);
});
