import assert from 'node:assert/strict';
import { test } from 'node:test';
import { turns } from '../../../../scripts/lib/until.ts';
import { type Channel, takeEach } from '../protocol/channel.ts';
import { ConnectionError } from '../protocol/errors.ts';
import { memoryPair } from './memory.ts';

async function readAll(channel: Channel): Promise<unknown[]> {
  const all: unknown[] = [];
  for await (const item of channel.incoming) all.push(item);
  return all;
}

test('messages arrive in order, in both directions', async () => {
  const [a, b] = memoryPair();
  for (let n = 0; n < 1_000; n++) {
    void a.send(`a${n}`);
    void b.send(`b${n}`);
  }
  const read = async (channel: Channel, count: number): Promise<unknown[]> => {
    const all: unknown[] = [];
    for await (const item of channel.incoming) if (all.push(item) === count) break;
    return all;
  };
  assert.deepEqual(
    await read(b, 1_000),
    Array.from({ length: 1_000 }, (_, n) => `a${n}`),
  );
  assert.deepEqual(
    await read(a, 1_000),
    Array.from({ length: 1_000 }, (_, n) => `b${n}`),
  );
});

test('a reader that waits gets the message in the same turn of the event loop', async () => {
  const [a, b] = memoryPair();
  const got: unknown[] = [];
  const reading = (async () => {
    for await (const item of b.incoming) got.push(item);
  })();
  await Promise.resolve();
  let immediate = false;
  setImmediate(() => (immediate = true));
  void a.send('x');
  for (let turn = 0; turn < 10 && got.length === 0; turn++) await Promise.resolve();
  assert.deepEqual(got, ['x']);
  assert.equal(immediate, false);
  void a.close();
  await reading;
});

test('a sender is asked to wait while much is unread, and continues when there is room', async () => {
  const [a, b] = memoryPair();
  let sent = 0;
  const writing = (async () => {
    for (; sent < 1_000; sent++) await a.send('x');
    await a.close();
  })();
  await turns();
  assert.ok(sent > 0 && sent < 300, `${sent} messages were taken without a reader`);
  assert.equal((await readAll(b)).length, 1_000);
  await writing;
});

test('large messages count by their size', async () => {
  const [a] = memoryPair();
  assert.equal(a.send('small'), undefined);
  assert.ok(a.send('x'.repeat(2 * 1024 * 1024)) instanceof Promise);
});

test('closing lets the other side read what was sent, then ends', async () => {
  const [a, b] = memoryPair();
  void a.send('last words');
  await a.close();
  await a.close();
  assert.deepEqual(await readAll(b), ['last words']);
});

test('closing ends the own side at once, and sending fails on both sides', async () => {
  const [a, b] = memoryPair();
  void b.send('unread');
  const reading = readAll(a);
  await a.close();
  assert.deepEqual((await reading).length <= 1, true);
  await assert.rejects(async () => a.send('x'), ConnectionError);
  await assert.rejects(async () => b.send('x'), ConnectionError);
});

test('a reader that leaves its loop releases a waiting sender', async () => {
  const [a, b] = memoryPair();
  const waiting = a.send('x'.repeat(2 * 1024 * 1024));
  for await (const _ of b.incoming) break;
  await waiting;
  await assert.rejects(async () => a.send('x'), ConnectionError);
});

test('a direct reader gets messages in order, never inside the code that sends, and no more while it asks to wait', async () => {
  const [a, b] = memoryPair();
  const got: string[] = [];
  let proceed!: () => void;
  const reading = takeEach(b.incoming, (item) => {
    got.push(item as string);
    return item === 'stop' ? new Promise<void>((resolve) => (proceed = resolve)) : undefined;
  });
  for (const text of ['one', 'stop', 'two']) void a.send(text);
  assert.deepEqual(got, []);
  await turns();
  assert.deepEqual(got, ['one', 'stop']);
  void a.send('three');
  void a.close();
  proceed();
  await reading;
  assert.deepEqual(got, ['one', 'stop', 'two', 'three']);
});

test('a direct reader that fails ends the connection, and one that waits ends when its side is closed', async () => {
  const [a, b] = memoryPair();
  const failing = takeEach(b.incoming, () => {
    throw new Error('mine');
  });
  void a.send('x');
  await assert.rejects(failing, /mine/);
  await assert.rejects(async () => a.send('x'), ConnectionError);

  const [c, d] = memoryPair();
  const waiting = takeEach(d.incoming, () => new Promise<void>(() => {}));
  void c.send('x');
  await turns();
  await d.close();
  await waiting;
});
