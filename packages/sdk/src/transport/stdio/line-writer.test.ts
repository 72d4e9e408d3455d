import assert from 'node:assert/strict';
import { test } from 'node:test';
import { PassThrough, Writable } from 'node:stream';
import type { MessageText } from '../../protocol/message-text.ts';
import { LineWriter } from './line-writer.ts';

/** A writer, and what it has written. */
function recorded() {
  const writes: string[] = [];
  const writer = new LineWriter(new PassThrough(), {
    maxUnsent: 1e9,
    onBroken() {},
    write: (text) => writes.push(text) > 0,
  });
  return { writer, writes };
}

test('when writing a long message fails, other code can still write to the stream', () => {
  const received: string[] = [];
  const writable = new Writable({
    decodeStrings: false,
    write(chunk, _, done) {
      received.push(String(chunk));
      done();
    },
  });
  const broken: Error[] = [];
  let writes = 0;
  const writer = new LineWriter(writable, {
    maxUnsent: 1e9,
    onBroken: (error) => void broken.push(error),
    write(text) {
      if (++writes === 2) throw new Error('refused');
      return writable.write(text, 'utf8');
    },
  });
  void writer.send('x'.repeat(70_000));
  assert.equal(broken.length, 1);
  writable.write('of other code');
  assert.equal(received.at(-1), 'of other code');
});

test('a message in pieces is one line among others, and its long piece is not joined with anything', () => {
  const { writer, writes } = recorded();
  writer.hold();
  const messages: readonly MessageText[] = ['1', ['[', 'x', ']'], ['(', 'y', ')'], '2'];
  for (const message of messages) void writer.send(message);
  writer.release();
  assert.deepEqual(writes, ['1\n', '[', 'x', ']\n', '(', 'y', ')\n2\n']);
});

test('every piece counts for what a peer may leave unread', () => {
  const broken: Error[] = [];
  const writer = new LineWriter(new PassThrough(), {
    maxUnsent: 500_000,
    onBroken: (error) => void broken.push(error),
    write: () => false,
  });
  const big = 'x'.repeat(100_000);
  for (let sent = 0; sent < 5; sent++) void writer.send([big, 'y', '']);
  assert.equal(broken.length, 0);
  for (let sent = 0; sent < 5; sent++) void writer.send(['', 'y', big]);
  assert.equal(broken.length, 1);
});

test('a long message in one piece is written without empty ones', () => {
  const { writer, writes } = recorded();
  const long = 'x'.repeat(100_000);
  void writer.send(long);
  assert.deepEqual(writes, [long, '\n']);
});
