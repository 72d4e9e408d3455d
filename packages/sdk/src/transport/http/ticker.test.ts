import assert from 'node:assert/strict';
import { test } from 'node:test';
import { bytesKept, contentOf, MOST_KEPT } from '../../../../../scripts/lib/bytes-kept.ts';
import { createTicker, type TickListener } from './ticker.ts';

test('a listener that another one removed during a tick is not called', (t) => {
  t.mock.timers.enable({ apis: ['setInterval'] });
  const ticker = createTicker(1_000);
  const calls: string[] = [];
  const second: TickListener = { place: 0, tick: () => void calls.push('second') };
  const first: TickListener = {
    place: 0,
    tick: () => {
      calls.push('first');
      ticker.delete(second);
    },
  };
  ticker.add(first);
  ticker.add(second);
  ticker.add(second);
  assert.equal(ticker.size, 2);
  t.mock.timers.tick(2_000);
  assert.deepEqual(calls, ['first', 'first']);
  ticker.close();
});

test('a ticker keeps nothing that was removed until the next full garbage collection', (t) => {
  const ticker = createTicker(60_000);
  t.after(() => ticker.close());
  const kept = bytesKept((id) => {
    const listener = { place: 0, tick: () => {}, content: contentOf(id) };
    ticker.add(listener);
    return () => ticker.delete(listener);
  });
  assert.ok(kept < MOST_KEPT, `${kept} bytes were kept`);
});
