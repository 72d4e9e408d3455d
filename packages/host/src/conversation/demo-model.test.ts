import assert from 'node:assert/strict';
import { test } from 'node:test';
import { generateText, streamText } from 'ai';
import { scriptedModel } from './demo-model.ts';

test('a scripted model identifies itself as a script', () => {
  const { provider, modelId } = scriptedModel([]);
  assert.deepEqual([provider, modelId], ['tenon', 'demo-script']);
});

test('a scripted model streams its text in small pieces, and can also return it whole', async () => {
  const said = 'It is a  sunny day in Oslo.\nReally.';
  const pieces: string[] = [];
  const { textStream } = streamText({ model: scriptedModel([() => ({ text: said })]), prompt: 'Hi' });
  for await (const piece of textStream) pieces.push(piece);
  assert.equal(pieces.join(''), said);
  assert.ok(pieces.length > 5);
  const { text } = await generateText({ model: scriptedModel(() => ({ text: said, reasoning: 'Hm.' })), prompt: 'Hi' });
  assert.equal(text, said);
});

test('a finished script says so', async () => {
  const { text } = await generateText({ model: scriptedModel([]), prompt: 'Hi' });
  assert.equal(text, 'The script has no more steps.');
});

test('a scripted model stops when its signal aborts', async () => {
  const stop = new AbortController();
  const { stream } = streamText({
    model: scriptedModel(() => ({ text: 'a b c d e f g h' }), { pieceMs: 5 }),
    prompt: 'Hi',
    abortSignal: stop.signal,
  });
  const types = new Set<string>();
  for await (const part of stream) {
    types.add(part.type);
    if (part.type === 'text-delta') stop.abort();
  }
  assert.ok(types.has('abort'));
  assert.equal(types.has('finish'), false);
});
