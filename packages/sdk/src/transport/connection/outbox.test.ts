import assert from 'node:assert/strict';
import { test } from 'node:test';
import { turns } from '../../../../../scripts/lib/until.ts';
import { type Channel, SEND_PIECES, type StreamChannel } from '../../protocol/channel.ts';
import type { LogEntry } from '../../protocol/log.ts';
import type { MessageText } from '../../protocol/message-text.ts';
import { createOutbox } from './outbox.ts';

function stage(channel: Partial<StreamChannel>) {
  const log: LogEntry[] = [];
  let closed = 0;
  const whole: Channel = {
    send: () => {},
    incoming: (async function* () {})(),
    close: () => void closed++,
    ...channel,
  };
  return { outbox: createOutbox(whole, (entry) => void log.push(entry)), log, closed: () => closed };
}

test('a channel that accepts everything does not block', () => {
  const sent: string[] = [];
  const { outbox } = stage({ send: (text) => void sent.push(text) });
  assert.equal(outbox.send('a'), undefined);
  assert.equal(outbox.blocked, undefined);
  assert.deepEqual(sent, ['a']);
});

test('a long message is passed to a channel in one piece, unless it writes to a stream of bytes', () => {
  const text: MessageText = ['[', 'x', ']'];
  const sent: MessageText[] = [];
  stage({ send: (whole) => void sent.push(whole) }).outbox.send(text);
  const send = Object.assign(() => {}, { [SEND_PIECES]: (pieces: MessageText) => void sent.push(pieces) });
  stage({ send }).outbox.send(text);
  assert.deepEqual(sent, ['[x]', text]);
});

test('a channel that is behind blocks until its last promise settles', async () => {
  const room: (() => void)[] = [];
  const { outbox } = stage({ send: () => new Promise<void>((resolve) => room.push(resolve)) });
  const first = outbox.send('a');
  const second = outbox.send('b');
  assert.ok(first !== undefined && second !== undefined);
  room[0]!();
  await first;
  assert.notEqual(outbox.blocked, undefined);
  room[1]!();
  await second;
  assert.equal(outbox.blocked, undefined);
});

test('after the first failure nothing more is sent, the channel is closed, and that is reported once', async () => {
  for (const send of [
    () => Promise.reject(new Error('gone')),
    () => {
      throw new Error('gone');
    },
  ]) {
    let tried = 0;
    const { outbox, log, closed } = stage({ send: () => (tried++, send()) });
    await outbox.send('a');
    await outbox.send('b');
    assert.deepEqual(
      [tried, outbox.broken, closed(), log.map(({ event, level }) => `${level} ${event}`)],
      [1, true, 1, ['warn channel-broken']],
    );
  }
});

test('a channel that fails to close causes no error', async () => {
  for (const close of [
    () => Promise.reject(new Error('still gone')),
    () => {
      throw new Error('still gone');
    },
  ]) {
    const { outbox } = stage({ send: () => Promise.reject(new Error('gone')), close });
    await outbox.send('a');
    await turns();
    assert.equal(outbox.broken, true);
  }
});

test('a response that a closed peer no longer receives causes no warning', async () => {
  const { outbox, log } = stage({ send: () => Promise.reject(new Error('gone')) });
  outbox.peerClosed();
  await outbox.send('a');
  assert.deepEqual(
    log.map(({ level }) => level),
    ['debug'],
  );
});
