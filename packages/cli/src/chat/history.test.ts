import assert from 'node:assert/strict';
import { test } from 'node:test';
import { stripVTControlCharacters } from 'node:util';
import { historyLines } from './history.ts';
import type { Message } from './types.ts';

function shown(messages: readonly Message[]): string {
  return stripVTControlCharacters(historyLines(messages, () => 60).join('\n'));
}

function turn(name: string): Message[] {
  return [
    { role: 'user', content: `${name}?` },
    {
      role: 'assistant',
      content: [
        { type: 'text', text: `I look at **${name}**.` },
        { type: 'tool-call', toolCallId: name, toolName: 'x__look', input: {} },
      ],
    },
    {
      role: 'tool',
      content: [
        { type: 'tool-result', toolCallId: name, toolName: 'x__look', output: { type: 'text', value: 'the result' } },
      ],
    },
    { role: 'assistant', content: `It is ${name}.\u001b[2J` },
  ];
}

test('the end of a conversation is shown as it was, without results', () => {
  assert.equal(shown(turn('one')), '\n› one?\n\nI look at one.\n● x__look\n\nIt is one.\\u001b[2J');
  const long = shown(['a', 'b', 'c', 'd', 'e'].flatMap(turn));
  assert.match(long, /^… 8 earlier messages\n\n› c\?/);
  assert.doesNotMatch(long, /the result|› b/);
});

test('a long message is shortened, and an empty conversation has no lines', () => {
  const lines = Array.from({ length: 50 }, (_, index) => `line ${index}`).join('\n');
  const text = shown([
    { role: 'user', content: lines },
    { role: 'assistant', content: lines },
  ]);
  assert.match(text, /› line 9\n› … 40 more lines/);
  assert.match(text, /line 29\n… 20 more lines$/);
  assert.equal(shown([]), '');
});
