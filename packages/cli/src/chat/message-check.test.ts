import assert from 'node:assert/strict';
import { test } from 'node:test';
import { messagesProblem } from './message-check.ts';

const call = { type: 'tool-call', toolCallId: 'c', toolName: 't', input: {} };
const result = { type: 'tool-result', toolCallId: 'c', toolName: 't', output: { type: 'text', value: 'x' } };

test('every message of a saved conversation is accepted', () => {
  const file = { type: 'file', mediaType: 'image/png', data: { type: 'data', data: 'AA==' } };
  assert.equal(
    messagesProblem([
      { role: 'system', content: 'Be kind.' },
      { role: 'user', content: 'Hi' },
      { role: 'user', content: [{ type: 'text', text: 'Look', providerOptions: { a: {} } }, file] },
      { role: 'assistant', content: 'Well' },
      { role: 'assistant', content: [{ type: 'reasoning', text: '' }, { type: 'text', text: 'x' }, call] },
      { role: 'tool', content: [result] },
      {
        role: 'assistant',
        content: [
          { ...call, toolCallId: 'd', providerExecuted: true },
          { ...result, toolCallId: 'd' },
        ],
      },
      ...[
        { type: 'json', value: null },
        { type: 'error-text', value: 'x' },
        { type: 'execution-denied' },
        { type: 'content', value: [{ type: 'text', text: 'x' }, file] },
      ].map((output) => ({ role: 'tool', content: [{ ...result, output }] })),
    ]),
    undefined,
  );
});

test('messages that the AI SDK would reject are reported with their position', () => {
  for (const message of [
    null,
    [],
    {},
    { role: 'robot', content: 'x' },
    { role: 'tool', content: 'x' },
    { role: 'system', content: [] },
    { role: 'user', content: 5 },
    { role: 'user', content: [null] },
    { role: 'user', content: [call] },
    { role: 'user', content: [{ type: 'file', data: 'x' }] },
    { role: 'user', content: 'x', providerOptions: 'x' },
    { role: 'assistant', content: [{ ...call, toolName: 5 }] },
    { role: 'tool', content: [{ ...result, output: 'x' }] },
    { role: 'tool', content: [{ ...result, output: { type: '__proto__' } }] },
    { role: 'tool', content: [{ ...result, output: { type: 'json' } }] },
    { role: 'tool', content: [{ ...result, output: { type: 'content', value: [5] } }] },
  ])
    assert.equal(messagesProblem([{ role: 'user', content: 'x' }, message]), 'its message 2 is invalid');
  assert.equal(messagesProblem('x'), 'it has no messages');
  assert.equal(
    messagesProblem([
      { role: 'assistant', content: [call] },
      { role: 'user', content: 'x' },
    ]),
    'a tool call in it has no result',
  );
});
