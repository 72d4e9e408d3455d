import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readEvents } from './events.ts';

function streamOf(bytes: Uint8Array, size: number): ReadableStream<Uint8Array> {
  return new ReadableStream({
    start(controller) {
      for (let at = 0; at < bytes.length; at += size) controller.enqueue(bytes.subarray(at, at + size));
      controller.close();
    },
  });
}

for (const size of [1, 2, 7, 1_000])
  test(`events are read from chunks of ${size} bytes`, async () => {
    const data: string[] = [];
    const bytes = new TextEncoder().encode('data: {"a":"ü€😀"}\n\n: \n\ndata: {}\ndata: cut off');
    await readEvents(streamOf(bytes, size), (text) => data.push(text));
    assert.deepEqual(data, ['{"a":"ü€😀"}', '{}']);
  });

test('a stream whose events cannot be used is cancelled', async () => {
  let cancelled = false;
  const stream = new ReadableStream<Uint8Array>({
    start: (controller) => controller.enqueue(new TextEncoder().encode('data: x\n\n')),
    cancel: () => void (cancelled = true),
  });
  await assert.rejects(
    readEvents(stream, () => {
      throw new Error('no');
    }),
    /no/,
  );
  assert.equal(cancelled, true);
});
