import assert from 'node:assert/strict';
import { test } from 'node:test';
import { turns } from '../../../../scripts/lib/until.ts';
import type { Side, TraceLine } from '../trace/line.ts';
import { createTraceIndex } from '../trace/trace-index.ts';
import { type Conversation, conversationOf } from './conversation.ts';
import { replay } from './replay.ts';
import type { Wire } from './wire.ts';

const HOUR_MS = 3_600_000;

/** A ping and its answer, and both again an hour later. */
function twoPings(): Conversation {
  const ping = (id: number) => ({ jsonrpc: '2.0', id, method: 'ping' });
  const pong = (id: number) => ({ jsonrpc: '2.0', id, result: {} });
  const said: readonly (readonly [at: number, from: Side, message: object])[] = [
    [0, 'client', ping(1)],
    [1, 'server', pong(1)],
    [HOUR_MS, 'client', ping(2)],
    [HOUR_MS + 1, 'server', pong(2)],
  ];
  const index = createTraceIndex();
  const lines = said.map(([at, from, message], n): TraceLine => ({
    n: n + 1,
    at,
    session: 's',
    kind: 'message',
    from,
    text: JSON.stringify(message),
  }));
  for (const line of lines) index.add(line);
  return conversationOf({ index, read: (from, to) => lines.slice(from - 1, to) });
}

/** A server that answers every request at once, and the ids of the requests it received. */
function answering(): { readonly wire: Wire; readonly got: number[] } {
  const got: number[] = [];
  let listener: (text: string) => void = () => {};
  const wire: Wire = {
    async send(text) {
      const { id } = JSON.parse(text) as { id: number };
      got.push(id);
      listener(JSON.stringify({ jsonrpc: '2.0', id, result: {} }));
    },
    onText: (next) => void (listener = next),
    ended: new Promise(() => {}),
    unreached: () => undefined,
    close: async () => {},
  };
  return { wire, got };
}

for (const [speed, pauseMs] of [
  [1, HOUR_MS],
  [2, HOUR_MS / 2],
] as const)
  test(`at speed ${speed} a message is sent when its time has come, and not before`, async (t) => {
    t.mock.timers.enable({ apis: ['setTimeout'] });
    const { wire, got } = answering();
    const replaying = replay(twoPings(), wire, { speed });
    await turns();
    t.mock.timers.tick(1);
    await turns();
    assert.deepEqual(got, [1]);
    // The elapsed time of the test itself is subtracted, so it is not exact to the millisecond.
    t.mock.timers.tick(pauseMs * 0.8);
    await turns();
    assert.deepEqual(got, [1]);
    t.mock.timers.tick(pauseMs * 0.2);
    const rows = await replaying;
    assert.deepEqual(got, [1, 2]);
    assert.deepEqual(
      rows.map(({ status }) => status),
      ['same', 'same'],
    );
  });

test('a message whose time has not come is not sent when the replay is interrupted', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const { wire, got } = answering();
  const interruption = new AbortController();
  const replaying = replay(twoPings(), wire, { speed: 1, signal: interruption.signal });
  await turns();
  t.mock.timers.tick(1);
  await turns();
  interruption.abort(new Error('interrupted'));
  await assert.rejects(replaying, { message: 'interrupted' });
  assert.deepEqual(got, [1]);
});

test('without a speed a message is sent as soon as the messages before it have arrived', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const { wire, got } = answering();
  await replay(twoPings(), wire);
  assert.deepEqual(got, [1, 2]);
});
