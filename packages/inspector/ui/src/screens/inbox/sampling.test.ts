import assert from 'node:assert/strict';
import { test } from 'node:test';
import { messagesIn } from './sampling.ts';

test('the messages of a sampling request are read in order, the system prompt first', () => {
  const request = {
    messages: [
      { role: 'user', content: { type: 'text', text: 'Hello\nthere' } },
      {
        role: 'assistant',
        content: [
          { type: 'text', text: 'Hi' },
          { type: 'image', data: '' },
        ],
      },
    ],
    systemPrompt: 'Be brief',
  };
  assert.deepEqual(messagesIn(JSON.stringify(request)), [
    { role: 'system', text: 'Be brief' },
    { role: 'user', text: 'Hello\nthere' },
    { role: 'assistant', text: 'Hi\n(image)' },
  ]);
});

test('an invalid request is read as far as possible', () => {
  for (const request of ['{}', '{"messages":1}', '{"messages":[1,null]}']) assert.deepEqual(messagesIn(request), []);
  assert.deepEqual(messagesIn('{"messages":[{}]}'), [{ role: 'undefined', text: 'undefined' }]);
});
