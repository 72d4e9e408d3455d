import assert from 'node:assert/strict';
import { test } from 'node:test';
import { batchReply } from './batch.ts';

const gather = (messages: number): { sent: string[]; reply: (text: string | undefined) => void } => {
  const sent: string[] = [];
  return { sent, reply: batchReply(messages, (text) => void sent.push(text)) };
};

test('answers go out as one array when all are there', () => {
  const { sent, reply } = gather(3);
  reply('{"id":1}');
  reply(undefined);
  assert.deepEqual(sent, []);
  reply('{"id":2}');
  assert.deepEqual(sent, ['[{"id":1},{"id":2}]']);
});

test('a batch nobody has to be answered in gets no answer', () => {
  const { sent, reply } = gather(2);
  reply(undefined);
  reply(undefined);
  assert.deepEqual(sent, []);
});

test('large answers are not gathered into one text that no memory holds', () => {
  const { sent, reply } = gather(5);
  const large = `"${'x'.repeat(700_000)}"`;
  for (let n = 0; n < 5; n++) reply(large);
  assert.equal(sent.length, 5);
  assert.deepEqual(
    sent.flatMap((text) => JSON.parse(text) as string[]).map((text) => text.length),
    [700_000, 700_000, 700_000, 700_000, 700_000],
  );
});
