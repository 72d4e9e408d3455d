import assert from 'node:assert/strict';
import { test } from 'node:test';
import { turns } from '../../../../../scripts/lib/until.ts';
import { type ChannelProblem, takeEach } from '../../protocol/channel.ts';
import { DEFAULT_LIMITS } from '../../protocol/limits.ts';
import type { TraceEntry } from '../../protocol/trace.ts';
import { Inbox } from '../inbox.ts';
import { createTracer } from './tracer.ts';

function told() {
  const entries: TraceEntry[] = [];
  let now = 0;
  const tracer = createTracer(
    (entry) => void entries.push(entry),
    { ...DEFAULT_LIMITS, depth: 3 },
    { now: () => ++now },
  );
  return { entries, tracer };
}

function inbox() {
  return new Inbox<string | ChannelProblem>();
}

test('received items are reported by kind: a message, valid or malformed, junk, or lost input', async () => {
  const { entries, tracer } = told();
  const box = inbox();
  const items = [
    '{"jsonrpc":"2.0","id":1,"result":{}}',
    '[{"jsonrpc":"2.0","method":"a"}]',
    '{"jsonrpc":"2.0","method":5}',
    '{"jsonrpc":"2.0","method":"a","params":{"b":{"c":{"d":{}}}}}',
    'listening on port 3000',
    '{"level":"info"}',
    '[]',
    { problem: 'A line of more than 10 bytes was skipped' },
    7 as never,
  ];
  const channel = tracer.channel({ send() {}, incoming: box.items, close() {} });
  for (const item of items) box.push(item);
  box.end();
  const taken: unknown[] = [];
  for await (const item of channel.incoming) taken.push(item);
  assert.deepEqual(taken, items);
  assert.deepEqual(
    entries.map(({ kind }) => kind),
    ['received', 'received', 'received', 'received', 'junk', 'junk', 'junk', 'lost', 'lost'],
  );
  assert.deepEqual(
    entries.map(({ text }) => text),
    [
      ...items.slice(0, 7),
      'A line of more than 10 bytes was skipped',
      'The channel delivered something that is not text',
    ],
  );
  assert.deepEqual(
    entries.map(({ at }) => at),
    items.map((_, index) => index + 1),
  );
});

test('a traced channel still delivers items directly', async () => {
  const { entries, tracer } = told();
  const box = inbox();
  const channel = tracer.channel({ send() {}, incoming: box.items, close() {} });
  const taken: unknown[] = [];
  const done = takeEach(channel.incoming, (item) => void taken.push(item));
  box.push('one');
  assert.deepEqual(taken, ['one']);
  assert.equal(entries.length, 1);
  box.end();
  await done;
});

test('a message is reported before it is sent; the return value of the channel is passed on', () => {
  const { entries, tracer } = told();
  const waiting = Promise.resolve();
  const channel = tracer.channel({
    send(text) {
      assert.deepEqual(
        entries.map((entry) => [entry.kind, entry.text]),
        [['sent', text]],
      );
      return waiting;
    },
    incoming: inbox().items,
    close: () => waiting,
  });
  assert.equal(channel.send('{}'), waiting);
  assert.equal(channel.close(), waiting);
});

test('errors and rejections of a listener are swallowed', async () => {
  const rejected: unknown[] = [];
  const listen = (reason: unknown): void => void rejected.push(reason);
  process.on('unhandledRejection', listen);
  for (const onTrace of [
    () => {
      throw new Error('no');
    },
    () => Promise.reject(new Error('no')),
  ])
    createTracer(onTrace as () => void, DEFAULT_LIMITS).report('sent', '{}');
  await turns();
  process.off('unhandledRejection', listen);
  assert.deepEqual(rejected, []);
});
