import assert from 'node:assert/strict';
import { test } from 'node:test';
import { agreesOn } from '../testing/scripted-peer.ts';
import { connectScripted } from '../testing/connect-scripted.ts';
import { sleep, systemClock } from './clock.ts';

test('a delay that is longer than timers can wait does not end at once', async () => {
  let ended = 0;
  const timers = [2 ** 31, 1e12, Infinity].map((ms) => systemClock.setTimeout(() => ended++, ms));
  await sleep(systemClock, 20);
  for (const timer of timers) systemClock.clearTimeout(timer);
  assert.equal(ended, 0);
});

test('a watch whose server takes a while to confirm it begins, however long the timeout is', async () => {
  for (const timeout of [2 ** 31, Infinity]) {
    const { client } = await connectScripted(
      {
        ...agreesOn('2026-07-28', { capabilities: { tools: { listChanged: true } } }),
        'subscriptions/listen': async ({ id, params }, peer) => {
          await sleep(systemClock, 20);
          await peer.notify('notifications/subscriptions/acknowledged', {
            notifications: params!['notifications'],
            _meta: { 'io.modelcontextprotocol/subscriptionId': id },
          });
        },
      },
      { timeout },
    );
    await client.watch({ list: 'tools' }).ready;
    await client.close();
  }
});
