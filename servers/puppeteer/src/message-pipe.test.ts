import assert from 'node:assert/strict';
import { PassThrough } from 'node:stream';
import { test } from 'node:test';
import { until } from '../../../scripts/lib/until.ts';
import { createMessagePipe, MAX_CONSOLE_TEXT, MAX_MESSAGE_BYTES } from './message-pipe.ts';

function opened() {
  const from = new PassThrough();
  const to = new PassThrough();
  const messages: object[] = [];
  const counts = { excess: 0, closed: 0 };
  const pipe = createMessagePipe(from, to, () => counts.excess++);
  Object.assign(pipe, {
    onmessage: (message: object) => void messages.push(message),
    onclose: () => counts.closed++,
  });
  return { from, to, pipe, messages, counts };
}

test('messages arrive whole and in order, wherever their bytes are cut', async () => {
  const { from, to, pipe, messages } = opened();
  const sent = [{ id: 1, text: 'ä€🚀' }, { id: 2 }, { id: 3, text: '\0' }];
  for (const byte of Buffer.from(sent.map((message) => `${JSON.stringify(message)}\0`).join('')))
    from.write(Buffer.of(byte));
  await until(() => messages.length === 3);
  assert.deepEqual(messages, sent);
  pipe.send({ id: 4, text: 'ä' });
  assert.equal(String(to.read()), '{"id":4,"text":"ä"}\0');
});

test('texts that a page writes to its console are cut before anything keeps them, and no others', async () => {
  const { from, messages } = opened();
  const long = 'x'.repeat(12_000);
  const many = Array.from({ length: 150 }, () => ({ value: long }));
  for (const method of ['Runtime.consoleAPICalled', 'Runtime.evaluate'])
    from.write(`${JSON.stringify({ method, params: { args: many } })}\0`);
  await until(() => messages.length === 2);
  const [cut, whole] = messages as { params: { args: { value: string }[] } }[];
  assert.deepEqual([cut!.params.args.length, cut!.params.args[0]!.value.length], [100, MAX_CONSOLE_TEXT]);
  assert.deepEqual([whole!.params.args.length, whole!.params.args[0]!.value.length], [150, 12_000]);
});

test('an event about the console that is too long is not kept, and a line says so', async () => {
  const { from, messages, counts } = opened();
  from.write('{"method":"Runtime.cons');
  from.write('oleAPICalled","params":{"args":[{"value":"');
  const part = Buffer.alloc(1024 * 1024, 'x');
  const before = process.memoryUsage().arrayBuffers;
  for (let bytes = 0; bytes <= MAX_MESSAGE_BYTES; bytes += part.length) from.write(part);
  from.write('"}]},"sessionId":"0A');
  from.write('F9"}\0{"id":1}\0');
  await until(() => messages.length === 2);
  const [omitted, next] = messages as [{ params: { entry: { text: string } }; sessionId: string }, object];
  assert.deepEqual(
    [omitted.params.entry.text, omitted.sessionId, next, counts.excess],
    ['A message of more than 2 MiB is not shown', '0AF9', { id: 1 }, 0],
  );
  assert.ok(process.memoryUsage().arrayBuffers - before < 32 * 1024 * 1024);
});

test('a message that is too long ends the connection, and what comes after it is ignored', async () => {
  const { from, messages, counts } = opened();
  const part = Buffer.alloc(1024 * 1024, 'x');
  for (let bytes = 0; bytes <= MAX_MESSAGE_BYTES; bytes += part.length) from.write(part);
  from.write('\0{"id":1}\0');
  await until(() => counts.excess === 1);
  from.destroy();
  await until(() => counts.closed === 1);
  assert.deepEqual([messages, counts.excess], [[], 1]);
});
