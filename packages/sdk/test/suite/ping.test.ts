import assert from 'node:assert/strict';
import { test } from 'node:test';
import { agreesOn, connectScripted } from '../../src/entries/testing.ts';
import { cells, everywhere, legacy, modern } from './cells.ts';
import { everywhereRaw } from './raw.ts';

everywhereRaw(
  '[PING-1] a ping is answered at once with an empty result, whatever else is running',
  async (raw) => {
    const slow = raw.ask('tools/call', { name: 'slow' });
    const { result } = await raw.request('ping');
    assert.deepEqual(result, {});
    assert.deepEqual((await raw.request('ping', { _meta: { 'com.example/x': 1 } })).result, {});
    assert.equal(
      raw.received.some(({ id }) => id === slow),
      false,
    );
    raw.notify('notifications/cancelled', { requestId: slow });
  },
  { only: legacy },
);

everywhereRaw(
  '[PING-5] where the revision has no ping, it is an unknown method',
  async (raw) => {
    assert.equal((await raw.request('ping')).error?.code, -32601);
  },
  { only: modern, hostile: true },
);

everywhere('a client can check whether its server is alive, in every revision', async ({ client, wire }) => {
  await client.ping();
  assert.equal(wire.length, 2);
});

for (const cell of cells.filter((cell) => legacy(cell) && cell.transport === 'memory')) {
  test(`[PING-1] a client answers the ping of its server ${cell.where}`, async () => {
    const { client, peer } = await connectScripted(agreesOn(cell.revision), { revision: cell.revision });
    assert.deepEqual((await peer.request('ping'))['result'], {});
    await client.close();
  });
}
