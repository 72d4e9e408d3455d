import assert from 'node:assert/strict';
import { test } from 'node:test';
import { enclose, type MessageText, wholeText } from './message-text.ts';

test('a short text between others is one text', () => {
  assert.equal(enclose('[', '1', ']'), '[1]');
});

test('a long text stays in a piece of its own, however often it is enclosed', () => {
  const long = 'x'.repeat(32 * 1024);
  let text: MessageText = long;
  for (const [before, after] of ['[]', '{}', '()']) text = enclose(before!, text, after!);
  assert.deepEqual(text, ['({[', long, ']})']);
  assert.ok(wholeText(text) === `({[${long}]})`);
});
