import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type BatchOutput, BatchWriter } from './batch.ts';

function gather(requests: number, single = false) {
  const sent: string[] = [];
  const ends: number[] = [];
  const output: BatchOutput = {
    single,
    send: () => {},
    sendAnswers: (text) => void sent.push(text),
    end: (count) => void ends.push(count),
    wait: () => {},
  };
  const writer = new BatchWriter(output);
  for (let n = 0; n < requests; n++) writer.expect();
  writer.close();
  return { sent, ends, writer };
}

test('answers are sent as one array when all are complete', () => {
  const { sent, ends, writer } = gather(3);
  writer.finish('{"id":1}');
  writer.drop();
  assert.deepEqual(sent, []);
  writer.finish('{"id":2}');
  assert.deepEqual(sent, ['[{"id":1},{"id":2}]']);
  assert.deepEqual(ends, []);
});

test('a batch without answers sends nothing', () => {
  const { sent, ends, writer } = gather(2);
  writer.drop();
  writer.drop();
  assert.deepEqual(sent, []);
  assert.deepEqual(ends, [2]);
  assert.deepEqual(gather(0).ends, [0]);
});

test('large answers are split over several arrays, unless a single one is required', () => {
  const large = `"${'x'.repeat(700_000)}"`;
  const lengthsOf = (sent: readonly string[]) =>
    sent.map((text) => (JSON.parse(text) as string[]).map((answer) => answer.length));
  for (const single of [false, true]) {
    const { sent, writer } = gather(5, single);
    for (let n = 0; n < 5; n++) writer.finish(large);
    const each = Array.from({ length: 5 }, () => 700_000);
    assert.deepEqual(lengthsOf(sent), single ? [each] : each.map((length) => [length]));
  }
});
